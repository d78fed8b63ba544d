#!/usr/bin/awk -f
# points-to-delivery: how long each load took, the source's own beside it.
#
#   awk -f points-to-delivery.awk published.tsv points.tsv > delivery.tsv
#
# published.tsv  scenario, x, workflow, ms
# points.tsv     era, engine, workload, setting, metric, n, mean, low, high
# Output:        source, workload, setting, scenario, x, workflow, n, ms, low, high, source_ms: the last by the source's own method, Date.now()
#                at both ends, as its numbers are
#
#   source   workload  setting  scenario  x    workflow  n  ms    low   high  source_ms
#   fastify  desk      -        files     128  ajax      4  41.2  39.8  42.7  41.5

BEGIN { FS = OFS = "\t"; print "source", "workload", "setting", "scenario", "x", "workflow", "n", "ms", "low", "high", "source_ms" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 { print "published", "-", "-", $column["scenario"], $column["x"], $column["workflow"], "-", $column["ms"], "-", "-", $column["ms"]; next }

$column["metric"] ~ /^(load|source)_ms_[a-z]+_[a-z]+_[0-9]+$/ {
  split($column["metric"], part, "_")
  key = $column["engine"] OFS $column["workload"] OFS $column["setting"] OFS part[4] OFS part[5] OFS part[3]
  if (part[1] == "source") { source_ms[key] = $column["mean"]; next }
  keys[++count] = key; rest[count] = $column["n"] OFS $column["mean"] OFS $column["low"] OFS $column["high"]
}

END { for (i = 1; i <= count; i++) print keys[i], rest[i], keys[i] in source_ms ? source_ms[keys[i]] : "-" }
