# glance: one question answered at a glance: of each point the geometric mean as a dot, its interval as a whisker, each trial as a tick.
#
# Before loading it a figure sets figure_title and metrics (a list of names of the column `metric`: panels side by side), the
# function words_of(metric) (with its unit) and note_words (what its caption says first, or ""); and, if it wants to,
#   drawn_points, drawn_workloads  what is drawn, if not all: see rows.gp
#   criterion_low, criterion_high  a word for each metric, a number or "-": lines to read the dots against, with the
#                                  function criterion_words(metric), such as "criterion: 0.9 of 6,400"
#   log_metrics                    those whose axis is logarithmic
# Reads reduced/points.tsv and reduced/trials.tsv.
#
# Columns are metrics and rows workloads; of one metric, workloads that have the same points stand side by side. In a text
# each panel has a row.

load plots . "/rows.gp"
points = reduced . "/points.tsv"
trials = reduced . "/trials.tsv"
if (!exists("criterion_low")) { criterion_low = "" }
if (!exists("criterion_high")) { criterion_high = "" }
if (!exists("log_metrics")) { log_metrics = "" }
has_criterion(list, m) = word(list, m) ne "" && word(list, m) ne "-"

# --- what the tables hold
present = ""; is_gap = 0; is_whisker = 0
array floor_of[words(metrics)]
array peak_of[words(metrics)]
widen(m, value) = (floor_of[m] = value < floor_of[m] ? value : floor_of[m], peak_of[m] = value > peak_of[m] ? value : peak_of[m])
is_of(m) = stringcolumn("metric") eq word(metrics, m)
is_wanted(m) = is_of(m) && is_in(shown_points, row_key(stringcolumn("engine")))
look_point(m) = !is_wanted(m) ? 0 : (present = present . " " . row_key(stringcolumn("engine")) . "/" . word(metrics, m), \
  is_gap = is_gap || !has_interval(column("n")), is_whisker = is_whisker || has_interval(column("n")), widen(m, least(column("n"))), widen(m, most(column("n"))))
do for [m = 1 : words(metrics)] {
  floor_of[m] = 1e18; peak_of[m] = -1e18
  stats points using (look_point(m), 0) nooutput
  stats trials using (is_wanted(m) ? widen(m, column("value")) : 0, 0) nooutput
  do for [list in "criterion_low criterion_high"] { if (has_criterion(value(list), m)) { ignored = widen(m, real(word(value(list), m))) } }
  if (peak_of[m] <= 0) { floor_of[m] = 0; peak_of[m] = 1 } # nothing, or zeros alone
}
is_log(m) = is_in(log_metrics, word(metrics, m)) && floor_of[m] > 0

# --- where a panel goes
is_abreast = words(metrics) == 1 && is_alike && words(drawn_workloads) <= 3
across_count = is_abreast ? words(drawn_workloads) : words(metrics)
most_left = is_text ? 70 : across_count == 1 ? 380 : across_count == 2 ? 310 : 250
load plots . "/labels.gp"
gutter = is_text ? 28 : is_gap && across_count < 3 ? 104 : is_gap ? 62 : 44
panel_width = is_text ? width - left - gutter : (width - left - (gutter + 10) * across_count) / across_count
panel_height(w) = line_count(w) * line_height + is_text
left_of(w, m) = is_text ? left : left + ((is_abreast ? w : m) - 1) * (panel_width + gutter + 10)
head_height = is_text ? 5 : 66
array top_in[words(drawn_workloads) + 1]
top_in[1] = is_text ? 6 : 104
do for [w = 1 : words(drawn_workloads)] { top_in[w + 1] = top_in[w] + (is_text ? words(metrics) : 1) * (panel_height(w) + head_height) }
top_of(w, m) = is_abreast && !is_text ? top_in[1] : top_in[w] + (is_text ? (m - 1) * (panel_height(w) + head_height) : 0)
last_panel = is_abreast && !is_text ? 1 : words(drawn_workloads)
criteria = 0
do for [m = 1 : words(metrics)] { criteria = criteria + (has_criterion(criterion_low, m) || has_criterion(criterion_high, m)) }
if (!is_text) { do for [w = 1 : words(drawn_workloads) + 1] { top_in[w] = top_in[w] + 14 * criteria } } else { do for [w = 1 : words(drawn_workloads) + 1] { top_in[w] = top_in[w] + criteria } }
bottom = top_of(last_panel, is_text ? words(metrics) : 1) + panel_height(last_panel) + (is_text ? 3 : 40)

