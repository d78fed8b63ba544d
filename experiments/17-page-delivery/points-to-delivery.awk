#!/usr/bin/awk -f
# points-to-delivery: how long each load took, the source's own beside it.
#
#   awk -f points-to-delivery.awk published.tsv points.tsv > delivery.tsv
#
# published.tsv  scenario, x, workflow, ms
# points.tsv     era, engine, workload, setting, metric, n, mean, low, high
# Output:        source, workload, setting, scenario, x, workflow, n, ms, low, high
#
#   source   workload  setting  scenario  x    workflow  n  ms    low   high
#   fastify  desk      -        files     128  ajax      4  41.2  39.8  42.7

BEGIN { FS = OFS = "\t"; print "source", "workload", "setting", "scenario", "x", "workflow", "n", "ms", "low", "high" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 { print "published", "-", "-", $column["scenario"], $column["x"], $column["workflow"], "-", $column["ms"], "-", "-"; next }

$column["metric"] ~ /^load_ms_[a-z]+_[a-z]+_[0-9]+$/ {
  split($column["metric"], part, "_")
  print $column["engine"], $column["workload"], $column["setting"], part[4], part[5], part[3], $column["n"], $column["mean"], $column["low"], $column["high"]
}
