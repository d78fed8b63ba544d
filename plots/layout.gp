# layout: how a figure is laid out, once for a picture (svg, png, pdf) and once for a text. style.gp loads it. A figure's script says what
# it shows, in the names of this file; no other file asks which of the two is drawn.
#
# Places are counted from the top left corner: in a picture in points of 1/96 inch, in a text in characters and lines.

is_text = format eq "txt"
wide(chars, points) = is_text ? chars : points      # a length across
high(lines, points) = is_text ? lines : points      # a length down
width = wide(128, 768)
caption_line = high(1, 12.5)

# --- what is said or drawn in one of them alone: words, a list, or a command to be evaluated
fine(words) = is_text ? "" : words                  # what a text has no room for: whiskers, bands, grounds
spelled(words) = is_text ? words : ""               # what a picture shows without words
phrase(text, picture) = is_text ? text : picture    # the same in the words of each

# --- panels: side by side in a picture, one below the other in a text
side_by_side = !is_text
column_at(panel) = is_text ? 0 : panel - 1
row_at(panel) = is_text ? panel - 1 : 0

# --- distances of which a text has one, and a picture the figure's own
above(points) = high(1, points)                     # a head, over its panel
below(points) = high(2, points)                     # the words of an axis, under its panel
between(points) = high(5, points)                   # from a panel to the one below it
foot(points) = high(3, points)                      # from the last panel to the caption
edge(points) = wide(1, points)                      # what begins at the left edge
inset(points) = wide(0, points)                     # what stands right of a mark
row_margin = high(1, 0.5)                           # in rows, above the first of a panel and below its last

# --- the canvas: eval open_canvas(its height)
face = "DejaVu Sans,9"
face_small = "DejaVu Sans,8.5"
face_bold = "DejaVu Sans:Bold,9"
face_title = "DejaVu Sans:Bold,12"
png_scale = 1600.0 / 768
terminal(height) = \
  format eq "svg" ? sprintf('svg noenhanced size %d,%d fixed font "%s" background "white"', width, height, face) : \
  format eq "png" ? sprintf('pngcairo noenhanced size 1600,%d font "%s" fontscale %f linewidth %f pointscale %f background "white"', \
    height * png_scale, face, 0.75 * png_scale, png_scale, png_scale) : \
  format eq "pdf" ? sprintf('pdfcairo noenhanced size 8in,%fin font "%s" fontscale 0.58 linewidth 1.3 background "white"', height / 96.0, face) : \
  sprintf('dumb noenhanced mono size %d,%d', width, height)
open_canvas(h) = sprintf("set term %s; set output target; height = %d; set multiplot", terminal(h), h)
across(x) = is_text ? x / (width - 1.0) : x / (1.0 * width)
down(y) = 1 - (is_text ? y / (height - 1.0) : y / (1.0 * height))

# --- words: eval write(text, x, y, "left", font); the text is the name of a variable, or quoted
write(text, x, y, align, face) = \
  sprintf('set label %s at screen %f,%f %s front noenhanced font "%s"', text, across(x), down(y), align, face)
# eval place(left, top, right, bottom): where the next plot's axes go
# (in a text gnuplot counts the left and the bottom margin from one cell more than the others, and cuts fractions off)
across_left(x) = is_text ? (x + 0.3) / width : across(x)
down_bottom(y) = is_text ? (height - 1 - y + 0.3) / height : down(y)
more = wide(0.3, 0)
place(x1, y1, x2, y2) = sprintf("set lmargin at screen %f; set rmargin at screen %f; set tmargin at screen %f; set bmargin at screen %f", \
  across_left(x1), across(x2 + more), down(y1 - more), down_bottom(y2))

# --- captions: figure_caption is what the figure's script says of it, then `caption`, the conditions, then versions. A text shows all of it. A
# picture has three lines: of the script's sentences those that say what a mark stands for, then as many of the others as fit, in their
# order; then the conditions in brief. All of the words are printed for the picture's description (harness/show/figures.js).
caption_width = wide(127, 165)
caption_lines = 3
sentence_of(text) = strstrt(text, ". ") ? text[1 : strstrt(text, ". ")] : text
after_sentence(text) = strstrt(text, ". ") ? text[strstrt(text, ". ") + 2 : *] : ""
first_word(text) = strstrt(text, " ") ? text[1 : strstrt(text, " ") - 1] : text
after_word(text) = strstrt(text, " ") ? text[strstrt(text, " ") + 1 : *] : ""
one_line(text) = strstrt(text, "\n") ? one_line(text[1 : strstrt(text, "\n") - 1] . " " . text[strstrt(text, "\n") + 1 : *]) \
  : text[strlen(text) : *] eq " " ? one_line(text[1 : strlen(text) - 1]) : text
flowed(text) = flowed_after(first_word(text), after_word(text))
flowed_after(line, text) = text eq "" ? line : strlen(line) + 1 + strlen(first_word(text)) > caption_width ? line . "\n" . flowed(text) \
  : flowed_after(line . " " . first_word(text), after_word(text))
