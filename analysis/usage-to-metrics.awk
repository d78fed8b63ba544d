#!/usr/bin/awk -f
# usage-to-metrics: the numbers of one trial, each with its name.
#
#   awk -v from_s=3 -v to_s=6 -v asked=320 -f usage-to-metrics.awk usage intervals.tsv percentiles > metrics
#
# asked          connections that the client was to open, where it says so
# usage          of accounts-to-usage
# intervals.tsv  of the client: t_s, connected, failed, dropped, due, sent, received, ... a line a second
# percentiles    of hlog-to-percentiles, for this trial: series, percentile, value_us
#
# Output: metric, value. A message is one ping and its answer; costs are per 1,000 of them that were answered in
# the phase. A cost is left out where nothing was answered, a percentile where too few samples stand behind it.
#
#   metric               value
#   server_cpu_s_per_1k  0.0612

BEGIN { FS = OFS = "\t" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 {
  phase = $column["phase"]; side = $column["side"]; role = $column["role"]; cpu_s = $column["cpu_s"]
  side_cpu_s[phase, side == "client" && role == "recorder" ? "recorder" : side] += cpu_s
  if (phase == "whole") role_whole_cpu_s[role] += cpu_s
  if (phase == "window") {
    window_s = $column["seconds"]
    voluntary[side] += $column["voluntary"]; involuntary[side] += $column["involuntary"]
    if (side != "capture") {
      if (!(role in role_cpu_s)) { roles[++role_count] = role; idlest[role] = cpu_s / window_s }
      role_cpu_s[role] += cpu_s
      role_processes[role]++; role_side[role] = side
      role_rss_kb[role] += $column["rss_kb"]
      if (cpu_s / window_s > busiest[role]) busiest[role] = cpu_s / window_s
      if (cpu_s / window_s < idlest[role]) idlest[role] = cpu_s / window_s
      if (side == "server" && busiest[role] > busiest_of_all) busiest_of_all = busiest[role]
      if ($column["descriptors"] != "-") { held[role] += $column["descriptors"]; held_squared[role] += $column["descriptors"] ^ 2 }
      rss_mb[role] = rss_mb[role] < $column["rss_kb"] / 1024 ? $column["rss_kb"] / 1024 : rss_mb[role]
    }
  }
  next
}

file == 2 {
  if ($column["t_s"] >= to_s) next
  received["whole"] += $column["received"]
  if ($column["t_s"] >= from_s) {
    received["window"] += $column["received"]
    due += $column["due"]; sent += $column["sent"]
  }
  connected = $column["connected"]; failed += $column["failed"]; dropped += $column["dropped"]
  next
}

{ percentile[++percentile_count] = $column["series"] "_p" $column["percentile"] "_ms" OFS $column["value_us"] / 1000 }

END {
  print "metric", "value"
  put_cost("server_cpu_s_per_1k", side_cpu_s["window", "server"], received["window"])
  put_cost("client_cpu_s_per_1k", side_cpu_s["window", "client"], received["window"])
  put_cost("server_cpu_s_per_1k_whole", side_cpu_s["whole", "server"], received["whole"])
  put_cost("client_cpu_s_per_1k_whole", side_cpu_s["whole", "client"], received["whole"])
  put_cost("server_switches_per_1k", voluntary["server"] + involuntary["server"], received["window"])
  put_cost("server_involuntary_per_1k", involuntary["server"], received["window"])
  put("server_voluntary_hz", voluntary["server"] / window_s)
  put("server_involuntary_hz", involuntary["server"] / window_s)
  for (i = 1; i <= role_count; i++) {
    put_cost(roles[i] "_cpu_s_per_1k", role_cpu_s[roles[i]], received["window"])
    put(roles[i] "_cpu_cores", busiest[roles[i]] + 0)
    put(roles[i] "_rss_mb", rss_mb[roles[i]])
    put_opening(roles[i], role_side[roles[i]])
    put_balance(roles[i], role_processes[roles[i]])
    if (connected > 0 && role_side[roles[i]] == "server") put(roles[i] "_rss_kb_per_connection", role_rss_kb[roles[i]] / connected)
  }
  put("busiest_cpu_cores", busiest_of_all + 0)
  if (side_cpu_s["window", "server"] > 0) put("messages_per_cpu_s", received["window"] / side_cpu_s["window", "server"])
  if (due > 0) put("answered_share", received["window"] / due)
  put("server_cpu_cores", side_cpu_s["window", "server"] / window_s)
  put("capture_cpu_cores", side_cpu_s["window", "capture"] / window_s)
  put("received_hz", received["window"] / window_s)
  put("due_hz", due / window_s); put("sent_hz", sent / window_s)
  if (asked > 0) put("connected_share", connected / asked)
  put("connected_at_end", connected); put("failed", failed); put("dropped", dropped)
  for (i = 1; i <= percentile_count; i++) print percentile[i]
}

# What it costs a role to open a connection: its CPU from the start on, less that of the messages at what one costs in the window.
function put_opening(role, side) {
  if (role == "recorder" || connected == 0 || received["window"] == 0 || !(role in role_whole_cpu_s)) return
  put(role "_cpu_ms_per_connection", 1000 * (role_whole_cpu_s[role] - role_cpu_s[role] / received["window"] * received["whole"]) / connected)
}

# How evenly the processes of a role are loaded. Descriptors of a server are, but for a few, its connections.
function put_balance(role, n,    mean) {
  mean = role_cpu_s[role] / window_s / n
  put(role "_cpu_cores_mean", mean)
  if (n < 2) return
  if (mean > 0) put(role "_cpu_spread", (busiest[role] - idlest[role]) / mean)
  if (mean > 0) put(role "_cpu_max_to_min", busiest[role] / (idlest[role] > 1e-6 ? idlest[role] : 1e-6))
  if (held[role] > 0) put(role "_descriptors_cv", root_of(held_squared[role] / n - (held[role] / n) ^ 2) / (held[role] / n))
}
function root_of(x) { return x > 0 ? sqrt(x) : 0 }

# A role may be named as its side is: what is said of the side goes before.
function put(name, value) { if (!(name in said)) print name, sprintf("%.6g", value); said[name] }
function put_cost(name, amount, count) { if (count > 0) put(name, amount * 1000 / count) }