abreast_words = ""
do for [workload in drawn_workloads] { abreast_words = abreast_words . (abreast_words eq "" ? "" : "\n") . workload . ": " . arrivals(workload) }
figure_caption = (note_words eq "" ? "" : note_words . "\n") . (is_abreast || is_text ? abreast_words . "\n" : "") . (is_text ? "o: the geometric mean over the trials" : "Dots and numbers: geometric means over the trials") \
  . (is_whisker ? (is_text ? "; [ ]: " : "; whiskers: ") . "their 95 % interval" : "") . (is_gap ? "; no interval: under three trials" : "") \
  . (is_text ? "; : a trial" : "; ticks: single trials") . ".\n" . caption . shown_versions
eval open_canvas(bottom + caption_height(figure_caption))
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
legend = is_text ? "o mean    [ ] 95 % interval    : a trial" : ""
do for [m = 1 : words(metrics)] {
  if (has_criterion(criterion_low, m) || has_criterion(criterion_high, m)) { legend = legend . (legend eq "" ? "" : "\n") . (is_text ? "| " : "- - -  ") . criterion_words(word(metrics, m)) }
}
if (is_text) {
  eval write("legend", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 66)
  if (legend ne "") { eval write("legend", 10, 74, "left", face) }
  set key at screen 0.5, screen down(54) center center horizontal Left reverse font face samplen 1.5 maxrows 1
  plot NaN notitle, for [each_era in shown_eras] keyentry with points pt point_of_era(each_era) ps 0.8 lc rgb colour_of_era(each_era) title each_era . ": mean", \
    keyentry with lines lc rgb "black" lw 1.1 title "95 % interval", keyentry with points pt "|" lc rgb "#707070" title "a trial"
}
unset key

