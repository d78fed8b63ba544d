# overhead: by how much longer an echo takes over a WebSocket than over TCP alone, against its size. Reads reduced/overhead.tsv.

figure_title = "Time overhead of a WebSocket against TCP alone: (T_WS - T_TCP) / T_TCP"
table = reduced . "/overhead.tsv"
eras = "2014 today"

# --- what the table holds: a ratio is drawn, on a logarithmic axis that is labelled by what it is more than 1
ratio(column_name) = 1 + column(column_name) / 100.0
rtt_of(setting) = value_in(setting, "rtt_us")
setting_is_shown(engine, setting) = value_in(setting, "tls") eq "" && (rtt_of(setting) eq "100" || is_over_hosts || (era(engine) eq "2014" && rtt_of(setting) eq "1000"))
is_shown(unused) = stringcolumn("quantity") eq "echo" && setting_is_shown(stringcolumn("engine"), stringcolumn("setting"))
of_row(unused) = stringcolumn("engine") . "|" . stringcolumn("base") . "|" . stringcolumn("setting") . "|" . stringcolumn("base_setting")
has_interval(unused) = stringcolumn("low_pct") ne "-"
pairs = ""; least = 0.95; most = 4; is_gap = 0
grow(y) = (least = y < least ? y : least, most = y > most ? y : most)
look(unused) = !is_shown(0) ? 0 : (pairs = add(pairs, of_row(0)), is_gap = is_gap || !has_interval(0), \
  grow(ratio("overhead_pct")), has_interval(0) ? (grow(ratio("low_pct")), grow(ratio("high_pct"))) : 0, 0)
stats table using (look(0)) nooutput
base_of(pair) = before_bar(after_bar(pair))
setting_of_pair(pair) = before_bar(after_bar(after_bar(pair)))
base_setting_of(pair) = after_bar(after_bar(after_bar(pair)))
both_words(pair) = rtt_of(setting_of_pair(pair)) eq "100" || is_over_hosts ? "" : ", " . rtt_of(setting_of_pair(pair)) . " us of round trip"
base_words(pair) = value_in(base_setting_of(pair), "reading") eq "" ? "" : " read whole"
pair_words(pair) = title(engine_of(pair)) . " against " . title(base_of(pair)) . base_words(pair) . both_words(pair)
number_of(pair) = sum [i = 1 : place_in(pairs, pair)] (era(engine_of(word(pairs, i))) eq era(engine_of(pair)))
colour_of(pair) = colour(number_of(pair))
point_of(pair) = number_of(pair) == 1 ? 7 : number_of(pair) == 2 ? 5 : number_of(pair) == 3 ? 9 : 13
letter_of_pair(pair) = "abcd"[number_of(pair) : number_of(pair)]
aside(pair) = wide(1, 1.08 ** (number_of(pair) - 2))
set for [i = 1 : 4] linetype i dt i

# --- where a panel goes
left = wide(12, 58)
panel_width = wide(112, (width - left - 16 - 60) / 2)
panel_height = high(20, 300)
left_of(e) = left + column_at(e) * (panel_width + 60)
top_of(e) = high(5, 78) + row_at(e) * (panel_height + 5)
bottom = top_of(2) + panel_height + foot(40)

figure_caption = "By each trial's medians, within blocks; both axes logarithmic, the upright one by T_WS / T_TCP." \
  . (is_over_hosts ? "\nOn what lies between the hosts." : "\nA gigabit a second, 100 us of round trip added unless named.") \
  . phrase(" The source: ", "\nShaded: the source's ") . "150 to 250 % for small messages, 60 to 70 % for large ones." \
  . fine("\nPoints: geometric means of the ratios; whiskers: their 95 % intervals" . (is_gap ? "; none where there were under three blocks." : ".")) \
  . "\n" . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure
plot NaN notitle

# --- the panels
set border 3 lw 0.7
set logscale xy
set xrange [0.4 : 3e7]
set yrange [least / 1.08 : most * 1.8]
x_words = "size of the payload, each way"
is_of(pair) = is_shown(0) && of_row(0) eq pair
do for [e = 1 : 2] {
  mine = ""
  do for [pair in pairs] { if (era(engine_of(pair)) eq word(eras, e)) { mine = mine . " " . pair } }
  unset label; unset object
  eval place(left_of(e), top_of(e), left_of(e) + panel_width, top_of(e) + panel_height)
  head = word(eras, e) . ": time overhead, %"
  eval write("head", edge(left_of(e) - 48), top_of(e) - above(10), "left", face_bold)
  set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ("1 B" 1, "10 B" 10, "100 B" 1e2, "1 kB" 1e3, "10 kB" 1e4, "100 kB" 1e5, "1 MB" 1e6, "10 MB" 1e7)
  set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ("-50" 0.5, "-25" 0.75, "0" 1, "25" 1.25, "65" 1.65, "100" 2, "150" 2.5, "250" 3.5, "400" 5, "900" 10, "1,900" 20)
  if (side_by_side) {
    eval write("x_words", left_of(e) + panel_width / 2.0, top_of(e) + panel_height + 28, "center", face_small)
    set object 1 rectangle from 0.7, 2.5 to 1400, 3.5 behind fc rgb "#d8d8d8" fs solid 1 noborder
    set object 2 rectangle from 7e4, 1.6 to 1.4e7, 1.7 behind fc rgb "#d8d8d8" fs solid 1 noborder
    if (1 >= least / 1.08) { set arrow 1 from 0.4, 1 to 3e7, 1 nohead lc rgb "#a0a0a0" lw 0.8 dt 3 }
  }
  set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 2 spacing 0.95
  if (words(mine) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot [1:10] [1:10] NaN notitle; continue }
  size_in(pair) = is_of(pair) ? aside(pair) * column("size_b") : NaN
  plot for [pair in fine(mine)] table using (has_interval(0) ? size_in(pair) : NaN):(ratio("overhead_pct")):(ratio("low_pct")):(ratio("high_pct")) \
      with yerrorbars pt 0 lc rgb colour_of(pair) lw 0.9 notitle, \
    for [pair in fine(mine)] table using (size_in(pair)):(ratio("overhead_pct")) smooth unique with lines lc rgb colour_of(pair) lw 1 dt number_of(pair) notitle, \
    for [pair in mine] table using (size_in(pair)):(ratio("overhead_pct")) \
      with points pt mark(point_of(pair), letter_of_pair(pair)) ps 0.6 lc rgb colour_of(pair) title pair_words(pair)
}
unset multiplot
