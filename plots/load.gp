# load: CPU of each process, and the connections, against time: figures 3.3 to 3.14 of the thesis.
#
# Before loading it a figure sets figure_title, and
#   drawn_era        "2014" or "today": the points of that era that nothing but engine and workload sets apart; or
#   drawn_points     a list of `engine|setting`, in the order of drawing;
#   drawn_workloads  some of the workloads, if not all.
# Reads reduced/load.tsv by analysis/load-to-lines.awk: medians over trials, with the least and the most of them as a band.
#
# Columns are points, rows workloads, each with its servers and its clients; what does not fit abreast goes into further
# rows. In a text each point has a row. Where a role has several processes, each is a thin line in the colour of its role.

table = reduced . "/load.tsv"
if (!exists("drawn_points")) {
  drawn_points = ""
  do for [point in planned] { if (is_plain(setting_of(point)) && era(engine_of(point)) eq drawn_era) { drawn_points = add(drawn_points, without_workload(point)) } }
}
if (!exists("drawn_workloads")) { drawn_workloads = workloads }

# --- the points of each workload; a workload that has none of them is left out
with_points = ""
do for [workload in drawn_workloads] { do for [point in drawn_points] { if (is_in(planned, point_in(workload, point))) { with_points = add(with_points, workload) } } }
drawn_workloads = with_points eq "" ? drawn_workloads : with_points
columns = 0; words_height = 0; last_s = 0; listed = ""
array points_of[words(drawn_workloads)]
do for [w = 1 : words(drawn_workloads)] {
  points_of[w] = ""
  do for [point in drawn_points] { if (is_in(planned, point_in(word(drawn_workloads, w), point))) {
    key = point_in(word(drawn_workloads, w), point)
    points_of[w] = add(points_of[w], point)
    listed = add(listed, key)
    last_s = closes_s(key) > last_s ? closes_s(key) : last_s
  } }
  columns = words(points_of[w]) > columns ? words(points_of[w]) : columns
}
if (columns == 0) { last_s = window_to_s }
setting_words(point) = describe_setting(engine_of(point), setting_of(point))
do for [key in listed] { words_height = setting_words(key) ne "" ? 1 : words_height }
most_abreast = words_height ? 4 : 5
rows = (columns + most_abreast - 1) / most_abreast
abreast = rows > 0 && side_by_side ? (columns + rows - 1) / rows : 1

# --- what the table holds
key_of_row(engine) = engine . "|" . stringcolumn("workload") . "|" . stringcolumn("setting")
is_shown(key) = is_in(listed, key) && column("t_s") <= closes_s(key)
# Names hold a space, lists are parted by it: "worker 1" is kept as "worker_1".
joined(name) = word(name, 1) . "_" . word(name, 2)
parted(name) = strstrt(name, "_") ? name[1 : strstrt(name, "_") - 1] . " " . name[strstrt(name, "_") + 1 : *] : name
present = ""; server_names = ""; client_names = ""
array peak_pct[words(drawn_workloads)]
do for [w = 1 : words(drawn_workloads)] { peak_pct[w] = 0 }
peak_connections = 0; least_trials = repeats; most_trials = 1
look(w) = stringcolumn("workload") ne word(drawn_workloads, w) || !is_shown(key_of_row(stringcolumn("engine"))) ? 0 \
  : stringcolumn("quantity") eq "connected" ? (peak_connections = column("median") > peak_connections ? column("median") : peak_connections) \
  : role_of(stringcolumn("process")) eq "recorder" ? 0 \
  : (present = add(present, key_of_row(stringcolumn("engine"))), \
     least_trials = column("n") < least_trials ? int(column("n")) : least_trials, most_trials = column("n") > most_trials ? int(column("n")) : most_trials, \
     stringcolumn("side") eq "server" ? (server_names = add(server_names, joined(stringcolumn("process")))) : (client_names = add(client_names, joined(stringcolumn("process")))), \
     peak_pct[w] = column("most") > peak_pct[w] ? column("most") : peak_pct[w])
do for [w = 1 : words(drawn_workloads)] { stats table using (look(w), 0) nooutput }

