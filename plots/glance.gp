# glance: one question answered at a glance: of each point the geometric mean as a dot, its interval as a whisker, each trial as a tick.
#
# Before loading it a figure sets figure_title and metrics (a list of names of the column `metric`: panels side by side), the
# function words_of(metric) (with its unit) and note_words (what its caption says first, or ""); and, if it wants to,
#   drawn_points, drawn_workloads  what is drawn, if not all: see rows.gp
#   criterion_low, criterion_high  a word for each metric, a number or "-": lines to read the dots against, with the
#                                  function criterion_words(metric), such as "criterion: 0.9 of 6,400"
#   log_metrics                    those whose axis is logarithmic
# Saturation at which the load's core was the limit (saturation_at_least) is drawn as "≥", and what was measured at a share of it as "*"; memory below 0 as "†".
# A metric that some trials of a point lack has no mean (analysis/points/points.js): the blocks that have it are named.
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
has_some(m) = is_wanted(m) && !is_in(present, row_key(stringcolumn("engine")) . "/" . word(metrics, m))
some = "" # of a trial each: row/metric=block
look_some(m) = !has_some(m) ? 0 : (some = some . " " . row_key(stringcolumn("engine")) . "/" . word(metrics, m) . "=" . stringcolumn("block"), 0)
do for [m = 1 : words(metrics)] { stats trials using (look_some(m), 0) nooutput }
take_block(key, item) = strstrt(item, key . "=") != 1 ? 0 : (blocks_now = blocks_now . (blocks_now eq "" ? "" : ", ") . item[strlen(key) + 2 : *], 0)
blocks_with(key) = (blocks_now = "", ignored = sum [i = 1 : words(some)] take_block(key, word(some, i)), blocks_now)
least_points = ""
look_least(x) = stringcolumn("metric") ne "saturation_at_least" || column("mean") <= 0 ? 0 : (least_points = least_points . " " . row_key(stringcolumn("engine")), 0)
stats points using (look_least(0), 0) nooutput
is_share(metric) = strstrt(metric, "_at_50") + strstrt(metric, "_at_80") > 0
is_least(x) = is_in(least_points, row_key(stringcolumn("engine")))
is_least_shown = 0
do for [metric in metrics] { is_least_shown = is_least_shown || (least_points ne "" && (metric eq "saturation_hz" || is_share(metric))) }
is_below(metric, mean) = strstrt(metric, "_b_per_idle_connection") > 0 && mean < 0 # lost in what else the memory grew or shrank by
is_below_shown = 0
look_below(m) = is_wanted(m) && is_below(word(metrics, m), column("mean")) ? (is_below_shown = 1, 0) : 0
do for [m = 1 : words(metrics)] { stats points using (look_below(m), 0) nooutput }
is_log(m) = is_in(log_metrics, word(metrics, m)) && floor_of[m] > 0

# --- where a panel goes
is_abreast = words(metrics) == 1 && is_alike && words(drawn_workloads) <= 3
across_count = is_abreast ? words(drawn_workloads) : words(metrics)
most_left = wide(70, across_count == 1 ? 380 : across_count == 2 ? 310 : 250)
load plots . "/labels.gp"
gutter = wide(28, is_gap ? 62 : 44)
panel_width = wide(width - left - gutter, (width - left - (gutter + 10) * across_count) / across_count)
panel_height(w) = line_count(w) * line_height + high(1, 0)
left_of(w, m) = left + column_at(is_abreast ? w : m) * (panel_width + gutter + 10)
head_height = high(5, 66)
criteria = 0
do for [m = 1 : words(metrics)] { criteria = criteria + (has_criterion(criterion_low, m) || has_criterion(criterion_high, m)) }
array top_in[words(drawn_workloads) + 1]
top_in[1] = high(6, 104) + high(1, 14) * criteria
do for [w = 1 : words(drawn_workloads)] { top_in[w + 1] = top_in[w] + (row_at(words(metrics)) + 1) * (panel_height(w) + head_height) }
is_one_row = is_abreast && side_by_side
top_of(w, m) = top_in[is_one_row ? 1 : w] + row_at(m) * (panel_height(w) + head_height)
last_panel = is_one_row ? 1 : words(drawn_workloads)
bottom = top_of(last_panel, words(metrics)) + panel_height(last_panel) + foot(40)

