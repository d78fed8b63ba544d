# delay: the delay of an update against its bytes on the wire; a panel a workload that has updates. Reads reduced/transports.tsv.

figure_title = "The delay of an update against its bytes on the wire"
table = reduced . "/transports.tsv"

# --- the ways by which updates come: of each a mark, a colour and a letter
ways = ""
shown = ""
do for [point in planned] { ways = add(ways, without_workload(point)) }
transport_in(way) = value_in(setting_of(way), "transport")
transports_in(way) = value_in(setting_of(way), "transports")
period_in(way) = value_in(setting_of(way), "poll_period_ms")
words_of(way) = engine_of(way) eq "ws" ? "WebSocket (ws)" : engine_of(way) eq "engine.io" ? "Engine.IO, " . (transports_in(way) eq "upgrade" ? "polling, then WebSocket" : transports_in(way) eq "polling" ? "long polling" : "WebSocket") \
  : transport_in(way) eq "polling" ? "polling each " . (real(period_in(way)) < 1000 ? period_in(way) . " ms" : sprintf("%g s", period_in(way) / 1000.0)) \
  : transport_in(way) eq "sse" ? "Server-Sent Events" : transport_in(way) eq "long-polling" ? "long polling" : "streaming"
kind_of(way) = engine_of(way) eq "ws" ? 5 : engine_of(way) eq "engine.io" ? (transports_in(way) eq "polling" ? 7 : transports_in(way) eq "websocket" ? 6 : 8) \
  : transport_in(way) eq "polling" ? 1 : transport_in(way) eq "long-polling" ? 2 : transport_in(way) eq "streaming" ? 3 : 4
colour_of(way) = kind_of(way) == 5 ? black : colour(int(word("1 2 3 7 0 4 5 6", kind_of(way))))
point_of(way) = kind_of(way) == 1 ? (real(period_in(way)) < 1000 ? 6 : real(period_in(way)) > 1000 ? 2 : 7) : int(word("7 5 9 11 13 12 4 10", kind_of(way)))
letter_of(way) = kind_of(way) == 1 ? (real(period_in(way)) < 1000 ? "p" : real(period_in(way)) > 1000 ? "q" : "P") : word("P L S E W w l u", kind_of(way))

# --- what the table holds
row_way(engine) = engine . "|" . stringcolumn("setting")
is_there(b) = stringcolumn("b") ne "-" && stringcolumn("p50_ms") ne "-"
low_of(name) = stringcolumn(name . "_low") ne "-" ? column(name . "_low") : column(name)
high_of(name) = stringcolumn(name . "_high") ne "-" ? column(name . "_high") : column(name)
tail_of(name) = stringcolumn("p99_ms") ne "-" ? column("p99_ms") : column("p50_ms")
number_words(x) = x >= 1000 ? sprintf("%g k", x / 1000) : sprintf("%g", x)
drawn_workloads = ""; is_gap = 0; is_whisker = 0
least_b = 1e12; most_b = 0; least_ms = 1e12; most_ms = 0
grow(b, ms) = (least_b = b < least_b ? b : least_b, most_b = b > most_b ? b : most_b, least_ms = ms < least_ms ? ms : least_ms, most_ms = ms > most_ms ? ms : most_ms)
look(engine) = !is_there("b") ? 0 : (drawn_workloads = add(drawn_workloads, stringcolumn("workload")), shown = add(shown, row_way(engine)), \
  is_gap = is_gap || stringcolumn("b_low") eq "-", is_whisker = is_whisker || stringcolumn("b_low") ne "-", \
  grow(low_of("b"), low_of("p50_ms")), grow(high_of("b"), high_of("p50_ms")), grow(column("b"), tail_of("p99_ms")), 0)
stats table using (look(stringcolumn("engine"))) nooutput
if (drawn_workloads eq "") { drawn_workloads = word(workloads, words(workloads)); least_b = 10; most_b = 10000; least_ms = 0.1; most_ms = 1000; shown = "" }

