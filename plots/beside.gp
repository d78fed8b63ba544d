# beside: how long something takes against steps of x: the numbers of the source beside those of each engine, a panel each, a line a way.
#
# Before loading it a figure sets figure_title, table (of reduced/, with the columns source, workload, setting, scenario, x, workflow, ms, low
# and high; source is an engine or `published`), crossings (such a table with scenario, workflow, x, low, high), scenario, x_words, and
# ways, what it shows of the column workflow; main_workloads, of which workloads. Points that nothing sets apart are shown. If it wants to,
# is_log = 1 (both axes logarithmic), and the function guide(x) with guide_words: a line to read the others against; chord_words: of each way
# the straight line from its first step to its last; panels, where not the source and each engine, with scale_words, what follows on that
# each has a scale of its own; x_step, from tic to tic; is_unjoined = 1, where between two steps there is no line.
# Where the first way becomes slower than another the ground is shaded, as wide as the interval.

if (!exists("is_log")) { is_log = 0 }
if (!exists("is_unjoined")) { is_unjoined = 0 }
way_style = is_unjoined ? "points" : line_and_points
if (!exists("panels")) { panels = "published " . engines }
if (!exists("scale_words")) { scale_words = ": the machines are eleven years apart.\n" }
is_beside = is_in(panels, "published")
if (!exists("guide_words")) { guide_words = "" }
if (guide_words eq "") { guide(x) = NaN }
if (!exists("chord_words")) { chord_words = "" }
rows = reduced . "/" . table . ".tsv"
crossing_rows = reduced . "/" . crossings . ".tsv"
is_main(x) = stringcolumn("setting") eq "-" && (stringcolumn("source") eq "published" || is_in(main_workloads, stringcolumn("workload")))
is_row(panel, way) = is_main(0) && stringcolumn("source") eq panel && stringcolumn("scenario") eq scenario && stringcolumn("workflow") eq way
panel_words(panel) = panel eq "published" ? "the source" : title(panel)
# a way looks alike in all figures
place_of(way) = way eq "server" ? 1 : way eq "ajax" ? 2 : way eq "stream" ? 3 : way eq "binary" ? 4 : 5
colour_of(k) = place_of(word(ways, k)) == 1 ? blue : place_of(word(ways, k)) == 2 ? vermilion : colour(place_of(word(ways, k)))
point_of(k) = word("4 7 9 12 3", place_of(word(ways, k))) + 0
letter_of(way) = way eq "stream" ? "p" : way[1:1]
words_of(way) = way eq "stream" ? way . spelled(" (pushed)") : way
has_interval(x) = stringcolumn("low") ne "-"
low_of(x) = has_interval(0) ? column("low") : column("ms")
high_of(x) = has_interval(0) ? column("high") : column("ms")

# --- what the tables hold
array peak_of[words(panels)]
array drawn_of[words(panels)]
array least_of[words(panels)]
array most_of[words(panels)]
is_whisker = 0
look(p) = (peak_of[p] = high_of(0) > peak_of[p] ? high_of(0) : peak_of[p], most_of[p] = column("x") > most_of[p] ? column("x") : most_of[p], \
  least_of[p] = low_of(0) < least_of[p] ? low_of(0) : least_of[p], is_whisker = is_whisker || has_interval(0), drawn_of[p] = drawn_of[p] + 1)
do for [p = 1 : words(panels)] {
  peak_of[p] = 0; drawn_of[p] = 0; least_of[p] = 1e18; most_of[p] = 0
  do for [way in ways] { stats rows using (is_row(word(panels, p), way) ? (look(p), 0) : 0) nooutput }
}

# where ours end earlier than the source's, and of which ways they do, unless of all: "Ours end at 500 of the source's 10000."
ends_words = ""; ends_alike = ""; is_alike = 1
do for [k = 1 : (is_beside ? words(ways) : 0)] {
  of_source = 0; of_ours = 0
  stats rows using (is_row("published", word(ways, k)) && column("x") > of_source ? (of_source = column("x"), 0) : 0) nooutput
  do for [engine in engines] { stats rows using (is_row(engine, word(ways, k)) && column("x") > of_ours ? (of_ours = column("x"), 0) : 0) nooutput }
  if (of_source > 0 && of_ours > 0) {
    ends = of_ours < of_source ? sprintf("%g of the source's %g", of_ours, of_source) : "none"
    is_alike = is_alike && (ends_alike eq "" || ends eq ends_alike)
    ends_alike = ends
    if (ends ne "none") { ends_words = ends_words . (ends_words eq "" ? "" : ", ") . ends . " by " . word(ways, k) }
  }
}
if (ends_words ne "") { ends_words = " Ours end at " . (is_alike ? ends_alike : ends_words) . "." }

# --- where a panel goes: side by side; in a text one below the other
across_count = wide(1, words(panels))
left = wide(10, 56)
gap = 50
panel_width = wide(100, (width - left - gap * (across_count - 1) - 14) / across_count)
panel_height = high(14, 210)
left_of(p) = left + column_at(p) * (panel_width + gap)
top_of(p) = high(6, 100) + row_at(p) * (panel_height + 5)
bottom = top_of(words(panels)) + panel_height + foot(42)

