#!/usr/bin/awk -f
# make-needs: what the goals of a make need: the prerequisites needs-NAME of their rules, and of the rules of those.
#
#   goals='experiment-3 figures' awk -f make-needs.awk Makefile
#
# Makefile  its rules `GOAL: PREREQUISITE...`; each experiment's is that of experiment-%
# Output:   each NAME once, and each $(VARIABLE) among the prerequisites as it stands, for make to expand
#
#   $(needs_start) run figures node

BEGIN { goals = ENVIRON["goals"] }

/^[a-z][a-z0-9%-]*:( |$)/ { goal = substr($1, 1, length($1) - 1); rule[goal] = rule[goal] " " substr($0, length($1) + 1) }

END {
  goal_count = split(goals, goal_of, " ")
  for (i = 1; i <= goal_count; i++) visit(goal_of[i])
  print ""
}

function visit(name,    words, n, i) {
  if (name ~ /^experiment-/) name = "experiment-%"
  if (name in seen) return
  seen[name]
  if (name ~ /^needs-/) printf "%s ", substr(name, 7)
  n = split(rule[name], words, " ")
  for (i = 1; i <= n; i++) {
    if (words[i] ~ /^\$\(/) printf "%s ", words[i]
    else visit(words[i])
  }
}
