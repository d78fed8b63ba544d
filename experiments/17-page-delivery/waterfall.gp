# waterfall: one load of each workflow, request by request, and the marks of its page; a column an engine. Reads reduced/bars.tsv.

figure_title = "One load of each workflow: a page whose data take a timeout"
bars = reduced . "/bars.tsv"
shown_engines = engines

# --- what the table holds: lines of each engine, a heading before each workflow
array lines_in[words(shown_engines)]
most_ms = 0
do for [e = 1 : words(shown_engines)] { lines_in[e] = 0 }
last_way = ""
grow(e) = (ways_now = stringcolumn("workflow"), lines_in[e] = lines_in[e] + 1 + (ways_now ne last_way), last_way = ways_now, most_ms = column("end_ms") > most_ms ? column("end_ms") : most_ms)
do for [e = 1 : words(shown_engines)] { last_way = ""; stats bars using (stringcolumn("engine") eq word(shown_engines, e) ? (grow(e), 0) : 0) nooutput }
most_lines = 1
do for [e = 1 : words(shown_engines)] { most_lines = lines_in[e] > most_lines ? lines_in[e] : most_lines }
if (most_ms <= 0) { most_ms = 1000 }

# --- where a panel goes
label_width = wide(22, 96)
line_height = high(1, 14)
across_count = wide(1, words(shown_engines))
panel_width = wide(98, (width - 20 - across_count * (label_width + 10)) / across_count)
panel_height = (most_lines + 1) * line_height
left_of(e) = label_width + column_at(e) * (panel_width + label_width + 20)
top_of(e) = high(6, 84) + row_at(e) * (panel_height + 5)
bottom = top_of(words(shown_engines)) + panel_height + foot(40)

figure_caption = "ms since the server's receipt of the request for the page, by the page's own clock.\n" . phrase( \
    "[ a request, | its first byte, ] its last; * a mark of the page. Browsers tell of no WebSocket.\n", \
    "A bar a request, but for WebSockets, of which browsers do not\ntell: light until its first byte is there, dark until its last. Diamonds: the first paint (with the data only where the server " \
    . "renders them), when the scripts had run, when all data were in the document (where the run tells it), and when the page was complete. A poll of Socket.IO is held until there is something.\n") \
  . "The load of the longest timeout, in the first trial; of binary and websocket,\nwhich differ from stream in files alone, the largest file.\n" . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure
plot NaN notitle

set border 1 lw 0.7
do for [e = 1 : words(shown_engines)] {
  unset label; unset object
  engine = word(shown_engines, e)
  head = title(engine)
  eval write("head", left_of(e) - inset(40), top_of(e) - above(12), "left", face_bold)
  eval write("'ms'", left_of(e) + panel_width / 2.0, top_of(e) + panel_height + below(28), "center", face_small)
  set xrange [-0.08 * most_ms : most_ms * 1.04]
  set yrange [most_lines + 1 : 0]
  set xtics 0, 2 * step_for(most_ms) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
  unset ytics
  eval place(left_of(e), top_of(e), left_of(e) + panel_width, top_of(e) + panel_height)
  if (lines_in[e] == 0) {
    set label "nothing was measured" at graph 0.5, 0.5 center font face_small
    plot NaN notitle
    continue
  }
  # each row's place, and its words
  place_now = 0; last_way = ""; number = 0
  is_mark(x) = stringcolumn("first_ms") eq "-"
  note(x) = (way_now = stringcolumn("workflow"), place_now = place_now + 1 + (way_now ne last_way), is_new = way_now ne last_way, last_way = way_now, number = number + 1, \
    what_now = stringcolumn("what"), begin_now = column("begin_ms"), end_now = column("end_ms"), mark_now = is_mark(0), first_now = mark_now ? end_now : column("first_ms"))
  array ways_at[200]; array is_new_at[200]; array place_at[200]; array what_at[200]; array begin_at[200]; array first_at[200]; array end_at[200]; array is_mark_at[200]
  keep(x) = (note(0), ways_at[number] = way_now, is_new_at[number] = is_new, place_at[number] = place_now, what_at[number] = what_now, begin_at[number] = begin_now, \
    first_at[number] = first_now, end_at[number] = end_now, is_mark_at[number] = mark_now)
  stats bars using (stringcolumn("engine") eq engine ? (keep(0), 0) : 0) nooutput
  do for [k = 1 : number] {
    words_k = what_at[k]; way_k = ways_at[k]
    y = place_at[k]
    set label words_k at graph 0, first y right offset -1, 0 font face_small noenhanced
    if (is_new_at[k]) { set label way_k at graph 0, first (y - 1) right offset -1, 0 font face_bold noenhanced }
    if (!side_by_side) {
      if (is_mark_at[k]) { set label "*" at end_at[k], y center } else {
        set label "[" at begin_at[k], y center; set label "|" at first_at[k], y center; set label "]" at end_at[k], y center
      }
    } else {
      if (is_mark_at[k]) { set label "" at end_at[k], y point pt 13 ps 0.8 lc rgb "black" } else {
        first_ms = first_at[k] < begin_at[k] ? begin_at[k] : first_at[k]
        set object rectangle from begin_at[k], y - 0.32 to first_ms, y + 0.32 fc rgb "#c8d8e8" fs solid noborder
        set object rectangle from first_ms, y - 0.32 to end_at[k] + 0.002 * most_ms, y + 0.32 fc rgb blue fs solid noborder
      }
    }
  }
  plot NaN notitle
}
unset multiplot
