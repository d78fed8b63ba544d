# scaling: for figures of throughput against cores, what scaling.tsv holds and how it is drawn. Load it after plots/style.gp.
#
# A series is `engine|line` (the columns of scaling.tsv).
# all_series                      those that have values, in the order of the engines
# engine_of(series), line_of(series), series_words(series)
# is_in_series(series)            is the row that is being read one of it, and balanced?
# is_scaled(series)               has it values at more than one n?
# colour_of(series), point_of(series), letter_of_series(series)   no two of an era alike, in grey too
# least_cores_of(series), most_cores_of(series), units_of(series, cores)
# base_hz(era), base_title(era)   median throughput of the one process that the claims compare with, and its name

scaling = reduced . "/scaling.tsv"
scaled_workload = ""
engine_of(series) = series[1 : strstrt(series, "|") - 1]
line_of(series) = series[strstrt(series, "|") + 1 : *]
series_here(x) = stringcolumn("engine") . "|" . stringcolumn("line")
is_in_series(series) = series_here(0) eq series && stringcolumn("units") ne "-"

# --- what the table holds
found_series = ""
note_series(series) = (scaled_workload = stringcolumn("workload"), found_series = is_in(found_series, series) ? found_series : found_series . " " . series, 0)
stats scaling using (stringcolumn("units") eq "-" ? 0 : note_series(series_here(0))) nooutput
all_series = ""
do for [engine in engines] { do for [each in found_series] { if (engine_of(each) eq engine) { all_series = all_series . (all_series eq "" ? "" : " ") . each } } }
array least_units[words(all_series) + 1]
array most_units[words(all_series) + 1]
array least_cores[words(all_series) + 1]
array most_cores[words(all_series) + 1]
do for [i = 1 : words(all_series)] { least_units[i] = 1e9; most_units[i] = 0; least_cores[i] = 1e9; most_cores[i] = 0 }
widen(i, units, cores) = (least_units[i] = units < least_units[i] ? units : least_units[i], most_units[i] = units > most_units[i] ? units : most_units[i], \
  least_cores[i] = cores < least_cores[i] ? cores : least_cores[i], most_cores[i] = cores > most_cores[i] ? cores : most_cores[i], 0)
stats scaling using (stringcolumn("units") eq "-" ? 0 : widen(place_in(all_series, series_here(0)), column("units"), column("n_cores"))) nooutput

is_scaled(series) = (number_of_series = place_in(all_series, series), most_units[number_of_series] > least_units[number_of_series])
least_cores_of(series) = least_cores[place_in(all_series, series)]
most_cores_of(series) = most_cores[place_in(all_series, series)]
units_of(series, cores) = (number_of_series = place_in(all_series, series), least_units[number_of_series] + (cores - least_cores[number_of_series]) \
  * (most_units[number_of_series] - least_units[number_of_series]) / (most_cores[number_of_series] - least_cores[number_of_series]))

# --- the base: throughput over what it is relative to
array base_found[2]
array base_named[2]
do for [i = 1 : 2] { base_found[i] = NaN; base_named[i] = "" }
era_number(era) = era eq "2014" ? 1 : 2
look_at_base(i) = stringcolumn("relative") eq "-" ? 0 : (base_found[i] = column("throughput_hz") / column("relative"), base_named[i] = stringcolumn("base"), 0)
stats scaling using (look_at_base(era_number(stringcolumn("era")))) nooutput
base_hz(era) = base_found[era_number(era)]
base_title(era) = base_named[era_number(era)] eq "" ? "none measured" : title(base_named[era_number(era)])

# --- how a series is drawn, by its place in its era
place_in_era(series) = sum [i = 1 : place_in(all_series, series)] (era(engine_of(word(all_series, i))) eq era(engine_of(series)))
series_words(series) = title(engine_of(series)) . (line_of(series) eq "-" ? "" : ", " . line_of(series))
colour_of(series) = (drawn_as = place_in_era(series), drawn_as == 1 ? 0xc04000 : drawn_as == 2 ? 0x0060a8 : drawn_as == 3 ? 0x008060 : drawn_as == 4 ? 0x5030a0 : 0xc060a0)
point_of(series) = (drawn_as = place_in_era(series), drawn_as == 1 ? 6 : drawn_as == 2 ? 4 : drawn_as == 3 ? 8 : drawn_as == 4 ? 12 : drawn_as == 5 ? 2 : 1)
letter_of_series(series) = "abcdefgh"[place_in_era(series) : place_in_era(series)]
