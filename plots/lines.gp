# lines: one quantity against another, with intervals, or with a band if there are many points.

load plots . "/frame.gp"
do for [p = 1 : panels] {
  load plots . "/panel.gp"
  plot for [s in band_of[p]] data index k(s) - 1 using 1:5:6 with filledcurves fc rgb colour[k(s)] fs transparent solid 0.18 noborder notitle, \
    for [s in step_of[p]] data index k(s) - 1 using 1:2 with steps lc rgb colour[k(s)] lw 1.3 dt dash[k(s)] notitle, \
    for [s in thin_of[p]] data index k(s) - 1 using 1:2 with lines lc rgb colour[k(s)] lw 0.7 dt dash[k(s)] notitle, \
    for [s in line_of[p]] data index k(s) - 1 using 1:2 with lines lc rgb colour[k(s)] lw 1.3 dt dash[k(s)] notitle, \
    for [s in upright_of[p]] data index k(s) - 1 using 1:2:5:6 with yerrorbars pt 0 lc rgb colour[k(s)] lw 0.9 notitle, \
    for [s in across_of[p]] data index k(s) - 1 using 1:2:3:4 with xerrorbars pt 0 lc rgb colour[k(s)] lw 0.9 notitle, \
    for [s in mark_of[p]] data index k(s) - 1 using 1:2 with points pt mark[k(s)] ps 0.7 lc rgb colour[k(s)] notitle
}
unset multiplot
