# ranks: engines sorted by what a message costs, at three rates; make rank gives the same at yours. Reads reduced/ranks.tsv.

figure_title = "Sorted by what a message costs, at three rates"
ranks = reduced . "/ranks.tsv"
least_column = strstrt(system("head -n 1 " . shell_word(ranks)), "at_least") > 0 ? "at_least" : "engine" # runs of before have none

# --- a list of lines for each rate; what can't be told apart has a rank in common
rates = ""
array lines_at[8]
do for [k = 1 : 8] { lines_at[k] = "" }
cost_words(x) = stringcolumn("us_per_message") eq "-" ? (stringcolumn(least_column) eq "yes" ? "was not asked for so many" : "does not answer so many") : number(column("us_per_message")) . (stringcolumn("low") eq "-" ? "" : " [" . number(column("low")) . ", " . number(column("high")) . "]")
line_words(x) = sprintf("%s%s %s  %s", stringcolumn("rank"), stringcolumn("is_shared") eq "yes" ? " =" : "", title(stringcolumn("engine")), cost_words(0))
look(x) = stringcolumn("setting") ne "-" ? 0 : (rates = add(rates, stringcolumn("rate_hz")), here = place_in(rates, stringcolumn("rate_hz")), \
  lines_at[here] = lines_at[here] . (lines_at[here] eq "" ? "" : "\n") . line_words(0), 0)
stats ranks using (look(0)) nooutput
most_lines = 1
do for [k = 1 : words(rates)] { most_lines = lines_of(lines_at[k]) > most_lines ? lines_of(lines_at[k]) : most_lines }

lists = words(rates) > 0 ? words(rates) : 1
top_of(k) = high(5, 70) + row_at(k) * (most_lines + 3)
bottom = top_of(lists) + most_lines * high(1, 13) + high(1, 10)
version_lines = ""
do for [each_era in "2014 today"] { if (strlen(versions(each_era))) { version_lines = version_lines . "\n" . versions(each_era) } }
figure_caption = "CPU of the server, us a message, with its 95 % interval over trials. Equal ranks (=) can't be told apart: an engine\n" \
  . "has the rank 1 + the number of those that are decidedly cheaper, where the 95 % interval of the ratio leaves out 1;\n" \
  . "each pair by itself. Of one whose trials differ more, fewer are decidedly cheaper: its rank may be below the one before.\n" \
  . caption . version_lines
eval open_figure
eval place(0, top_of(1), width, bottom)
do for [k = 1 : words(rates)] {
  x_now = edge(10) + column_at(k) * (width / 3.0)
  head = grouped(word(rates, k)) . " messages a second"
  eval write("head", x_now, top_of(k) - above(16), "left", face_bold)
  text_now = lines_at[k]
  eval write("text_now", x_now, top_of(k), "left", face_small)
}
if (words(rates) == 0) { eval write("'absent: no trial stands'", edge(10), top_of(1), "left", face) }
plot NaN notitle
unset multiplot
