#!/usr/bin/awk -f
# accounts-to-steps: what each role used in each step of a sweep, from the kernel's cumulative accounts.
#
#   awk -v left_out='3 4' -f accounts-to-steps.awk steps.tsv accounts.tsv intervals.tsv percentiles > steps
#
# left_out       steps that are disturbed (validity-to-disturbed.awk) and have no rows
# steps.tsv      step, rate_hz, together, from_s, to_s: of the harness; share, where it has the column: of saturation that the rate is
# accounts.tsv   mark, t_us, pid, side, role, index, cpu_ns, wait_ns, ticks, voluntary, involuntary, ...; marks step_<n>_from and
#                step_<n>_to, of the last step window_end
# intervals.tsv  of the client: t_s, connected, due, received, ... a line a second
# percentiles    of hlog-to-percentiles, for this trial: series (step_<n>), percentile, value_us
#
# Output: step, rate_hz, together, seconds, side, role, processes, cpu_cores, busiest_cpu_cores, wait_cores, wakings_hz, preempted_hz,
#         connected, due_hz, received_hz, backlog_s, latency_p50_ms, latency_p99_ms, latency_mean_ms. cpu_cores is of all processes of the role, a waking is a
#         voluntary context switch; backlog_s is what had fallen due since the first step and was not answered at the end of this one, over
#         what falls due in a second; a percentile with too few samples is "-". Rows of servers and of load processes, and of
#         all processes of the server (role server). A last column share where steps.tsv has it.
#
#   step  rate_hz  together  seconds  side    role    processes  cpu_cores  busiest_cpu_cores  wait_cores  wakings_hz  ...
#   2     250      1         1.0002   server  worker  1          0.0512     0.0512             0.0011      391         ...

BEGIN { FS = OFS = "\t"; count = split(left_out, out_steps, " "); for (i = 1; i <= count; i++) is_out[out_steps[i]] }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 {
  n = $column["step"]; steps = n
  if ("share" in column) { has_share = 1; share[n] = $column["share"] }
  rate_hz[n] = $column["rate_hz"]; together[n] = $column["together"]; from_s[n] = $column["from_s"]; to_s[n] = $column["to_s"]
  next
}

file == 2 {
  mark = $column["mark"]
  if (mark == "window_end") mark = "step_" steps "_to"
  if (mark !~ /^step_/ || $column["side"] == "capture" || $column["side"] == "companion" || $column["role"] == "recorder") next
  split(mark, part, "_")
  if (part[3] == "from") { before[part[2], $column["pid"]] = $0; next }
  if (!((part[2], $column["pid"]) in before)) next
  add(part[2], before[part[2], $column["pid"]], $column["role"])
  if ($column["side"] == "server") add(part[2], before[part[2], $column["pid"]], "server")
  next
}

file == 3 {
  for (n = 1; n <= steps; n++) {
    if ($column["t_s"] < from_s[n] || $column["t_s"] >= to_s[n]) continue
    due[n] += $column["due"]; received[n] += $column["received"]; connected[n] = $column["connected"]
  }
  out += $column["due"] - $column["received"]
  for (n = 1; n <= steps; n++) if ($column["t_s"] + 1 == to_s[n]) out_at_end[n] = out
  next
}

{ sub(/^step_/, "", $column["series"]); latency_ms[$column["series"], $column["percentile"]] = $column["value_us"] / 1000 }

END {
  print "step", "rate_hz", "together", "seconds", "side", "role", "processes", "cpu_cores", "busiest_cpu_cores", "wait_cores", "wakings_hz", \
    "preempted_hz", "connected", "due_hz", "received_hz", "backlog_s", "latency_p50_ms", "latency_p99_ms", "latency_mean_ms" (has_share ? OFS "share" : "")
  for (n = 1; n <= steps; n++) for (r = 1; r <= roles; r++) if (!(n in is_out) && (n, role[r]) in processes) put(n, role[r])
}

# What the process of this line used since it was told by `old`, added to what its role used, or its side.
function add(n, old, of,    was, key, cores) {
  split(old, was, FS)
  key = $column["side"] OFS of
  if (!(key in known)) { known[key]; role[++roles] = key }
  seconds[n, key] = ($column["t_us"] - was[column["t_us"]]) / 1e6
  cores = ($column["cpu_ns"] - was[column["cpu_ns"]]) / 1e9 / seconds[n, key]
  processes[n, key]++
  cpu_cores[n, key] += cores
  if (cores > busiest[n, key]) busiest[n, key] = cores
  wait_cores[n, key] += ($column["wait_ns"] - was[column["wait_ns"]]) / 1e9 / seconds[n, key]
  wakings_hz[n, key] += ($column["voluntary"] - was[column["voluntary"]]) / seconds[n, key]
  preempted_hz[n, key] += ($column["involuntary"] - was[column["involuntary"]]) / seconds[n, key]
}

function put(n, key,    window_s) {
  window_s = to_s[n] - from_s[n]
  print n, rate_hz[n], together[n], fixed(seconds[n, key]), key, processes[n, key], fixed(cpu_cores[n, key]), fixed(busiest[n, key]), \
    fixed(wait_cores[n, key]), short(wakings_hz[n, key]), short(preempted_hz[n, key]), connected[n] + 0, short(due[n] / window_s), \
    short(received[n] / window_s), backlog_s(n, window_s), of_latency(n, 50), of_latency(n, 99), of_latency(n, "mean") (has_share ? OFS share[n] : "")
}

# Where nothing falls due, a second's worth is taken for one message.
function backlog_s(n, window_s,    hz) {
  hz = due[n] / window_s
  return short((out_at_end[n] > 0 ? out_at_end[n] : 0) / (hz > 1 ? hz : 1))
}

function of_latency(n, percentile) { return (n, percentile) in latency_ms ? short(latency_ms[n, percentile]) : "-" }
function fixed(x) { return sprintf("%.6f", x) }
function short(x) { return sprintf("%.6g", x) }
