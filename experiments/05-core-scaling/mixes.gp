# mixes: saturation of each mix of processes, measured and predicted from the demand of the roles. Reads reduced/{mixes,demand,errors}.tsv.

figure_title = "Saturation of each mix of processes: measured, and predicted from what a message costs each role"
mixes = reduced . "/mixes.tsv"
demand = reduced . "/demand.tsv"
errors = reduced . "/errors.tsv"

# --- what the tables hold: a panel for each engine and line; the first two numbers of a mix are its row and its column, or its
# column alone where it has but two
panels = ""
panel_here(x) = stringcolumn("engine") . "|" . stringcolumn("line")
engine_of(panel) = panel[1 : strstrt(panel, "|") - 1]
line_of(panel) = panel[strstrt(panel, "|") + 1 : *]
stats mixes using (panels = add(panels, panel_here(0)), 0) nooutput
spaced(mix) = (plus = strstrt(mix, "+"), plus ? mix[1 : plus - 1] . " " . spaced(mix[plus + 1 : *]) : mix)
mix_of(setting) = spaced(value_in(setting, "processes"))
row_of(setting) = words(mix_of(setting)) > 2 ? int(word(mix_of(setting), 1)) : 1
column_of(setting) = word(mix_of(setting), words(mix_of(setting)) > 2 ? 2 : 1)
array rows_of[words(panels) + 1]
array columns_of[words(panels) + 1]
array peak_of[words(panels) + 1]
do for [i = 1 : words(panels)] { rows_of[i] = 0; columns_of[i] = ""; peak_of[i] = 0 }
look(i, setting) = (rows_of[i] = row_of(setting) > rows_of[i] ? row_of(setting) : rows_of[i], columns_of[i] = add(columns_of[i], column_of(setting)), \
  peak_of[i] = column("measured_hz") > peak_of[i] ? column("measured_hz") : peak_of[i], 0)
stats mixes using (look(place_in(panels, panel_here(0)), stringcolumn("setting"))) nooutput

# --- the words over a panel: what a message costs each role, the ratio, and the error
roles_said = ""; errors_said = ""
say_role(panel) = panel_here(0) ne panel ? 0 : (roles_said = roles_said . (roles_said eq "" ? "" : ", ") . sprintf("%s %.3g ms (%.2g per worker)", stringcolumn("role"), 1000 * column("mean"), column("per_worker")), 0)
say_error(panel) = panel_here(0) ne panel ? 0 : (errors_said = errors_said . (errors_said eq "" ? "" : is_text ? "\n              " : "; ") \
  . sprintf("%s %.2g %% (worst %.2g %%), mixes %d, bottleneck the busiest at half load in %d", stringcolumn("use"), column("median_abs_error_pct"), column("worst_abs_error_pct"), column("mixes"), column("bottlenecks_right")), 0)

# --- where a panel goes
left = is_text ? 14 : 84
cell_width = is_text ? 26 : 150
cell_height = is_text ? 5 : 58
head_height = is_text ? 7 : 72
height_of(e) = rows_of[e] * cell_height + head_height
top_of(e) = (is_text ? 3 : 48) + head_height + (e > 1 ? sum [i = 1 : e - 1] height_of(i) : 0)
bottom = (words(panels) ? top_of(words(panels)) + height_of(words(panels)) - head_height : is_text ? 6 : 80) + (is_text ? 2 : 22)

figure_caption = (is_text ? "First" : "Bold") . ": messages a second at saturation, geometric mean over the trials; then the prediction with its error, and the role\n" \
  . "predicted to be the bottleneck (in brackets the busiest one at half of saturation, if another). The prediction is the least, over\n" \
  . "roles, of processes * share of a core / CPU s a message. " \
  . (is_text ? "*" : "Heavy frame") . ", held-out: the demand was not learnt from this mix.\n" \
  . "Per worker: how many of a role are as busy as one worker.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)
unset border; unset tics
set xrange [0:1]; set yrange [0:1]