# --- where a panel goes
left = wide(12, 58)
key_lines = int((words(shown) + 2) / 3)
head = high(4 + words(shown), 62 + 15 * key_lines)
panel_width = wide(110, (width - left - 14 - 62 * (words(drawn_workloads) - 1)) / words(drawn_workloads))
panel_height = high(22, 260)
left_of(w) = left + column_at(w) * (panel_width + 62)
top_of(w) = head + high(1, 30) + row_at(w) * (panel_height + 5)
bottom = top_of(words(drawn_workloads)) + panel_height + foot(42)

abreast_words = ""
do for [workload in drawn_workloads] { abreast_words = abreast_words . workload . ": " . arrivals(workload) . "\n" }
figure_caption = "Delay: from the time an update is made on the server until a client has it. Bytes: both ways, with all headers, over the updates received.\n" \
  . "An update is 20 B. Both axes logarithmic.\n" . spelled(abreast_words) \
  . "Marks: geometric means over the trials of p50" . phrase("; of several at one place the last is seen", "; the thin bar goes up to p99") \
  . (is_whisker ? fine("; whiskers: 95 % intervals") : "") . (is_gap ? "; no interval: under three trials" : "") . ".\n" \
  . caption . "\n" . versions("today")
eval open_figure

# --- the legend: a mark each way, three on a line
n = 0
do for [way in shown] {
  n = n + 1
  way_words = lettered(letter_of(way), words_of(way))
  x = wide(1, 24 + 245 * ((n - 1) % 3)); y = high(2 + n, 56 + 15 * int((n - 1) / 3))
  eval mark_at(x, y, point_of(way), 0.8, colour_of(way))
  eval write("way_words", x + inset(10), y, "left", face)
}
if (shown eq "") { eval write("'the wire was not recorded: no bytes to show'", wide(1, 24), high(3, 56), "left", face) }
plot NaN notitle

# --- the panels
is_drawn(w, way) = is_there("b") && stringcolumn("workload") eq word(drawn_workloads, w) && row_way(stringcolumn("engine")) eq way
set border 3 lw 0.7
set logscale xy
set xrange [least_b / 1.5 : most_b * 1.5]
set yrange [least_ms / 1.5 : most_ms * 1.5]
do for [w = 1 : words(drawn_workloads)] {
  unset label; unset arrow
  workload = word(drawn_workloads, w)
  set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ()
  set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ()
  do for [decade = -3 : 6] { do for [part in "1 3"] {
    set xtics add (number_words(part * 10.0 ** decade) part * 10.0 ** decade)
    set ytics add (number_words(part * 10.0 ** decade) part * 10.0 ** decade)
  } }
  eval place(left_of(w), top_of(w), left_of(w) + panel_width, top_of(w) + panel_height)
  panel_words = workload . ": delay, ms"
  eval write("panel_words", edge(left_of(w) - 48), top_of(w) - above(12), "left", face_bold)
  eval write("'bytes on the wire per update'", left_of(w) + panel_width / 2.0, top_of(w) + panel_height + below(28), "center", face_small)
  if (shown eq "") { plot NaN notitle; continue }
  bytes_of(way) = is_drawn(w, way) ? column("b") : NaN
  plot for [way in fine(shown)] table using (bytes_of(way)):(column("p50_ms")):(column("p50_ms")):(tail_of("p99_ms")) with yerrorbars pt 0 lc rgb colour_of(way) lw 0.7 notitle, \
    for [way in fine(shown)] table using (bytes_of(way)):(column("p50_ms")):(low_of("p50_ms")):(high_of("p50_ms")) with yerrorbars pt 0 lc rgb colour_of(way) lw 1.6 notitle, \
    for [way in fine(shown)] table using (bytes_of(way)):(column("p50_ms")):(low_of("b")):(high_of("b")) with xerrorbars pt 0 lc rgb colour_of(way) lw 1.6 notitle, \
    for [way in shown] table using (bytes_of(way)):(column("p50_ms")) with points pt mark(point_of(way), letter_of(way)) ps 0.9 lc rgb colour_of(way) notitle
}
unset multiplot
