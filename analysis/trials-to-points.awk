#!/usr/bin/awk -f
# trials-to-points: the mean of each metric over the trials of a point, with its 95 % interval.
#
#   awk -f student.awk -f interval.awk -f trials-to-points.awk trials.tsv > points.tsv
#
# trials.tsv  trial, block, era, engine, workload, setting, metric, value
# Output:     era, engine, workload, setting, metric, n, mean, low, high: see interval.awk; low and high are "-" where n is below three
#
# A metric that some trials of the point lack (a percentile with too few samples behind it, a cost without an answer) is left
# out: what is left would be a selection.
#
#   era   engine          workload  setting  metric               n  mean    low     high
#   2014  socket.io-2014  listed    -        server_cpu_s_per_1k  6  0.0612  0.0598  0.0631

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "era", "engine", "workload", "setting", "metric", "n", "mean", "low", "high"; next }

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
    split("", values)
    for (j = 1; j <= count[point]; j++) values[j] = value[point, j]
    print point, count[point], mean_interval(values, count[point])
  }
}
