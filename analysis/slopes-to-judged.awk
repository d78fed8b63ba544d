#!/usr/bin/awk -f
# slopes-to-judged: slopes that claims are judged by, in the form of compared.tsv.
#
#   awk -f slopes-to-judged.awk rules.tsv slopes.tsv > judged.tsv
#
# rules.tsv   claim, count (the first word of that of slopes.tsv), criterion
# slopes.tsv  of capacities-to-slopes
# Output:     claim, era, workload, setting, metric, of, to, to_setting, to_metric, criterion, n, mean, low, high, scale, degrees
#
#   claim  era   workload  setting   metric               of                  to              ...  criterion  n  mean  low   high
#   T11    2014  sweep     load=0.8  slope_without_store  socketcluster-2014  engine.io-2014  ...  0.4..0.6   4  0.41  0.39  0.43

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] { rules++; claim[rules] = $column["claim"]; counted[rules] = $column["count"]; criterion[rules] = $column["criterion"]; next }

{ rows++; row[rows] = $0; how[rows] = $column["count"] }

END {
  print "claim", "era", "workload", "setting", "metric", "of", "to", "to_setting", "to_metric", "criterion", "n", "mean", "low", "high", "scale", "degrees"
  for (i = 1; i <= rules; i++)
    for (r = 1; r <= rows; r++) if (index(how[r], counted[i] "-") == 1) put(i, r)
}

function put(i, r,    cell, metric) {
  split(row[r], cell, FS)
  metric = cell[column["count"]]
  gsub(/-/, "_", metric)
  print claim[i], cell[column["era"]], "sweep", (cell[column["load"]] == "-" ? "-" : "load=" cell[column["load"]]), "slope_" metric, \
    cell[column["of"]], cell[column["to"]], "-", "-", criterion[i], cell[column["n"]], cell[column["slope"]], cell[column["low"]], cell[column["high"]], \
    "log", (cell[column["n"]] > 1 ? cell[column["n"]] - 1 : "-")
}
