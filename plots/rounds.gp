# rounds: a quantity of rounds (a generator with `rounds`) in panels, one a language, so that a WebSocket stands beside TCP of the same
# runtime. A script sets
# figure_title, note_words, table (a path), and of its lines
#   wanted                      the engines that it is about
#   is_shown(engine, setting)   is this one of the figure?
#   x_of_row(0), y_column       what is drawn; is_marked(0): with a mark, too; whiskers = 1 draws low and high
#   x_words, y_words            what the axes are, with their units
#   is_log_x, is_log_y          logarithmic axes
#   y_from, y_to                of the vertical axis; 0 and 0 take what the table holds
#   x_tics, y_tics, key_place   commands
# and loads this. Of the settings it takes the usual link (a gigabit a second, 100 us of round trip added); what else they name is dashed.

is_tcp(engine) = dialect(engine) eq "tcp"
is_old(engine) = !is_tcp(engine) && era(engine) eq "2014"
languages = ""; old_languages = ""
do for [engine in wanted] { languages = add(languages, language(engine)); if (is_old(engine)) { old_languages = add(old_languages, language(engine)) } }
# TCP is grey and open, a WebSocket coloured and filled, one of 2014 in another colour; another setting is dashed
colour_of(engine) = is_tcp(engine) ? grey : is_old(engine) ? vermilion : blue
mark_of_point(point) = is_tcp(engine_of(point)) ? (is_usual(setting_of(point)) ? 6 : 4) : is_old(engine_of(point)) ? (is_usual(setting_of(point)) ? 5 : 4) : (is_usual(setting_of(point)) ? 7 : 9)
is_usual(setting) = value_in(setting, "reading") eq "" && value_in(setting, "tls") eq ""
dash_of(point) = is_usual(setting_of(point)) ? 1 : 2
set for [i = 1 : 2] linetype i dt i
letter_of_point(point) = (is_tcp(engine_of(point)) ? "t" : is_old(engine_of(point)) ? "j" : "w") . (is_usual(setting_of(point)) ? "" : "'")
aside_of(setting) = value_in(setting, "reading") ne "" ? "message read whole" : "TLS " . value_in(setting, "tls")
words_of_point(point) = title(engine_of(point)) . (is_usual(setting_of(point)) ? "" : ", " . aside_of(setting_of(point))) . (!is_tcp(engine_of(point)) && is_in(old_languages, language(engine_of(point))) ? " (" . era(engine_of(point)) . ")" : "")

# --- what the table holds
drawn = ""; least_x = 1e300; most_x = -1e300; least_y = 1e300; most_y = -1e300; is_gap = 0
grow(x, y) = (least_x = x < least_x ? x : least_x, most_x = x > most_x ? x : most_x, least_y = y < least_y ? y : least_y, most_y = y > most_y ? y : most_y)
of_row(engine, setting) = engine . "|" . setting
look(engine, setting) = !is_shown(engine, setting) ? 0 : (drawn = add(drawn, of_row(engine, setting)), grow(x_of_row(0), column(y_column)), is_gap = is_gap || (whiskers && stringcolumn("low") eq "-"), 0)
stats table using (look(stringcolumn("engine"), stringcolumn("setting"))) nooutput
if (drawn eq "") { least_x = 1; most_x = 10; least_y = 1; most_y = 10 }
if (y_from == 0 && y_to == 0) { y_from = is_log_y ? least_y / 1.6 : 0; y_to = is_log_y ? most_y * 2 : 1.05 * most_y }

# --- where a panel goes
left = wide(12, 62)
gap = wide(0, 66)
panel_width = wide(112, (width - left - 16 - gap) / 2.0)
panel_height = high(16, 200)
across_count = wide(1, 2)
column_of(p) = (p - 1) % across_count
row_of(p) = (p - 1) / across_count
left_of(p) = left + column_of(p) * (panel_width + gap)
top_of(p) = high(5, 78) + row_of(p) * (panel_height + between(66))
bottom = top_of(words(languages)) + panel_height + foot(40)

figure_caption = note_words . (whiskers ? fine("\nGeometric means over the trials; whiskers: their 95 % intervals" \
  . (is_gap ? "; none where there were under three trials." : ".")) : "") . "\n" . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure
plot NaN notitle

# --- the panels
set border 3 lw 0.7
if (is_log_x) { set logscale x; set xrange [least_x / 1.8 : most_x * 1.8] } else { set xrange [floor(least_x) : ceil(most_x)] }
if (is_log_y) { set logscale y }
set yrange [y_from : y_to]
is_of(point) = stringcolumn("engine") eq engine_of(point) && stringcolumn("setting") eq setting_of(point) && is_shown(stringcolumn("engine"), stringcolumn("setting"))
do for [p = 1 : words(languages)] {
  of_panel = ""
  do for [point in drawn] { if (language(engine_of(point)) eq word(languages, p)) { of_panel = of_panel . " " . point } }
  unset label
  eval place(left_of(p), top_of(p), left_of(p) + panel_width, top_of(p) + panel_height)
  head = word(languages, p) . ": " . y_words
  eval write("head", edge(left_of(p) - 50), top_of(p) - above(10), "left", face_bold)
  eval fine(write("x_words", left_of(p) + panel_width / 2.0, top_of(p) + panel_height + 28, "center", face_small))
  eval x_tics
  eval y_tics
  eval key_place
  if (words(of_panel) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center; plot NaN notitle; continue }
  x_of(point) = is_of(point) ? x_of_row(0) : NaN
  plot for [point in fine(of_panel)] table using (is_of(point) && whiskers && stringcolumn("low") ne "-" ? x_of_row(0) : NaN):(column(y_column)):(column("low")):(column("high")) \
      with yerrorbars pt 0 lc rgb colour_of(engine_of(point)) lw 0.9 dt 1 notitle, \
    for [point in fine(of_panel)] table using (x_of(point)):(column(y_column)) smooth unique with lines lc rgb colour_of(engine_of(point)) lw 1.2 dt dash_of(point) notitle, \
    for [point in fine(of_panel)] table using (is_of(point) && is_marked(0) ? x_of_row(0) : NaN):(column(y_column)) \
      with points pt mark_of_point(point) ps 0.55 lc rgb colour_of(engine_of(point)) notitle, \
    for [point in spelled(of_panel)] table using (x_of(point)):(column(y_column)) with points pt letter_of_point(point)[1:1] title words_of_point(point), \
    for [point in fine(of_panel)] NaN with linespoints pt mark_of_point(point) ps 0.55 lc rgb colour_of(engine_of(point)) dt dash_of(point) lw 1.2 title words_of_point(point)
}
unset multiplot
