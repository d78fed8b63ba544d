#!/usr/bin/awk -f
# mixes-to-errors: how far the predicted saturation is from the measured one, over the mixes of an engine.
#
#   awk -f median.awk -f mixes-to-errors.awk mixes.tsv > errors.tsv
#
# mixes.tsv  of demand-to-mixes
# Output:    era, engine, workload, line, use, mixes, median_abs_error_pct, worst_abs_error_pct, bottlenecks_right; the last
#            counts the mixes whose predicted bottleneck was the busiest role when measured
#
#   era   engine              workload   line  use       mixes  median_abs_error_pct  worst_abs_error_pct  bottlenecks_right
#   2014  socketcluster-2014  saturated  -     held-out  8      3.1                   7.9                  7

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["error_pct"] == "-" { next }

{
  group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["line"] OFS $column["use"]
  if (!(group in count)) groups[++group_count] = group
  error_pct[group, ++count[group]] = $column["error_pct"] < 0 ? -$column["error_pct"] : $column["error_pct"]
  right[group] += $column["bottleneck"] == $column["busiest"]
}

END {
  print "era", "engine", "workload", "line", "use", "mixes", "median_abs_error_pct", "worst_abs_error_pct", "bottlenecks_right"
  for (g = 1; g <= group_count; g++) report(groups[g], count[groups[g]])
}

function report(group, n,    i) {
  split("", sorted)
  for (i = 1; i <= n; i++) sorted[i] = error_pct[group, i]
  sort_numbers(sorted, n)
  print group, n, sprintf("%.4g", median_of(sorted, n)), sprintf("%.4g", sorted[n]), right[group]
}