# --- the lines: processes by name, or by role where some role has more than its style can tell apart
do for [name in server_names] { server_roles = add(server_roles, role_of(parted(name))) } # one of its own comes last
in_order = ""; seen_roles = ""; is_crowded = words(client_names) > 2
do for [role in server_roles] {
  count = 0
  do for [name in server_names] { if (role_of(parted(name)) eq role) { in_order = in_order . " " . name; count = count + 1; seen_roles = add(seen_roles, role) } }
  is_crowded = is_crowded || (count > 1 && role ne "master")
}
server_names = is_crowded ? seen_roles : in_order
if (is_crowded && client_names ne "") { client_names = "client" }
style_of(name) = name eq "client" ? 5 : line_of(parted(name))
letter_in_text(name) = is_crowded ? letter_of(name) : mark_of(parted(name))
array step_pct[words(drawn_workloads)]
do for [w = 1 : words(drawn_workloads)] { step_pct[w] = peak_pct[w] > 0 ? step_for(1.02 * peak_pct[w]) : 50; peak_pct[w] = peak_pct[w] > 0 ? round_up(1.02 * peak_pct[w]) : 100 }
if (peak_connections == 0) { peak_connections = 1 }
top_connections = 1.1 * peak_connections
marks = (int(last_s) + 9) / 10

# --- where a panel goes
panel_height = high(13, 105)
panel_width = wide(52, (width - 58 - 50 - 12 * (abreast - 1)) / (columns > 0 ? abreast : 1)) # none: the era is not in the experiment
fold_at = wide(118, int((panel_width + 6) / 5.1))
do for [key in listed] { words_height = lines_of(folded(setting_words(key), fold_at)) > words_height ? lines_of(folded(setting_words(key), fold_at)) : words_height }
head_height = high(words_height, 20 + 11 * words_height)
top = high(6, 84)
array rows_before[words(drawn_workloads) + 1]
rows_before[1] = 0
do for [w = 1 : words(drawn_workloads)] { rows_before[w + 1] = rows_before[w] + (words(points_of[w]) + abreast - 1) / abreast }
row_of(i, w) = rows_before[w] + (i - 1) / abreast
column_of(i, s) = wide(s, (i - 1) % abreast)
left_of(i, s) = wide(7, 58) + column_of(i, s) * (panel_width + wide(11, 12))
top_of_row(row, s) = top + high(row, 2 * row + s) * (panel_height + high(4, 12)) + (row + 1) * head_height
top_of(i, w, s) = top_of_row(row_of(i, w), s)
last_row = rows_before[words(drawn_workloads) + 1] - 1
bottom = listed eq "" ? top + high(2, 30) : top_of_row(last_row < 0 && side_by_side ? 0 : last_row, 1) + panel_height + foot(36)

shown_eras = ""
do for [point in drawn_points] { shown_eras = add(shown_eras, era(engine_of(point))) }
if (exists("drawn_era")) { shown_eras = drawn_era }
all_versions = ""
do for [each_era in shown_eras] { all_versions = all_versions . "\n" . versions(each_era) }
figure_caption = (most_trials == 1 ? "One trial" : "Medians of " . (least_trials < most_trials ? "" . least_trials . " to " : "") . most_trials . " trials") . " by top, a reading a second" \
  . (most_trials == 1 || is_crowded ? "" : fine("; bands from the least to the most of them")) . (is_crowded ? fine("; a line a process") : "") . ". " \
  . phrase("Right of the bar", "Grey ground") . ": the measuring window. The client's recorder is left out.\n" . caption . all_versions
eval open_figure

legend = ""
do for [name in server_names . " " . client_names] {
  legend = legend . entry(letter_in_text(name), sprintf(is_crowded ? "lines ls %d" : "linespoints ls %d", style_of(name)), parted(name))
}
legend = legend . entry("", "lines ls 9", "connections") . spelled(". connections (axis at the right)\n CPU in % of a core, time in s")
eval draw_legend(56, "horizontal samplen 3 maxrows 2")
unset label
set border 3 lw 0.7
set border 11
if (listed eq "") {
  nothing = "absent: no point of this figure was run"
  eval place(0, top, width, bottom)
  unset border; unset tics
  eval write("nothing", edge(10), top, "left", face)
  plot NaN notitle
}

# --- the panels
lines(key, side, process) = "< LC_ALL=C engine=" . shell_word(engine_of(key)) . " workload=" . shell_word(workload_of(key)) . " setting=" . shell_word(setting_of(key)) \
  . " side=" . side . " process=" . shell_word(process) . " awk -f " . shell_word(analysis . "/load-to-lines.awk") . " " . shell_word(table)
