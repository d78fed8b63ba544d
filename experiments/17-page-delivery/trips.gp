# trips: the page without data, what the stream gains, what a request in series takes, and seven in parallel, against the round trip. Reads reduced/trips.tsv.

figure_title = "What hangs on the round trip: a page, the stream's gain, requests in series and in parallel"
trips = reduced . "/trips.tsv"
panel_metrics = "load_ms_server_noop_0 gain_pages_500 slope_ms_ajax_series,slope_ms_stream_series load_ms_ajax_parallel_7"
panel_count = words(panel_metrics)
array heads = ["the page without data: ms", "the stream's gain: pages", "one more in series: ms", "seven of 2 s in parallel: ms"]
colour_of(metric) = strstrt(metric, "_server_") ? blue : strstrt(metric, "_ajax_") ? vermilion : green
point_of(metric) = strstrt(metric, "_server_") ? 4 : strstrt(metric, "_ajax_") ? 7 : 9
dash_of(engine) = era(engine) eq "2014" ? 2 : 1
letter_of_way(metric) = strstrt(metric, "_server_") ? "s" : strstrt(metric, "_ajax_") ? "a" : "p"
listed(m) = word(panel_metrics, m)
item(list, k) = k == 1 ? (strstrt(list, ",") ? list[1 : strstrt(list, ",") - 1] : list) : item(list[strstrt(list, ",") + 1 : *], k - 1)
count_of(list) = strstrt(list, ",") ? 1 + count_of(list[strstrt(list, ",") + 1 : *]) : 1
is_of(metric, engine) = stringcolumn("metric") eq metric && stringcolumn("engine") eq engine
has_interval(x) = stringcolumn("low") ne "-"
low_of(x) = has_interval(0) ? column("low") : column("mean")
high_of(x) = has_interval(0) ? column("high") : column("mean")

# --- what the table holds
array peak_of[panel_count]
array floor_of[panel_count]
array mean_of[panel_count]
most_rtt = 0; rows_drawn = 0; is_dashed = 0; is_without_link = ""; is_cut = 0
do for [m = 1 : panel_count] {
  peak_of[m] = 0; floor_of[m] = 0; mean_of[m] = 0
  do for [k = 1 : count_of(listed(m))] { do for [engine in engines] {
    stats trips using (is_of(item(listed(m), k), engine) ? (peak_of[m] = high_of(0) > peak_of[m] ? high_of(0) : peak_of[m], \
      mean_of[m] = column("mean") > mean_of[m] ? column("mean") : mean_of[m], \
      floor_of[m] = low_of(0) < floor_of[m] ? low_of(0) : floor_of[m], most_rtt = column("rtt_ms") > most_rtt ? column("rtt_ms") : most_rtt, rows_drawn = rows_drawn + 1, is_dashed = is_dashed || era(engine) eq "2014", 0) : 0) nooutput
  } }
  # an interval on logarithms of what is nearly nothing may be as long as all else together
  if (peak_of[m] > 1.5 * mean_of[m]) { peak_of[m] = 1.5 * mean_of[m]; is_cut = 1 }
}
if (most_rtt <= 0) { most_rtt = 100 }
stats trips using (stringcolumn("workload") ne "trip" ? (is_without_link = "At 0 there is no link: two namespaces, between which nothing is added.\n", 0) : 0) nooutput

# --- where a panel goes
left = wide(10, 50)
gap = 48
panel_width = wide(100, (width - left - (panel_count - 1) * gap - 14) / panel_count)
panel_height = high(12, 190)
left_of(m) = left + column_at(m) * (panel_width + gap)
top_of(m) = high(6, 100) + row_at(m) * (panel_height + 5)
bottom = top_of(panel_count) + panel_height + foot(42)

figure_caption = "From the server's receipt of the request until the page has all its data, over a link that adds so much to a\nround trip. " \
  . "The stream's gain: (server - stream) over a load of the page without data, at a timeout of 0.5 s; the claim is\n0.7 to 1.1, once a timeout is longer than a stream takes to connect. " \
  . "A browser has six connections to a host: seven requests take two turns.\nGeometric means over the trials of each one's medians" . fine(", whiskers: 95 % intervals") . (is_cut ? fine(", cut where they leave the panel") : "") . ".\n" \
  . is_without_link \
  . (is_dashed ? fine("Full lines: today's; dashed: of 2015.\n") : "") . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

legend = entry("s", "linespoints pt 4 lc rgb blue", "server") . entry("a", "linespoints pt 7 lc rgb vermilion", "ajax") \
  . entry("p", "linespoints pt 9 lc rgb green", "stream" . spelled(" (pushed)"))
eval draw_legend(56, "horizontal samplen 3 maxrows 1")

set border 3 lw 0.7
do for [m = 1 : panel_count] {
  unset label; unset object
  top = peak_of[m] > 0 ? round_up(1.05 * peak_of[m]) : 1
  set xrange [-0.02 * most_rtt : most_rtt * 1.02]
  set yrange [floor_of[m] < 0 ? -round_up(-floor_of[m]) : 0 : top]
  set xtics 0, 20 nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
  set ytics auto nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g"
  eval place(left_of(m), top_of(m), left_of(m) + panel_width, top_of(m) + panel_height)
  head = heads[m]
  eval write("head", left_of(m), top_of(m) - above(10), "left", face_bold)
  eval write("'round trip added, ms'", left_of(m) + panel_width / 2.0, top_of(m) + panel_height + below(28), "center", face_small)
  if (rows_drawn == 0) {
    set label "nothing was measured" at graph 0.5, 0.5 center font face_small
    plot NaN notitle
    continue
  }
  if (m == 2 && side_by_side) { set object rectangle from graph 0, first 0.7 to graph 1, first 1.1 behind fc rgb "#e8e8e8" fs solid noborder }
  rtt_of(metric, engine) = is_of(metric, engine) ? column("rtt_ms") : NaN
  # whiskers before markers: each leaves a white spot where its marker will be
  plot for [drawn in fine("whiskers")] for [k = 1 : count_of(listed(m))] for [engine in engines] \
      trips using (is_of(item(listed(m), k), engine) && has_interval(0) ? column("rtt_ms") : NaN):(column("mean")):(low_of(0)):(high_of(0)) \
      with yerrorbars pt 0 lc rgb colour_of(item(listed(m), k)) lw 1 notitle, \
    for [k = 1 : count_of(listed(m))] for [engine in engines] trips using (rtt_of(item(listed(m), k), engine)):(column("mean")) with @line_and_points \
      pt mark(point_of(item(listed(m), k)), letter_of_way(item(listed(m), k))) ps 0.7 lc rgb colour_of(item(listed(m), k)) lw 1.4 dt dash_of(engine) notitle
}
unset multiplot
