# generators: what each of two generators came to on the same points: a dot for each, and at the right their ratio.
#
# Before loading it a figure sets figure_title, metrics (a list of names of the column `metric`) and the functions
# axis_words(metric) and note_words (what its caption says first).
# Reads reduced/points.tsv and reduced/generators.tsv.
#
# Columns are workloads, rows metrics. In a text each panel has a row, and each engine a line a generator.

points = reduced . "/points.tsv"
pairs = reduced . "/generators.tsv"
base = word(generators, 1)
other = word(generators, 2)

# --- what the tables hold
is_of(generator, m) = stringcolumn("setting") eq setting(generator) && stringcolumn("metric") eq word(metrics, m)
has_interval(n) = n > 0 && stringcolumn("low") ne "-"
least(n) = has_interval(n) ? column("low") : column("mean")
most(n) = has_interval(n) ? column("high") : column("mean")
present = ""; is_gap = 0; is_whisker = 0
array floor_of[words(metrics)]
array peak_of[words(metrics)]
do for [m = 1 : words(metrics)] { floor_of[m] = 1e9; peak_of[m] = 0 }
look(m) = !is_of(base, m) && !is_of(other, m) ? 0 : (present = present . " " . stringcolumn("engine") . "/" . stringcolumn("workload") . "/" . word(metrics, m), \
  is_gap = is_gap || !has_interval(column("n")), is_whisker = is_whisker || has_interval(column("n")), \
  floor_of[m] = least(column("n")) < floor_of[m] ? least(column("n")) : floor_of[m], peak_of[m] = most(column("n")) > peak_of[m] ? most(column("n")) : peak_of[m])
do for [m = 1 : words(metrics)] {
  stats points using (look(m), 0) nooutput
  if (peak_of[m] <= 0 || floor_of[m] <= 0) { floor_of[m] = 0.01; peak_of[m] = 1 }
}

# --- how a generator is drawn: one filled, one open, so that they differ in grey too
colour_of(generator) = generator eq base ? violet : vermilion
point_of(generator) = generator eq base ? 7 : 4
words_of(generator) = generator eq base ? generator . ": the engine's own client library" : generator . ": one native client for all engines"

# --- where a panel goes, and at its right the ratios
lines = words(slots)
left = wide(38, 138)
ratio_width = wide(24, 96)
panel_width = wide(62, (width - left - (ratio_width + 14) * words(workloads)) / words(workloads))
panel_height = high(2 * lines + 1, lines * 22)
left_of(w) = left + column_at(w) * (panel_width + ratio_width + 14)
row_of(w, m) = row_at(w) * words(metrics) + m - 1
top_of(w, m) = high(6, 104) + row_of(w, m) * (panel_height + between(52))
bottom = top_of(words(workloads), words(metrics)) + panel_height + foot(40)

figure_caption = note_words . "\nGeometric means over the trials" . with_whiskers(is_whisker) . (is_gap ? "; no interval: under three trials" : "") . ".\n" \
  . "At the right: " . other . " / " . base . ", the geometric mean of the ratios within blocks" . (is_whisker ? ", in brackets its 95 % interval" : "") . ".\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

legend = ""
do for [generator in generators] {
  legend = legend . entry(generator[1:1], sprintf("points pt %d ps 0.8 lc rgb %d", point_of(generator), colour_of(generator)), words_of(generator))
}
eval draw_legend(56, "horizontal samplen 1 maxrows 1")

# --- the panels: two lines a slot, the base above and the other below it
is_drawn(w, m, generator) = is_of(generator, m) && stringcolumn("workload") eq word(workloads, w)
line_of_generator(engine, generator) = 2 * place_in(slots, engine) - high(generator eq base, 0.5 + (generator eq base ? 0.4 : -0.4))
bracketed(n) = has_interval(n) ? sprintf(" [%#.3g, %#.3g]", column("low"), column("high")) : ""
put_ratio(w, m) = !is_drawn(w, m, other) || column("n") == 0 ? 0 : (ratios = ratios . sprintf("set label '%#.3g%s' at graph 1, first %g left offset 0.7, 0 font face_small; ", \
  column("mean"), bracketed(column("n")), high(line_of_generator(stringcolumn("of"), other), 2 * place_in(slots, stringcolumn("of")) - 0.5)), 0)
set border 3 lw 0.7
set logscale x
set yrange [2 * lines + row_margin : 1 - row_margin]
do for [m = 1 : words(metrics)] {
  metric = word(metrics, m)
  set xrange [floor_of[m] / 1.3 : peak_of[m] * 1.3]
  set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" ()
  do for [decade = -5 : 5] { do for [part in (peak_of[m] > 30 * floor_of[m] ? "1 3" : "1 2 5")] { set xtics add (part * 10.0 ** decade) } }
  do for [w = 1 : words(workloads)] {
    workload = word(workloads, w)
    unset label; unset object; unset arrow
    eval place(left_of(w), top_of(w, m), left_of(w) + panel_width, top_of(w, m) + panel_height)
    axis = axis_words(metric) . fine(" (logarithmic)")
    heading = other . " / " . base
    if (!side_by_side) {
      head = workload . ": " . axis
      eval write("head", 1, top_of(w, m) - 1, "left", "")
      eval write("heading", left + panel_width + 3, top_of(w, m) - 1, "left", "")
    } else {
      if (m == 1) {
        eval write("workload", left_of(w), top_of(w, m) - 20, "left", face_bold)
        arrivals_words = arrivals(workload)
        eval write("arrivals_words", left_of(w), top_of(w, m) - 7, "left", face_small)
      }
      eval write("heading", left_of(w) + panel_width + 5, top_of(w, m) + 6, "left", face_small)
      eval write("axis", left_of(w) + panel_width / 2.0, top_of(w, m) + panel_height + 26, "center", face_small)
    }
    do for [i = 1 : lines] {
      name = word(slots, i)
      slot_words = title(name)
      is_era = name eq "2014" || name eq "today"
      y = top_of(w, m) + high(2 * i - !is_era, panel_height * (i - 0.5) / lines)
      if (column_at(w) == 0) { eval write_slot(is_era, y) }
      if (is_era) { continue }
      do for [generator in spelled(generators)] { eval write("generator", left - 1, y + (generator eq other), "right", "") }
      eval guide_row(2 * i - 0.5, "#d8d8d8")
      if (!is_in(present, name . "/" . workload . "/" . metric)) {
        set label "absent: no trial stands, or too few answers" at graph 0.5, first 2 * i - 0.5 center front font face_small
      }
    }
    ratios = ""
    stats pairs using (put_ratio(w, m)) nooutput
    eval ratios
    x_of(generator) = is_drawn(w, m, generator) ? column("mean") : NaN
    plot for [generator in fine(generators)] points using (is_drawn(w, m, generator) && has_interval(column("n")) ? column("mean") : NaN) \
        :(line_of_generator(stringcolumn("engine"), generator)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of(generator) lw 1.1 notitle, \
      for [generator in generators] points using (x_of(generator)):(line_of_generator(stringcolumn("engine"), generator)) \
        with points pt mark(point_of(generator), generator[1:1]) ps 0.7 lc rgb colour_of(generator) notitle
  }
}
unset multiplot
