# ramp: latency and throughput against the connections that are open, by the number of clients. Reads reduced/medians.tsv.

figure_title = "A ramp of connections, a message a second on each"
seconds = reduced . "/medians.tsv"
knees = reduced . "/ramps.tsv"

# --- what the table holds: `engine|setting` in the order of the plan
drawn = ""; most_connections = 1; most_hz = 1; least_ms = 1e9; most_ms = 0
series_here(x) = stringcolumn("engine") . "|" . stringcolumn("setting")
has_latency(x) = stringcolumn("latency_p50_ms") ne "-"
look(x) = (drawn = add(drawn, series_here(0)), most_connections = column("connected") > most_connections ? column("connected") : most_connections, \
  most_hz = column("received_most") > most_hz ? column("received_most") : most_hz, \
  least_ms = has_latency(0) && column("latency_p50_ms_least") < least_ms ? column("latency_p50_ms_least") : least_ms, \
  most_ms = has_latency(0) && column("latency_p50_ms_most") > most_ms ? column("latency_p50_ms_most") : most_ms, 0)
stats seconds using (look(0)) nooutput
if (most_ms <= 0) { least_ms = 0.1; most_ms = 1000 }
is_of(series) = series_here(0) eq series
point_of(k) = k == 1 ? 7 : k == 2 ? 4 : k == 3 ? 9 : 12
said = ""
learn(x) = stringcolumn("metric") ne "knee_connections" ? 0 : (said = said . sprintf("Knee of %s, %s: %s connections%s.\n", title(stringcolumn("engine")), \
  describe_setting(stringcolumn("engine"), stringcolumn("setting")), number(column("mean")), \
  stringcolumn("low") eq "-" ? " (no interval)" : " [" . number(column("low")) . ", " . number(column("high")) . "]"), 0)
stats knees using (learn(0)) nooutput

left = wide(9, 58)
panel_width = wide(112, width - left - 20)
panel_height = high(18, 190)
top_of(p) = high(5, 66) + (p - 1) * (panel_height + between(60))
legend_top = top_of(2) + panel_height + high(4, 44)
bottom = legend_top + words(drawn) * high(1, 14) + high(1, 6)
version_lines = ""
do for [each_era in "2014 today"] { if (strlen(versions(each_era))) { version_lines = version_lines . "\n" . versions(each_era) } }
figure_caption = "Each second of the ramp: medians over trials; shaded: the middle half of them; line: what is due. Latency: of messages due in the second.\n" . said . caption . version_lines
eval open_figure
eval place(0, legend_top, width, bottom)
marks = ""
do for [k = 1 : words(drawn)] {
  words_now = lettered(sprintf("%d", k), title(engine_of(word(drawn, k))) . ", " . describe_setting(engine_of(word(drawn, k)), after_bar(word(drawn, k))))
  y_now = legend_top + (k - 1) * high(1, 14)
  eval write("words_now", left + inset(14), y_now, "left", face_small)
  marks = marks . mark_at(left + 4, y_now, point_of(k), 0.6, colour(k))
}
eval marks
plot NaN notitle

set border 3 lw 0.7
set xrange [0 : round_up(most_connections)]
set xtics 0, step_for(most_connections) nomirror out scale 0.5 font face_small format "%g"
do for [p = 1 : 2] {
  unset label
  eval place(left, top_of(p), left + panel_width, top_of(p) + panel_height)
  eval write("'connections that are open'", left + panel_width / 2.0, top_of(p) + panel_height + below(28), "center", face_small)
  head = p == 1 ? "latency, p50, ms (logarithmic)" : "messages answered a second"
  eval write("head", edge(10), top_of(p) - above(10), "left", face_small)
  if (p == 1) {
    set logscale y
    set yrange [least_ms / 1.3 : most_ms * 1.3]
    set ytics nomirror out scale 0.5 font face_small format "%g" ()
    do for [decade = -3 : 6] { set ytics add (10.0 ** decade) }
  } else {
    unset logscale y
    set yrange [0 : round_up(most_hz)]
    set ytics 0, step_for(most_hz) nomirror out scale 0.5 font face_small format "%g"
  }
  if (words(drawn) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot NaN notitle; continue }
  value = p == 1 ? "latency_p50_ms" : "received"
  plot for [k = 1 : words(fine(drawn))] \
      seconds using (is_of(word(drawn, k)) && (p == 2 || has_latency(0)) ? column("connected") : NaN):(column(value . "_least")):(column(value . "_most")) \
      with filledcurves fc rgb colour(k) fs transparent solid 0.15 noborder notitle, \
    for [k = 1 : words(drawn)] seconds using (is_of(word(drawn, k)) && (p == 2 || has_latency(0)) ? column("connected") : NaN):value \
      with points pt mark(point_of(k), sprintf("%d", k)) ps 0.5 lc rgb colour(k) notitle, \
    for [line in fine("due")] (p == 2 ? x : NaN) with lines lc rgb "#909090" lw 0.8 dt (4,3) notitle
}
unset multiplot
