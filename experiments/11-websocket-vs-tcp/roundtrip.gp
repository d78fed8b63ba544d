# roundtrip: how much longer it takes to set up a session than a TCP connection, against the round trip that the link adds. Reads reduced/roundtrips.tsv.

figure_title = "Time to set up a WebSocket session, as a multiple of that of a TCP connection"
table = reduced . "/roundtrips.tsv"
source_ratio = 3.533 / 0.965

# --- what the table holds
pairs = ""; most = 4; is_gap = 0
of_row(unused) = stringcolumn("engine") . "|" . stringcolumn("base")
base_of(pair) = after_bar(pair)
grow(y) = (most = y > most ? y : most)
look(unused) = stringcolumn("kind") eq "source" ? 0 : (pairs = add(pairs, of_row(0)), is_gap = is_gap || (stringcolumn("kind") eq "measured" && stringcolumn("low") eq "-"), grow(column("ratio")), \
  stringcolumn("high") eq "-" ? 0 : grow(column("high")), 0)
stats table using (look(0)) nooutput
number_of(pair) = place_in(pairs, pair)
colour_of(pair) = colour(number_of(pair))
point_of(pair) = number_of(pair) == 1 ? 7 : number_of(pair) == 2 ? 5 : number_of(pair) == 3 ? 9 : 13
aside(pair) = wide(0, 4 * (number_of(pair) - 1))

# --- the panel
left = wide(12, 62)
panel_width = wide(112, width - left - 30)
panel_height = high(24, 330)
top = high(5, 78)
bottom = top + panel_height + foot(40)
figure_caption = "Grey: the source, 3.533 ms / 0.965 ms; it does not say its round trip. Lines: the ratio of two lines through\nthe times to connect, against the round trip (lines.tsv)." \
  . fine("\nPoints: geometric means of the ratios within blocks; whiskers: their 95 % intervals" . (is_gap ? "; none where there were under three blocks." : ".")) \
  . "\n" . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure
plot NaN notitle
unset label
set border 3 lw 0.7
set xrange [-20 : 1040]
set yrange [0 : most * 1.15]
eval place(left, top, left + panel_width, top + panel_height)
head = "time to connect, WebSocket / TCP"
eval write("head", edge(left - 50), top - above(10), "left", face_bold)
x_words = "round trip that the link adds, us"
eval fine(write("x_words", left + panel_width / 2.0, top + panel_height + 28, "center", face_small))
set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ("0" 0, "50" 50, "100" 100, "500" 500, "1,000" 1000)
set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 autofreq
set arrow 1 from -20, source_ratio to 1040, source_ratio nohead lc rgb "#909090" lw 1.2 dt 2
set key at graph 0.99, graph 0.99 right top vertical Left reverse font face_small samplen 2 spacing 0.95
is_of(pair, kind) = of_row(0) eq pair && stringcolumn("kind") eq kind
words_of_pair(pair) = title(engine_of(pair)) . " against " . title(base_of(pair))
if (words(pairs) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot NaN notitle } else {
  rtt_of(pair, kind) = is_of(pair, kind) ? column("rtt_us") + aside(pair) : NaN
  plot for [pair in fine(pairs)] table using (is_of(pair, "line") ? column("rtt_us") : NaN):(column("ratio")) with lines lc rgb colour_of(pair) lw 1 notitle, \
    for [pair in fine(pairs)] table using (stringcolumn("low") ne "-" ? rtt_of(pair, "measured") : NaN):(column("ratio")):(column("low")):(column("high")) \
      with yerrorbars pt 0 lc rgb colour_of(pair) lw 0.9 notitle, \
    for [pair in pairs] table using (rtt_of(pair, "measured")):(column("ratio")) \
      with points pt mark(point_of(pair), "abcd"[number_of(pair) : number_of(pair)]) ps 0.7 lc rgb colour_of(pair) title words_of_pair(pair)
}
unset multiplot
