# style: what all figures share. harness/show/figures.js loads it before a figure's own script, with `format` (svg, png,
# pdf or txt), `target` (the file), the folders `reduced` and `analysis`, and the words for the caption.
#
# A figure is laid out from its top left corner in cells: points of 1/96 inch in a picture, characters in a text.
# Series differ in dash, point and pattern as well as in colour, so that they differ in grey too.

set encoding utf8
set datafile separator tab
set datafile columnheaders
set datafile missing NaN           # lines run on over the rows of other series
is_text = format eq "txt"
width = is_text ? 128 : 768
caption_line = is_text ? 1 : 12.5

# --- the canvas: eval open_canvas(height in cells)
face = "DejaVu Sans,9"
face_small = "DejaVu Sans,8.5"
face_bold = "DejaVu Sans:Bold,9"
face_title = "DejaVu Sans:Bold,12"
png_scale = 1600.0 / 768
terminal(height) = \
  format eq "svg" ? sprintf('svg noenhanced size %d,%d fixed font "%s" background "white"', width, height, face) : \
  format eq "png" ? sprintf('pngcairo noenhanced size 1600,%d font "%s" fontscale %f linewidth %f pointscale %f background "white"', height * png_scale, face, 0.75 * png_scale, png_scale, png_scale) : \
  format eq "pdf" ? sprintf('pdfcairo noenhanced size 8in,%fin font "%s" fontscale 0.58 linewidth 1.3 background "white"', height / 96.0, face) : \
  sprintf('dumb noenhanced mono size %d,%d', width, height)
open_canvas(h) = sprintf("set term %s; set output target; height = %d; set multiplot", terminal(h), h)
across(x) = is_text ? x / (width - 1.0) : x / (1.0 * width)
down(y) = 1 - (is_text ? y / (height - 1.0) : y / (1.0 * height))

# --- words: eval write(text, x, y, "left", font); the text is the name of a variable, or quoted
write(text, x, y, align, face) = sprintf('set label %s at screen %f,%f %s front noenhanced font "%s"', text, across(x), down(y), align, face)
# eval place(left, top, right, bottom): where the next plot's axes go
# (in a text gnuplot counts the left and the bottom margin from one cell more than the others, and cuts fractions off)
across_left(x) = is_text ? (x + 0.3) / width : across(x)
down_bottom(y) = is_text ? (height - 1 - y + 0.3) / height : down(y)
more = is_text ? 0.3 : 0
place(x1, y1, x2, y2) = sprintf("set lmargin at screen %f; set rmargin at screen %f; set tmargin at screen %f; set bmargin at screen %f", across_left(x1), across(x2 + more), down(y1 - more), down_bottom(y2))
# (versions are words of a text alone: a picture's description has them)
trimmed(text) = text[strlen(text) : *] eq "\n" ? trimmed(text[1 : strlen(text) - 1]) : text
caption_height(text) = (lines_of(trimmed(text)) + 1) * caption_line
lines_of(text) = strstrt(text, "\n") ? 1 + lines_of(text[strstrt(text, "\n") + 1 : *]) : (text eq "" ? 0 : 1)
# eval write_frame(y): the title above, and from line y the caption; both are variables of the figure
write_frame(y) = is_text ? \
  write("figure_title", 1, 0, "left", "") . ";" . write("compressed", 1, 1, "left", "") . ";" . write("figure_caption", 1, y, "left", "") : \
  write("figure_title", 10, 16, "left", face_title) . ";" . write("compressed", 10, 33, "left", face_bold) . ";" . write("figure_caption", 10, y + 10, "left", face_small)
# The parts between commas, on as few lines of so many characters as they fit on.
first_part(text) = strstrt(text, ", ") ? text[1 : strstrt(text, ", ")] : text
other_parts(text) = strstrt(text, ", ") ? text[strstrt(text, ", ") + 2 : *] : ""
folded(text, most) = folded_after(first_part(text), other_parts(text), most)
folded_after(line, text, most) = text eq "" ? line : strlen(line) + 1 + strlen(first_part(text)) > most ? line . "\n" . folded(text, most) \
  : folded_after(line . " " . first_part(text), other_parts(text), most)
# A number to three figures, or whole with a comma at each thousand.
grouped(digits) = strlen(digits) <= 3 ? digits : grouped(digits[1 : strlen(digits) - 3]) . "," . digits[strlen(digits) - 2 : *]
number(x) = x >= 100 ? grouped(sprintf("%.0f", x)) : x >= 10 ? sprintf("%.1f", x) : x >= 1 ? sprintf("%.2f", x) : sprintf("%#.3g", x)
repeated(text, times) = times < 1 ? "" : text . repeated(text, times - 1)

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

# --- processes, by role; a store of 2014 and a broker of today do the same
set style line 1 lc rgb "#0060a8" lw 1.4 dt (7,3)     pt 4 ps 0.55  # balancer
set style line 2 lc rgb "#c04000" lw 1.6 dt solid     pt 7 ps 0.5   # worker
set style line 3 lc rgb "#008060" lw 1.4 dt (2,2)     pt 9 ps 0.6   # store, broker
set style line 4 lc rgb "#707070" lw 1.0 dt (8,2,2,2) pt 2 ps 0.45  # master
set style line 5 lc rgb "#5030a0" lw 1.6 dt solid     pt 5 ps 0.5   # client 1
set style line 6 lc rgb "#c060a0" lw 1.4 dt (5,3)     pt 8 ps 0.65  # client 2
set style line 9 lc rgb "#909090" lw 1.2 dt (4,3)     pt 0          # connections
server_roles = "balancer worker store broker master"               # as a message meets them
role_of(process) = word(process, 1)
line_of(process) = process eq "client 1" ? 5 : role_of(process) eq "client" ? 6 : role_of(process) eq "balancer" ? 1 : role_of(process) eq "worker" ? 2 : role_of(process) eq "master" ? 4 : 3
letter_of(role) = role eq "broker" ? "k" : role[1:1]
mark_of(process) = role_of(process) eq "client" ? word(process, 2) : letter_of(role_of(process))

# --- the parts of a bar, by role: a string to be evaluated
fill_of(role) = role eq "worker" ? "lc rgb '#f0c8a8' fs solid 1 border rgb 'black'" \
  : role eq "client" ? "lc rgb '#c8bce4' fs solid 1 border rgb 'black'" \
  : role eq "balancer" ? "lc rgb '#3878b0' fs solid 1 border rgb 'black'" \
  : role eq "master" ? "lc rgb '#303030' fs solid 1 border rgb 'black'" \
  : "lc rgb '#008060' fs pattern 2 border rgb 'black'"
