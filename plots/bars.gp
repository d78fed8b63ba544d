# bars: lying bars of which each is made of parts, one after the other; bytes.
#
# Before loading it a figure sets figure_title, bars (a table with the columns bar, part, from_b, to_b, segments, total_b, source_b: a line a part), the
# function name_of_bar(bar) (the words for a line of it, by its other columns), note_words (what the caption says first), parts (a list; what
# a bar is made of, in order), fills and letters (a colour and a letter for each), tail_words(total, segments, source) and versions_words.

# --- what the table holds
rows = 0; most_b = 100
array name[32]; array total[32]; array source[32]; array segments[32]
is_sourced = 0
look(bar) = (name[bar] = name_of_bar(bar), \
  total[bar] = column("total_b"), source[bar] = column("source_b"), segments[bar] = column("segments"), is_sourced = is_sourced || source[bar] > 0, rows = bar > rows ? bar : rows, \
  most_b = total[bar] > most_b ? total[bar] : source[bar] > most_b ? source[bar] : most_b, 0)
stats bars using (look(int(column("bar")))) nooutput

row_height = high(1, 24)
top = high(6, 96)
left = wide(50, 262)
right = wide(94, 590)
bottom = top + rows * row_height + high(4, 42)

figure_caption = note_words . "\n" . caption . "\n" . versions_words
eval open_figure

entry_gap = "   "
legend = ""
do for [k = 1 : words(parts)] { legend = legend . entry(word(letters, k), 'boxes lc rgb "' . word(fills, k) . '" fs solid 1 border rgb "black"', word(parts, k)) }
if (is_sourced) { legend = legend . entry("", 'points pt 9 ps 1 lc rgb "black"', "the source") }
legend = legend . spelled("each up to its letter; x axis: bytes")
eval draw_legend(66, "horizontal samplen 1.5 maxrows 1")
unset label

# --- the bars, one below the other
set border 1 lw 0.7
set xrange [0 : round_up(most_b)]
set yrange [rows + 0.5 : 0.5]
set xtics 0, step_for(most_b) nomirror out scale 0.5 font face_small
eval place(left, top, right, top + rows * row_height)
do for [bar = 1 : rows] {
  y = top + (bar - 0.5) * row_height - high(0.5, 0)
  label = name[bar]
  tail = tail_words(total[bar], segments[bar], source[bar])
  eval write("label", left - wide(1, 8), y, "right", face_small)
  eval write("tail", right + wide(2, 10), y, "left", face_small)
}
part_at = 0
is_part(k) = stringcolumn("part") eq word(parts, k) && column("to_b") > column("from_b")
eval fine(write("'bytes on the wire'", (left + right) / 2.0, bottom - 8, "center", face_small))
plot for [k = 1 : words(spelled(parts))] bars using (is_part(k) ? column("to_b") : NaN):(column("bar")) with points pt word(letters, k) notitle, \
  for [k = 1 : words(fine(parts))] bars using (column("from_b")):(column("bar")):(column("from_b")):(is_part(k) ? column("to_b") : NaN) \
    :(column("bar") - 0.34):(column("bar") + 0.34) with boxxyerror lc rgb word(fills, k) fs solid 1 border rgb "black" notitle, \
  for [published in fine("source_b")] bars using (column(published) > 0 ? column(published) : NaN):(column("bar")) with points pt 9 ps 1 lc rgb "black" notitle
unset multiplot
