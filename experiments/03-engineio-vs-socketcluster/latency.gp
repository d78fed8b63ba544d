# latency: percentiles by engine, corrected (from the intended send time) and not (from the actual one); a panel a workload.
# Reads reduced/points.tsv: latency_p*_ms and service_p*_ms.

figure_title = "Latency of a ping and its answer: percentiles by engine"
points = reduced . "/points.tsv"
percentiles = "50 90 99 99.9"

# --- what the table holds
is_shown(metric) = is_plain(stringcolumn("setting")) && (metric[1:9] eq "latency_p" || metric[1:9] eq "service_p")
has_interval(n) = n > 0 && stringcolumn("low") ne "-"
least(n) = has_interval(n) ? column("low") : column("mean")
most(n) = has_interval(n) ? column("high") : column("mean")
present = ""; shown = ""; is_gap = 0; is_whisker = 0; least_ms = 1e9; most_ms = 0
look(metric) = !is_shown(metric) ? 0 : (present = present . " " . stringcolumn("engine") . "/" . stringcolumn("workload"), \
  shown = shown . " " . metric[10 : strlen(metric) - 3], is_gap = is_gap || !has_interval(column("n")), is_whisker = is_whisker || has_interval(column("n")), \
  least_ms = least(column("n")) < least_ms ? least(column("n")) : least_ms, most_ms = most(column("n")) > most_ms ? most(column("n")) : most_ms)
stats points using (look(stringcolumn("metric")), 0) nooutput
if (most_ms <= 0) { least_ms = 0.1; most_ms = 10 }

# --- how a percentile and a series are drawn
series_words(series) = series eq "latency" ? "corrected" : "not corrected"
colour_of_series(series) = series eq "latency" ? 0xc04000 : 0x0060a8
point_of(p, series) = (p eq "50" ? 7 : p eq "90" ? 5 : p eq "99" ? 9 : 13) - (series eq "latency" ? 0 : 1)   # filled, open
letter_of_percentile(p) = p eq "50" ? "m" : p eq "90" ? "n" : p eq "99" ? "c" : "k"
words_of_percentile(p) = p eq "50" ? "median" : p . " %"

# --- where a panel goes
lines = words(slots)
left = is_text ? 38 : 138
panel_width = is_text ? 86 : (width - left - 14 * words(workloads)) / words(workloads)
panel_height = is_text ? 2 * lines + 1 : lines * 30
left_of(w) = is_text ? left : left + (w - 1) * (panel_width + 14)
top_of(w) = is_text ? 6 + (w - 1) * (panel_height + 5) : 118
bottom = top_of(words(workloads)) + panel_height + (is_text ? 3 : 40)

figure_caption = "Corrected: from the time a ping was due; not corrected: from the time it was sent. Their distance is mostly the client's\n" \
  . "timers, which count whole milliseconds: about 1 ms, whatever the engine. More than that is a stall.\n" \
  . "Geometric means over the trials" . (is_whisker && !is_text ? ", whiskers: their 95 % intervals" : "") . (is_gap && !is_text ? "; no interval: under three trials" : "") . ".\n" \
  . "Of each trial: percentiles of all its answers in the window, each where ten or more answers lie beyond it.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + caption_height(figure_caption))
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
drawn = ""
do for [p in percentiles] { if (is_in(shown, p)) { drawn = drawn . " " . p } }
if (is_text) {
  legend = ""
  do for [p in drawn] { legend = legend . letter_of_percentile(p) . " " . words_of_percentile(p) . "    " }
  eval write("legend", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 80)
  set key at screen 0.5, screen down(62) center center vertical maxrows 2 Left reverse font face samplen 1
  plot NaN notitle, for [series in "latency service"] keyentry with lines lc rgb "white" title series_words(series) . ":", \
    for [p in drawn] for [series in "latency service"] keyentry with points pt point_of(p, series) ps 0.7 lc rgb colour_of_series(series) title words_of_percentile(p)
}
unset key

# --- the panels: two lines a slot, the corrected and the other
is_drawn(w, series, p) = is_plain(stringcolumn("setting")) && stringcolumn("workload") eq word(workloads, w) && stringcolumn("metric") eq series . "_p" . p . "_ms"
line_of_series(engine, series) = 2 * place_in(slots, engine) - (is_text ? (series eq "latency") : 0.5 + (series eq "latency" ? 0.38 : -0.38))
set border 3 lw 0.7
set logscale x
set xrange [least_ms / 1.2 : most_ms * 1.2]
set yrange [2 * lines + (is_text ? 1 : 0.5) : (is_text ? 0 : 0.5)]
set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" ()
do for [decade = -3 : 5] { do for [part in "1 2 5"] { set xtics add (part * 10.0 ** decade) } }
do for [w = 1 : words(workloads)] {
  workload = word(workloads, w)
  unset label; unset object
  eval place(left_of(w), top_of(w), left_of(w) + panel_width, top_of(w) + panel_height)
  if (is_text) {
    head = workload . ": latency, ms"
    eval write("head", 1, top_of(w) - 1, "left", "")
  } else {
    eval write("workload", left_of(w), top_of(w) - 20, "left", face_bold)
    arrivals_words = arrivals(workload)
    eval write("arrivals_words", left_of(w), top_of(w) - 7, "left", face_small)
    eval write("'latency, ms (logarithmic)'", left_of(w) + panel_width / 2.0, top_of(w) + panel_height + 26, "center", face_small)
  }
  do for [i = 1 : lines] {
    name = word(slots, i)
    slot_words = title(name)
    is_era = name eq "2014" || name eq "today"
    y = top_of(w) + (is_text ? 2 * i - !is_era : panel_height * (i - 0.5) / lines)
    if (is_era) {
      if (is_text || w == 1) { eval write("slot_words", is_text ? 1 : 10, y, "left", face_bold) }
    } else {
      if (is_text || w == 1) { eval write("slot_words", is_text ? 3 : left - 6, y, is_text ? "left" : "right", face) }
      if (is_text) { do for [series in "latency service"] { row_words = series_words(series); eval write("row_words", left - 1, y + (series eq "service"), "right", "") } }
      if (!is_text) { set arrow from graph 0, first 2 * i - 0.5 to graph 1, first 2 * i - 0.5 nohead back lc rgb "#d8d8d8" lw 0.6 }
      if (!is_in(present, name . "/" . workload)) { set label "absent: no trial stands" at graph 0.5, first 2 * i - 0.5 center front font face_small }
    }
  }
  if (is_text) {
    plot for [p in percentiles] for [series in "latency service"] points using (is_drawn(w, series, p) ? column("mean") : NaN):(line_of_series(stringcolumn("engine"), series)) with points pt letter_of_percentile(p) notitle
  } else {
    plot for [p in percentiles] for [series in "latency service"] points using (is_drawn(w, series, p) && has_interval(column("n")) ? column("mean") : NaN):(line_of_series(stringcolumn("engine"), series)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of_series(series) lw 1.1 notitle, \
      for [p in percentiles] for [series in "latency service"] points using (is_drawn(w, series, p) ? column("mean") : NaN):(line_of_series(stringcolumn("engine"), series)) with points pt point_of(p, series) ps 0.7 lc rgb colour_of_series(series) notitle
  }
}
unset multiplot
