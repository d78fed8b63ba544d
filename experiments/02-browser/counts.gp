# counts: the count that the page shows, the worker's own, and what the clients have sent, against time; an engine a panel, with the
# page itself in it: figure 3.2 of the thesis.
# Reads reduced/browser.tsv and reduced/live-<engine>.png, which reduce.sh here makes of each engine's first trial that stands, and
# reduced/trials.tsv.

figure_title = "A page in a browser counts its worker's pings, live (as the thesis's figure 3.2)"
counts = reduced . "/browser.tsv"
trials = reduced . "/trials.tsv"

# --- what the tables hold
present = ""; end_s = 1
array peak[1] = [1]
look(trial) = (is_in(present, stringcolumn("engine") . "|" . trial) ? 0 : (present = present . " " . stringcolumn("engine") . "|" . trial), \
  end_s = column("t_s") > end_s ? column("t_s") : end_s, peak[1] = column("value") > peak[1] ? column("value") : peak[1], 0)
stats counts using (look(stringcolumn("trial"))) nooutput
trial_of(engine) = strstrt(present, " " . engine . "|") ? word(present[strstrt(present, " " . engine . "|") + strlen(engine) + 2 : *], 1) : ""
found = NaN
seek(trial, metric) = stringcolumn("trial") eq trial && stringcolumn("metric") eq metric ? (found = column("value")) : 0
names = "page_count_last worker_count_last page_pings"
array last[3]
step = step_for(1.05 * peak[1])
top_count = step * ceil(1.05 * peak[1] / step)

# --- where a panel goes: a row for each era
columns = 0
do for [row in "2014 today"] { n = 0; do for [engine in engines] { n = n + (era(engine) eq row) }; columns = n > columns ? n : columns }
panel_height = high(14, 190)
panel_width = wide(50, (width - 58 - 14 * columns) / columns)
left_of(i) = wide(7, 58) + (i - 1) * (panel_width + wide(11, 14))
top_of(r) = high(7, 112) + (r - 1) * (panel_height + between(44))
bottom = top_of(2) + panel_height + foot(36)

figure_caption = "A panel: the engine's first trial that stands. Sampled four times a second at random times; the clients' count each second." \
  . phrase("\nBetween the bars: the window.", \
    " Grey ground: the window.\nSet in: the page in the middle of the window (the upright line), as Chromium drew it: its upper left corner.") \
  . "\nThe page pings four times a second and shows the answers; its worker counts those pings too.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

entry_gap = "   "
legend = entry("w", "lines ls 2", "the worker counts") . entry("p", 'points pt 6 ps 0.6 lc rgb "black"', "the page shows") \
  . entry("c", "lines ls 5 dt (7,3)", "the clients have sent" . spelled("; time in s"))
eval draw_legend(56, "horizontal samplen 3 maxrows 1")
set border 3 lw 0.7
middle_s = (window_from_s + window_to_s) / 2.0
second_step = end_s <= 8 ? 1 : end_s <= 16 ? 2 : end_s <= 40 ? 5 : end_s <= 80 ? 10 : 20
is_of(engine, count) = stringcolumn("engine") eq engine && stringcolumn("count") eq count

# --- the panels
do for [r = 1 : 2] {
  i = 0
  do for [engine in engines] {
    if (era(engine) ne word("2014 today", r)) { continue }
    i = i + 1
    trial = trial_of(engine)
    unset label; unset object; unset arrow
    set xrange [0 : end_s * 1.02]
    set yrange [0 : top_count]
    set xtics 0, second_step nomirror out scale 0.5 font face_small offset 0, 0.4
    set ytics 0, step nomirror out scale 0.5 font face_small
    set format x "%g"
    set format y (i == 1 || !side_by_side ? "%g" : "")
    eval place(left_of(i), top_of(r), left_of(i) + panel_width, top_of(r) + panel_height)
    head = title(engine)
    eval write("head", left_of(i), top_of(r) - high(2, 22), "left", face_bold)
    if (i == 1) { eval fine(write("'pings'", 16, top_of(r) + panel_height / 2.0, "center rotate", face_small)) }
    if (r == 2) { eval fine(write("'time, s'", left_of(i) + panel_width / 2.0, bottom - 8, "center", face_small)) }
    if (trial eq "") {
      set label "absent: no trial stands" at graph 0.5, 0.5 center font face_small
      plot NaN notitle
      continue
    }
    do for [k = 1 : 3] { found = NaN; stats trials using (seek(trial, word(names, k)), 0) nooutput; last[k] = found }
    found = NaN
    foot = sprintf("at the end: page %.0f, worker %.0f; of them the page's own %.0f", last[1], last[2], last[3])
    eval write("foot", left_of(i), top_of(r) - above(8), "left", face_small)
    do for [bound in spelled("window_from_s window_to_s")] { set arrow from value(bound), graph 0 to value(bound), graph 0.9 nohead }
    if (side_by_side) {
      set object rectangle from window_from_s, graph 0 to window_to_s, graph 1 behind fc rgb "#ececec" fs solid noborder
      set arrow from middle_s, graph 0 to middle_s, graph 1 nohead lc rgb "#707070" lw 0.8
    }
    time_of(count) = is_of(engine, count) ? column("t_s") : NaN
    plot for [count in spelled("clients worker page")] counts using (time_of(count)):(column("value")) with points pt count[1:1] notitle, \
      for [count in fine("clients")] counts using (time_of(count)):(column("value")) with lines ls 5 dt (7,3) notitle, \
      for [count in fine("worker")] counts using (time_of(count)):(column("value")) with lines ls 2 notitle, \
      for [count in fine("page")] counts using (time_of(count)):(column("value")) with points pt 6 ps 0.6 lc rgb "black" notitle
    if (side_by_side) {
      # the page itself, set in where the curves are not: 210 x 50 of its pixels
      unset label; unset object; unset arrow; unset xtics; unset ytics
      set border 15 lw 0.7
      set object rectangle from graph 0, 0 to graph 1, 1 behind fc rgb "white" fs solid noborder
      eval place(left_of(i) + panel_width - 158, top_of(r) + panel_height - 48, left_of(i) + panel_width - 11, top_of(r) + panel_height - 13)
      set xrange [-0.5 : 209.5]
      set yrange [49.5 : -0.5]         # pixels are counted from the top, as flipy has them
      plot reduced . "/live-" . engine . ".png" binary filetype=png flipy every 1:1:0:0:209:49 with rgbimage notitle
      unset object
      set border 3 lw 0.7
    }
  }
}
unset multiplot