# --- the cells
columns_now = ""
x_of(setting) = left + (place_in(columns_now, column_of(setting)) - 1) * cell_width
y_of(setting, top) = top + (row_of(setting) - 1) * cell_height
shade(hz, peak) = (grey = int(255 - 105 * hz / peak), sprintf("#%02x%02x%02x", grey, grey, grey))
cells = ""
line(text, x, y, face) = (cell_text = text, sprintf("set label \"%s\" at screen %f,%f %s front noenhanced font \"%s\"; ", cell_text, across(x), down(y), is_text ? "left" : "center", face))
other_busiest(bottleneck, busiest) = busiest eq bottleneck || busiest eq "-" ? "" : " (" . busiest . ")"
predicted_words(measured) = stringcolumn("error_pct") eq "-" ? "no prediction" : sprintf("%.0f (%+.1f %%)", column("predicted_hz"), column("error_pct"))
frame(x, y, is_held_out, colour) = is_text ? "" : sprintf("set object rectangle from screen %f,%f to screen %f,%f fc rgb '%s' fs solid 1 border lc rgb 'black' lw %g back; ", \
  across(x + 3), down(y + 3), across(x + cell_width - 3), down(y + cell_height - 3), colour, is_held_out ? 2.2 : 0.5)
put(x, y, peak) = (cells = cells . frame(x, y, stringcolumn("use") eq "held-out", shade(column("measured_hz"), peak)) \
  . line(sprintf("%.0f", column("measured_hz")) . (is_text && stringcolumn("use") eq "held-out" ? " *" : ""), x + (is_text ? 0 : cell_width / 2), y + (is_text ? 0 : 16), face_bold) \
  . line(predicted_words(0), x + (is_text ? 0 : cell_width / 2), y + (is_text ? 1 : 31), face_small) \
  . line(stringcolumn("bottleneck") . other_busiest(stringcolumn("bottleneck"), stringcolumn("busiest")), x + (is_text ? 0 : cell_width / 2), y + (is_text ? 2 : 44), face_small), 0)
do for [e = 1 : words(panels)] {
  panel = word(panels, e)
  columns_now = columns_of[e]
  top = top_of(e)
  stats mixes using (panel_here(0) eq panel ? put(x_of(stringcolumn("setting")), y_of(stringcolumn("setting"), top), peak_of[e]) : 0) nooutput
  head = era(engine_of(panel)) . ": " . title(engine_of(panel)) . (line_of(panel) eq "-" ? "" : ", " . line_of(panel))
  eval write("head", is_text ? 1 : 10, top - (is_text ? 5 : 56), "left", face_bold)
  roles_said = ""; errors_said = ""
  stats demand using (say_role(panel)) nooutput
  stats errors using (say_error(panel)) nooutput
  roles_said = "CPU a message: " . roles_said
  errors_said = "Median error: " . errors_said
  eval write("roles_said", is_text ? 1 : 10, top - (is_text ? 4 : 42), "left", face_small)
  eval write("errors_said", is_text ? 1 : 10, top - (is_text ? 3 : 29), "left", face_small)
  do for [c = 1 : words(columns_now)] {
    column_words = word(columns_now, c) . (word(columns_now, c) eq "1" ? " worker" : " workers")
    eval write("column_words", left + (c - 1) * cell_width + (is_text ? 0 : cell_width / 2), top - (is_text ? 1 : 9), is_text ? "left" : "center", face_small)
  }
  do for [r = 1 : rows_of[e]] {
    row_words = rows_of[e] == 1 ? "1 broker" : sprintf("%d balancer%s", r, r == 1 ? "" : "s")
    eval write("row_words", is_text ? 1 : left - 8, top + (r - 1) * cell_height + (is_text ? 0 : cell_height / 2), is_text ? "left" : "right", face_small)
  }
}
eval cells
if (words(panels) == 0) { eval write("'absent: no mix was left to test a prediction on'", is_text ? 1 : 10, is_text ? 4 : 60, "left", face) }
plot NaN notitle
unset multiplot
