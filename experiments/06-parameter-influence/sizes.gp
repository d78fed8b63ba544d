# sizes: CPU of the server a message against the size of the file; a panel a workload and era. Reads reduced/points.tsv.

figure_title = "What a message costs the server, against the size of its file"
points = reduced . "/points.tsv"
eras = "2014 today"

# --- what the table holds
size_of(setting) = real(value_in(setting, "payload_b"))
is_shown(metric) = metric eq "server_cpu_s_per_1k" && value_in(stringcolumn("setting"), "payload_b") ne ""
has_interval(n) = n > 0 && stringcolumn("low") ne "-"
present = ""; least_ms = 1e9; most_ms = 0; least_b = 1e12; most_b = 1; is_gap = 0; is_whisker = 0; behaviours = ""; sizes = ""
grow(ms, b) = (least_ms = ms < least_ms ? ms : least_ms, most_ms = ms > most_ms ? ms : most_ms, least_b = b < least_b ? b : least_b, most_b = b > most_b ? b : most_b)
look(setting) = !is_shown(stringcolumn("metric")) ? 0 : (present = add(present, stringcolumn("engine") . "/" . stringcolumn("workload")), behaviours = add(behaviours, value_in(setting, "behaviour")), \
  sizes = add(sizes, value_in(setting, "payload_b")), is_gap = is_gap || !has_interval(column("n")), is_whisker = is_whisker || has_interval(column("n")), grow(column("mean"), size_of(setting)), 0)
stats points using (look(stringcolumn("setting"))) nooutput
if (most_ms <= 0) { least_ms = 0.1; most_ms = 1; least_b = 1; most_b = 10 }

# --- an engine by its place in its era; a behaviour by a filled mark
number_of(engine) = sum [i = 1 : place_in(engines, engine)] (era(word(engines, i)) eq era(engine))
colour_of(engine) = colour(number_of(engine))
open_point(engine) = number_of(engine) == 1 ? 6 : number_of(engine) == 2 ? 4 : number_of(engine) == 3 ? 8 : 12
point_of(engine, behaviour) = open_point(engine) + (behaviour ne "as-meant")
letter_of_engine(engine, behaviour) = (behaviour eq "as-meant" ? "abcd" : "ABCD")[number_of(engine) : number_of(engine)]
series_words(engine, behaviour) = title(engine) . (behaviour eq "as-meant" ? "" : ", " . behaviour)
series = "as-meant " . behaviours

# --- where a panel goes
left = wide(12, 58)
panel_width = wide(110, (width - left - 14 - 60 * (words(workloads) - 1)) / words(workloads))
panel_height = high(18, 190)
left_of(w) = left + column_at(w) * (panel_width + 60)
top_of(w, e) = high(6 + ((e - 1) * words(workloads) + w - 1) * (panel_height + 5), 100 + (e - 1) * (panel_height + 76))
bottom = top_of(words(workloads), 2) + panel_height + foot(40)

figure_caption = "All the server's processes, CPU ms a message and its answer; both axes logarithmic. Several marks of a size: other periods and\n" \
  . "numbers of connections. Level: the size does not matter; slope 1: in proportion to it.\n" \
  . (behaviours eq "" ? "" : "file-listed: as listing A.4 does it, with another listener at each ping. ") . "Geometric means over the trials" . with_whiskers(is_whisker) . (is_gap ? "; no interval: under three trials" : "") . ".\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure
plot NaN notitle

# --- the panels
is_drawn(w, engine, behaviour) = is_shown(stringcolumn("metric")) && stringcolumn("engine") eq engine && stringcolumn("workload") eq word(workloads, w) && (value_in(stringcolumn("setting"), "behaviour") eq (behaviour eq "as-meant" ? "" : behaviour))
aside(engine) = wide(1, 1.06 ** (number_of(engine) - 2))   # marks of several engines beside each other
set border 3 lw 0.7
set logscale xy
set xrange [least_b / 2.0 : most_b * 2.0]
set yrange [least_ms / 1.5 : most_ms * high(6, 3)]
do for [e = 1 : 2] {
  drawn = ""
  do for [engine in engines] { if (era(engine) eq word(eras, e)) { drawn = drawn . " " . engine } }
  do for [w = 1 : words(workloads)] {
    workload = word(workloads, w)
    unset label; unset arrow
    set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ()
    last_b = 0; labelled_b = 0   # in ascending order; one that is near another has no words
    do for [i = 1 : words(sizes)] {
      next_b = 1e12
      do for [size in sizes] { next_b = real(size) > last_b && real(size) < next_b ? real(size) : next_b }
      has_room = next_b >= 3 * labelled_b
      set xtics add ((has_room ? (next_b >= 1000 ? sprintf("%g kB", next_b / 1000.0) : sprintf("%g B", next_b)) : "") next_b)
      labelled_b = has_room ? next_b : labelled_b; last_b = next_b
    }
    set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g" ()
    do for [decade = -5 : 5] { do for [part in (most_ms > 30 * least_ms ? "1 3" : "1 2 5")] { set ytics add (part * 10.0 ** decade) } }
    eval place(left_of(w), top_of(w, e), left_of(w) + panel_width, top_of(w, e) + panel_height)
    head = word(eras, e) . ", " . workload . ": CPU ms a message"
    eval write("head", edge(left_of(w) - 48), top_of(w, e) - above(24), "left", face_bold)
    arrivals_words = arrivals(workload)
    eval fine(write("arrivals_words", left_of(w) - 48, top_of(w, e) - 11, "left", face_small))
    eval fine(write("'size of the file'", left_of(w) + panel_width / 2.0, top_of(w, e) + panel_height + 27, "center", face_small))
    set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 1.5 spacing 0.95
    if (words(drawn) == 0 || words(present) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot [1:10] [1:10] NaN notitle; continue }
    size_in(engine, behaviour) = is_drawn(w, engine, behaviour) ? aside(engine) * size_of(stringcolumn("setting")) : NaN
    plot for [engine in fine(drawn)] for [behaviour in series] points using (has_interval(column("n")) ? size_in(engine, behaviour) : NaN) \
        :"mean":(column("low")):(column("high")) with yerrorbars pt 0 lc rgb colour_of(engine) lw 0.9 notitle, \
      for [engine in fine(drawn)] for [behaviour in series] points using (size_in(engine, behaviour)):"mean" \
        smooth unique with lines lc rgb colour_of(engine) lw 0.8 dt number_of(engine) notitle, \
      for [engine in drawn] for [behaviour in series] points using (size_in(engine, behaviour)):"mean" \
        with points pt mark(point_of(engine, behaviour), letter_of_engine(engine, behaviour)) ps 0.6 lc rgb colour_of(engine) title series_words(engine, behaviour)
  }
}
unset multiplot
