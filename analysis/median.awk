# median: functions for other filters, loaded before them: awk -f median.awk -f other.awk
#
# The interval is distribution-free: the order statistics x(k) and x(n+1-k) hold the median with probability
# 1 - 2 P(B < k), B binomial (n, 1/2) (see W. J. Conover, Practical Nonparametric Statistics, on the confidence interval
# for a quantile). Six values are the fewest for 95 %; with fewer there is none, and "-" says so.

# Sort values[1..n] in place, ascending.
function sort_numbers(values, n,    i, j, x) {
  for (i = 1; i <= n; i++) {
    x = values[i] + 0
    for (j = i - 1; j >= 1 && values[j] + 0 > x; j--) values[j + 1] = values[j]
    values[j + 1] = x
  }
}

# The median of sorted values[1..n].
function median_of(values, n) {
  return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
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

# "median <tab> low <tab> high" of sorted values[1..n].
function median_interval(values, n,    k) {
  k = interval_rank(n)
  return sprintf("%.6g\t%s\t%s", median_of(values, n), \
    k ? sprintf("%.6g", values[k]) : "-", k ? sprintf("%.6g", values[n + 1 - k]) : "-")
}
