# median: functions for other filters, loaded before them: awk -f median.awk -f other.awk

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
