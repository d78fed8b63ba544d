# sweep: functions for filters that read steps.tsv, loaded before them: which steps stand, and what a rate costs in between.
#
#   awk -f sweep.awk -f other.awk steps.tsv

# Was what fell due answered when the step ended? What is out then would be answered in so many seconds at the step's rate.
function step_stands(backlog_s) { return backlog_s < 0.05 }

# The curve of one role in one trial: cores in use against messages a second, in the order of its steps.
function add_to_curve(curve, hz, cores,    n) {
  n = ++curve_points[curve]
  curve_hz[curve, n] = hz
  curve_cores[curve, n] = cores
}

# Cores that the role uses at a rate: between two steps on the line that joins them, beyond the last one on the line of the last two.
function cores_at(curve, hz,    n, i) {
  n = curve_points[curve]
  for (i = 2; i < n && curve_hz[curve, i] < hz; i++);
  return curve_cores[curve, i - 1] + slope_of(curve, i) * (hz - curve_hz[curve, i - 1])
}

function slope_of(curve, i) {
  return (curve_cores[curve, i] - curve_cores[curve, i - 1]) / (curve_hz[curve, i] - curve_hz[curve, i - 1])
}

# The load of the last step, the largest that was measured.
function load_reached(curve) { return curve_cores[curve, curve_points[curve]] }

# The rate up to which a curve is followed beyond its last step.
function farthest(curve) { return 4 * curve_hz[curve, curve_points[curve]] }

# The rate at which some roles together use so many cores: `curves` are joined by ORS. -1 where it is farther than that.
function rate_for(curves, cores,    part, count, i, low, high, middle, sum) {
  count = split(curves, part, ORS)
  for (i = 1; i <= count; i++) if (curve_points[part[i]] < 2) return -1
  for (i = 1; i <= count; i++) if (farthest(part[i]) > high) high = farthest(part[i])
  for (sum = i = 0; i++ < count;) sum += cores_at(part[i], high)
  if (sum < cores) return -1
  while (high - low > 0.01) {
    middle = (low + high) / 2
    for (sum = i = 0; i++ < count;) sum += cores_at(part[i], middle)
    if (sum < cores) low = middle; else high = middle
  }
  return low
}
