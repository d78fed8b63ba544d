# sweep: functions for filters that read steps.tsv, loaded before them: which steps stand, and what a rate costs in between.
#
#   awk -f sweep.awk -f other.awk steps.tsv

# Was what fell due answered when the step ended? What is out then would be answered in so many seconds at the step's rate: a pause to
# collect garbage takes up to some tens of ms, and is no overload.
function step_stands(backlog_s) { return backlog_s < 0.1 }

# The curve of one role in one trial: cores in use against messages a second, in the order of the rates that were asked for. A rate that
# a sweep goes through several times, up and down, is one point: the mean of its steps.
function add_to_curve(curve, rate_hz, hz, cores,    i, n, steps) {
  for (i = 1; i <= curve_points[curve] && curve_rate_hz[curve, i] < rate_hz; i++);
  if (i > curve_points[curve] || curve_rate_hz[curve, i] > rate_hz) {
    for (n = ++curve_points[curve]; n > i; n--) copy_point(curve, n - 1, n)
    curve_rate_hz[curve, i] = rate_hz
    curve_steps[curve, i] = curve_hz[curve, i] = curve_cores[curve, i] = 0
  }
  steps = ++curve_steps[curve, i]
  curve_hz[curve, i] += (hz - curve_hz[curve, i]) / steps
  curve_cores[curve, i] += (cores - curve_cores[curve, i]) / steps
}

function copy_point(curve, from, to) {
  curve_rate_hz[curve, to] = curve_rate_hz[curve, from]
  curve_steps[curve, to] = curve_steps[curve, from]
  curve_hz[curve, to] = curve_hz[curve, from]
  curve_cores[curve, to] = curve_cores[curve, from]
}

# Cores that the role uses at a rate: between two steps on the line that joins them. Beyond the last one a message is taken to cost what
# it cost there, which is too much rather than too little: costs fall with the rate.
function cores_at(curve, hz,    n, i) {
  n = curve_points[curve]
  if (hz >= curve_hz[curve, n]) return curve_cores[curve, n] * hz / curve_hz[curve, n]
  for (i = 2; curve_hz[curve, i] < hz; i++);
  return curve_cores[curve, i - 1] + slope_of(curve, i) * (hz - curve_hz[curve, i - 1])
}

function slope_of(curve, i) {
  return (curve_cores[curve, i] - curve_cores[curve, i - 1]) / (curve_hz[curve, i] - curve_hz[curve, i - 1])
}

# The largest load of the role that was measured.
function load_reached(curve,    i, most) {
  for (i = 1; i <= curve_points[curve]; i++) if (curve_cores[curve, i] > most) most = curve_cores[curve, i]
  return most + 0
}

# What a role carries at a full core is more than what first fills it: a loop that never sleeps takes ever more messages at each turn, and each
# costs less. The limit lies between the fastest step that stands and the next one above it that filled the core and does not. As in a search
# for saturation it is taken for the geometric mean of the two. A step at which the load's own core was full is no limit of the role.
function add_full_step(curve, due_hz, received_hz, cores, load_cores, backlog_s,    hz) {
  if (step_stands(backlog_s)) {
    hz = received_hz < due_hz ? received_hz : due_hz # what was left over from steps before does not count
    if (hz > stood_hz[curve]) { stood_hz[curve] = hz; stood_cores[curve] = cores }
  } else if (cores >= 0.9 && load_cores < 0.9) fallen[curve] = fallen[curve] " " due_hz
}

# The first step above the fastest that stands that the role fell behind at; 0 where there is none.
function fallen_above(curve,    count, i, hz, least) {
  count = split(fallen[curve], hz, " ")
  for (i = 1; i <= count; i++) if (hz[i] > stood_hz[curve] && (!least || hz[i] < least)) least = hz[i] + 0
  return least + 0
}

# What the role carries at a full core; 0 where no step filled it.
function full_hz(curve,    fell_hz) {
  if (!(curve in stood_hz)) return 0
  fell_hz = fallen_above(curve)
  if (fell_hz) return sqrt(stood_hz[curve] * fell_hz)
  return stood_cores[curve] >= 0.9 ? stood_hz[curve] / stood_cores[curve] : 0
}

# A role that filled its core, and whose limit was not found: it carries that much at least.
function is_least(curve) { return full_hz(curve) > 0 && !fallen_above(curve) }

# The highest rate at which the role uses so many cores; 0 where its curve has no two steps. Between loads of 0.15 and 0.85 it is that of the
# line of least squares through the logarithms of the steps there, where there are three: a step of a second holds a collection of garbage,
# or it does not, so that two steps alone say little. At a full core it is what the role carries there: the limit that was found, and where
# none was, no less than its curve says.
function rate_for(curve, cores,    hz, limit_hz) {
  hz = rate_on_curve(curve, cores)
  if (!hz || cores != 1) return hz
  limit_hz = full_hz(curve)
  return limit_hz > hz || (limit_hz && fallen_above(curve)) ? limit_hz : hz
}

function rate_on_curve(curve, cores,    n, i) {
  n = curve_points[curve]
  if (n < 2) return 0
  if (cores >= 0.15 && cores <= 0.85 && fit_middle(curve) && cores <= load_reached(curve)) return exp((log(cores) - middle_level) / middle_slope)
  if (curve_cores[curve, n] <= cores) return curve_hz[curve, n] * cores / curve_cores[curve, n]
  for (i = n; i > 1 && curve_cores[curve, i - 1] > cores; i--);
  if (i == 1) return 0
  return curve_hz[curve, i - 1] + (cores - curve_cores[curve, i - 1]) / slope_of(curve, i)
}

# Set middle_level and middle_slope of the line through the steps of middling load. False where there are under three, or they do not rise.
function fit_middle(curve,    i, n, x, y, sx, sy, sxx, sxy) {
  for (i = 1; i <= curve_points[curve]; i++) {
    if (curve_cores[curve, i] < 0.15 || curve_cores[curve, i] > 0.85) continue
    n++
    x = log(curve_hz[curve, i]); y = log(curve_cores[curve, i])
    sx += x; sy += y; sxx += x * x; sxy += x * y
  }
  if (n < 3) return 0
  middle_slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
  middle_level = (sy - middle_slope * sx) / n
  return middle_slope > 0
}

# The rate at which some roles together use one core; `curves` are joined by ORS.
function rate_by_rate(curves,    part, count, i, low, high, middle, sum) {
  count = split(curves, part, ORS)
  high = 1e7
  while (high - low > 0.01) {
    middle = (low + high) / 2
    for (sum = i = 0; i++ < count;) sum += cores_at(part[i], middle)
    if (sum < 1) low = middle; else high = middle
  }
  return low
}
