#!/usr/bin/awk -f
# steps-to-mixes: what a message costs in a load that opens connections, keeps them and exchanges messages, from the costs of each.
#
#   awk -f sweep.awk -f steps-to-mixes.awk mixes.tsv trials.tsv steps.tsv > more-trials
#
# mixes.tsv   mix, connections, connect_rate_hz, hold_s, rate_hz: so many connections are opened at that rate and then held; each sends
#             rate_hz messages a second from when it is open
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; <role>_cpu_ms_per_connection is read
# steps.tsv   the same to setting, then the columns of accounts-to-steps
# Output:     trial, block, era, engine, workload, setting, metric, value, without a header: <side>_cpu_s_per_1k_at_<mix>, for trials of a
#             sweep whose every role's opening is known. The CPU of a side is connections * opening, and for each moment what its curve
#             says of the rate that the connections then make: between the sweep's steps on a line, beyond the last at the last one's cost a message.
#
#   b01-engine.io-2014-sweep  1  2014  engine.io-2014  sweep  -  server_cpu_s_per_1k_at_described  0.211

BEGIN { FS = OFS = "\t"; slices = 240 }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  mix[++mixes] = $column["mix"]; connections[mixes] = $column["connections"]; connect_rate_hz[mixes] = $column["connect_rate_hz"]
  hold_s[mixes] = $column["hold_s"]; rate_hz[mixes] = $column["rate_hz"]
  next
}

FILENAME == ARGV[2] {
  if (sub(/_cpu_ms_per_connection$/, "", $column["metric"])) opening_s[$column["trial"], $column["metric"]] = $column["value"] / 1000
  next
}

$column["together"] != 1 || $column["role"] == "server" { next } # the sum of the others

{
  trial = $column["trial"]
  if (!(trial in labels)) {
    trials[++trial_count] = trial
    labels[trial] = trial OFS $column["block"] OFS $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  }
  if (!step_stands($column["backlog_s"])) next
  side = $column["side"]
  if ($column["step"] != last_step[trial, side]) { last_step[trial, side] = $column["step"]; number[trial, side]++ }
  if (number[trial, side] == 1 && !((trial, $column["role"]) in seen)) {
    seen[trial, $column["role"]]
    if ((trial, $column["role"]) in opening_s) opening[trial, side] += opening_s[trial, $column["role"]]; else lacks[trial, side]
  }
  sum_rate_hz[trial, side, number[trial, side]] = $column["rate_hz"]
  sum_hz[trial, side, number[trial, side]] = $column["received_hz"]
  sum_cores[trial, side, number[trial, side]] += $column["cpu_cores"]
}

END { for (t = 1; t <= trial_count; t++) for (m = 1; m <= mixes; m++) { put(trials[t], "server", m); put(trials[t], "client", m) } }

function put(trial, side, m,    curve, i, n, cpu_s, ramp_s, messages) {
  n = number[trial, side]
  if (n < 2 || (trial, side) in lacks) return
  curve = trial SUBSEP side
  if (!(curve in built)) { built[curve]; for (i = 1; i <= n; i++) add_to_curve(curve, sum_rate_hz[trial, side, i], sum_hz[trial, side, i], sum_cores[trial, side, i]) }
  ramp_s = connections[m] / connect_rate_hz[m]
  cpu_s = connections[m] * opening[trial, side] + hold_s[m] * cores_at(curve, connections[m] * rate_hz[m])
  for (i = 0; i < slices; i++) cpu_s += ramp_s / slices * cores_at(curve, (i + 0.5) / slices * connections[m] * rate_hz[m])
  messages = connections[m] * rate_hz[m] * (ramp_s / 2 + hold_s[m])
  print labels[trial], side "_cpu_s_per_1k_at_" mix[m], sprintf("%.6g", 1000 * cpu_s / messages)
}
