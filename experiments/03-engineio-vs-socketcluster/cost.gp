# cost: CPU seconds per 1,000 messages by role, every engine, both eras; a panel for each workload, servers over clients.
# Reads reduced/points.tsv, and analysis/points-to-stacks.awk of it.

figure_title = "What 1,000 pings and their answers cost: CPU seconds, by role"
points = reduced . "/points.tsv"
stacks = "< LC_ALL=C awk -f '" . analysis . "/points-to-stacks.awk' '" . points . "'"
sides = "server client"

# --- what the tables hold
is_in_side(side) = is_plain(stringcolumn("setting")) && stringcolumn("metric") eq side . "_cpu_s_per_1k"
has_interval(n) = n > 0 && stringcolumn("low") ne "-"
longest(n) = has_interval(n) ? column("high") : column("mean")
present = ""; roles = ""; is_gap = 0; is_whisker = 0
array peak_s[2] = [0, 0]
look(s) = is_in_side(word(sides, s)) ? (present = present . " " . stringcolumn("engine") . "/" . stringcolumn("workload"), \
  is_gap = is_gap || !has_interval(column("n")), is_whisker = is_whisker || has_interval(column("n")), peak_s[s] = longest(column("n")) > peak_s[s] ? longest(column("n")) : peak_s[s]) : 0
stats points using (look(1), look(2), 0) nooutput
seen = ""
stats stacks using (is_in(seen, stringcolumn("role")) || !is_plain(stringcolumn("setting")) ? 0 : (seen = seen . " " . stringcolumn("role"), 0)) nooutput
do for [role in server_roles . " client"] { if (is_in(seen, role)) { roles = roles . " " . role } }

# --- where a panel goes
lines = words(slots)
left = is_text ? 26 : 138
panel_width = is_text ? 98 : (width - left - 14 * words(workloads)) / words(workloads)
panel_height = is_text ? lines + 1 : lines * 17
left_of(w) = is_text ? left : left + (w - 1) * (panel_width + 14)
top_of(w, s) = is_text ? 6 + (2 * (w - 1) + s - 1) * (panel_height + 5) : 104 + (s - 1) * (panel_height + 52)
bottom = top_of(words(workloads), 2) + panel_height + (is_text ? 3 : 40)

figure_caption = (is_text ? "A letter is a part of the bar: the geometric mean of a role.\n" : "Parts of a bar: geometric means of the roles. ") \
  . "The number: the geometric mean of their sum over the trials" . (!is_whisker ? ".\n" : is_text ? ", in brackets its 95 % interval.\n" : ", with its 95 % interval as a whisker.\n") \
  . (is_gap ? "No interval: under three trials. " : "") . "From the kernel's accounts over the measuring window. The client's recorder is left out.\n" \
  . "At this load a part is not per message: a process that wakes for each message pays for waking.\n" \
  . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_canvas(bottom + (lines_of(figure_caption) + 1) * caption_line)
eval write_frame(bottom)

# --- the legend, as a plot without axes
unset border; unset tics
set xrange [0:1]; set yrange [0:1]
if (is_text) {
  legend = ""
  do for [role in roles] { legend = legend . letter_of(role) . " " . role . "    " }
  eval write("legend", 1, 3, "left", "")
  plot NaN notitle
} else {
  eval place(10, 44, width - 10, 66)
  set key at screen 0.5, screen down(56) center center horizontal Left reverse font face samplen 2.5 maxrows 1
  keys = ""
  do for [role in roles] { keys = keys . sprintf(", keyentry with boxes %s title '%s'", fill_of(role), role) }
  eval "plot NaN notitle" . keys
}
unset key

