#!/usr/bin/awk -f
# trials-to-ratios: two runs of the same points compared: for each point and metric, B / A with its 95 % interval.
#
#   awk -v metrics="server_cpu_s_per_1k latency_p50_ms" -f median.awk -f trials-to-ratios.awk a.tsv b.tsv > ratios.tsv
#
# a.tsv, b.tsv  trials.tsv of each run: trial, block, era, engine, workload, setting, metric, value
# Output:       era, engine, workload, setting, metric, n_a, n_b, ratio, low, high; in the order of A's points, then of the
#               metrics. What only one run has is left out, and so is a metric that some trials of a point lack in either run:
#               what is left would be a selection. "Infinity" is a value against 0; of two equal values, 0 too, the ratio is 1.
#
# Trials of two runs share no blocks, so the comparison is unpaired. The ratio is the Hodges-Lehmann estimate on logarithms: the
# median of all n_a x n_b ratios of a trial of B to one of A. The interval lies between the order statistics k and n_a n_b + 1 - k
# of those ratios, k from the exact distribution of the Mann-Whitney statistic: no assumption but that both runs spread alike
# about their centres on the logarithmic scale (M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, on the two-sample
# location problem: Hodges and Lehmann's estimator and Moses' interval; W. J. Conover, Practical Nonparametric Statistics, on the
# confidence interval for the difference between two means). With ties it covers more than 95 %. Four trials against four are the
# fewest of equal numbers for which there is one; low and high are "-" where there is none.
#
#   era    engine  workload  setting  metric               n_a  n_b  ratio  low    high
#   today  ws      listed    -        server_cpu_s_per_1k  6    6    1.013  0.978  1.052

BEGIN {
  FS = OFS = "\t"
  infinite = 1e300
  metric_count = split(metrics, wanted, " ")
  print "era", "engine", "workload", "setting", "metric", "n_a", "n_b", "ratio", "low", "high"
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  point = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  if (!((file, point, $column["trial"]) in seen)) {
    seen[file, point, $column["trial"]]
    if (++trials[file, point] == 1 && file == 1) points[++point_count] = point
  }
  value[file, point, $column["metric"], ++count[file, point, $column["metric"]]] = $column["value"]
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

function put_ratio(point, metric,    n_a, n_b, i, j, pairs, k) {
  n_a = count[1, point, metric]; n_b = count[2, point, metric]
  split("", ratio)
  for (i = 1; i <= n_a; i++)
    for (j = 1; j <= n_b; j++) ratio[++pairs] = divide(value[2, point, metric, j], value[1, point, metric, i])
  sort_numbers(ratio, pairs)
  k = pair_rank(n_a, n_b)
  print point, metric, n_a, n_b, shown(geometric_median(pairs)), k ? shown(ratio[k]) : "-", k ? shown(ratio[pairs + 1 - k]) : "-"
}

function divide(b, a) { return a + 0 == b + 0 ? 1 : a + 0 == 0 ? infinite : b / a }

# Of sorted ratio[1..n]: the median of the logarithms, as a ratio.
function geometric_median(n) {
  return n % 2 ? ratio[(n + 1) / 2] : sqrt(ratio[n / 2]) * sqrt(ratio[n / 2 + 1])
}

function shown(x) { return x >= infinite / 10 ? "Infinity" : sprintf("%.6g", x) }

# The largest k for which the ratios k and n_a n_b + 1 - k, sorted, hold the true one with at least 95 %; 0 when there is none.
# ways[j, u]: in how many ways j trials of one run stand among the ranks so far with a Mann-Whitney statistic of u.
function pair_rank(n_a, n_b,    rank, j, u, total, below, k) {
  if ((n_a, n_b) in known_rank) return known_rank[n_a, n_b]
  split("", ways)
  ways[0, 0] = 1
  for (rank = 1; rank <= n_a + n_b; rank++)
    for (j = rank < n_a ? rank : n_a; j >= 1; j--)
      for (u = rank - j; u <= n_a * n_b; u++)
        if ((j - 1, u - rank + j) in ways) ways[j, u] += ways[j - 1, u - rank + j]
  for (u = 0; u <= n_a * n_b; u++) total += ways[n_a, u]
  for (k = 0; 2 * (below + ways[n_a, k]) <= 0.05 * total; k++) below += ways[n_a, k]
  return known_rank[n_a, n_b] = k
}
