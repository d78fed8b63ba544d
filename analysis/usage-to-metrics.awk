#!/usr/bin/awk -f
# usage-to-metrics: the numbers of one trial, each with its name.
#
#   awk -v from_s=3 -v to_s=6 -f usage-to-metrics.awk usage intervals.tsv percentiles > metrics
#
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
  if (phase == "window") {
    window_s = $column["seconds"]
    switches[side] += $column["voluntary"] + $column["involuntary"]
    if (side != "capture") {
      if (!(role in role_cpu_s)) roles[++role_count] = role
      role_cpu_s[role] += cpu_s
      if (cpu_s / window_s > busiest[role]) busiest[role] = cpu_s / window_s
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
  put_cost("server_switches_per_1k", switches["server"], received["window"])
  for (i = 1; i <= role_count; i++) {
    put_cost(roles[i] "_cpu_s_per_1k", role_cpu_s[roles[i]], received["window"])
    put(roles[i] "_cpu_cores", busiest[roles[i]] + 0)
    put(roles[i] "_rss_mb", rss_mb[roles[i]])
  }
  put("server_cpu_cores", side_cpu_s["window", "server"] / window_s)
  put("capture_cpu_cores", side_cpu_s["window", "capture"] / window_s)
  put("received_hz", received["window"] / window_s)
  put("due_hz", due / window_s); put("sent_hz", sent / window_s)
  put("connected_at_end", connected); put("failed", failed); put("dropped", dropped)
  for (i = 1; i <= percentile_count; i++) print percentile[i]
}

# A role may be named as its side is: what is said of the side goes before.
function put(name, value) { if (!(name in said)) print name, sprintf("%.6g", value); said[name] }
function put_cost(name, amount, count) { if (count > 0) put(name, amount * 1000 / count) }
