# scaling: throughput at saturation against cores, both eras, with the curves of the laws. Reads reduced/{scaling,fits}.tsv.

figure_title = "Throughput at saturation against cores"
load analysis . "/laws.gp"
load analysis . "/fits.gp"
load analysis . "/scaling.gp"

# --- where a panel goes, and below the panels a table of the fits
eras = "2014 today"
left = is_text ? 10 : 58
panel_width = is_text ? 112 : (width - left - 14 - 62) / 2
panel_height = is_text ? 20 : 262
left_of(p) = is_text ? left : left + (p - 1) * (panel_width + 62)
top_of(p) = is_text ? 6 + (p - 1) * (panel_height + 5) : 84
table_top = top_of(2) + panel_height + (is_text ? 4 : 58)
row_height = is_text ? 2 : 27   # a value, and under it its interval
fitted = ""
do for [series in all_series] { if (is_scaled(series)) { fitted = fitted . " " . series } }
bottom = table_top + (words(fitted) + 1) * row_height + (is_text ? 2 : 8)

figure_caption = "Throughput: the highest rate that was answered without falling behind, found by search; a mark is a trial. Cores: one for each\n" \
  . "process that serves: as many balancers as workers and a store (2014), workers and a broker (SocketCluster 14), workers.\n" \
  . (is_text ? "" : "Solid: Amdahl's law; dotted: Universal Scalability Law. ") . "Straight: n and n/2 times one process of the engine named.\n" \
  . "n of a law: pairs of balancer and worker, or workers. In brackets: 95 % intervals. A peak is given where kappa lies above 0.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)

# --- the table
columns = "title slope p a sigma kappa peak"
law_of(parameter) = parameter eq "slope" ? "linear" : parameter eq "p" ? "amdahl" : parameter eq "a" ? "gustafson" : "usl"
head_of(c) = c == 1 ? "" : c == 2 ? "slope (linear)" : c == 3 ? "p (Amdahl)" : c == 4 ? "a (Gustafson)" : c == 5 ? "sigma (USL)" : c == 6 ? "kappa (USL)" : "peak"
column_left(c) = c == 1 ? (is_text ? 1 : 10) : is_text ? 5 + (c - 1) * 19 + 4 * (c == 7) : 48 + (c - 1) * 104
do for [c = 1 : 7] { cell = head_of(c); eval write("cell", column_left(c), table_top, "left", face_small) }
do for [r = 1 : words(fitted)] {
  series = word(fitted, r)
  y = table_top + r * row_height - (is_text ? 1 : 11)
  cell = (is_text ? letter_of_series(series) . " " : "") . title(engine_of(series))
  eval write("cell", column_left(1), y, "left", face_small)
  cell = line_of(series) eq "-" ? "" : line_of(series)
  eval write("cell", column_left(1) + (is_text ? 2 : 0), y + (is_text ? 1 : 12), "left", face_small)
  do for [c = 2 : 7] {
    parameter = word(columns, c)
    cell = fit_said(law_of(parameter), engine_of(series), scaled_workload, line_of(series), parameter)
    eval write("cell", column_left(c), y, "left", face_small)
    cell = fit_bracket(law_of(parameter), engine_of(series), scaled_workload, line_of(series), parameter)
    eval write("cell", column_left(c), y + (is_text ? 1 : 12), "left", face_small)
  }
}

# The words, as a plot without axes.
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
plot NaN notitle

# --- the panels
is_of(e) = stringcolumn("era") eq e && stringcolumn("units") ne "-"
set border 3 lw 0.7
set samples 120
do for [p = 1 : 2] {
  drawn_era = word(eras, p)
  drawn = ""
  do for [series in all_series] { if (era(engine_of(series)) eq drawn_era) { drawn = drawn . " " . series } }
  top_hz = 0; top_cores = 1
  stats scaling using (is_of(drawn_era) ? (top_hz = column("throughput_hz") > top_hz ? column("throughput_hz") : top_hz, top_cores = column("n_cores") > top_cores ? column("n_cores") : top_cores, 0) : 0) nooutput
  if (top_hz <= 0) { top_hz = 1 }
  per_core = base_hz(drawn_era)
  is_based = per_core == per_core
  if (is_based && top_hz < 0.55 * top_cores * per_core) { top_hz = 0.55 * top_cores * per_core }
  set xrange [0 : top_cores + 0.5]
  set yrange [0 : top_hz * 1.08]
  set xtics 0, 1 nomirror out scale 0.5 font face_small offset 0, 0.4
  set ytics 0, step_for(top_hz) nomirror out scale 0.5 font face_small offset 0.5, 0 format "%.0f"
  unset label; unset arrow
  eval place(left_of(p), top_of(p), left_of(p) + panel_width, top_of(p) + panel_height)
  head = (drawn_era eq "2014" ? "2014" : "today") . ": messages answered a second, at saturation"
  eval write("head", is_text ? 1 : left_of(p) - 48, top_of(p) - (is_text ? 1 : 14), "left", face_bold)
  eval write("'cores (n)'", left_of(p) + panel_width / 2.0, top_of(p) + panel_height + (is_text ? 2 : 27), "center", face_small)
  set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 2 spacing 0.95 opaque
  if (words(drawn) == 0) {
    set label "absent: no trial stands" at graph 0.5, graph 0.5 center
    plot NaN notitle
    continue
  }
  line_words(factor) = (factor == 1 ? "n" : "n/2") . " times " . base_title(drawn_era)
  if (is_text) {
    set key at graph 0.02, graph 1.0 samplen 1
    plot for [factor = 1 : (is_based ? 2 : 0)] (x >= 1 ? per_core * x / factor : NaN) with points pt (factor == 1 ? "." : ",") title line_words(factor), \
      for [series in drawn] scaling using (is_in_series(series) ? column("n_cores") : NaN):"throughput_hz" with points pt letter_of_series(series) title series_words(series)
  } else {
    curves = ""
    do for [series in drawn] {
      if (is_scaled(series)) {
        of(law, parameter) = fit_value(law, engine_of(series), scaled_workload, line_of(series), parameter)
        within = sprintf("x < %g || x > %g ? NaN : ", least_cores_of(series), most_cores_of(series))
        n = sprintf("units_of('%s', x)", series)
        look = sprintf("with lines lc rgb %d lw 1.2", colour_of(series))
        curves = curves . sprintf("(%s amdahl(%g, %g, %s)) %s notitle, ", within, of("amdahl", "lambda"), of("amdahl", "p"), n, look)
        curves = curves . sprintf("(%s usl(%g, %g, %g, %s)) %s dt (2,3) notitle, ", within, of("usl", "lambda"), of("usl", "sigma"), of("usl", "kappa"), n, look)
      }
    }
    nan = NaN   # as sprintf writes a parameter that could not be found: its curve is not drawn
    eval "plot " . curves . "for [factor = 1 : (is_based ? 2 : 0)] (x >= 1 ? per_core * x / factor : NaN) with lines lc rgb '#909090' lw 1.2 dt factor title line_words(factor), " \
      . "for [series in drawn] scaling using (is_in_series(series) ? column('n_cores') : NaN):'throughput_hz' with points pt point_of(series) ps 0.7 lc rgb colour_of(series) title series_words(series)"
  }
}
unset multiplot
