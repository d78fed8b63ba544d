# load: the CPU of each process against time, with a band from the minimum to the maximum of the trials.

load plots . "/frame.gp"
do for [p = 1 : panels] {
  load plots . "/panel.gp"
  plot for [s in band_of[p]] data index k(s) - 1 using 1:5:6 with filledcurves fc rgb colour[k(s)] fs transparent solid 0.15 noborder notitle, \
    for [s in line_of[p]] data index k(s) - 1 using 1:2 with lines lc rgb colour[k(s)] lw 1.3 dt dash[k(s)] notitle
}
unset multiplot
