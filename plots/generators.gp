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
colour_of(generator) = generator eq base ? 0x5030a0 : 0xc04000
point_of(generator) = generator eq base ? 7 : 4
words_of(generator) = generator eq base ? generator . ": the engine's own client library" : generator . ": one native client for all engines"

# --- where a panel goes, and at its right the ratios
lines = words(slots)
left = is_text ? 38 : 138
ratio_width = is_text ? 24 : 96
panel_width = is_text ? 62 : (width - left - (ratio_width + 14) * words(workloads)) / words(workloads)
panel_height = is_text ? 2 * lines + 1 : lines * 22
left_of(w) = is_text ? left : left + (w - 1) * (panel_width + ratio_width + 14)
row_of(w, m) = is_text ? (w - 1) * words(metrics) + m - 1 : m - 1
top_of(w, m) = (is_text ? 6 : 104) + row_of(w, m) * (panel_height + (is_text ? 5 : 52))
bottom = top_of(words(workloads), words(metrics)) + panel_height + (is_text ? 3 : 40)

figure_caption = note_words . "\nGeometric means over the trials" . (is_whisker && !is_text ? ", whiskers: their 95 % intervals" : "") . (is_gap ? "; no interval: under three trials" : "") . ".\n" \
  . "At the right: " . other . " / " . base . ", the geometric mean of the ratios within blocks" . (is_whisker ? ", in brackets its 95 % interval" : "") . ".\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + caption_height(figure_caption))
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  legend = base[1:1] . " " . words_of(base) . "    " . other[1:1] . " " . words_of(other)
  eval write("legend", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 66)
  set key at screen 0.5, screen down(56) center center horizontal Left reverse font face samplen 1 maxrows 1
  plot NaN notitle, for [generator in generators] keyentry with points pt point_of(generator) ps 0.8 lc rgb colour_of(generator) title words_of(generator)
}
unset key

# --- the panels: two lines a slot, the base above and the other below it
is_drawn(w, m, generator) = is_of(generator, m) && stringcolumn("workload") eq word(workloads, w)
line_of_generator(engine, generator) = 2 * place_in(slots, engine) - (is_text ? generator eq base : 0.5 + (generator eq base ? 0.4 : -0.4))
bracketed(n) = has_interval(n) ? sprintf(" [%#.3g, %#.3g]", column("low"), column("high")) : ""
put_ratio(w, m) = !is_drawn(w, m, other) || column("n") == 0 ? 0 : (ratios = ratios . sprintf("set label '%#.3g%s' at graph 1, first %g left offset 0.7, 0 font face_small; ", \
  column("mean"), bracketed(column("n")), is_text ? line_of_generator(stringcolumn("of"), other) : 2 * place_in(slots, stringcolumn("of")) - 0.5), 0)
set border 3 lw 0.7
set logscale x
set yrange [2 * lines + (is_text ? 1 : 0.5) : (is_text ? 0 : 0.5)]
do for [m = 1 : words(metrics)] {
  metric = word(metrics, m)
  set xrange [floor_of[m] / 1.3 : peak_of[m] * 1.3]
  set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" ()
  do for [decade = -5 : 5] { do for [part in (peak_of[m] > 30 * floor_of[m] ? "1 3" : "1 2 5")] { set xtics add (part * 10.0 ** decade) } }
  do for [w = 1 : words(workloads)] {
    workload = word(workloads, w)
    unset label; unset object; unset arrow
    eval place(left_of(w), top_of(w, m), left_of(w) + panel_width, top_of(w, m) + panel_height)
    axis = axis_words(metric)
    heading = other . " / " . base
    if (is_text) {
      head = workload . ": " . axis
      eval write("head", 1, top_of(w, m) - 1, "left", "")
      eval write("heading", left + panel_width + 3, top_of(w, m) - 1, "left", "")
    } else {
      axis = axis . " (logarithmic)"
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
      y = top_of(w, m) + (is_text ? 2 * i - !is_era : panel_height * (i - 0.5) / lines)
      if (is_era) {
        if (is_text || w == 1) { eval write("slot_words", is_text ? 1 : 10, y, "left", face_bold) }
      } else {
        if (is_text || w == 1) { eval write("slot_words", is_text ? 3 : left - 6, y, is_text ? "left" : "right", face) }
        if (is_text) { do for [generator in generators] { eval write("generator", left - 1, y + (generator eq other), "right", "") } }
        if (!is_text) { set arrow from graph 0, first 2 * i - 0.5 to graph 1, first 2 * i - 0.5 nohead back lc rgb "#d8d8d8" lw 0.6 }
        if (!is_in(present, name . "/" . workload . "/" . metric)) { set label "absent: no trial stands, or too few answers" at graph 0.5, first 2 * i - 0.5 center front font face_small }
      }
    }
    ratios = ""
    stats pairs using (put_ratio(w, m)) nooutput
    eval ratios
    if (is_text) {
      plot for [generator in generators] points using (is_drawn(w, m, generator) ? column("mean") : NaN):(line_of_generator(stringcolumn("engine"), generator)) with points pt generator[1:1] notitle
    } else {
      plot for [generator in generators] points using (is_drawn(w, m, generator) && has_interval(column("n")) ? column("mean") : NaN):(line_of_generator(stringcolumn("engine"), generator)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of(generator) lw 1.1 notitle, \
        for [generator in generators] points using (is_drawn(w, m, generator) ? column("mean") : NaN):(line_of_generator(stringcolumn("engine"), generator)) with points pt point_of(generator) ps 0.7 lc rgb colour_of(generator) notitle
    }
  }
}
unset multiplot
