# interval: the central value of repeated measurements and its 95 % interval, for other filters, loaded before them:
#
#   awk -f student.awk -f interval.awk -f other.awk
#
# Costs, rates and delays are positive and spread by shares, so the central value is the geometric mean, and the interval is
# Student's t on the logarithms. Where a value is 0 or less there is no logarithm: then it is the arithmetic mean, and
# Student's t on the values. Three values are the fewest for which there is an interval; with fewer "-" says so. How often
# such an interval holds the truth on the spreads of the records is reckoned in docs/intervals.md.

# Set mean, low, high, scale ("log" or "linear") and degrees for values[1..n]; low and high are "-" below three.
function find_interval(values, n,    i, sum, squares, half) {
  scale = "log"
  for (i = 1; i <= n; i++) if (values[i] <= 0) scale = "linear"
  degrees = n - 1
  sum = squares = 0
  for (i = 1; i <= n; i++) sum += scaled(values[i])
  mean = sum / n
  for (i = 1; i <= n; i++) squares += (scaled(values[i]) - mean) ^ 2
  low = high = "-"
  if (n >= 3) {
    half = t_quantile(degrees, interval_level()) * sqrt(squares / degrees / n)
    low = sprintf("%.6g", unscaled(mean - half))
    high = sprintf("%.6g", unscaled(mean + half))
  }
  mean = sprintf("%.6g", unscaled(mean))
}

function scaled(x) { return scale == "log" ? log(x) : x + 0 }

function unscaled(x) { return scale == "log" ? exp(x) : x }

# "mean <tab> low <tab> high" of values[1..n].
function mean_interval(values, n) {
  find_interval(values, n)
  return mean "\t" low "\t" high
}
