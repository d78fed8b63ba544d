#!/usr/bin/awk -f
# fits-to-judged: the parameters of fits that claims are judged by, in the form of compared.tsv.
#
#   awk -f fits-to-judged.awk rules.tsv fits.tsv [scaling.tsv] > judged.tsv
#
# rules.tsv    claim, law, parameter, criterion, engines, setting (both regular expressions); a line for each
#              parameter judged
# fits.tsv     of fit.sh
# scaling.tsv  of trials-to-scaling, where there is one: lines with two or more different n that could not be fitted are
#              then told (n is 0), and `to` is what a slope is relative to
# Output:      claim, era, workload, setting, metric, of, to, to_setting, to_metric, criterion, n, mean (the parameter itself), low, high,
#              scale, degrees
#
#   claim  era   workload   setting  metric        of                  to              to_setting  to_metric  criterion  n   mean  low   high  scale   degrees
#   T11    2014  saturated  -        linear_slope  socketcluster-2014  engine.io-2014  -           -          0.4..0.6   30  0.31  0.29  0.33  linear  28

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  claim[++rules] = $column["claim"]; law[rules] = $column["law"]; parameter[rules] = $column["parameter"]
  criterion[rules] = $column["criterion"]; engines[rules] = $column["engines"]; setting[rules] = $column["setting"]
  next
}

{ group = $column["era"] OFS $column["workload"] OFS $column["engine"] OFS (FILENAME == ARGV[2] ? $column["setting"] : $column["line"]) }

FILENAME == ARGV[2] {
  list_group()
  fitted = group SUBSEP $column["law"] SUBSEP $column["parameter"]
  found[fitted] = $column["n"] OFS $column["value"]
  interval_of[fitted] = $column["low"] OFS $column["high"] OFS ($column["low"] == "-" ? "-" OFS "-" : "linear" OFS $column["degrees"])
  next
}

{
  base[group] = $column["base"]
  if ($column["units"] == "-") next
  if (!((group, $column["units"]) in seen)) { seen[group, $column["units"]]; if (++different[group] == 2) list_group() }
}

END {
  print "claim", "era", "workload", "setting", "metric", "of", "to", "to_setting", "to_metric", "criterion", "n", "mean", "low", "high", "scale", "degrees"
  for (i = 1; i <= rules; i++) for (g = 1; g <= group_count; g++) judge(i, groups[g])
}

function list_group() { if (!(group in listed)) { listed[group]; groups[++group_count] = group } }

function judge(i, group,    cell, key, interval) {
  split(group, cell, OFS)
  if (cell[3] !~ engines[i] || cell[4] !~ setting[i]) return
  key = group SUBSEP law[i] SUBSEP parameter[i]
  interval = (key in found) ? interval_of[key] : "-" OFS "-" OFS "-" OFS "-"
  print claim[i], cell[1], cell[2], cell[4], law[i] "_" parameter[i], cell[3], (law[i] == "linear" && group in base ? base[group] : "-"), "-", "-", \
    criterion[i], (key in found ? found[key] : "0" OFS "-"), interval
}
