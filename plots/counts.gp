# counts: counts against time, and the page that shows them as the browser drew it: 210 x 50 of its pixels, inset clear of the curves.

load plots . "/frame.gp"
do for [p = 1 : panels] {
  load plots . "/panel.gp"
  plot for [s in line_of[p]] data index k(s) - 1 using 1:2 with lines lc rgb colour[k(s)] lw 1.3 dt dash[k(s)] notitle, \
    for [s in mark_of[p]] data index k(s) - 1 using 1:2 with points pt mark[k(s)] ps 0.6 lc rgb colour[k(s)] notitle
  if (picture[p] ne "") {
    unset object
    set lmargin at screen panel_left[p] + 8.0 / width
    set rmargin at screen panel_left[p] + 155.0 / width
    set tmargin at screen panel_top[p] - 2.0 / height
    set bmargin at screen panel_top[p] - 37.0 / height
    set border 15 lw 0.7
    unset tics
    set xrange [-0.5 : 209.5]
    set yrange [49.5 : -0.5]         # flipy counts pixels from the top
    plot picture[p] binary filetype=png flipy every 1:1:0:0:209:49 with rgbimage notitle
  }
}
unset multiplot
