#!/usr/bin/awk -f
# trials-to-ratios: two runs of the same points compared: for each point and metric, B / A with its 95 % interval.
#
#   awk -v metrics="server_cpu_s_per_1k latency_p50_ms" -f student.awk -f interval.awk -f trials-to-ratios.awk a.tsv b.tsv > ratios.tsv
#
# a.tsv, b.tsv  trials.tsv of each run: trial, block, era, engine, workload, setting, metric, value
# Output:       era, engine, workload, setting, metric, n, ratio, low, high; in the order of A's points, then of the metrics
#
# Trials are paired by block: where the two runs have one seed, a block has the same draws of load in both, and the ratio is free
# of them. The central value is the geometric mean of the ratios within pairs (interval.awk). A trial without a partner counts for
# nothing. What only one run has is left out, and so is a metric that some trials of a point lack in either run: what is left
# would be a selection. Of two equal values, 0 too, the ratio is 1; "Infinity" is a value against 0, and there is then no interval.
#
#   era    engine  workload  setting  metric               n  ratio  low    high
#   today  ws      listed    -        server_cpu_s_per_1k  6  1.013  0.978  1.052

BEGIN {
  FS = OFS = "\t"
  metric_count = split(metrics, wanted, " ")
  print "era", "engine", "workload", "setting", "metric", "n", "ratio", "low", "high"
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  point = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  block = $column["block"]
  if (!((file, point, block) in seen)) {
    seen[file, point, block]
    trials[file, point]++
    if (file == 1) { if (trials[1, point] == 1) points[++point_count] = point; blocks[point, trials[1, point]] = block }
  }
  if (!((file, point, $column["metric"], block) in value)) count[file, point, $column["metric"]]++
  value[file, point, $column["metric"], block] = $column["value"]
}

END {
  for (p = 1; p <= point_count; p++)
    for (m = 1; m <= metric_count; m++)
      if (is_whole(1, points[p], wanted[m]) && is_whole(2, points[p], wanted[m])) put_ratio(points[p], wanted[m])
}

# Does every trial of the point have the metric?
function is_whole(run, point, metric) {
  return count[run, point, metric] > 0 && count[run, point, metric] == trials[run, point]
}

function put_ratio(point, metric,    i, block, n, a, b) {
  split("", ratio)
  infinite = 0
  for (i = 1; i <= trials[1, point]; i++) {
    block = blocks[point, i]
    if (!((2, point, metric, block) in value)) continue
    a = value[1, point, metric, block] + 0; b = value[2, point, metric, block] + 0
    if (a == 0 && b != 0) infinite = 1
    ratio[++n] = a == b ? 1 : a == 0 ? 0 : b / a
  }
  if (n && infinite) print point, metric, n, "Infinity", "-", "-"
  else if (n) print point, metric, n, mean_interval(ratio, n)
}
