# style: what all figures share. harness/show/figures.js loads it before a figure's own script, with `format` (svg, png,
# pdf or txt), `target` (the file), `finding` (a title that says what was found, or ""), the folders `reduced` and
# `analysis`, and the words for the caption.
#
# Series differ in dash, point and pattern as well as in colour, so that they differ in grey too.

set encoding utf8
set datafile separator tab
set datafile columnheaders
set datafile missing NaN           # lines run on over the rows of other series
load plots . "/layout.gp"

# --- words
# The parts between commas, on as few lines of so many characters as they fit on.
first_part(text) = strstrt(text, ", ") ? text[1 : strstrt(text, ", ")] : text
other_parts(text) = strstrt(text, ", ") ? text[strstrt(text, ", ") + 2 : *] : ""
folded(text, most) = folded_after(first_part(text), other_parts(text), most)
folded_after(line, text, most) = text eq "" ? line : strlen(line) + 1 + strlen(first_part(text)) > most ? line . "\n" . folded(text, most) \
  : folded_after(line . " " . first_part(text), other_parts(text), most)
# A number to three figures, or whole with a comma at each thousand.
grouped(digits) = strlen(digits) <= 3 ? digits : grouped(digits[1 : strlen(digits) - 3]) . "," . digits[strlen(digits) - 2 : *]
number(x) = x < 0 ? "-" . number(-x) : x >= 100 ? grouped(sprintf("%.0f", x)) : x >= 10 ? sprintf("%.1f", x) : x >= 1 ? sprintf("%.2f", x) : sprintf("%#.3g", x)

# A word of the shell's, whatever it holds: gnuplot hands what begins with "<", and what system() is given, to one.
shell_word(text) = "'" . within_quotes(text) . "'"
within_quotes(text) = strstrt(text, "'") ? text[1 : strstrt(text, "'") - 1] . "'\\''" . within_quotes(text[strstrt(text, "'") + 1 : *]) : text

# --- lists of words
is_in(list, item) = strstrt(" " . list . " ", " " . item . " ") > 0
place_in(list, item) = list eq "" ? 0 : word(list, 1) eq item ? 1 : 1 + place_in(list[strlen(word(list, 1)) + 2 : *], item)

# --- points: `engine|workload|setting`, as `planned` lists them, or `engine|setting`, as a figure lists what it draws
before_bar(text) = text[1 : strstrt(text, "|") - 1]
after_bar(text) = text[strstrt(text, "|") + 1 : *]
engine_of(point) = before_bar(point)
workload_of(point) = before_bar(after_bar(point))
setting_of(point) = strstrt(after_bar(point), "|") ? after_bar(after_bar(point)) : after_bar(point)
without_workload(point) = engine_of(point) . "|" . setting_of(point)
point_in(workload, point) = engine_of(point) . "|" . workload . "|" . setting_of(point)
add(list, item) = list eq "" ? item : is_in(list, item) ? list : list . " " . item
# The value of a key in a setting, "" where it is absent.
value_in(setting, key) = value_after("," . setting . ",", "," . key . "=")
value_after(text, mark) = strstrt(text, mark) ? up_to_comma(text[strstrt(text, mark) + strlen(mark) : *]) : ""
up_to_comma(text) = text[1 : strstrt(text, ",") - 1]

# --- points that nothing but engine and workload sets apart: what a figure shows that is not about a setting
is_plain(setting) = setting eq "-"

# --- a line for each engine, under a heading for its era: slots, of which an engine's is place_in(slots, engine)
slots = ""
do for [each_era in "2014 today"] {
  slots_of_era = ""
  do for [engine in engines] { if (era(engine) eq each_era) { slots_of_era = slots_of_era . " " . engine } }
  if (slots_of_era ne "") { slots = slots . " " . each_era . slots_of_era }
}
slots = slots[2:*]

# --- axes that end on a round number
step_for(top) = (step_unit = 10 ** floor(log10(top)), step_unit * (top <= 2 * step_unit ? 0.5 : top <= 4 * step_unit ? 1 : top <= 8 * step_unit ? 2 : 2.5))
round_up(top) = step_for(top) * ceil(top / step_for(top))

# --- colours of series: any two of them are told apart by the colour-blind, too; in grey by their points, dashes and order
# (test/unit/colours.test.js)
palette = "0xc04000 0x0060a8 0x008060 0x401880 0xc060a0 0x404040 0xa08000"
colour(k) = k < 1 ? black : int(word(palette, (k - 1) % words(palette) + 1))
black = 0x000000
vermilion = colour(1)
blue = colour(2)
green = colour(3)
violet = colour(4)
pink = colour(5)
grey = colour(6)

# --- processes, by role; a store of 2014 and a broker of today do the same
set style line 1 lc rgb blue      lw 1.4 dt (7,3)     pt 4 ps 0.55  # balancer
set style line 2 lc rgb vermilion lw 1.6 dt solid     pt 7 ps 0.5   # worker
set style line 3 lc rgb green     lw 1.4 dt (2,2)     pt 9 ps 0.6   # store, broker
set style line 4 lc rgb "#707070" lw 1.0 dt (8,2,2,2) pt 2 ps 0.45  # master
set style line 5 lc rgb violet    lw 1.6 dt solid     pt 5 ps 0.5   # client 1
set style line 6 lc rgb pink      lw 1.4 dt (5,3)     pt 8 ps 0.65  # client 2
set style line 9 lc rgb "#909090" lw 1.2 dt (4,3)     pt 0          # connections
server_roles = "balancer worker store broker master"               # as a message meets them
role_of(process) = word(process, 1)
line_of(process) = process eq "client 1" ? 5 : role_of(process) eq "client" ? 6 : role_of(process) eq "balancer" ? 1 : role_of(process) eq "worker" ? 2 : role_of(process) eq "master" ? 4 : 3
letter_of(role) = role eq "broker" ? "k" : role[1:1]
mark_of(process) = role_of(process) eq "client" ? word(process, 2) : letter_of(role_of(process))
