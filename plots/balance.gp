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
ranks = "< LC_ALL=C awk -v quantity=" . quantity . " -f '" . analysis . "/median.awk' -f '" . analysis . "/processes-to-ranks.awk' '" . reduced . "/processes.tsv'"
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
most_left = is_text ? 60 : count == 1 ? 330 : 250
load plots . "/labels.gp"
gutter = is_text ? 34 : count == 1 ? 168 : 92
panel_width = is_text ? width - left - gutter : (width - left - (gutter + 10) * count) / count
panel_height(w) = line_count(w) * line_height + is_text
left_of(m) = is_text ? left : left + (m - 1) * (panel_width + gutter + 10)
head_height = is_text ? 5 : 66
array top_in[words(drawn_workloads) + 1]
top_in[1] = is_text ? 6 : 104
do for [w = 1 : words(drawn_workloads)] { top_in[w + 1] = top_in[w] + (is_text ? count : 1) * (panel_height(w) + head_height) }
top_of(w, m) = top_in[w] + (is_text ? (m - 1) * (panel_height(w) + head_height) : 0)
bottom = top_of(words(drawn_workloads), count) + panel_height(words(drawn_workloads)) + (is_text ? 3 : 40)

has_words = measure_words ne ""
figure_caption = (note_words eq "" ? "" : note_words . "\n") \
  . (is_text ? "o" : "Dots") . ": the busiest process, the second busiest and so on, each the median over the trials; " . (is_text ? "^" : "tall tick") . ": their mean.\n" \
  . (has_words ? "At the right the mean" . (quantity eq "cpu_cores" ? ", and the busiest over the idlest" : ", and the standard deviation over the mean") . ", the geometric mean of the trials' own ratios" \
  . (count == 1 || is_text ? ", in brackets its 95 % interval (none under three trials)" : "") . ".\n" : "") . caption . shown_versions
eval open_canvas(bottom + caption_height(figure_caption))
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  eval write("'o a process    ^ the mean'", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 66)
  set key at screen 0.5, screen down(54) center center horizontal Left reverse font face samplen 1.5 maxrows 1
  plot NaN notitle, for [each_era in shown_eras] keyentry with points pt point_of_era(each_era) ps 0.8 lc rgb colour_of_era(each_era) title each_era . ": a process", \
    keyentry with points pt "|" lc rgb "black" title "the mean of them"
}
unset key

# --- the panels
is_drawn(w, m) = stringcolumn("side") eq "server" && stringcolumn("role") eq word(roles_shown, m) && is_row_shown(w)
is_process(w, m, each_era) = is_drawn(w, m) && stringcolumn("era") eq each_era && column("rank") > 0
is_mean(w, m) = is_drawn(w, m) && column("rank") == 0
is_measured(w, m) = stringcolumn("metric") eq measure_of(word(roles_shown, m)) && is_row_shown(w) && column("n") > 0
put_at(line, words, step) = sprintf("set label '%s' at graph 1, first %g left offset %g, 0 font face_small; ", words, line, step)
put_mean(w, m) = !is_mean(w, m) ? 0 : (numbers = numbers . put_at(line_of_row(w), number(factor * column("median")), is_text ? 1 : 0.9), 0)
bracketed(n) = has_interval(n) && (count == 1 || is_text) ? sprintf(" [%s, %s]", number(column("low")), number(column("high"))) : ""
put_measure(w, m) = !is_measured(w, m) ? 0 : (numbers = numbers . put_at(line_of_row(w), number(column("mean")) . bracketed(column("n")), is_text ? 9 : 6.5), 0)
set border 3 lw 0.7
set xrange [0 : peak * 1.05]
set xtics 0, step_for(peak) * (count > 2 ? 2 : 1) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
do for [w = 1 : words(drawn_workloads)] { do for [m = 1 : count] {
  workload = word(drawn_workloads, w)
  role = word(roles_shown, m)
  lines = line_count(w)
  unset label; unset object; unset arrow
  eval place(left_of(m), top_of(w, m), left_of(m) + panel_width, top_of(w, m) + panel_height(w))
  set yrange [lines + (is_text ? 1 : 0.5) : (is_text ? 0 : 0.5)]
  axis = axis_words(role)
  set label "mean" at graph 1, graph 1 left offset (is_text ? 1 : 0.9), (is_text ? 0 : -0.9) font face_small
  if (has_words) { set label measure_words at graph 1, graph 1 left offset (is_text ? 9 : 6.5), (is_text ? 0 : -0.9) font face_small }
  if (is_text) {
    head = workload . ": " . axis
    eval write("head", 1, top_of(w, m) - 1, "left", "")
  } else {
    if (m == 1) { head = workload . ": " . arrivals(workload); eval write("head", 10, top_of(w, m) - 8, "left", face_bold) }
    eval write("axis", left_of(m), top_of(w, m) + panel_height(w) + 26, "left", face_small)
  }
  do for [i = 1 : words(lines_in[w])] {
    line = word(lines_in[w], i)
    line_words = folded(words_of_line(line, lines_in[w]), label_fold)
    y = top_of(w, m) + (is_text ? i : panel_height(w) * (i - 0.5) / lines)
    if (is_text || m == 1) { eval write_line(indent_of(line, lines_in[w]), y - label_rise(line_words)) }
    if (is_point(line)) {
      if (!is_text) { set arrow from graph 0, first i to graph 1, first i nohead back lc rgb "#e0e0e0" lw 0.6 }
      if (!is_in(present, point_in(workload, line) . "/" . role)) { set label "no " . role . ", or no trial" at graph 0, first i left offset 1, 0 front font face_small }
    }
  }
  if (lines_in[w] eq "") { set label "no trial stands" at graph 0.5, graph 0.5 center front font face_small }
  numbers = ""
  stats ranks using (put_mean(w, m)) nooutput
  stats points using (put_measure(w, m)) nooutput
  eval numbers
  if (is_text) {
    plot ranks using (is_mean(w, m) ? factor * column("median") : NaN):(line_of_row(w)) with points pt "^" notitle, \
      for [each_era in "2014 today"] ranks using (is_process(w, m, each_era) ? factor * column("median") : NaN):(line_of_row(w)) with points pt "o" notitle
  } else {
    plot ranks using (is_mean(w, m) ? factor * column("median") : NaN):(line_of_row(w) - 0.4):(0):(0.8) with vectors nohead lc rgb "black" lw 1.6 notitle, \
      for [each_era in "2014 today"] ranks using (is_process(w, m, each_era) ? factor * column("median") : NaN):(line_of_row(w)) with points pt point_of_era(each_era) ps 0.5 lc rgb colour_of_era(each_era) notitle
  }
} }
unset multiplot
