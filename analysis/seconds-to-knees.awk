#!/usr/bin/awk -f
# seconds-to-knees: where in a ramp latency leaves its level for good, and what is answered from there on.
#
#   awk -f median.awk -f seconds-to-knees.awk seconds.tsv > trials
#
# seconds.tsv  trial, block, era, engine, workload, setting, t_s, connected, due, received, latency_p50_ms, latency_p99_ms
# Output:      trial, block, era, engine, workload, setting, metric, value. Of each trial:
#              level_p50_ms                  the middle one of the medians of its seconds, of the first quarter of them
#              has_knee                      1, or 0 where it ends within ten times its level
#              and of each whose ramp has a knee:
#              knee_connections and knee_s   connections, and seconds since the start, when the second of the knee began
#              knee_hz                       messages that fell due in it
#              due_to_knee                   the most messages that fell due in a second, over knee_hz: how far the ramp goes on
#              plateau_hz                    messages answered a second, mean from the knee on
#              knee_to_plateau               knee_hz / plateau_hz: 1 where latency rises when the server answers no more
#
# The knee is the second after the last one whose median was within ten times the level. A pause of the server raises single seconds, and
# is no knee: latency is back at its level after it. (A broken line of least squares through the logarithms was tried. Such pauses, and the
# end of the ramp, where latency rises no further, drew its corner to seconds in which all was answered.)
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
  p50_ms[trial, n] = $column["latency_p50_ms"]
  connected[trial, n] = $column["connected"]; t_s[trial, n] = $column["t_s"]; due[trial, n] = $column["due"]; received[trial, n] = $column["received"]
}

END { for (t = 1; t <= count; t++) if (seconds[trials[t]] >= 4) find_knee(trials[t], seconds[trials[t]]) }

function find_knee(trial, n,    i, quarter, level, knee, sum, most) {
  quarter = int(n / 4)
  split("", sample)
  for (i = 1; i <= quarter; i++) sample[i] = p50_ms[trial, i]
  sort_numbers(sample, quarter)
  level = median_of(sample, quarter)
  put(trial, "level_p50_ms", level)
  for (knee = n + 1; knee > 1 && p50_ms[trial, knee - 1] > rise_min * level; knee--);
  put(trial, "has_knee", knee > 1 && knee <= n)
  if (knee == 1 || knee > n) return
  put(trial, "knee_connections", connected[trial, knee - 1]); put(trial, "knee_s", t_s[trial, knee]); put(trial, "knee_hz", due[trial, knee])
  for (i = knee; i <= n; i++) { sum += received[trial, i]; if (due[trial, i] > most) most = due[trial, i] + 0 }
  put(trial, "due_to_knee", most / due[trial, knee])
  put(trial, "plateau_hz", sum / (n - knee + 1))
  put(trial, "knee_to_plateau", due[trial, knee] / (sum / (n - knee + 1)))
}

function put(trial, metric, value) { print labels[trial], metric, sprintf("%.6g", value) }