set tics nomirror out scale 0.5
second_step = last_s <= 8 ? 1 : last_s <= 16 ? 2 : last_s <= 40 ? 5 : last_s <= 80 ? 10 : last_s <= 160 ? 20 : last_s <= 400 ? 50 : 100
set xrange [0 : last_s]
set y2range [0 : top_connections]
do for [w = 1 : words(drawn_workloads)] {
  workload = word(drawn_workloads, w)
  columns = words(points_of[w])
  set yrange [0 : peak_pct[w]]
  do for [i = 1 : columns] {
    point = word(points_of[w], i)
    key = point_in(workload, point)
    do for [s = 0 : 1] {
      side = s == 0 ? "server" : "client"
      names = s == 0 ? server_names : client_names
      unset label; unset object; unset arrow; unset key
      eval place(left_of(i, s), top_of(i, w, s), left_of(i, s) + panel_width, top_of(i, w, s) + panel_height)
      is_left = !side_by_side || column_of(i, s) == 0
      is_right = !side_by_side || column_of(i, s) == abreast - 1 || i == columns
      is_lowest = !side_by_side || (i + abreast > columns && w == words(drawn_workloads) && s == 1)
      set ytics 0, step_pct[w] mirror font face_small
      set format y (is_left ? "%g" : "")
      set y2tics 0, peak_connections / 2.0 font face_small
      set format y2 (is_right ? "%.0f" : "")
      set xtics 0, second_step nomirror font face_small offset 0, 0.4
      set format x (is_lowest ? "%g" : "")
      point_words = folded(setting_words(point), fold_at)
      if (!side_by_side) {
        set arrow from opens_s(key), graph 0 to opens_s(key), graph 0.95 nohead
        panel_title = (words_height ? "" : title(engine_of(point)) . ", " . workload . ": ") . side . " CPU"
        eval write("panel_title", left_of(i, s), top_of(i, w, s) - 1, "left", "")
        head = title(engine_of(point)) . (point_words eq "" ? "" : ", " . point_words) . "; " . workload
        if (s == 0 && words_height) { eval write("head", 1, top_of(i, w, s) - 2, "left", "") }
      } else {
        set object rectangle from opens_s(key), graph 0 to closes_s(key), graph 1 behind fc rgb "#ececec" fs solid noborder
        middle = top_of(i, w, s) + panel_height / 2.0
        if (is_left) { axis = side . ": CPU,\n% of a core"; eval write("axis", 16, middle, "center rotate", face_small) }
        if (is_right) { eval write("'connections'", column_of(i, s) == abreast - 1 ? width - 7 : left_of(i, s) + panel_width + 45, middle, "center rotate", face_small) }
        if (is_lowest) { eval write("'time, s'", left_of(i, s) + panel_width / 2.0, top_of(i, w, s) + panel_height + 21, "center", face_small) }
        if (s == 0) {
          panel_title = title(engine_of(point))
          eval write("panel_title", left_of(i, s) + panel_width / 2.0, top_of(i, w, s) - 7 - 11 * words_height, "center", face)
          if (point_words ne "") { eval write("point_words", left_of(i, s) + panel_width / 2.0, top_of(i, w, s) + 5 - 11 * words_height, "center", face_small) }
          if (i == 1) { head = workload . ": " . arrivals(workload); eval write("head", 10, top_of(i, w, s) - 21 - 11 * words_height, "left", face_bold) }
        }
      }
      if (!is_in(present, key)) {
        set label "absent: no trial stands" at graph 0.5, 0.5 center font face_small
        plot NaN notitle
        continue
      }
      plot for [held in spelled("connections")] lines(key, "client", held) using "t_s":"median" axes x1y2 with points pt "." notitle, \
        for [held in fine("connections")] lines(key, "client", held) using "t_s":"median" axes x1y2 with lines ls 9 notitle, \
        for [name in spelled(names)] lines(key, side, parted(name)) using (column("t_s") - 0.5):"median" with points pt letter_in_text(name) notitle, \
        for [name in (is_crowded ? fine(names) : "")] lines(key, side, name) using (column("t_s") - 0.5):"median" with lines ls style_of(name) lw 0.7 notitle, \
        for [name in (is_crowded ? "" : fine(names))] lines(key, side, parted(name)) using (column("t_s") - 0.5):"least":"most" \
          with filledcurves ls style_of(name) fs transparent solid 0.15 noborder notitle, \
        for [name in (is_crowded ? "" : fine(names))] lines(key, side, parted(name)) using (column("t_s") - 0.5):"median" \
          with linespoints ls style_of(name) pi marks notitle
    }
  }
}
unset multiplot
