# load: CPU of each process by name, and the connections, against time: figures 3.3 to 3.14 of the thesis.
#
# Before loading it a figure sets drawn_era ("2014" or "today") and figure_title.
# Reads reduced/load.tsv: medians over trials, with the least and the most of them as a band.
#
# Columns are engines, rows workloads, each with its servers and its clients. In a text each engine has a row.

table = reduced . "/load.tsv"
drawn = ""
do for [engine in engines] { if (era(engine) eq drawn_era) { drawn = drawn . " " . engine } }
drawn = drawn[2:*]
columns = words(drawn)

# --- what the table holds
is_of(engine, workload) = is_plain(stringcolumn("setting")) && stringcolumn("engine") eq engine && stringcolumn("workload") eq workload
is_cpu(side) = stringcolumn("side") eq side && stringcolumn("quantity") eq "cpu_pct" && role_of(stringcolumn("process")) ne "recorder"
is_shown(t_s) = is_plain(stringcolumn("setting")) && stringcolumn("era") eq drawn_era && t_s <= window_to_s
add(list, item) = is_in(list, item) ? list : list . " " . item
# Names hold a space, lists are parted by it: "worker 1" is kept as "worker_1".
joined(name) = word(name, 1) . "_" . word(name, 2)
parted(name) = name[1 : strstrt(name, "_") - 1] . " " . name[strstrt(name, "_") + 1 : *]
present = ""; server_names = ""; client_names = ""
array peak_pct[words(workloads)]
do for [w = 1 : words(workloads)] { peak_pct[w] = 0 }
peak_connections = 0
look(w) = !is_shown(column("t_s")) ? 0 : stringcolumn("quantity") eq "connected" ? (peak_connections = column("median") > peak_connections ? column("median") : peak_connections) \
  : stringcolumn("workload") ne word(workloads, w) || role_of(stringcolumn("process")) eq "recorder" ? 0 \
  : (present = add(present, stringcolumn("engine") . "/" . stringcolumn("workload")), \
     stringcolumn("side") eq "server" ? (server_names = add(server_names, joined(stringcolumn("process")))) : (client_names = add(client_names, joined(stringcolumn("process")))), \
     peak_pct[w] = column("most") > peak_pct[w] ? column("most") : peak_pct[w])
do for [w = 1 : words(workloads)] { stats table using (look(w), 0) nooutput }
in_order = ""
do for [role in server_roles] { do for [name in server_names] { if (role_of(parted(name)) eq role) { in_order = in_order . " " . name } } }
server_names = in_order
array step_pct[words(workloads)]
do for [w = 1 : words(workloads)] { step_pct[w] = peak_pct[w] > 0 ? step_for(1.02 * peak_pct[w]) : 50; peak_pct[w] = peak_pct[w] > 0 ? round_up(1.02 * peak_pct[w]) : 100 }
if (peak_connections == 0) { peak_connections = 1 }
top_connections = 1.1 * peak_connections
marks = (int(window_to_s) + 9) / 10

# --- where a panel goes
panel_height = is_text ? 13 : 105
panel_width = is_text ? 52 : (width - 58 - 50 - 12 * (columns - 1)) / (columns > 0 ? columns : 1) # none: the era is not in the experiment
head_height = is_text ? 0 : 20
top = is_text ? 6 : 84
row_of(i, w, s) = is_text ? (w - 1) * columns + i - 1 : 2 * (w - 1) + s
column_of(i, s) = is_text ? s : i - 1
left_of(i, s) = (is_text ? 7 : 58) + column_of(i, s) * (panel_width + (is_text ? 11 : 12))
top_of(i, w, s) = top + row_of(i, w, s) * (panel_height + (is_text ? 4 : 12)) + w * head_height
bottom = top_of(columns, words(workloads), 1) + panel_height + (is_text ? 3 : 34)

figure_caption = (repeats == 1 ? "One trial" : "Medians of " . repeats . " trials") . " by top, a reading a second" \
  . (is_text || repeats == 1 ? "" : "; bands from the least to the most of them") . ". " \
  . (is_text ? "Right of the bar" : "Grey ground") . ": the measuring window. The client's recorder is left out.\n" . caption . "\n" . versions(drawn_era)
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  legend = ""
  do for [name in server_names . " " . client_names] { legend = legend . mark_of(parted(name)) . " " . parted(name) . "    " }
  legend = legend . ". connections (axis at the right)\n CPU in % of a core, time in s"
  eval write("legend", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 66)
  set key at screen 0.5, screen down(56) center center horizontal Left reverse font face samplen 3 maxrows 2
  plot NaN notitle, for [name in server_names . " " . client_names] keyentry with linespoints ls line_of(parted(name)) title parted(name), \
    keyentry with lines ls 9 title "connections"
}
unset label
set border 3 lw 0.7
set border 11

