# curves: the cost of a message against the rate and against the load of the core; a column an era. A figure loads it after setting
# figure_title and is_drawn(setting, side, role), what of reduced/curves.tsv it shows. reduced/parts.tsv has what of it are the messages.

table(name, columns) = (table_path = reduced . "/" . name, system("test -f " . shell_word(table_path) . " && echo yes") eq "yes" ? table_path : "< printf '" . columns . "\\n'")
curves = table("curves.tsv", "engine\\tsetting\\tside\\trole\\trate_hz\\ttogether\\tcores\\tus_per_message\\tus_low\\tus_high")
parts = table("parts.tsv", "engine\\tsetting\\tside\\trole\\tmessage_us\\tresidual_rms")
eras = "2014 today"

# --- what the table holds; a series is `engine|role`
is_curve(x) = is_drawn(stringcolumn("setting"), stringcolumn("side"), stringcolumn("role")) && column("together") == 1 && column("rate_hz") > 0
series_here(x) = stringcolumn("engine") . "|" . stringcolumn("role")
has_interval(x) = stringcolumn("us_low") ne "-"
all_series = ""; least_us = 1e9; most_us = 0; least_hz = 1e9; most_hz = 0; most_cores = 1; is_whisker = 0; several = ""
most_here(x) = has_interval(0) ? column("us_high") : column("us_per_message")
look(x) = !is_curve(0) ? 0 : (all_series = add(all_series, series_here(0)), is_whisker = is_whisker || has_interval(0), \
  least_us = column("us_per_message") < least_us ? column("us_per_message") : least_us, most_us = most_here(0) > most_us ? most_here(0) : most_us, \
  least_hz = column("rate_hz") < least_hz ? column("rate_hz") : least_hz, most_hz = column("rate_hz") > most_hz ? column("rate_hz") : most_hz, \
  most_cores = column("cores") > most_cores ? column("cores") : most_cores)
stats curves using (look(0), 0) nooutput
if (most_us <= 0) { least_us = 10; most_us = 1000; least_hz = 100; most_hz = 10000 }
series_of_era(name) = era_part(all_series, name)
era_part(list, name) = words(list) == 0 ? "" : (first_of = word(list, 1), rest_of = list[strlen(first_of) + 2 : *], era(engine_of(first_of)) eq name) \
  ? word(list, 1) . " " . era_part(list[strlen(word(list, 1)) + 2 : *], name) : era_part(list[strlen(word(list, 1)) + 2 : *], name)
has_roles(engine) = (sum [i = 1 : words(all_series)] (engine_of(word(all_series, i)) eq engine)) > 1
series_words(series) = title(engine_of(series)) . (has_roles(engine_of(series)) ? ", " . after_bar(series) : "")
number_in_era(series) = place_in(series_of_era(era(engine_of(series))), series)
point_of(k) = k == 1 ? 7 : k == 2 ? 4 : k == 3 ? 9 : k == 4 ? 12 : k == 5 ? 3 : 1
letter_of_series(k) = "abcdefgh"[k : k]

# --- where a panel goes
left = wide(9, 58)
gap = wide(10, 62)
panel_width = wide(50, (width - left - gap - 14) / 2.0)
panel_height = high(16, 200)
most_series = words(series_of_era("2014")) > words(series_of_era("today")) ? words(series_of_era("2014")) : words(series_of_era("today"))
legend_height = (most_series + 1) * high(1, 14)
left_of(e) = left + (e - 1) * (panel_width + gap)
top_of(row) = high(4, 66) + (row - 1) * (panel_height + high(4, 54))
bottom = top_of(2) + panel_height + high(4, 44) + legend_height

fits(x) = column("residual_rms") <= 0.1
is_parted = 0
stats parts using (is_drawn(stringcolumn("setting"), stringcolumn("side"), stringcolumn("role")) && fits(0) ? (is_parted = 1, 0) : 0) nooutput

