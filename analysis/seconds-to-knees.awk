#!/usr/bin/awk -f
# seconds-to-knees: where in a ramp latency leaves its level, and what is answered beyond.
#
#   awk -f seconds-to-knees.awk seconds.tsv > trials
#
# seconds.tsv  trial, block, era, engine, workload, setting, t_s, connected, due, received, latency_p50_ms, latency_p99_ms
# Output:      trial, block, era, engine, workload, setting, metric, value. Of each trial whose ramp has a knee:
#              knee_connections and knee_s   connections, and seconds since the start, at the knee
#              knee_hz                       messages that fell due in the second of the knee
#              plateau_hz                    messages answered a second, mean from the knee on
#              knee_to_plateau               knee_hz / plateau_hz: 1 where latency rises when the server answers no more
#              and of each trial             level_p50_ms, the median's geometric mean before the knee, or of all seconds without one
#
# The knee is that of the broken line which leaves the least squares: log(p50) is level up to it, and rises in a straight line with the
# number of connections beyond (two phases: D. V. Hinkley, Inference in two-phase regression, 1971). It counts where p50 is more than
# ten times its level at the end.
#
#   trial               block  era    engine   workload  setting              metric            value
#   b01-gorilla-ramp-…  1      today  gorilla  ramp      client_processes=50  knee_connections  8120

BEGIN { FS = OFS = "\t"; rise_min = 10; print "trial", "block", "era", "engine", "workload", "setting", "metric", "value" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  trial = $column["trial"]
  if (!(trial in labels)) {
    trials[++count] = trial
    labels[trial] = trial OFS $column["block"] OFS $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  }
  if ($column["latency_p50_ms"] == "-" || $column["latency_p50_ms"] <= 0) next
  n = ++seconds[trial]
  x[trial, n] = $column["connected"]; y[trial, n] = log($column["latency_p50_ms"])
  t_s[trial, n] = $column["t_s"]; due[trial, n] = $column["due"]; received[trial, n] = $column["received"]
}

END { for (t = 1; t <= count; t++) if (seconds[trials[t]] >= 6) find_knee(trials[t], seconds[trials[t]]) }

function find_knee(trial, n,    k, best, least, squares, i, sum) {
  for (k = 3; k <= n - 2; k++) {
    squares = left_of(trial, n, k)
    if (squares >= 0 && (!best || squares < least)) { least = squares; best = k; level_best = level; slope_best = slope }
  }
  if (!best || slope_best * (x[trial, n] - x[trial, best]) < log(rise_min)) {
    for (i = 1; i <= n; i++) sum += y[trial, i]
    put(trial, "level_p50_ms", exp(sum / n))
    return
  }
  put(trial, "level_p50_ms", exp(level_best))
  put(trial, "knee_connections", x[trial, best]); put(trial, "knee_s", t_s[trial, best]); put(trial, "knee_hz", due[trial, best])
  for (i = best; i <= n; i++) sum += received[trial, i]
  put(trial, "plateau_hz", sum / (n - best + 1))
  put(trial, "knee_to_plateau", due[trial, best] / (sum / (n - best + 1)))
}

# The squares that the broken line with its knee at second k leaves; -1 where it does not rise. Sets level and slope: least squares of
# y = level + slope * max(0, x - x_k).
function left_of(trial, n, k,    i, z, sz, szz, sy, szy, squares) {
  for (i = 1; i <= n; i++) {
    z = i > k ? x[trial, i] - x[trial, k] : 0
    sz += z; szz += z * z; sy += y[trial, i]; szy += z * y[trial, i]
  }
  if (n * szz - sz * sz <= 0) return -1
  slope = (n * szy - sz * sy) / (n * szz - sz * sz)
  level = (sy - slope * sz) / n
  if (slope <= 0) return -1
  for (i = 1; i <= n; i++) { z = i > k ? x[trial, i] - x[trial, k] : 0; squares += (y[trial, i] - level - slope * z) ^ 2 }
  return squares
}

function put(trial, metric, value) { print labels[trial], metric, sprintf("%.6g", value) }