figure_caption = "From the server's receipt of the request until the page has all its data." . ends_words . "\nScales differ by panel" \
  . scale_words . "Geometric means over the trials of each one's medians" . (is_whisker ? fine(", whiskers: 95 % intervals") : "") \
  . (is_beside && is_in(ways, "server") ? fine("; shaded: where the server's page becomes the later one, as wide as the interval") : "") . ".\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

legend = ""
do for [k = 1 : words(ways)] {
  legend = legend . entry(letter_of(word(ways, k)), sprintf("%s pt %d ps 0.7 lc rgb %d lw 1.4", is_unjoined ? "points" : "linespoints", point_of(k), colour_of(k)), words_of(word(ways, k)))
}
if (guide_words ne "") { legend = legend . entry("", 'lines lc rgb "#909090" lw 1 dt (3,3)', guide_words) }
if (chord_words ne "") { legend = legend . entry("", 'lines lc rgb "#909090" lw 1 dt (3,3)', chord_words) }
eval draw_legend(56, "horizontal samplen 3 maxrows 1")

# --- the panels
set border 3 lw 0.7
do for [p = 1 : words(panels)] {
  unset label; unset object; unset arrow
  panel = word(panels, p)
  top = peak_of[p] > 0 ? round_up(1.05 * peak_of[p]) : 1
  most_x = most_of[p] > 0 ? most_of[p] : 1
  if (is_log) {
    set logscale xy
    set xrange [0.7 : most_x * 1.4]
    set yrange [(least_of[p] < 1e18 ? least_of[p] : 1) / 1.6 : (peak_of[p] > 0 ? peak_of[p] : 10) * 1.6]
    set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" (1, 6, 24, 128, 1024)
    set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g" ()
    # a panel of less than a decade has a number, too
    do for [decade = 0 : 7] { do for [step in (peak_of[p] > 100 * least_of[p] ? "1" : "1 2 5")] { set ytics add (step * 10.0 ** decade) } }
  } else {
    set xrange [0 : most_x * 1.02]
    set yrange [0 : top]
    set xtics 0, (exists("x_step") ? x_step : 2 * step_for(most_x)) nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g"
    set ytics 0, step_for(top) nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g"
  }
  eval place(left_of(p), top_of(p), left_of(p) + panel_width, top_of(p) + panel_height)
  head = panel_words(panel) . spelled(": ms")
  eval write("head", left_of(p), top_of(p) - above(10), "left", face_bold)
  if (p == 1) { eval fine(write("'ms'", left_of(p) - 44, top_of(p) - 10, "left", face_small)) }
  eval write("x_words", left_of(p) + panel_width / 2.0, top_of(p) + panel_height + below(28), "center", face_small)
  if (drawn_of[p] == 0) {
    set label "nothing was measured" at graph 0.5, 0.5 center font face_small
    plot NaN notitle
    continue
  }
  do for [k = 2 : words(fine(ways))] {
    from_x = NaN; to_x = NaN
    is_crossing(x) = is_main(0) && stringcolumn("x") ne "-" && stringcolumn("source") eq panel && stringcolumn("scenario") eq scenario && stringcolumn("workflow") eq word(ways, k)
    end_of(name) = stringcolumn(name) ne "-" ? column(name) : column("x")
    stats crossing_rows using (is_crossing(0) ? (from_x = end_of("low"), to_x = end_of("high"), 0) : 0) nooutput
    if (from_x == from_x) {
      least_width = most_x * 0.006
      if (to_x - from_x < least_width) { from_x = from_x - least_width / 2; to_x = from_x + least_width }
      from_x = from_x < 0 ? 0 : from_x; to_x = to_x > most_x ? most_x : to_x
      set object rectangle from from_x, graph 0 to to_x, graph 1 behind fc rgb colour_of(k) fs transparent solid 0.2 noborder
    }
  }
  do for [k = 1 : (chord_words eq "" ? 0 : words(fine(ways)))] {
    first_x = 1e18; last_x = -1
    note_first(x) = column("x") < first_x ? (first_x = column("x"), first_ms = column("ms")) : 0
    note_last(x) = column("x") > last_x ? (last_x = column("x"), last_ms = column("ms")) : 0
    stats rows using (is_row(panel, word(ways, k)) ? (note_first(0), note_last(0), 0) : 0) nooutput
    if (first_x < last_x) { set arrow from first_x, first_ms to last_x, last_ms nohead back lc rgb colour_of(k) lw 1 dt (3,3) }
  }
  set samples 2000
  # whiskers before markers: each leaves a white spot where its marker will be
  plot for [line in fine("guide")] guide(x) with lines lc rgb "#909090" lw 1 dt (3,3) notitle, \
    for [k = 1 : words(fine(ways))] rows using (is_row(panel, word(ways, k)) && has_interval(0) ? column("x") : NaN):(column("ms")):(low_of(0)):(high_of(0)) \
      with yerrorbars pt 0 lc rgb colour_of(k) lw 1 notitle, \
    for [k = 1 : words(ways)] rows using (is_row(panel, word(ways, k)) ? column("x") : NaN):(column("ms")) \
      with @way_style pt mark(point_of(k), letter_of(word(ways, k))) ps 0.7 lc rgb colour_of(k) lw 1.4 notitle
}
unset multiplot
