#!/usr/bin/awk -f
# steps-to-shares: what a message costs, and how long it takes, at equal shares of each server's own saturation; and what opening costs.
#
#   awk -f sweep.awk -f steps-to-shares.awk trials.tsv steps.tsv > more-trials
#
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; <role>_cpu_ms_per_connection is read
# steps.tsv   the same to setting, then the columns of accounts-to-steps, with share
# Output:     trial, block, era, engine, workload, setting, metric, value, without a header. Of each share, in percent:
#             messages_per_cpu_s_at_<p>, server_cpu_us_at_<p> (a message), server_cpu_cores_at_<p>, latency_p50_ms_at_<p> and
#             latency_p99_ms_at_<p>. Steps of one share are taken together: costs are sums over sums, percentiles means. A share of
#             which a step was not answered whole is left out. server_cpu_ms_per_connection is of all roles of the server.
#             messages_per_cpu_s_at_load_80 is read off the trial's curve where the server first keeps 0.8 of a core busy; a trial whose
#             steps do not come to that, or begin above it, has none. It rests on no saturation. A share above 1 is of the curve alone.
#
#   b01-gorilla-sweep  1  today  gorilla  sweep  -  messages_per_cpu_s_at_80  61200

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  if (sub(/_cpu_ms_per_connection$/, "", $column["metric"])) opening_ms[$column["trial"], $column["metric"]] = $column["value"]
  next
}

$column["side"] != "server" { next }

{
  trial = $column["trial"]
  if (!(trial in labels)) {
    trials[++trial_count] = trial
    labels[trial] = trial OFS $column["block"] OFS $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  }
}

$column["role"] != "server" {
  if ((trial, $column["role"]) in known) next
  known[trial, $column["role"]]
  if ((trial, $column["role"]) in opening_ms) opening[trial] += opening_ms[trial, $column["role"]]; else lacks[trial]
  next
}

step_stands($column["backlog_s"]) { add_to_curve(trial, $column["rate_hz"], $column["received_hz"], $column["cpu_cores"]) }

$column["share"] == "-" { next }

{
  has_shares[trial]
  p = sprintf("%d", 100 * $column["share"] + 0.5)
  if (!((trial, p) in steps)) { shares[trial, ++share_count[trial]] = p }
  steps[trial, p]++
  if (!step_stands($column["backlog_s"])) refused[trial, p]
  cores[trial, p] += $column["cpu_cores"]; received_hz[trial, p] += $column["received_hz"]
  add_percentile("p50", $column["latency_p50_ms"]); add_percentile("p99", $column["latency_p99_ms"])
}

END {
  for (t = 1; t <= trial_count; t++) {
    if (!(trials[t] in has_shares)) continue
    if (!(trials[t] in lacks)) put(trials[t], "server_cpu_ms_per_connection", opening[trials[t]])
    for (k = 1; k <= share_count[trials[t]]; k++) if (shares[trials[t], k] + 0 <= 100) put_share(trials[t], shares[trials[t], k])
    put_load(trials[t], 0.8)
  }
}

function add_percentile(name, ms) {
  if (ms == "-") too_few[trial, p, name]; else latency_ms[trial, p, name] += ms
}

function put_share(trial, p) {
  if ((trial, p) in refused || cores[trial, p] <= 0 || received_hz[trial, p] <= 0) return
  put(trial, "messages_per_cpu_s_at_" p, received_hz[trial, p] / cores[trial, p])
  put(trial, "server_cpu_us_at_" p, 1e6 * cores[trial, p] / received_hz[trial, p])
  put(trial, "server_cpu_cores_at_" p, cores[trial, p] / steps[trial, p])
  if (!((trial, p, "p50") in too_few)) put(trial, "latency_p50_ms_at_" p, latency_ms[trial, p, "p50"] / steps[trial, p])
  if (!((trial, p, "p99") in too_few)) put(trial, "latency_p99_ms_at_" p, latency_ms[trial, p, "p99"] / steps[trial, p])
}

# Between the two steps around the load, on the line that joins them.
function put_load(trial, load,    i, hz) {
  for (i = 2; i <= curve_points[trial] && curve_cores[trial, i] < load; i++);
  if (i > curve_points[trial] || curve_cores[trial, i - 1] > load) return
  hz = curve_hz[trial, i - 1] + (load - curve_cores[trial, i - 1]) / slope_of(trial, i)
  put(trial, "messages_per_cpu_s_at_load_" 100 * load, hz / load)
}

function put(trial, metric, value) { print labels[trial], metric, sprintf("%.6g", value) }
