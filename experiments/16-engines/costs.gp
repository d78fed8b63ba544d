# costs: what a message costs each server against the rate, on one core. Reads reduced/curves.tsv.

figure_title = "CPU of a message against the rate, on one core"
curves = reduced . "/curves.tsv"

# --- what the table holds: engines that have a curve, in the order of the plan
is_curve(x) = stringcolumn("side") eq "server" && stringcolumn("role") eq "server" && column("rate_hz") > 0 && stringcolumn("setting") eq "-" && (stringcolumn("share") eq "-" || column("share") <= 1)
drawn = ""; least_us = 1e9; most_us = 0; least_hz = 1e9; most_hz = 0; is_whisker = 0
has_interval(x) = stringcolumn("us_low") ne "-"
look(x) = !is_curve(0) ? 0 : (drawn = add(drawn, stringcolumn("engine")), is_whisker = is_whisker || has_interval(0), \
  least_us = column("us_per_message") < least_us ? column("us_per_message") : least_us, most_us = column("us_per_message") > most_us ? column("us_per_message") : most_us, \
  most_us = has_interval(0) && column("us_high") > most_us ? column("us_high") : most_us, \
  least_us = has_interval(0) && column("us_low") < least_us ? column("us_low") : least_us, \
  least_hz = column("rate_hz") < least_hz ? column("rate_hz") : least_hz, most_hz = column("rate_hz") > most_hz ? column("rate_hz") : most_hz)
stats curves using (look(0), 0) nooutput
if (most_us <= 0) { least_us = 10; most_us = 1000; least_hz = 100; most_hz = 10000 }
# More lines than points that differ can't be told apart: of so many these are named, and all others are lines without a name
named_most = 12
named_of_many = "uwebsockets uws fastwebsockets beast ws websocketpp tungstenite gorilla picows cowboy socket.io netty"
all_drawn = drawn
if (words(drawn) > named_most) {
  drawn = ""
  do for [engine in named_of_many] { if (is_in(all_drawn, engine)) { drawn = add(drawn, engine) } }
}
others = words(all_drawn) - words(drawn)
is_other(x) = is_curve(0) && !is_in(drawn, stringcolumn("engine"))
is_of(engine) = is_curve(0) && stringcolumn("engine") eq engine
letter_of(k) = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[k : k]
point_of(k) = int(word("7 5 9 11 13 4 6 8 10 12 3 2", (k - 1) % 12 + 1))

# --- where things go
left = wide(9, 58)
top = high(4, 70)
panel_width = wide(112, width - left - 20)
panel_height = high(30, 380)
columns = 4
legend_rows = ceil(words(drawn) / (1.0 * columns)) > 0 ? ceil(words(drawn) / (1.0 * columns)) : 1
legend_top = top + panel_height + high(4, 44)
bottom = legend_top + legend_rows * high(1, 14) + high(1, 8)
version_lines = ""
do for [each_era in "2014 today"] { if (strlen(versions(each_era))) { version_lines = version_lines . "\n" . versions(each_era) } }
figure_caption = "All processes of the server, from the kernel's accounts. Steps are 1,000 a second, and 5, 20, 50, 80 and 100 % of\n" \
  . "each engine's own saturation, or of what the load could make: a line ends where one of the two is busy. Geometric means over trials" \
  . (is_whisker ? fine(", whiskers: 95 % intervals") : "") . "." . (others ? sprintf(phrase(" Left out: ", " Pale: ") . "%d more.", others) : "") . "\n" \
  . caption . version_lines
eval open_figure
eval place(0, legend_top, width, bottom)
marks = ""
do for [k = 1 : words(drawn)] {
  x_now = left + ((k - 1) % columns) * (panel_width / (1.0 * columns))
  y_now = legend_top + ((k - 1) / columns) * high(1, 14)
  words_now = lettered(letter_of(k), title(word(drawn, k)))
  eval write("words_now", x_now + inset(14), y_now, "left", face_small)
  marks = marks . mark_at(x_now + 4, y_now, point_of(k), 0.7, colour(k))
}
eval marks
plot NaN notitle

set border 3 lw 0.7
unset label
set logscale xy
set xrange [least_hz / 1.3 : most_hz * 1.3]
set yrange [least_us / 1.3 : most_us * 1.3]
set xtics nomirror out scale 0.5 font face_small format "%g" ()
set ytics nomirror out scale 0.5 font face_small format "%g" ()
do for [decade = 0 : 6] { do for [part in "1 2 5"] { set xtics add (part * 10.0 ** decade); set ytics add (part * 10.0 ** decade) } }
eval place(left, top, left + panel_width, top + panel_height)
eval write("'messages a second, over all connections (logarithmic)'", left + panel_width / 2.0, top + panel_height + below(30), "center", face_small)
eval write("'CPU, us a message (logarithmic)'", edge(10), top - above(8), "left", face_small)
if (words(drawn) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot NaN notitle } else {
  x_of(engine) = is_of(engine) ? column("rate_hz") : NaN
  plot for [engine in fine(others ? all_drawn : "")] curves using (is_other(0) && is_of(engine) ? column("rate_hz") : NaN):"us_per_message" with lines lc rgb 0xd0d0d0 lw 0.7 notitle, \
    for [k = 1 : words(fine(drawn))] curves using (x_of(word(drawn, k))):"us_per_message" with lines lc rgb colour(k) lw 1.2 notitle, \
    for [k = 1 : words(fine(drawn))] curves using (is_of(word(drawn, k)) && has_interval(0) ? column("rate_hz") : NaN):"us_per_message":"us_low":"us_high" \
      with yerrorbars pt 0 lc rgb colour(k) lw 0.8 notitle, \
    for [k = 1 : words(drawn)] curves using (x_of(word(drawn, k))):"us_per_message" with points pt mark(point_of(k), letter_of(k)) ps 0.7 lc rgb colour(k) notitle
}
unset multiplot
