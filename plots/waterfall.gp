# waterfall: a bar for each request, in the order of their starts, and diamonds for what is seen.

load plots . "/frame.gp"
do for [p = 1 : panels] {
  load plots . "/panel.gp"
  plot for [s in box_of[p]] data index k(s) - 1 using 1:2:3:4:5:6 with boxxyerror lc rgb colour[k(s)] fs solid 1 noborder notitle, \
    for [s in mark_of[p]] data index k(s) - 1 using 1:2 with points pt mark[k(s)] ps 0.8 lc rgb colour[k(s)] notitle
}
unset multiplot
