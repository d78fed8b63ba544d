# rows: a line for each point, under headings for its era and its engine: what glance.gp and balance.gp are laid out by.
#
# Takes drawn_points (a list of `engine|setting`; all when it is not set) and drawn_workloads (those that have any of them).
# Gives points_in[w], the points of a workload; lines_in[w], its lines: "2014", an engine, `engine|setting`;
# is_alike, whether all workloads have the same lines; shown_points, `engine|workload|setting`; shown_eras; shown_versions
# for the caption; label_width in characters.

if (!exists("drawn_points")) {
  drawn_points = ""
  do for [point in planned] { drawn_points = add(drawn_points, without_workload(point)) }
}
shown_points = ""; seen_workloads = ""
if (!exists("drawn_workloads")) { drawn_workloads = workloads }
do for [workload in drawn_workloads] { do for [point in drawn_points] { if (is_in(planned, point_in(workload, point))) {
  shown_points = add(shown_points, point_in(workload, point)); seen_workloads = add(seen_workloads, workload)
} } }
drawn_workloads = seen_workloads eq "" ? word(drawn_workloads, 1) : seen_workloads

point_words(point) = is_plain(setting_of(point)) ? "default" : describe_setting(engine_of(point), setting_of(point))
is_era(line) = line eq "2014" || line eq "today"
is_point(line) = strstrt(line, "|") > 0
# An engine that is drawn at no setting is a line by itself: its title needs no heading.
is_alone(line, lines) = is_point(line) && !is_in(lines, engine_of(line))
words_of_line(line, lines) = !is_point(line) || is_alone(line, lines) ? title(is_point(line) ? engine_of(line) : line) : point_words(line)
indent_of(line, lines) = is_era(line) ? 0 : !is_point(line) || is_alone(line, lines) ? 1 : 2

array lines_in[words(drawn_workloads)]
array points_in[words(drawn_workloads)]
is_alike = 1; label_width = 0
do for [w = 1 : words(drawn_workloads)] {
  lines_in[w] = ""; points_in[w] = ""
  do for [each_era in "2014 today"] { do for [engine in engines] { if (era(engine) eq each_era) {
    settings_here = ""
    do for [point in drawn_points] { if (engine_of(point) eq engine && is_in(shown_points, point_in(word(drawn_workloads, w), point))) { settings_here = add(settings_here, point) } }
    if (settings_here ne "") {
      lines_in[w] = add(lines_in[w], each_era)
      if (settings_here ne engine . "|-") { lines_in[w] = add(lines_in[w], engine) }
      lines_in[w] = lines_in[w] . " " . settings_here
      points_in[w] = points_in[w] . " " . settings_here
    }
  } } }
  is_alike = is_alike && lines_in[w] eq lines_in[1]
  do for [line in lines_in[w]] {
    label_length = strlen(words_of_line(line, lines_in[w])) + 2 * indent_of(line, lines_in[w])
    label_width = label_length > label_width ? label_length : label_width
  }
}

line_count(w) = words(lines_in[w]) > 0 ? words(lines_in[w]) : 1 # none: no trial stands
label_rise(line_words) = high(0, 5.5 * (lines_of(line_words) - 1))
# eval write_line(indent, y): a line's label, the variable `line_words`
write_line(indent, y) = write("line_words", wide(1 + 2 * indent, 10 + 9 * indent), y, "left", indent == 0 ? face_bold : indent == 1 ? face : face_small)
shown_eras = ""; shown_versions = ""
do for [each_era in "2014 today"] {
  do for [w = 1 : words(drawn_workloads)] { if (is_in(lines_in[w], each_era)) { shown_eras = add(shown_eras, each_era) } }
  if (is_in(shown_eras, each_era)) { shown_versions = shown_versions . "\n" . versions(each_era) }
}

# --- how points are drawn: by era, one round and one square
colour_of_era(each_era) = each_era eq "2014" ? vermilion : blue
point_of_era(each_era) = each_era eq "2014" ? 7 : 5

# --- what a row of a table is of
row_key(engine) = engine . "|" . stringcolumn("workload") . "|" . stringcolumn("setting")
row_point(engine) = engine . "|" . stringcolumn("setting")
is_row_shown(w) = stringcolumn("workload") eq word(drawn_workloads, w) && is_in(points_in[w], row_point(stringcolumn("engine")))
line_of_row(w) = place_in(lines_in[w], row_point(stringcolumn("engine")))
has_interval(n) = n > 0 && stringcolumn("low") ne "-"
least(n) = has_interval(n) ? column("low") : column("mean")
most(n) = has_interval(n) ? column("high") : column("mean")