# --- the panels
is_of(w) = is_plain(stringcolumn("setting")) && stringcolumn("workload") eq word(workloads, w)
is_total(w, s) = is_of(w) && is_in_side(word(sides, s))
is_part(w, s, role) = is_of(w) && stringcolumn("side") eq word(sides, s) && stringcolumn("role") eq role
slot(engine) = place_in(slots, engine)
interval_words(n) = is_text && has_interval(n) ? sprintf(" [%#.3g, %#.3g]", column("low"), column("high")) : ""
total_words(n) = sprintf("%#.3g", column("mean")) . interval_words(n) . (n < repeats ? sprintf(" (%d trials)", n) : "")
# In a text a part is its role's letter, as often as it is long; letters are rounded as their places are.
cell(seconds) = floor(seconds / cell_s + 0.5)
letters(role) = repeated(letter_of(role), cell(column("to")) - cell(column("from")))

# What is drawn, for plot: a part and its fill come together, so that they are put into it as text.
part = 'stacks using (is_part(w, s, "%s") ? column("to") : NaN):(slot(stringcolumn("engine"))):(column("from")):(column("to")):(slot(stringcolumn("engine")) - 0.36):(slot(stringcolumn("engine")) + 0.36) with boxxyerror %s notitle, '
whiskers = 'points using (is_total(w, s) && has_interval(column("n")) ? column("mean") : NaN):(slot(stringcolumn("engine"))):(column("low")):(column("high")) with xerrorbars lc rgb "black" lw 1.3 pt 7 ps 0.35 notitle'
numbers = 'points using (is_total(w, s) ? longest(column("n")) + cell_s * is_text : NaN):(slot(stringcolumn("engine"))):(total_words(column("n"))) with labels left offset 1, 0 font face_small notitle'

set yrange [lines + (is_text ? 1 : 0.5) : (is_text ? 0 : 0.5)]   # in a text each slot is a line
set border 3 lw 0.7
do for [s = 1 : 2] {
  step_s = peak_s[s] > 0 ? step_for(peak_s[s]) : 1
  top_s = peak_s[s] > 0 ? peak_s[s] * (is_text ? 1.4 : 1.2) : 1
  cell_s = top_s / panel_width
  set xrange [0 : top_s]
  set xtics 0, step_s nomirror out scale 0.5 font face_small offset 0, 0.4
  do for [w = 1 : words(workloads)] {
    workload = word(workloads, w)
    unset label
    eval place(left_of(w), top_of(w, s), left_of(w) + panel_width, top_of(w, s) + panel_height)
    if (is_text) {
      head = workload . ", " . word(sides, s) . ": CPU s per 1,000 messages"
      eval write("head", 1, top_of(w, s) - 1, "left", "")
    } else {
      if (s == 1) {
        eval write("workload", left_of(w), top_of(w, s) - 20, "left", face_bold)
        arrivals_words = arrivals(workload)
        eval write("arrivals_words", left_of(w), top_of(w, s) - 7, "left", face_small)
      }
      if (w == 1) { head = word(sides, s) . "s"; eval write("head", 10, top_of(w, s) - 7, "left", face_bold) }
      axis = word(sides, s) . " CPU s per 1,000 messages"
      eval write("axis", left_of(w) + panel_width / 2.0, top_of(w, s) + panel_height + 26, "center", face_small)
    }
    do for [i = 1 : lines] {
      name = word(slots, i)
      y = top_of(w, s) + (is_text ? i : panel_height * (i - 0.5) / lines)
      is_era = name eq "2014" || name eq "today"
      if (is_text || w == 1) {
        slot_words = title(name)
        if (is_era) { eval write("slot_words", is_text ? 1 : 10, y, "left", face_bold) } else { eval write("slot_words", is_text ? 3 : left - 6, y, is_text ? "left" : "right", face) }
      }
      if (!is_era && !is_in(present, name . "/" . workload)) { set label "absent: no trial stands" at 0, i left offset 1, 0 font face_small }
    }
    if (is_text) {
      plot for [role in roles] stacks using (is_part(w, s, role) ? cell(column("from")) * cell_s : NaN):(slot(stringcolumn("engine"))):(letters(role)) with labels left notitle, \
        @numbers
    } else {
      parts = ""
      do for [role in roles] { parts = parts . sprintf(part, role, fill_of(role)) }
      eval "plot " . parts . whiskers . ", " . numbers
    }
  }
}
unset multiplot