abreast_words = ""
do for [workload in drawn_workloads] { abreast_words = abreast_words . (abreast_words eq "" ? "" : "\n") . workload . ": " . arrivals(workload) . "." }
least_words = !is_least_shown ? "" : phrase(">=", "≥") . " and *: the load's core was full first; the server answers at least that, and shares (*) are of that.\n"
some_words = some eq "" ? "" : "In so many blocks alone: the other trials of the point lack the number; what is left would be a selection, and has no mean.\n"
below_words = is_below_shown ? phrase("^", "†") . ": below what can be measured.\n" : ""
figure_caption = (note_words eq "" ? "" : note_words . "\n") . below_words . least_words . some_words . (is_abreast || !side_by_side ? abreast_words . "\n" : "") \
  . phrase("o: the geometric mean over the trials", "Dots: geometric means over trials") . (is_whisker ? phrase("; [ ]: their 95 % interval", "; whiskers: 95 % intervals") : "") . (is_gap ? "; no interval: under three trials" : "") \
  . phrase("; : a trial", "; ticks: single trials") . ".\n" . caption . shown_versions
eval open_figure

# --- the legend, and what the dots are to be read against
legend = spelled("o mean    [ ] 95 % interval    : a trial")
do for [m = 1 : words(metrics)] {
  if (has_criterion(criterion_low, m) || has_criterion(criterion_high, m)) {
    legend = legend . (legend eq "" ? "" : "\n") . phrase("| ", "- - -  ") . criterion_words(word(metrics, m))
  }
}
if (legend ne "") { eval write("legend", edge(10), high(3, 74), "left", face) }
keys = ""
do for [each_era in shown_eras] {
  keys = keys . entry("", sprintf("points pt %d ps 0.8 lc rgb %d", point_of_era(each_era), colour_of_era(each_era)), each_era . ": mean")
}
keys = keys . entry("", 'lines lc rgb "black" lw 1.1', "95 % interval") . entry("", 'points pt "|" lc rgb "#707070"', "a trial")
eval draw_key(keys, 54, "horizontal samplen 1.5 maxrows 1")

# --- the panels
is_drawn(w, m) = is_of(m) && is_row_shown(w)
is_drawn_era(w, m, each_era) = is_drawn(w, m) && stringcolumn("era") eq each_era
gap_words(n) = has_interval(n) ? spelled(sprintf(" [%s, %s]", number(column("low")), number(column("high")))) \
  : sprintf(" (n %d)", n)
before_value(metric) = metric eq "saturation_hz" && is_least(0) ? phrase(">= ", "≥ ") : ""
after_value(metric) = is_share(metric) && is_least(0) ? "*" : is_below(metric, column("mean")) ? phrase("^", "†") : ""
value_words(n) = before_value(stringcolumn("metric")) . number(column("mean")) . after_value(stringcolumn("metric")) . gap_words(n)
put_value(w, m) = !is_drawn(w, m) || column("n") == 0 ? 0 : (numbers = numbers \
  . sprintf("set label '%s' at graph 1, first %g left offset %g, 0 font face_small; ", value_words(column("n")), line_of_row(w), wide(1, 0.7)), 0)
