#!/usr/bin/awk -f
# steps-to-parts: what of a role's cost is being there, what is waking up, and what are the messages.
#
#   awk -f sweep.awk -f steps-to-parts.awk steps.tsv > parts.tsv
#
# steps.tsv  trial, block, era, engine, workload, setting, then the columns of accounts-to-steps
# Output:    era, engine, workload, setting, side, role, n, idle_cores, waking_us, message_us, residual_rms, residual_max
#
# The model: cores = idle + waking_us * wakings a second + message_us * messages a second, none of them below 0, by least squares of
# relative errors (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems; of three parts each set of them is tried). Rates and how
# many messages fall due together are crossed in a sweep, so that wakings and messages do not rise together. The residuals, as shares of
# what was measured, say how far to trust it: a cost that falls with load in another way is none of these parts. n are steps of all trials.
#
#   era   engine          workload    setting             side    role    n   idle_cores  waking_us  message_us  residual_rms  residual_max
#   2014  engine.io-2014  sweep-2014  cores=alone-worker  server  worker  32  0.0011      101        57          0.061         0.14

BEGIN { FS = OFS = "\t"; parts = 3; cores_min = 0.005 }

NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  print "era", "engine", "workload", "setting", "side", "role", "n", "idle_cores", "waking_us", "message_us", "residual_rms", "residual_max"
  next
}

step_stands($column["backlog_s"]) {
  key = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"] OFS $column["side"] OFS $column["role"]
  if (!(key in rows)) keys[++count] = key
  i = ++rows[key]
  # what is next to nothing is not to decide the fit by its share
  weight = 1 / ($column["cpu_cores"] > cores_min ? $column["cpu_cores"] : cores_min)
  x[key, i, 1] = weight; x[key, i, 2] = $column["wakings_hz"] * weight / 1e6; x[key, i, 3] = $column["received_hz"] * weight / 1e6
  y[key, i] = $column["cpu_cores"] * weight
}

END { for (k = 1; k <= count; k++) if (rows[keys[k]] > parts) fit(keys[k], rows[keys[k]]) }

# Of every set of parts (a bit each) whose coefficients are not negative the one that leaves least.
function fit(key, n,    set, i, j, best, left, worst, squares) {
  best = -1
  for (set = 1; set < 2 ^ parts; set++) {
    if (!solve(key, n, set)) continue
    squares = 0
    for (i = 1; i <= n; i++) squares += left_of(key, i) ^ 2
    if (best >= 0 && squares >= best) continue
    best = squares
    for (j = 1; j <= parts; j++) found[j] = part[j]
  }
  if (best < 0) return
  for (j = 1; j <= parts; j++) part[j] = found[j]
  for (i = 1; i <= n; i++) { left = left_of(key, i); if (left < 0) left = -left; if (left > worst) worst = left }
  print key, n, sprintf("%.4g\t%.4g\t%.4g\t%.3g\t%.3g", part[1], part[2], part[3], sqrt(best / n), worst)
}

function left_of(key, i,    j, sum) {
  for (j = 1; j <= parts; j++) sum += part[j] * x[key, i, j]
  return y[key, i] - sum
}

# The normal equations of the parts in the set, by Gauss and Jordan. False where they have no answer, or one with a part below 0.
function solve(key, n, set,    size, i, j, k, l, pivot, factor) {
  size = 0
  for (j = 1; j <= parts; j++) if (int(set / 2 ^ (j - 1)) % 2) member[++size] = j
  for (j = 1; j <= size; j++) {
    for (k = 1; k <= size; k++) { a[j, k] = 0; for (i = 1; i <= n; i++) a[j, k] += x[key, i, member[j]] * x[key, i, member[k]] }
    a[j, size + 1] = 0
    for (i = 1; i <= n; i++) a[j, size + 1] += x[key, i, member[j]] * y[key, i]
  }
  for (j = 1; j <= size; j++) {
    pivot = a[j, j]
    if (pivot <= 1e-12) return 0
    for (k = 1; k <= size + 1; k++) a[j, k] /= pivot
    for (l = 1; l <= size; l++) {
      factor = a[l, j]
      if (l != j) for (k = 1; k <= size + 1; k++) a[l, k] -= factor * a[j, k]
    }
  }
  for (j = 1; j <= parts; j++) part[j] = 0
  for (j = 1; j <= size; j++) { part[member[j]] = a[j, size + 1]; if (a[j, size + 1] < 0) return 0 }
  return 1
}
