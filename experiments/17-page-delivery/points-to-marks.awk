#!/usr/bin/awk -f
# points-to-marks: when a page first painted something, when it could be used, when its data were there, and when it was complete.
#
#   awk -f points-to-marks.awk points.tsv > marks.tsv
#
# points.tsv  era, engine, workload, setting, metric, n, mean, low, high
# Output:     engine, workload, scenario, x, workflow, mark (first_paint, interactive, data, complete), n, ms, low, high: ms since the server's receipt;
#             of files and timeouts those with the most of each workflow, of points that nothing sets apart
#
#   engine   workload  scenario  x    workflow  mark     n  ms    low   high
#   fastify  desk      timeouts  500  stream    data     4  64.8  49.0  85.6

BEGIN {
  FS = OFS = "\t"
  mark["first_paint_ms"] = "first_paint"; mark["interactive_ms"] = "interactive"; mark["data_ms"] = "data"; mark["load_ms"] = "complete"
  print "engine", "workload", "scenario", "x", "workflow", "mark", "n", "ms", "low", "high"
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["setting"] == "-" && match($column["metric"], /^(first_paint_ms|interactive_ms|data_ms|load_ms)_[a-z]+_(files|timeouts)_[0-9]+$/) {
  parts = split($column["metric"], part, "_")
  x = part[parts] + 0; name = $column["metric"]
  sub(/_[a-z]+_[a-z]+_[0-9]+$/, "", name)
  line = $column["engine"] OFS $column["workload"] OFS part[parts - 1]
  if (!((line, part[parts - 2]) in most) || x > most[line, part[parts - 2]]) most[line, part[parts - 2]] = x
  count++
  group[count] = line; workflow[count] = part[parts - 2]; at[count] = x; said[count] = mark[name]
  rest[count] = $column["n"] OFS $column["mean"] OFS $column["low"] OFS $column["high"]
}

END {
  for (i = 1; i <= count; i++) if (at[i] > 0 && at[i] == most[group[i], workflow[i]]) print group[i], at[i], workflow[i], said[i], rest[i]
}
