#!/usr/bin/awk -f
# make-variables: which variables of a command line no goal takes. A make of itself ignores them in silence. And which goals
# are no targets: of one that is a folder a make says that nothing is to be done, of another not what it may have been meant as.
#
#   goals='experiment-3' given='PROFIL RESUME' awk -f make-variables.awk Makefile
#   goals='experiments' folders='experiments' awk -f make-variables.awk Makefile
#
# Makefile  its lines `## GOAL: what it does (VARIABLE, VARIABLE)` say which goal takes which; GOAL may end with -N, a number or a name
# Output:   a line of what is refused, with the nearest name; nothing where all is well
#
#   PROFIL is no variable of experiment-3; did you mean PROFILE? It takes PROFILE, GENERATOR, RESUME, SEED, PLAN
#   experiments is a folder, and no target; did you mean experiment-N? See what there is with: make help
#   experment-3 is no target; did you mean experiment-N? See what there is with: make help

BEGIN { goals = ENVIRON["goals"]; given = ENVIRON["given"]; folders = ENVIRON["folders"] }

/^## [a-z0-9-]+(N)?: / {
  goal = substr($2, 1, length($2) - 1)
  takes[goal] = match($0, /\([A-Z]+(, [A-Z]+)*\)$/) ? substr($0, RSTART + 1, RLENGTH - 2) : ""
}

/^[a-z][a-z0-9-]*:/ { rules[substr($1, 1, index($1, ":") - 1)] }

END {
  goal_count = split(goals, goal_of, " ")
  for (i = 1; i <= goal_count; i++) {
    known = goal_of[i]
    if (known ~ /^experiment-/) known = "experiment-N"
    if (!(known in takes)) {
      if (index(" " folders " ", " " known " ")) refuse_target(known, "a folder, and no target")
      else if (is_unknown(known)) refuse_target(known, "no target")
      exit # not one of those that are listed: of the make's own
    }
    if (takes[known] != "") all = all (all == "" ? "" : ", ") takes[known]
  }
  count = split(given, variable, " ")
  for (i = 1; i <= count; i++) if (index(", " all ",", ", " variable[i] ",") == 0) refuse(variable[i])
}

# Of the make's own are also files, and what is needed or to be set.
function is_unknown(name) {
  return name ~ /^[A-Za-z][A-Za-z0-9-]*$/ && name !~ /^(needs|set)-/ && !(name in rules)
}

function refuse_target(name, what,    target, names, n, best) {
  for (target in takes) names[++n] = target
  best = nearest(name, names, n)
  printf "%s is %s; %sSee what there is with: make help", name, what, (best == "" ? "" : "did you mean " best "? ")
}

# The one of the names that a few letters make of it; "" where none is near.
function nearest(name, names, n,    i, best, least, d) {
  least = 3
  for (i = 1; i <= n; i++) if ((d = distance(name, names[i])) < least) { least = d; best = names[i] }
  return best
}

function refuse(name,    names, n, best) {
  n = split(all, names, ", ")
  best = nearest(name, names, n)
  printf "%s%s is no variable of %s; %s%s", (refused++ ? " | " : ""), name, goals, (best == "" ? "" : "did you mean " best "? "), \
    (best == "" ? "it" : "It") " takes " (all == "" ? "none" : all)
}

# How many letters are put in, left out or changed between two words (V. I. Levenshtein, 1966). The harness has a library for it,
# but this runs before there is a Node.
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