figure_caption = "CPU time from the kernel's accounts over the messages answered in a step of a sweep: connections stay, the rate rises. Means over trials" \
  . (is_whisker ? fine(",\nwhiskers: 95 % intervals") : "") . ".\n" \
  . (is_parted ? fine("Thin lines: what the messages themselves take, where idling, wakings and messages explain the cost to 10 % (parts.tsv).\n") : "") \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

# --- title, caption and the legend below, a column an era
legend_top = top_of(2) + panel_height + high(4, 44)
eval place(0, legend_top, width, legend_top + legend_height)
marks = ""
do for [e = 1 : 2] {
  list = series_of_era(word(eras, e))
  do for [k = 1 : words(list)] {
    words_now = lettered(letter_of_series(k), series_words(word(list, k)))
    y = legend_top + (k - 1) * high(1, 14)
    eval write("words_now", left_of(e) + inset(30), y, "left", face_small)
    marks = marks . mark_at(left_of(e) + 18, y, point_of(k), 0.7, colour(k))
  }
}
eval marks
plot NaN notitle

set border 3 lw 0.7
set logscale y
set yrange [least_us / 1.3 : most_us * 1.3]
set ytics nomirror out scale 0.5 font face_small format "%g" ()
do for [decade = 0 : 5] { do for [step in "1 2 5"] { set ytics add (step * 10.0 ** decade) } }
us_axis = "CPU, µs a message"
is_of(series) = is_curve(0) && series_here(0) eq series
x_here(row) = row == 1 ? column("rate_hz") : column("cores")
message_us = 0
learn(series) = is_drawn(stringcolumn("setting"), stringcolumn("side"), stringcolumn("role")) && series_here(0) eq series && fits(0) ? (message_us = column("message_us"), 0) : 0

do for [row = 1 : 2] {
  do for [e = 1 : 2] {
    list = series_of_era(word(eras, e))
    unset label; unset arrow
    eval place(left_of(e), top_of(row), left_of(e) + panel_width, top_of(row) + panel_height)
    head = word(eras, e)
    if (row == 1) { eval write("head", left_of(e), top_of(1) - above(10), "left", face_bold) }
    axis_words = row == 1 ? "messages a second, over all connections (logarithmic)" : "load of the core: cores in use"
    eval write("axis_words", left_of(e) + panel_width / 2.0, top_of(row) + panel_height + below(30), "center", face_small)
    if (e == 1) { eval fine(write("us_axis", 14, top_of(row) + panel_height / 2.0, "center rotate", face_small)) }
    if (row == 1) {
      set logscale x
      set xrange [least_hz / 1.3 : most_hz * 1.3]
      set xtics nomirror out scale 0.5 font face_small format "%g" ()
      do for [decade = 1 : 6] { do for [step in "1 2 5"] { set xtics add (step * 10.0 ** decade) } }
    } else {
      unset logscale x
      set xrange [0 : round_up(most_cores)]
      set xtics 0, step_for(most_cores) nomirror out scale 0.5 font face_small format "%g"
    }
    if (words(list) == 0) { set label "absent: no trial stands" at graph 0.5, graph 0.5 center font face_small; plot NaN notitle; continue }
    do for [k = 1 : words(fine(list))] {
      message_us = 0
      stats parts using (learn(word(list, k))) nooutput
      if (message_us > least_us / 1.3 && message_us < most_us * 1.3) {
        set arrow from graph 0, first message_us to graph 1, first message_us nohead back lc rgb colour(k) lw 0.8 dt (2,3)
      }
    }
    x_of(series) = is_of(series) ? x_here(row) : NaN
    plot for [k = 1 : words(fine(list))] curves using (x_of(word(list, k))):"us_per_message" with lines lc rgb colour(k) lw 1.2 notitle, \
      for [k = 1 : words(fine(list))] curves using (is_of(word(list, k)) && has_interval(0) ? x_here(row) : NaN):"us_per_message":"us_low":"us_high" \
        with yerrorbars pt 0 lc rgb colour(k) lw 1 notitle, \
      for [k = 1 : words(list)] curves using (x_of(word(list, k))):"us_per_message" \
        with points pt mark(point_of(k), letter_of_series(k)) ps 0.6 lc rgb colour(k) notitle
  }
}

unset multiplot
