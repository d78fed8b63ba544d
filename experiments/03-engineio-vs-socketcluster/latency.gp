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
colour_of_series(series) = series eq "latency" ? vermilion : blue
point_of(p, series) = (p eq "50" ? 7 : p eq "90" ? 5 : p eq "99" ? 9 : 13) - (series eq "latency" ? 0 : 1)   # filled, open
letter_of_percentile(p) = p eq "50" ? "m" : p eq "90" ? "n" : p eq "99" ? "c" : "k"
words_of_percentile(p) = p eq "50" ? "median" : p . " %"

# --- where a panel goes
lines = words(slots)
left = wide(48, 138)
panel_width = wide(76, (width - left - 14 * words(workloads)) / words(workloads))
panel_height = high(2 * lines + 1, lines * 30)
left_of(w) = left + column_at(w) * (panel_width + 14)
top_of(w) = high(6, 118) + row_at(w) * (panel_height + 5)
bottom = top_of(words(workloads)) + panel_height + foot(40)

figure_caption = "Corrected: from the time a ping was due; not corrected: from the time it was sent. Their distance is mostly the client's\n" \
  . "timers, which count whole milliseconds: about 1 ms, whatever the engine. More than that is a stall.\n" \
  . "Geometric means over the trials" . with_whiskers(is_whisker) . (is_gap ? fine("; no interval: under three trials") : "") . ".\n" \
  . "Of each trial: percentiles of all its answers in the window, each where ten or more answers lie beyond it.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

drawn = ""
do for [p in percentiles] { if (is_in(shown, p)) { drawn = drawn . " " . p } }
legend = ""
do for [series in "latency service"] { legend = legend . entry("", 'lines lc rgb "white"', series_words(series) . ":") }
do for [p in drawn] { do for [series in "latency service"] {
  legend = legend . entry(series eq "latency" ? letter_of_percentile(p) : "", \
    sprintf("points pt %d ps 0.7 lc rgb %d", point_of(p, series), colour_of_series(series)), words_of_percentile(p))
} }
eval draw_legend(62, "vertical maxrows 2 samplen 1")

# --- the panels: two lines a slot, the corrected and the other
is_drawn(w, series, p) = is_plain(stringcolumn("setting")) && stringcolumn("workload") eq word(workloads, w) && stringcolumn("metric") eq series . "_p" . p . "_ms"
line_of_series(engine, series) = 2 * place_in(slots, engine) - high(series eq "latency", 0.5 + (series eq "latency" ? 0.38 : -0.38))
set border 3 lw 0.7
set logscale x
set xrange [least_ms / 1.2 : most_ms * 1.2]
set yrange [2 * lines + row_margin : 1 - row_margin]
set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" ()
do for [decade = -3 : 5] { do for [part in "1 2 5"] { set xtics add (part * 10.0 ** decade) } }
do for [w = 1 : words(workloads)] {
  workload = word(workloads, w)
  unset label; unset object
  eval place(left_of(w), top_of(w), left_of(w) + panel_width, top_of(w) + panel_height)
  axis = "latency, ms" . fine(" (logarithmic)")
  arrivals_words = arrivals(workload)
  eval head_panel(left_of(w), top_of(w), panel_width, panel_height)
  do for [i = 1 : lines] {
    name = word(slots, i)
    slot_words = title(name)
    is_era = name eq "2014" || name eq "today"
    y = top_of(w) + high(2 * i - !is_era, panel_height * (i - 0.5) / lines)
    if (column_at(w) == 0) { eval write_slot(is_era, y) }
    if (is_era) { continue }
    do for [series in spelled("latency service")] { row_words = series_words(series); eval write("row_words", left - 1, y + (series eq "service"), "right", "") }
    eval guide_row(2 * i - 0.5, "#d8d8d8")
    if (!is_in(present, name . "/" . workload)) { set label "absent: no trial stands" at graph 0.5, first 2 * i - 0.5 center front font face_small }
  }
  plot for [p in fine(percentiles)] for [series in "latency service"] \
      points using (is_drawn(w, series, p) && has_interval(column("n")) ? column("mean") : NaN):(line_of_series(stringcolumn("engine"), series)) \
      :(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of_series(series) lw 1.1 notitle, \
    for [p in percentiles] for [series in "latency service"] \
      points using (is_drawn(w, series, p) ? column("mean") : NaN):(line_of_series(stringcolumn("engine"), series)) \
      with points pt mark(point_of(p, series), letter_of_percentile(p)) ps 0.7 lc rgb colour_of_series(series) notitle
}
unset multiplot
