# balance: how evenly processes of a role are loaded: a dot for each of them, from the idlest to the busiest.
#
# Before loading it a figure sets figure_title, note_words (what its caption says first, or ""), roles_shown (a list: panels
# side by side), and, if it wants to,
#   quantity                       cpu_cores (when not set), descriptors or rss_kb
#   drawn_points, drawn_workloads  what is drawn, if not all that has several processes of such a role: see rows.gp
# Reads reduced/processes.tsv by analysis/processes-to-ranks.awk, and of reduced/points.tsv <role>_cpu_max_to_min or
# <role>_descriptors_cv.
#
# Columns are roles, rows workloads. In a text each panel has a row.

if (!exists("quantity")) { quantity = "cpu_cores" }
points = reduced . "/points.tsv"
ranks = "< LC_ALL=C awk -v quantity=" . quantity . " -f " . shell_word(analysis . "/median.awk") . " -f " . shell_word(analysis . "/processes-to-ranks.awk") . " " . shell_word(reduced . "/processes.tsv")
factor = quantity eq "cpu_cores" ? 100.0 : quantity eq "rss_kb" ? 1 / 1024.0 : 1.0
axis_words(role) = quantity eq "cpu_cores" ? "CPU of each " . role . ", % of a core" : quantity eq "rss_kb" ? "memory of each " . role . ", MiB" : "open descriptors of each " . role
measure_of(role) = role . (quantity eq "cpu_cores" ? "_cpu_max_to_min" : quantity eq "descriptors" ? "_descriptors_cv" : "_none")
measure_words = quantity eq "cpu_cores" ? "max / min" : quantity eq "descriptors" ? "sd / mean" : ""

# --- what the tables hold
several = ""; peak = 0
find_several(rank) = stringcolumn("side") ne "server" || !is_in(roles_shown, stringcolumn("role")) || rank < 2 ? 0 : (several = add(several, stringcolumn("engine") . "|" . stringcolumn("setting")), 0)
stats ranks using (find_several(column("rank"))) nooutput
if (!exists("drawn_points")) {
  drawn_points = ""
  do for [point in planned] { if (is_in(several, without_workload(point))) { drawn_points = add(drawn_points, without_workload(point)) } }
}
load plots . "/rows.gp"
present = ""
look_rank(role) = !is_in(roles_shown, role) || stringcolumn("side") ne "server" || !is_in(shown_points, row_key(stringcolumn("engine"))) ? 0 \
  : (present = add(present, row_key(stringcolumn("engine")) . "/" . role), peak = factor * column("median") > peak ? factor * column("median") : peak)
stats ranks using (look_rank(stringcolumn("role"))) nooutput
if (peak <= 0) { peak = 1 }

# --- where a panel goes
count = words(roles_shown)
most_left = wide(60, count == 1 ? 330 : 250)
load plots . "/labels.gp"
gutter = wide(34, count == 1 ? 168 : 92)
panel_width = wide(width - left - gutter, (width - left - (gutter + 10) * count) / count)
panel_height(w) = line_count(w) * line_height + high(1, 0)
left_of(m) = left + column_at(m) * (panel_width + gutter + 10)
head_height = high(5, 66)
array top_in[words(drawn_workloads) + 1]
top_in[1] = high(6, 104)
do for [w = 1 : words(drawn_workloads)] { top_in[w + 1] = top_in[w] + (row_at(count) + 1) * (panel_height(w) + head_height) }
top_of(w, m) = top_in[w] + row_at(m) * (panel_height(w) + head_height)
bottom = top_of(words(drawn_workloads), count) + panel_height(words(drawn_workloads)) + foot(40)

has_words = measure_words ne ""
is_bracketed = count == 1 || !side_by_side
figure_caption = (note_words eq "" ? "" : note_words . "\n") \
  . phrase("o", "Dots") . ": the processes, the busiest first, each the median over the trials; " . phrase("^", "tall tick") . ": their mean.\n" \
  . (has_words ? "At the right the mean" . (quantity eq "cpu_cores" ? ", and the busiest over the idlest" : ", and the standard deviation over the mean") . ", the geometric mean of the trials' own ratios" \
  . (is_bracketed ? ", in brackets its 95 % interval (none under three trials)" : "") . ".\n" : "") . caption . shown_versions
eval open_figure