set border 3 lw 0.7
do for [w = 1 : words(drawn_workloads)] { do for [m = 1 : words(metrics)] {
  workload = word(drawn_workloads, w)
  metric = word(metrics, m)
  lines = line_count(w)
  measured = 0
  do for [point in points_in[w]] { measured = measured + (is_in(present, point_in(workload, point) . "/" . metric) || blocks_with(point_in(workload, point) . "/" . metric) ne "") }
  unset label; unset object; unset arrow
  eval place(left_of(w, m), top_of(w, m), left_of(w, m) + panel_width, top_of(w, m) + panel_height(w))
  set yrange [lines + row_margin : 1 - row_margin]
  if (is_log(m)) {
    set logscale x
    set xrange [floor_of[m] / 1.2 : peak_of[m] * 1.2]
    set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format (floor_of[m] >= 1 ? "%.0s%c" : "%g") ()
    # Four panels side by side have room for every second decade, or third, where there are many
    decades = log10(peak_of[m] / floor_of[m])
    stride = !side_by_side || across_count <= 2 || decades <= 4 ? 1 : decades <= 6 ? 2 : 3
    do for [decade = -6 : 8 : stride] { do for [part in (peak_of[m] > 200 * floor_of[m] || (side_by_side && across_count > 2 && peak_of[m] > 10 * floor_of[m]) ? "1" : peak_of[m] > 20 * floor_of[m] ? "1 3" : "1 2 5")] { set xtics add (part * 10.0 ** decade) } }
  } else {
    unset logscale x
    set xrange [(floor_of[m] < 0 ? 1.04 * floor_of[m] : 0) : peak_of[m] * wide(1.08, 1.04)]
    set xtics 0, step_for(peak_of[m]) * (across_count > 2 ? 2 : 1) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
  }
  if (measured == 0) { set label "not measured here" at graph 0.5, graph 0.5 center front font face_small }
  do for [list in "criterion_low criterion_high"] { if (measured > 0 && has_criterion(value(list), m)) {
    bound = real(word(value(list), m))
    set arrow from first bound, graph 0 to first bound, graph 1 nohead back lc rgb "black" lw 1.1 dt (4,3)
  } }
  axis = words_of(metric) . (is_log(m) ? " (log)" : "")
  head = workload . (side_by_side ? (is_abreast ? "" : ": " . arrivals(workload)) : ": " . axis)
  if (m == 1 || !side_by_side) { eval write("head", is_one_row ? left_of(w, m) : edge(10), top_of(w, m) - above(8), "left", face_bold) }
  eval fine(write("axis", left_of(w, m), top_of(w, m) + panel_height(w) + 26, "left", face_small))
  do for [i = 1 : words(lines_in[w])] {
    line = word(lines_in[w], i)
    line_words = folded(words_of_line(line, lines_in[w]), label_fold)
    y = top_of(w, m) + high((i - 1) * line_height + 1, panel_height(w) * (i - 0.5) / lines)
    if (column_at(is_abreast ? w : m) == 0) { eval write_line(indent_of(line, lines_in[w]), y - label_rise(line_words)) }
    if (is_point(line)) {
      eval guide_row(i, "#e0e0e0")
      if (measured > 0 && !is_in(present, point_in(workload, line) . "/" . metric)) {
        some_now = blocks_with(point_in(workload, line) . "/" . metric)
        lack_words = some_now ne "" ? "in block" . (strstrt(some_now, ",") ? "s " : " ") . some_now . " alone" : across_count > 2 ? "absent" : "absent: no trial has it"
        set label lack_words at graph 0, first i left offset 1, 0 front font face_small
      }
    }
  }
  numbers = ""
  stats points using (put_value(w, m)) nooutput
  eval numbers
  plot for [tick in spelled("tick")] trials using (is_drawn(w, m) ? column("value") : NaN):(line_of_row(w)) with points pt ":" notitle, \
    for [tick in fine("tick")] trials using (is_drawn(w, m) ? column("value") : NaN):(line_of_row(w) - 0.28):(0):(0.56) \
      with vectors nohead lc rgb "#707070" lw 0.9 notitle, \
    for [end in spelled("low high")] points using (is_drawn(w, m) && has_interval(column("n")) ? column(end) : NaN):(line_of_row(w)) \
      with points pt (end eq "low" ? "[" : "]") notitle, \
    for [each_era in fine("2014 today")] points using (is_drawn_era(w, m, each_era) && has_interval(column("n")) ? column("mean") : NaN) \
      :(line_of_row(w)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of_era(each_era) lw 1.4 notitle, \
    for [each_era in "2014 today"] points using (is_drawn_era(w, m, each_era) ? column("mean") : NaN):(line_of_row(w)) \
      with points pt mark(point_of_era(each_era), "o") ps 0.7 lc rgb colour_of_era(each_era) notitle
} }
unset multiplot
