# roles: functions for other filters, loaded before them: how many processes of which role a point runs.
# They need the lines of spec-to-roles.js, each given to learn_role() with its cells, and -v options='a b': the options of engines that
# points of a line have in common.

function learn_role(engine, position, role, count) {
  role_of[engine, position] = role
  usual_count[engine, position] = count
  if (position > role_count[engine]) role_count[engine] = position + 0
}

# Fill count_of[role] with the processes of a point, and line with what else its setting says of the server: points of a line
# differ in their processes alone. False where the setting says something else (processes that share cores, another
# generator): such a point stands for something else.
function read_mix(engine, setting,    pairs, pair, n, counts, has_mix, i) {
  split("", count_of)
  line = ""
  if (!(engine in role_count)) return 0
  n = setting == "-" ? 0 : split(setting, pairs, ",")
  for (i = 1; i <= n; i++) {
    split(pairs[i], pair, "=")
    if (pair[1] == "processes") { split(pair[2], counts, "+"); has_mix = 1 }
    else if (index(" " options " ", " " pair[1] " ")) line = line (line == "" ? "" : ",") pairs[i]
    else if (pairs[i] != "cores=own") return 0
  }
  if (line == "") line = "-"
  for (i = 1; i <= role_count[engine]; i++) count_of[role_of[engine, i]] = has_mix ? counts[i] : usual_count[engine, i]
  return 1
}

# The processes of the point that read_mix read last; each has a core of its own.
function total_of(engine,    i, total) {
  for (i = 1; i <= role_count[engine]; i++) total += count_of[role_of[engine, i]]
  return total
}
