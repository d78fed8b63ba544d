# layers: what of the bytes on the wire is whose, for a message and its echo, against its size.
# Reads reduced/shares.tsv.

figure_title = "Bytes on the wire by layer: a message and its echo, acknowledgements included"
shares = reduced . "/shares.tsv"
drawn = "ws"
parts = "Ethernet IP TCP WebSocket payload"
fills = "#ffffff #d8d8d8 #a8a8a8 #c04000 #f0c8a8"
letters = "e i t w p"
sizes = "0 1 16 125 126 1024 4096 16384 65536 1048576 16777216"
size_words(b) = b >= 1048576 ? sprintf("%d MiB", b / 1048576) : b >= 1024 ? sprintf("%d KiB", b / 1024) : sprintf("%d B", b)

# --- what the table holds: bytes in all of each size
array total[11]
do for [k = 1 : words(sizes)] { total[k] = 0 }
slot(b) = place_in(sizes, b)
is_drawn(engine) = stringcolumn("engine") eq engine && is_in(sizes, stringcolumn("message_b"))
look(engine) = is_drawn(engine) ? (total[slot(stringcolumn("message_b"))] = column("wire_b"), 0) : 0
stats shares using (look(drawn)) nooutput

top = high(6, 96)
panel_height = high(16, 250)
left = wide(8, 62)
right = wide(124, width - 20)
bottom = top + panel_height + between(62)
figure_caption = title(drawn) . ", binary messages, without TLS; means of the sums over both directions." \
  . "\nWhich acknowledgements travel alone depends on timing: they are no part of any formula." \
  . "\n" . caption . "\n" . versions("today")
eval open_figure
entry_gap = "   "
legend = spelled("% of all bytes, each layer up to its letter: ")
do for [k = 1 : 5] { legend = legend . entry(word(letters, k), 'boxes lc rgb "' . word(fills, k) . '" fs solid 1 border rgb "black"', word(parts, k)) }
eval draw_legend(62, "horizontal samplen 1.5 maxrows 1")
unset key; unset label
set border 3 lw 0.7
set xrange [0.5 : words(sizes) + 0.5]
set yrange [0 : 100]
set ytics 0, 25 nomirror out scale 0.5 font face_small
set xtics ("" 0) nomirror out scale 0 font face_small
do for [k = 1 : words(sizes)] { if (total[k] > 0) { set xtics add (size_words(real(word(sizes, k))) k) } }
eval place(left, top, right, top + panel_height)
percent(b) = 100.0 * b / column("wire_b")
is_part(k) = is_drawn(drawn) && stringcolumn("part") eq word(parts, k)
eval fine(write("'share of all bytes, %'", 16, top + panel_height / 2.0, "center rotate", face_small))
eval fine(write("'payload of the message, and bytes on the wire'", (left + right) / 2.0, bottom - 8, "center", face_small))
do for [k = 1 : words(fine(sizes))] {
  if (total[k] == 0) { continue }
  total_words = number(total[k]) . " B"
  eval write("total_words", left + (right - left) * (k - 0.5) / words(sizes), top + panel_height + 28, "center", face_small)
}
plot for [k = 1 : words(spelled(parts))] shares using (is_part(k) ? slot(stringcolumn("message_b")) : NaN):(percent(column("to_b"))) with points pt word(letters, k) notitle, \
  for [k = 1 : words(fine(parts))] shares using (0):(0):(is_part(k) ? slot(stringcolumn("message_b")) - 0.36 : NaN):(slot(stringcolumn("message_b")) + 0.36) \
    :(percent(column("from_b"))):(percent(column("to_b"))) with boxxyerror lc rgb word(fills, k) fs solid 1 border rgb "black" notitle
unset multiplot
