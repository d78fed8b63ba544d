# residuals: what each law of growth leaves over, against cores; a column a law, a row an era. Reads reduced/{residuals,fits,scaling}.tsv.

figure_title = "What the laws leave over: measured throughput against the fitted"
load analysis . "/fits.gp"
load analysis . "/scaling.gp"
residuals = reduced . "/residuals.tsv"
laws = "linear amdahl gustafson usl"
eras = "2014 today"
words_of_law(law) = law eq "linear" ? "linear: slope * n" : law eq "amdahl" ? "Amdahl" : law eq "gustafson" ? "Gustafson" : "USL"

# --- what the table holds
residual_pct(measured) = 100 * (measured / column("fitted") - 1)
most_pct = 1; most_at = 1
grow(pct) = (most_pct = abs(pct) > most_pct ? abs(pct) : most_pct, most_at = column("at") > most_at ? column("at") : most_at, 0)
stats residuals using (grow(residual_pct(column("measured")))) nooutput
fitted = ""
do for [series in all_series] { if (is_scaled(series)) { fitted = fitted . " " . series } }

# --- where a panel goes
left = is_text ? 8 : 52
panel_width = is_text ? 114 : (width - left - 14 - 3 * 10) / 4
panel_height = is_text ? 12 : 150
left_of(l) = is_text ? left : left + (l - 1) * (panel_width + 10)
top_of(l, e) = is_text ? 6 + ((e - 1) * 4 + l - 1) * (panel_height + 4) : 118 + (e - 1) * (panel_height + 62)
table_top = top_of(4, 2) + panel_height + (is_text ? 4 : 52)
row_height = is_text ? 1 : 15
bottom = table_top + (words(fitted) + 1) * row_height + (is_text ? 2 : 8)

figure_caption = "A mark is a trial: by how many per cent it lies above what the law says of its cores. A law that holds leaves marks on\n" \
  . "either side of 0 at each n; an arc or a slope is what it does not explain. Table: the root of the mean square.\n" \
  . "linear: slope * n times one process (" . base_title("2014") . "; " . base_title("today") . "), whose own trials are fitted with it, at n = 1.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)

# --- the table
column_left(c) = c == 0 ? (is_text ? 1 : 10) : is_text ? 20 + c * 22 : left + c * 124 + 60
do for [c = 1 : 4] { law = word(laws, c); cell = words_of_law(law) . ", rms %"; eval write("cell", column_left(c), table_top, "left", face_small) }
do for [r = 1 : words(fitted)] {
  series = word(fitted, r)
  cell = (is_text ? letter_of_series(series) . " " : "") . series_words(series)
  eval write("cell", column_left(0), table_top + r * row_height, "left", face_small)
  do for [c = 1 : 4] {
    rms = fit_value(word(laws, c), engine_of(series), scaled_workload, line_of(series), "residual_rms_rel")
    cell = rms == rms ? sprintf("%.2g", 100 * rms) : "-"
    eval write("cell", column_left(c), table_top + r * row_height, "left", face_small)
  }
}

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 80)
  set key at screen 0.5, screen down(62) center center horizontal maxrows 2 Left reverse font face samplen 1
  plot NaN notitle, for [series in fitted] keyentry with points pt point_of(series) ps 0.8 lc rgb colour_of(series) title era(engine_of(series)) . ": " . series_words(series)
}
unset key

# --- the panels
is_of(law, series) = stringcolumn("law") eq law && stringcolumn("engine") eq engine_of(series) && stringcolumn("setting") eq line_of(series)
aside(series) = is_text ? 0 : 0.12 * (place_in_era(series) - 2)   # marks of several engines beside each other
set border 2 lw 0.7
set xrange [0 : most_at + 0.9]
set yrange [-1.08 * most_pct : 1.08 * most_pct]
set xzeroaxis lc rgb "#808080" lw 0.8
do for [e = 1 : 2] {
  do for [l = 1 : 4] {
    law = word(laws, l)
    drawn = ""
    do for [series in fitted] { if (era(engine_of(series)) eq word(eras, e)) { drawn = drawn . " " . series } }
    unset label
    set xtics 0, 2 nomirror out scale 0.4 font face_small offset 0, 0.4
    set ytics -100 * ceil(most_pct / 100), step_for(most_pct) nomirror out scale 0.4 font face_small offset 0.5, 0 format (is_text || l == 1 ? "%.0f" : "")
    eval place(left_of(l), top_of(l, e), left_of(l) + panel_width, top_of(l, e) + panel_height)
    head = (is_text ? word(eras, e) . ", " : "") . words_of_law(law) . (is_text ? ": residual, %" : "")
    eval write("head", is_text ? 1 : left_of(l), top_of(l, e) - (is_text ? 1 : 7), "left", face_bold)
    if (!is_text && l == 1) { head = word(eras, e) . ": residual, %"; eval write("head", 10, top_of(l, e) - 22, "left", face_bold) }
    if (!is_text || l == 4) { eval write("'cores (n)'", left_of(l) + panel_width / 2.0, top_of(l, e) + panel_height + (is_text ? 2 : 26), "center", face_small) }
    if (words(drawn) == 0) { set label "absent: nothing was fitted" at graph 0.5, graph 0.8 center font face_small; plot NaN notitle; continue }
    if (is_text) {
      plot for [series in drawn] residuals using (is_of(law, series) ? column("at") : NaN):(residual_pct(column("measured"))) with points pt letter_of_series(series) notitle
    } else {
      plot for [series in drawn] residuals using (is_of(law, series) ? column("at") + aside(series) : NaN):(residual_pct(column("measured"))) with points pt point_of(series) ps 0.5 lc rgb colour_of(series) notitle
    }
  }
}
unset multiplot
