#!/usr/bin/awk -f
# make-variables: which variables of a command line no goal takes. A make of itself ignores them in silence.
#
#   awk -v goals='experiment-3' -v given='PROFIL RESUME' -f make-variables.awk Makefile
#
# Makefile  its lines `## GOAL: what it does (VARIABLE, VARIABLE)` say which goal takes which; GOAL may end with -N, a number or a name
# Output:   a line of what is refused, with the nearest name; nothing where all is well
#
#   PROFIL is no variable of experiment-3; did you mean PROFILE? It takes PROFILE, GENERATOR, RESUME, SEED, PLAN

/^## [a-z0-9-]+(N)?: / {
  goal = substr($2, 1, length($2) - 1)
  takes[goal] = match($0, /\([A-Z]+(, [A-Z]+)*\)$/) ? substr($0, RSTART + 1, RLENGTH - 2) : ""
}

END {
  goal_count = split(goals, goal_of, " ")
  for (i = 1; i <= goal_count; i++) {
    known = goal_of[i]
    if (known ~ /^experiment-/) known = "experiment-N"
    if (!(known in takes)) exit # not one of those that are listed: of the make's own
    if (takes[known] != "") all = all (all == "" ? "" : ", ") takes[known]
  }
  count = split(given, variable, " ")
  for (i = 1; i <= count; i++) if (index(", " all ",", ", " variable[i] ",") == 0) refuse(variable[i])
}

function refuse(name,    names, n, i, best, least, d) {
  n = split(all, names, ", ")
  least = 3
  for (i = 1; i <= n; i++) if ((d = distance(name, names[i])) < least) { least = d; best = names[i] }
  printf "%s%s is no variable of %s; %s%s", (refused++ ? " | " : ""), name, goals, (best == "" ? "" : "did you mean " best "? "), \
    (best == "" ? "it" : "It") " takes " (all == "" ? "none" : all)
}

# How many letters are put in, left out or changed between two words (V. I. Levenshtein, 1966).
function distance(a, b,    i, j, cost, least) {
  for (i = 0; i <= length(a); i++) d[i, 0] = i
  for (j = 0; j <= length(b); j++) d[0, j] = j
  for (i = 1; i <= length(a); i++) for (j = 1; j <= length(b); j++) {
    cost = substr(a, i, 1) != substr(b, j, 1)
    least = d[i - 1, j - 1] + cost
    if (d[i - 1, j] + 1 < least) least = d[i - 1, j] + 1
    if (d[i, j - 1] + 1 < least) least = d[i, j - 1] + 1
    d[i, j] = least
  }
  return d[length(a), length(b)]
}