says_marks(sentence) = strstrt(sentence, "eometric mean") > 0 || strstrt(sentence, "whiskers") > 0
length_of_marks(text) = text eq "" ? 0 : (says_marks(sentence_of(text)) ? strlen(sentence_of(text)) + 1 : 0) + length_of_marks(after_sentence(text))
kept(text, room) = text eq "" ? "" : says_marks(sentence_of(text)) ? sentence_of(text) . " " . kept(after_sentence(text), room) \
  : strlen(sentence_of(text)) < room ? sentence_of(text) . " " . kept(after_sentence(text), room - strlen(sentence_of(text)) - 1) : kept(after_sentence(text), room)
room_for(text) = (caption_lines - lines_of(caption)) * (caption_width - 4) - length_of_marks(text)
own_words(text) = one_line(strstrt(text, caption) ? text[1 : strstrt(text, caption) - 1] : text)
fitted(text, room) = room > 0 && lines_of(flowed(one_line(kept(text, room)))) > caption_lines - lines_of(caption) ? fitted(text, room - 30) \
  : flowed(one_line(kept(text, room)))
# (a text breaks the lines that are longer than it, and leaves the others as they are)
broken_line(line) = strlen(line) > caption_width ? flowed(line) : line
broken_lines(text) = strstrt(text, "\n") ? broken_line(text[1 : strstrt(text, "\n") - 1]) . "\n" . broken_lines(text[strstrt(text, "\n") + 1 : *]) \
  : broken_line(text)
shown_caption(text) = is_text ? broken_lines(text) : fitted(own_words(text), room_for(own_words(text))) . "\n" . caption

# --- a figure's own words: eval open_figure, when figure_title, figure_caption and bottom, where its caption begins, are set
# (where there is something found that a claim is judged by, it is the title: see titles.toml of the experiment)
# (versions are words of a text alone: a picture's description has them)
trimmed(text) = text[strlen(text) : *] eq "\n" ? trimmed(text[1 : strlen(text) - 1]) : text
lines_of(text) = strstrt(text, "\n") ? 1 + lines_of(text[strstrt(text, "\n") + 1 : *]) : (text eq "" ? 0 : 1)
caption_height(text) = (lines_of(trimmed(text)) + 1) * caption_line
write_frame(y) = write("figure_title", edge(10), high(0, 16), "left", face_title) . ";" \
  . write("compressed", edge(10), high(1, 33), "left", face_bold) . ";" . write("figure_caption", edge(10), high(y, y + 10), "left", face_small)
open_figure = "figure_title = finding eq '' ? figure_title : finding; print 'title: ' . figure_title; print 'caption: ' . own_words(figure_caption); " \
  . "figure_caption = shown_caption(figure_caption); eval open_canvas(bottom + caption_height(figure_caption)); eval write_frame(bottom); " \
  . "unset border; unset tics; set xrange [0:1]; set yrange [0:1]"

# --- the legend: legend = entry(letter, style, words) . entry(…), then eval draw_legend(y, options of gnuplot's key)
# A letter is how a text draws it; an entry without one is a picture's alone.
entry_gap = "    "
# (what is evaluated names the words by their place: gnuplot would run what stands between backticks in them)
array entry_words[200]
entries = 0
entry(letter, style, words) = is_text ? (letter eq "" ? "" : letter . " " . words . entry_gap) \
  : (entries = entries + 1, entry_words[entries] = words, sprintf(", keyentry with %s title entry_words[%d]", style, entries))
draw_key(entries, y, options) = is_text ? "plot NaN notitle; unset key" : place(10, 44, width - 10, 84) \
  . sprintf("; set key at screen 0.5, screen %.15g center center Left reverse font face ", down(y)) . options . "; plot NaN notitle" . entries . "; unset key"
draw_legend(y, options) = spelled(write("legend", 1, 3, "left", "") . "; ") . draw_key(legend, y, options)
# A series is a letter in a text; in a picture a point, which has a colour and may lie on a line.
mark(point, letter) = is_text ? letter : point
lettered(letter, words) = is_text ? letter . " " . words : words
mark_at(x, y, point, size, colour) = fine(sprintf("set label '' at screen %f, screen %f point pt %d ps %g lc rgb %d front; ", across(x), down(y), point, size, colour))
line_and_points = phrase("points", "linespoints")   # plot … with @line_and_points
with_whiskers(is_whisker) = is_whisker ? fine(", whiskers: their 95 % intervals") : ""

# --- panels of a line for each engine: their head, of the variables workload, arrivals_words and axis; their lines' labels, of slot_words
head_panel(x, y, panel_width, panel_height) = is_text ? "head = workload . ': ' . axis; " . write("head", 1, y - 1, "left", "") : \
  write("workload", x, y - 20, "left", face_bold) . "; " . write("arrivals_words", x, y - 7, "left", face_small) . "; " \
  . write("axis", x + panel_width / 2.0, y + panel_height + 26, "center", face_small)
write_slot(is_era, y) = is_era ? write("slot_words", edge(10), y, "left", face_bold) : write("slot_words", wide(3, left - 6), y, phrase("left", "right"), face)
guide_row(y, colour) = fine(sprintf("set arrow from graph 0, first %.15g to graph 1, first %.15g nohead back lc rgb '%s' lw 0.6", y, y, colour))
