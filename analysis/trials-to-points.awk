#!/usr/bin/awk -f
# trials-to-points: the median of each metric over the trials of a point, with its 95 % interval.
#
#   awk -f median.awk -f trials-to-points.awk trials.tsv > points.tsv
#
# trials.tsv  trial, block, era, engine, workload, setting, metric, value
# Output:     era, engine, workload, setting, metric, n, median, low, high; low and high are "-" where n is below six
#
# A metric that some trials of the point lack (a percentile with too few samples behind it, a cost without an answer) is left
# out: what is left would be a selection.
#
#   era   engine          workload  setting  metric               n  median  low     high
#   2014  socket.io-2014  listed    -        server_cpu_s_per_1k  6  0.0612  0.0598  0.0631

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "era", "engine", "workload", "setting", "metric", "n", "median", "low", "high"; next }

{
  combination = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  if (!((combination, $column["trial"]) in seen)) { seen[combination, $column["trial"]]; trials[combination]++ }
  point = combination OFS $column["metric"]
  of[point] = combination
  if (!(point in count)) points[++point_count] = point
  value[point, ++count[point]] = $column["value"]
}

END {
  for (i = 1; i <= point_count; i++) {
    point = points[i]
    if (count[point] < trials[of[point]]) continue
    split("", sorted)
    for (j = 1; j <= count[point]; j++) sorted[j] = value[point, j]
    sort_numbers(sorted, count[point])
    print point, count[point], median_interval(sorted, count[point])
  }
}
