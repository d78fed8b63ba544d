# student: a function for other filters, loaded before them: awk -f student.awk -f other.awk
#
# Student's t distribution has closed forms for whole degrees of freedom: M. Abramowitz, I. A. Stegun, Handbook of
# Mathematical Functions, 26.7.3 and 26.7.4.

# The level of intervals: that of several looks at growing data is higher (harness/plan/precision.js), and comes with the environment.
function interval_level() { return "WSCALE_LEVEL" in ENVIRON ? ENVIRON["WSCALE_LEVEL"] + 0 : 0.95 }

# The t for which a parameter's value plus and minus t standard errors is its interval at that level, such as 0.95.
function t_quantile(degrees, level,    low, high, middle, i) {
  if ((degrees, level) in known_t) return known_t[degrees, level]
  high = 1000
  for (i = 0; i < 60; i++) {
    middle = (low + high) / 2
    if (t_within(middle, degrees) < level) low = middle; else high = middle
  }
  return known_t[degrees, level] = middle
}

# The probability of lying between -t and t.
function t_within(t, degrees,    angle, cosine, term, sum, i) {
  angle = atan2(t, sqrt(degrees))
  cosine = cos(angle)
  if (degrees == 1) return 2 * angle / 3.14159265358979
  term = degrees % 2 ? cosine : 1
  for (i = degrees % 2 ? 3 : 2; i <= degrees; i += 2) {
    sum += term
    term *= cosine * cosine * (i - 1) / i
  }
  return degrees % 2 ? 2 * (angle + sin(angle) * sum) / 3.14159265358979 : sin(angle) * sum
}