legend = entry("o", "", "a process") . entry("^", "", "the mean")
keys = ""
do for [each_era in shown_eras] {
  keys = keys . entry("", sprintf("points pt %d ps 0.8 lc rgb %d", point_of_era(each_era), colour_of_era(each_era)), each_era . ": a process")
}
keys = keys . entry("", 'points pt "|" lc rgb "black"', "the mean of them")
eval spelled(write("legend", 1, 3, "left", ""))
eval draw_key(keys, 54, "horizontal samplen 1.5 maxrows 1")

# --- the panels
is_drawn(w, m) = stringcolumn("side") eq "server" && stringcolumn("role") eq word(roles_shown, m) && is_row_shown(w)
is_process(w, m, each_era) = is_drawn(w, m) && stringcolumn("era") eq each_era && column("rank") > 0
is_mean(w, m) = is_drawn(w, m) && column("rank") == 0
mean_of(w, m) = is_mean(w, m) ? factor * column("median") : NaN
is_measured(w, m) = stringcolumn("metric") eq measure_of(word(roles_shown, m)) && is_row_shown(w) && column("n") > 0
put_at(line, words, step) = sprintf("set label '%s' at graph 1, first %g left offset %g, 0 font face_small; ", words, line, step)
put_mean(w, m) = !is_mean(w, m) ? 0 : (numbers = numbers . put_at(line_of_row(w), number(factor * column("median")), wide(1, 0.9)), 0)
bracketed(n) = has_interval(n) && is_bracketed ? sprintf(" [%s, %s]", number(column("low")), number(column("high"))) : ""
put_measure(w, m) = !is_measured(w, m) ? 0 : (numbers = numbers . put_at(line_of_row(w), number(column("mean")) . bracketed(column("n")), wide(9, 6.5)), 0)
set border 3 lw 0.7
set xrange [0 : peak * 1.05]
set xtics 0, step_for(peak) * (count > 2 ? 2 : 1) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
do for [w = 1 : words(drawn_workloads)] { do for [m = 1 : count] {
  workload = word(drawn_workloads, w)
  role = word(roles_shown, m)
  lines = line_count(w)
  unset label; unset object; unset arrow
  eval place(left_of(m), top_of(w, m), left_of(m) + panel_width, top_of(w, m) + panel_height(w))
  set yrange [lines + row_margin : 1 - row_margin]
  axis = axis_words(role)
  set label "mean" at graph 1, graph 1 left offset wide(1, 0.9), high(0, -0.9) font face_small
  if (has_words) { set label measure_words at graph 1, graph 1 left offset wide(9, 6.5), high(0, -0.9) font face_small }
  head = workload . ": " . (side_by_side ? arrivals(workload) : axis)
  if (column_at(m) == 0) { eval write("head", edge(10), top_of(w, m) - above(8), "left", face_bold) }
  eval fine(write("axis", left_of(m), top_of(w, m) + panel_height(w) + 26, "left", face_small))
  do for [i = 1 : words(lines_in[w])] {
    line = word(lines_in[w], i)
    line_words = folded(words_of_line(line, lines_in[w]), label_fold)
    y = top_of(w, m) + high((i - 1) * line_height + 1, panel_height(w) * (i - 0.5) / lines)
    if (column_at(m) == 0) { eval write_line(indent_of(line, lines_in[w]), y - label_rise(line_words)) }
    if (is_point(line)) {
      eval guide_row(i, "#e0e0e0")
      if (!is_in(present, point_in(workload, line) . "/" . role)) { set label "no " . role . ", or no trial" at graph 0, first i left offset 1, 0 front font face_small }
    }
  }
  if (lines_in[w] eq "") { set label "no trial stands" at graph 0.5, graph 0.5 center front font face_small }
  numbers = ""
  stats ranks using (put_mean(w, m)) nooutput
  stats points using (put_measure(w, m)) nooutput
  eval numbers
  plot for [tick in spelled("tick")] ranks using (mean_of(w, m)):(line_of_row(w)) with points pt "^" notitle, \
    for [tick in fine("tick")] ranks using (mean_of(w, m)):(line_of_row(w) - 0.4):(0):(0.8) with vectors nohead lc rgb "black" lw 1.6 notitle, \
    for [each_era in "2014 today"] ranks using (is_process(w, m, each_era) ? factor * column("median") : NaN):(line_of_row(w)) \
      with points pt mark(point_of_era(each_era), "o") ps 0.5 lc rgb colour_of_era(each_era) notitle
} }
unset multiplot