# --- the panels
is_drawn(w, m) = is_of(m) && is_row_shown(w)
is_drawn_era(w, m, each_era) = is_drawn(w, m) && stringcolumn("era") eq each_era
gap_words(n) = has_interval(n) ? (is_text ? sprintf(" [%s, %s]", number(column("low")), number(column("high"))) : "") : is_text || gutter > 100 ? sprintf(" no interval (n %d)", n) : sprintf(" (n %d)", n)
value_words(n) = number(column("mean")) . gap_words(n)
put_value(w, m) = !is_drawn(w, m) || column("n") == 0 ? 0 : (numbers = numbers . sprintf("set label '%s' at graph 1, first %g left offset %g, 0 font face_small; ", value_words(column("n")), line_of_row(w), is_text ? 1 : 0.7), 0)
set border 3 lw 0.7
do for [w = 1 : words(drawn_workloads)] { do for [m = 1 : words(metrics)] {
  workload = word(drawn_workloads, w)
  metric = word(metrics, m)
  lines = line_count(w)
  measured = 0
  do for [point in points_in[w]] { measured = measured + is_in(present, point_in(workload, point) . "/" . metric) }
  unset label; unset object; unset arrow
  eval place(left_of(w, m), top_of(w, m), left_of(w, m) + panel_width, top_of(w, m) + panel_height(w))
  set yrange [lines + (is_text ? 1 : 0.5) : (is_text ? 0 : 0.5)]
  if (is_log(m)) {
    set logscale x
    set xrange [floor_of[m] / 1.2 : peak_of[m] * 1.2]
    set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format (floor_of[m] >= 1 ? "%.0s%c" : "%g") ()
    do for [decade = -5 : 8] { do for [part in (peak_of[m] > 200 * floor_of[m] || (!is_text && across_count > 2 && peak_of[m] > 10 * floor_of[m]) ? "1" : peak_of[m] > 20 * floor_of[m] ? "1 3" : "1 2 5")] { set xtics add (part * 10.0 ** decade) } }
  } else {
    unset logscale x
    set xrange [(floor_of[m] < 0 ? 1.04 * floor_of[m] : 0) : peak_of[m] * (is_text ? 1.08 : 1.04)]
    set xtics 0, step_for(peak_of[m]) * (across_count > 2 ? 2 : 1) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
  }
  if (measured == 0) { set label "not measured here" at graph 0.5, graph 0.5 center front font face_small }
  do for [list in "criterion_low criterion_high"] { if (measured > 0 && has_criterion(value(list), m)) {
    bound = real(word(value(list), m))
    set arrow from first bound, graph 0 to first bound, graph 1 nohead back lc rgb "black" lw 1.1 dt (4,3)
  } }
  axis = words_of(metric) . (is_log(m) ? " (log)" : "")
  if (is_text) {
    head = workload . ": " . axis
    eval write("head", 1, top_of(w, m) - 1, "left", "")
  } else {
    if (m == 1) { head = workload . (is_abreast ? "" : ": " . arrivals(workload)); eval write("head", is_abreast ? left_of(w, m) : 10, top_of(w, m) - 8, "left", face_bold) }
    eval write("axis", left_of(w, m), top_of(w, m) + panel_height(w) + 26, "left", face_small)
  }
  do for [i = 1 : words(lines_in[w])] {
    line = word(lines_in[w], i)
    line_words = folded(words_of_line(line, lines_in[w]), label_fold)
    y = top_of(w, m) + (is_text ? i : panel_height(w) * (i - 0.5) / lines)
    if (is_text || (is_abreast ? w == 1 : m == 1)) { eval write_line(indent_of(line, lines_in[w]), y - label_rise(line_words)) }
    if (is_point(line)) {
      if (!is_text) { set arrow from graph 0, first i to graph 1, first i nohead back lc rgb "#e0e0e0" lw 0.6 }
      if (measured > 0 && !is_in(present, point_in(workload, line) . "/" . metric)) { set label (across_count > 2 ? "absent" : "absent: no trial has it") at graph 0, first i left offset 1, 0 front font face_small }
    }
  }
  numbers = ""
  stats points using (put_value(w, m)) nooutput
  eval numbers
  if (is_text) {
    plot trials using (is_drawn(w, m) ? column("value") : NaN):(line_of_row(w)) with points pt ":" notitle, \
      points using (is_drawn(w, m) && has_interval(column("n")) ? column("low") : NaN):(line_of_row(w)) with points pt "[" notitle, \
      points using (is_drawn(w, m) && has_interval(column("n")) ? column("high") : NaN):(line_of_row(w)) with points pt "]" notitle, \
      points using (is_drawn(w, m) ? column("mean") : NaN):(line_of_row(w)) with points pt "o" notitle
  } else {
    plot trials using (is_drawn(w, m) ? column("value") : NaN):(line_of_row(w) - 0.28):(0):(0.56) with vectors nohead lc rgb "#707070" lw 0.9 notitle, \
      for [each_era in "2014 today"] points using (is_drawn_era(w, m, each_era) && has_interval(column("n")) ? column("mean") : NaN):(line_of_row(w)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of_era(each_era) lw 1.4 notitle, \
      for [each_era in "2014 today"] points using (is_drawn_era(w, m, each_era) ? column("mean") : NaN):(line_of_row(w)) with points pt point_of_era(each_era) ps 0.7 lc rgb colour_of_era(each_era) notitle
  }
} }
unset multiplot
