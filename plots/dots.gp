# dots: a row for each point, with a dot, its interval, and a tick for each trial.

load plots . "/frame.gp"
do for [p = 1 : panels] {
  load plots . "/panel.gp"
  plot for [s in tick_of[p]] data index k(s) - 1 using 1:5:(0):($6 - $5) with vectors nohead lc rgb colour[k(s)] lw 0.9 notitle, \
    for [s in line_of[p]] data index k(s) - 1 using 1:2 with lines lc rgb colour[k(s)] lw 1.1 dt dash[k(s)] notitle, \
    for [s in across_of[p]] data index k(s) - 1 using 1:2:3:4 with xerrorbars pt 0 lc rgb colour[k(s)] lw 1.4 notitle, \
    for [s in mark_of[p]] data index k(s) - 1 using 1:2 with points pt mark[k(s)] ps 0.7 lc rgb colour[k(s)] notitle
}
unset multiplot
