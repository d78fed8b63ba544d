# batching: eight messages of 13 bytes, one by one, in one segment, and as one message; without TLS and with; bytes stacked by layer.
# Figures 1.6 and 1.7 of the thesis. Reads reduced/batching.tsv.

figure_title = "Eight messages of 13 bytes: one by one, in one segment, as one message"
bars = reduced . "/batching.tsv"
parts = "Ethernet IP TCP TLS WebSocket payload"
fills = "#ffffff #d8d8d8 #a8a8a8 #303030 #c04000 #f0c8a8"
letters = "e i t s w p"

# --- what the table holds
rows = 0; most_b = 100
names = ""
words_of(step, way, engine) = step eq "single" ? "one by one" : step eq "batched" ? "as one message" : way eq "up" ? "in one write" : "the answers"
tls_words(tls) = tls eq "none" ? "without TLS" : "TLS " . tls
array name[16]; array total[16]; array source[16]; array segments[16]
look(bar) = (name[bar] = words_of(stringcolumn("step"), stringcolumn("direction"), "") . ", " . (stringcolumn("direction") eq "up" ? "client" : title(stringcolumn("engine"))) . ", " . tls_words(stringcolumn("tls")), \
  total[bar] = column("total_b"), source[bar] = column("source_b"), segments[bar] = column("segments"), rows = bar > rows ? bar : rows, \
  most_b = total[bar] > most_b ? total[bar] : source[bar] > most_b ? source[bar] : most_b, 0)
stats bars using (look(int(column("bar")))) nooutput

row_height = is_text ? 1 : 24
top = is_text ? 6 : 96
left = is_text ? 50 : 262
right = is_text ? 94 : 590
bottom = top + rows * row_height + (is_text ? 4 : 42)

figure_caption = "Frames that carry bytes of the stream, as the source counts them: without those that only acknowledge." \
  . "\nTCP timestamps off, as in the source. Medians; trials do not differ. Ethernet is its header of 14 bytes, without preamble, checksum and gap." \
  . "\nSource: Chrome 34 (one by one) and Autobahn (in one segment), by figures 1.6 and 1.7 of the thesis." \
  . "\n" . caption . "\n" . versions("today")
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  eval write("'e Ethernet   i IP   t TCP   s TLS   w WebSocket   p payload, each up to its letter; x axis: bytes'", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 46, width - 10, 76)
  set key at screen 0.5, screen down(66) center center horizontal Left reverse font face samplen 1.5 maxrows 1
  plot NaN notitle, for [k = 1 : 6] keyentry with boxes lc rgb word(fills, k) fs solid 1 border rgb "black" title word(parts, k), \
    keyentry with points pt 9 ps 1 lc rgb "black" title "the source"
}
unset key

# --- the bars, one below the other
set border 1 lw 0.7
set xrange [0 : round_up(most_b)]
set yrange [rows + 0.5 : 0.5]
set xtics 0, step_for(most_b) nomirror out scale 0.5 font face_small
eval place(left, top, right, top + rows * row_height)
do for [bar = 1 : rows] {
  y = top + (bar - 0.5) * row_height - (is_text ? 0.5 : 0)
  label = name[bar]
  tail = sprintf("%d B in %d segment%s%s", total[bar], segments[bar], segments[bar] == 1 ? "" : "s", source[bar] > 0 ? sprintf("; source %d", source[bar]) : "")
  eval write("label", left - (is_text ? 1 : 8), y, "right", face_small)
  eval write("tail", right + (is_text ? 2 : 10), y, "left", face_small)
}
part_at = 0
is_part(k) = stringcolumn("part") eq word(parts, k) && column("to_b") > column("from_b")
if (is_text) {
  plot for [k = 1 : 6] bars using (is_part(k) ? column("to_b") : NaN):(column("bar")) with points pt word(letters, k) notitle
} else {
  eval write("'bytes on the wire'", (left + right) / 2.0, bottom - 8, "center", face_small)
  plot for [k = 1 : 6] bars using (column("from_b")):(column("bar")):(column("from_b")):(is_part(k) ? column("to_b") : NaN):(column("bar") - 0.34):(column("bar") + 0.34) \
      with boxxyerror lc rgb word(fills, k) fs solid 1 border rgb "black" notitle, \
    bars using (column("source_b") > 0 ? column("source_b") : NaN):(column("bar")) with points pt 9 ps 1 lc rgb "black" notitle
}
unset multiplot
