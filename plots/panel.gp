# panel: the frame, axes, background bands and guide lines of panel p.

unset arrow
unset object
unset label
set lmargin at screen panel_left[p]
set rmargin at screen panel_right[p]
set tmargin at screen panel_top[p]
set bmargin at screen panel_bottom[p]
unset logscale
if (is_log_x[p]) { set logscale x }
if (is_log_y[p]) { set logscale y }
set xrange [x_from[p] : x_to[p]]
set yrange [y_from[p] : y_to[p]]
unset border
unset tics
if (is_framed[p]) {
  set border (is_rows[p] ? 1 : 3) lw 0.7
  set xtics nomirror out scale 0.5 offset 0, 0.3 format "" ()
  if (!is_rows[p]) { set ytics nomirror out scale 0.5 offset 0.4, 0 format "" () }
  do for [i = x_tick_first[p] : x_tick_last[p]] { set xtics add (x_tick_words[i] x_tick_at[i]) }
  do for [i = y_tick_first[p] : y_tick_last[p]] { set ytics add (y_tick_words[i] y_tick_at[i]) }
}
do for [i = x_ground_first[p] : x_ground_last[p]] {
  set object rectangle from first x_ground_from[i], graph 0 to first x_ground_to[i], graph 1 behind fc rgb "#ececec" fs solid noborder
}
do for [i = y_ground_first[p] : y_ground_last[p]] {
  set object rectangle from graph 0, first y_ground_from[i] to graph 1, first y_ground_to[i] behind fc rgb "#ececec" fs solid noborder
}
do for [i = row_first[p] : row_last[p]] { set arrow from graph 0, first row_at[i] to graph 1, first row_at[i] nohead back lc rgb "#e4e4e4" lw 0.6 }
do for [i = x_guide_first[p] : x_guide_last[p]] {
  set arrow from first x_guide_at[i], first x_guide_from[i] to first x_guide_at[i], first x_guide_to[i] nohead back lc rgb "#808080" lw 1.1 dt 2
}
do for [i = y_guide_first[p] : y_guide_last[p]] {
  set arrow from graph 0, first y_guide_at[i] to graph 1, first y_guide_at[i] nohead back lc rgb "#808080" lw 1.1 dt 2
}