# --- the panels
set tics nomirror out scale 0.5
second_step = window_to_s <= 8 ? 1 : window_to_s <= 16 ? 2 : window_to_s <= 40 ? 5 : window_to_s <= 80 ? 10 : 20
set xrange [0 : window_to_s]
set y2range [0 : top_connections]
do for [w = 1 : words(workloads)] {
  workload = word(workloads, w)
  set yrange [0 : peak_pct[w]]
  do for [i = 1 : columns] {
    engine = word(drawn, i)
    do for [s = 0 : 1] {
      side = s == 0 ? "server" : "client"
      names = s == 0 ? server_names : client_names
      unset label; unset object; unset arrow; unset key
      eval place(left_of(i, s), top_of(i, w, s), left_of(i, s) + panel_width, top_of(i, w, s) + panel_height)
      is_left = is_text || i == 1
      is_right = is_text || i == columns
      is_lowest = is_text || (w == words(workloads) && s == 1)
      set ytics 0, step_pct[w] font face_small
      set format y (is_left ? "%g" : "")
      set y2tics 0, peak_connections / 2.0 font face_small
      set format y2 (is_right ? "%.0f" : "")
      set xtics 0, second_step nomirror font face_small offset 0, 0.4
      set format x (is_lowest ? "%g" : "")
      if (is_text) {
        set arrow from window_from_s, graph 0 to window_from_s, graph 0.95 nohead
        panel_title = title(engine) . ", " . workload . ": " . side . " CPU"
        eval write("panel_title", left_of(i, s), top_of(i, w, s) - 1, "left", "")
      } else {
        set object rectangle from window_from_s, graph 0 to window_to_s, graph 1 behind fc rgb "#ececec" fs solid noborder
        middle = top_of(i, w, s) + panel_height / 2.0
        if (i == 1) { axis = side . ": CPU,\n% of a core"; eval write("axis", 16, middle, "center rotate", face_small) }
        if (i == columns) { eval write("'connections'", width - 10, middle, "center rotate", face_small) }
        if (is_lowest) { eval write("'time, s'", left_of(i, s) + panel_width / 2.0, bottom - 16, "center", face_small) }
        if (s == 0) {
          panel_title = title(engine)
          eval write("panel_title", left_of(i, s) + panel_width / 2.0, top_of(i, w, s) - 7, "center", face)
          if (i == 1) { head = workload . ": " . arrivals(workload); eval write("head", 10, top_of(i, w, s) - 21, "left", face_bold) }
        }
      }
      if (!is_in(present, engine . "/" . workload)) {
        set label "absent: no trial stands" at graph 0.5, 0.5 center font face_small
        plot NaN notitle
      } else { if (is_text) {
        plot table using (is_of(engine, workload) && stringcolumn("quantity") eq "connected" ? column("t_s") : NaN):(column("median")) axes x1y2 with points pt "." notitle, \
          for [name in names] table using (is_of(engine, workload) && is_cpu(side) && stringcolumn("process") eq parted(name) ? column("t_s") - 0.5 : NaN):(column("median")) with points pt mark_of(parted(name)) notitle
      } else {
        plot table using (is_of(engine, workload) && stringcolumn("quantity") eq "connected" ? column("t_s") : NaN):(column("median")) axes x1y2 with lines ls 9 notitle, \
          for [name in names] table using (is_of(engine, workload) && is_cpu(side) && stringcolumn("process") eq parted(name) ? column("t_s") - 0.5 : NaN):(column("least")):(column("most")) with filledcurves ls line_of(parted(name)) fs transparent solid 0.15 noborder notitle, \
          for [name in names] table using (is_of(engine, workload) && is_cpu(side) && stringcolumn("process") eq parted(name) ? column("t_s") - 0.5 : NaN):(column("median")) with linespoints ls line_of(parted(name)) pi marks notitle
      } }
    }
  }
}
unset multiplot
