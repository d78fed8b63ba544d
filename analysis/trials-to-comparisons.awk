#!/usr/bin/awk -f
# trials-to-comparisons: for each comparison of a claim, the mean of the ratios within blocks, with its 95 % interval.
#
#   awk -f student.awk -f interval.awk -f trials-to-comparisons.awk comparisons.tsv trials.tsv > compared.tsv
#
# comparisons.tsv  workload, setting, metric, of, to and any others, such as claim, era, criterion; of and to are engines,
#                  to is "-" where the value itself is judged; to_setting and to_metric, where there are such columns, are the
#                  setting and the metric of to
# trials.tsv       trial, block, era, engine, workload, setting, metric, value
# Output:          the columns of comparisons.tsv, then n, mean, low, high, scale, degrees: see interval.awk; of a criterion
#                  "reaches x" the least and the most in the place of an interval (scale is then "range"). What has no
#                  interval has no scale ("-")
#
# The trials of a block had the same draws of load, and ran next to each other, save one that stands in for a flagged one: their
# ratio is free of most of what drifts from block to block. A block in which one of the two is missing gives no ratio.
#
#   claim  era   workload  setting  metric               of                  to              criterion  n  mean  low   high  scale  degrees
#   T4     2014  listed    -        server_cpu_s_per_1k  socketcluster-2014  socket.io-2014  >1         6  2.41  2.33  2.52  log    5

BEGIN { FS = OFS = "\t" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file == 1) print $0, "n", "mean", "low", "high", "scale", "degrees"; next }

file == 1 {
  row[++rows] = $0
  is_possible[rows] = "criterion" in column && $column["criterion"] ~ /^reaches /
  to_setting = "to_setting" in column ? $column["to_setting"] : $column["setting"]
  to_metric = "to_metric" in column ? $column["to_metric"] : $column["metric"]
  of[rows] = key($column["of"], $column["workload"], $column["setting"], $column["metric"])
  to[rows] = $column["to"] == "-" ? "" : key($column["to"], $column["workload"], to_setting, to_metric)
  next
}

{
  value[key($column["engine"], $column["workload"], $column["setting"], $column["metric"]), $column["block"]] = $column["value"]
  if ($column["block"] > blocks) blocks = $column["block"] + 0
}

END {
  for (i = 1; i <= rows; i++) {
    n = collect(i)
    if (n == 0) { print row[i], 0, "-", "-", "-", "-", "-"; continue }
    find_interval(ratio, n)
    if (is_possible[i]) find_range(ratio, n)
    print row[i], n, mean, low, high, low == "-" ? "-" : scale, low == "-" || is_possible[i] ? "-" : degrees
  }
}

# The least and the most, as the interval: what is possible at all, each trial shows by itself.
function find_range(values, n,    i) {
  low = high = values[1]
  for (i = 2; i <= n; i++) {
    if (values[i] < low) low = values[i]
    if (values[i] > high) high = values[i]
  }
  low = sprintf("%.6g", low); high = sprintf("%.6g", high); scale = "range"
}

function key(engine, workload, setting, metric) { return engine "\t" workload "\t" setting "\t" metric }

# Fill ratio[1..n] with the values of comparison i, one a block.
function collect(i,    block, n) {
  split("", ratio)
  for (block = 1; block <= blocks; block++) {
    if (!((of[i], block) in value)) continue
    if (to[i] == "") ratio[++n] = value[of[i], block]
    else if ((to[i], block) in value && value[to[i], block] > 0) ratio[++n] = value[of[i], block] / value[to[i], block]
  }
  return n + 0
}
