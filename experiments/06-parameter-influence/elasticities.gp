# elasticities: by how many per cent the server's CPU grows with a per cent of rate, connections and size; a panel for each
# range of sizes in which T12 is judged. Reads reduced/fits.tsv.

figure_title = "What the server's CPU answers to: messages per connection, connections, size of the file"
load analysis . "/fits.gp"
parameters = "period connections size"
ranges = "payload_b=81-4000 payload_b=250000-700000"
words_of_range(range) = range eq word(ranges, 1) ? "around 1 kB (81 B to 4 kB)" : "around 500 kB (250 to 700 kB)"
words_of(parameter) = parameter eq "period" ? "ping rate, as measured" : parameter eq "connections" ? "connections" : "size"
colour_of(parameter) = parameter eq "period" ? blue : parameter eq "connections" ? green : vermilion
point_of(parameter) = parameter eq "period" ? 4 : parameter eq "connections" ? 8 : 7
letter_of_parameter(parameter) = parameter[1:1]

# --- what the table holds
present = ""; least = 0; most = 1
is_shown(parameter) = stringcolumn("law") eq "elasticity" && is_in(ranges, stringcolumn("setting")) && is_in(parameters, parameter) && stringcolumn("value") ne "-"
has_interval(text) = text ne "-"
end_of(name) = stringcolumn(name) eq "-" ? column("value") : column(name)
look(parameter) = !is_shown(parameter) ? 0 : (present = present . " " . stringcolumn("engine") . "/" . stringcolumn("setting"), \
  least = end_of("low") < least ? end_of("low") : least, most = end_of("high") > most ? end_of("high") : most, 0)
fits = reduced . "/fits.tsv"
stats fits using (look(stringcolumn("parameter"))) nooutput

# --- where a panel goes
lines = words(slots)
left = wide(66, 138)
panel_width = wide(58, (width - left - 14 * words(ranges)) / words(ranges))
panel_height = high(3 * lines + 1, lines * 34)
left_of(w) = left + column_at(w) * (panel_width + 14)
top_of(w) = high(6, 112) + row_at(w) * (panel_height + 5)
bottom = top_of(words(ranges)) + panel_height + foot(40)

figure_caption = "An elasticity: by how many per cent the CPU of all the server's processes grows when the parameter grows by one: the\n" \
  . "exponents of a power law fitted to the trials of these sizes, a level for each block, with 95 % intervals. 1: in proportion;\n" \
  . "0: no influence. The thesis says that the first two exceed the third. Per cent for per cent: 500 kB is 500 times 1 kB.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

legend = ""
do for [parameter in parameters] {
  legend = legend . entry(letter_of_parameter(parameter), sprintf("points pt %d ps 0.8 lc rgb %d", point_of(parameter), colour_of(parameter)), words_of(parameter))
}
eval draw_legend(56, "horizontal samplen 1 maxrows 1")

# --- the panels: three lines a slot
is_drawn(w, parameter) = is_shown(parameter) && stringcolumn("parameter") eq parameter && stringcolumn("setting") eq word(ranges, w)
line_of_parameter(engine, parameter) = 3 * place_in(slots, engine) - 3 + place_in(parameters, parameter) - 0.5 \
  + high(0.5, (2 - place_in(parameters, parameter)) * 0.15)
set border 1 lw 0.7
set xrange [least - 0.05 : most + 0.05]
set yrange [3 * lines + high(1, 0.3) : 0]
set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 format "%g" 0.2
do for [w = 1 : words(ranges)] {
  range = word(ranges, w)
  unset label; unset arrow
  eval place(left_of(w), top_of(w), left_of(w) + panel_width, top_of(w) + panel_height)
  axis = "elasticity of the server's CPU"
  workload = words_of_range(range)
  arrivals_words = arrivals("described")
  eval head_panel(left_of(w), top_of(w), panel_width, panel_height)
  do for [x in fine("0 1")] { set arrow from first real(x), graph 0 to first real(x), graph 1 nohead back lc rgb "#a0a0a0" lw 0.7 }
  do for [i = 1 : lines] {
    name = word(slots, i)
    slot_words = title(name)
    is_era = name eq "2014" || name eq "today"
    y = top_of(w) + high(3 * i - 1, panel_height * (i - 0.5) / lines)
    if (column_at(w) == 0) { eval write_slot(is_era, y) }
    if (is_era) { continue }
    eval guide_row(3 * i - 3, "#d8d8d8")
    if (!is_in(present, name . "/" . range)) { set label "absent: nothing could be fitted" at graph 0.5, first 3 * i - 1.5 center front font face_small }
    do for [parameter in spelled(parameters)] {
      cell = parameter . " " . fit_said("elasticity", name, "described", range, parameter) . " " . fit_bracket("elasticity", name, "described", range, parameter)
      eval write("cell", left - 1, top_of(w) + 3 * i - 3 + place_in(parameters, parameter), "right", "")
    }
  }
  plot for [parameter in fine(parameters)] fits using (is_drawn(w, parameter) && has_interval(stringcolumn("low")) ? column("value") : NaN) \
      :(line_of_parameter(stringcolumn("engine"), parameter)):(column("low")):(column("high")) with xerrorbars pt 0 lc rgb colour_of(parameter) lw 1.3 notitle, \
    for [parameter in parameters] fits using (is_drawn(w, parameter) ? column("value") : NaN):(line_of_parameter(stringcolumn("engine"), parameter)) \
      with points pt mark(point_of(parameter), letter_of_parameter(parameter)) ps 0.7 lc rgb colour_of(parameter) notitle
}
unset multiplot
