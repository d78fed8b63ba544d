#!/usr/bin/awk -f
# values-to-intervals: the median of each row over its repeats, with its interval and what that covers.
#
#   awk -f analysis/median.awk -f values-to-intervals.awk values.tsv > intervals.tsv
#
# values.tsv  row, repeat, value
# Output:     row, n, median, low, high, coverage, in the order in which the rows came
#
# The interval is distribution-free: the order statistics x(k) and x(n+1-k) hold the median with probability 1 - 2 P(B < k), B
# binomial (n, 1/2) (see W. J. Conover, Practical Nonparametric Statistics, on the confidence interval for a quantile). Where there are too few values for one of 95 %, low and high are the least and the
# greatest value, and coverage, the probability with which the median lies between them, says how much that is worth: 0.938
# for five, 0 for one.
#
#   row             n  median    low       high      coverage
#   k1-c100/ws/of   7  0.971     0.962     0.983     0.984

BEGIN { FS = OFS = "\t"; print "row", "n", "median", "low", "high", "coverage" }

NR == 1 { next }

{
  if (!($1 in count)) rows[++row_count] = $1
  value[$1, ++count[$1]] = $3
}

END {
  for (i = 1; i <= row_count; i++) {
    n = count[rows[i]]
    split("", sorted)
    for (j = 1; j <= n; j++) sorted[j] = value[rows[i], j]
    sort_numbers(sorted, n)
    rank = interval_rank(n)
    if (!rank) rank = 1
    printf "%s\t%d\t%.6g\t%.6g\t%.6g\t%.3f\n", rows[i], n, median_of(sorted, n), sorted[rank], sorted[n + 1 - rank], coverage(n, rank)
  }
}

# The largest k for which x(k) to x(n+1-k) covers the median with at least 95 %; 0 when there is none.
function interval_rank(n,    k, term, below) {
  term = 0.5 ^ n
  for (k = 0; 2 * (below + term) <= 0.05; k++) {
    below += term
    term *= (n - k) / (k + 1)
  }
  return k
}

# 1 - 2 P(B < rank), B binomial (n, 1/2).
function coverage(n, rank,    k, term, below) {
  term = 0.5 ^ n
  for (k = 0; k < rank; k++) {
    below += term
    term *= (n - k) / (k + 1)
  }
  return 1 - 2 * below
}
