#!/usr/bin/awk -f
# points-to-cost: what a million messages and a connection-month cost in dollars, at stated prices.
#
#   awk -v region=us-east-1 -v payload_b=128 -v behaviour=echo -v own_sizes='rounds' -f points-to-cost.awk \
#     prices.tsv plan.tsv points.tsv > cost.tsv
#
# prices.tsv  as_of, region, item, unit, usd; of the region the items vcpu (an hour), memory (a GiB-hour) and egress (a GB) are read
# plan.tsv    engine, workload, setting, from_s, to_s: how long the window is
# payload_b   of a message, where the setting does not say it; "drawn" where each has another
# behaviour   of the server, where the setting does not say it
# own_sizes   workloads whose messages have sizes of their own
# points.tsv  of trials-to-points: the server's CPU a message, its cores, its memory a connection, what left it in the window
# Output:     era, engine, workload, setting, what, cpu_usd, memory_usd, egress_usd, egress_by, usd, low, high, lacks, as_of
#
# What the server used in the window is paid by the hour and shared out in two ways: over the messages that were answered, and over the
# connections that were open, for a month of 730 hours at the point's own load. Memory is what the processes had resident (pages that
# they share count in each). usd is the sum of what is known: lacks names the rest ("-": none). Egress is what the devices between
# namespaces counted (egress_by device); elsewhere, where a device carries others' bytes too, it is reckoned as a packet a message
# (egress_by packets): payload, and 52 bytes of IP and TCP with timestamps for each 1,448 of it. Where what is answered is not of that
# size, as files, updates, pages and what is drawn, lacks names the payload: the egress is more. low and high are those of the CPU, the
# rest as it is.
#
#   era   engine  workload  setting  what              cpu_usd  memory_usd  egress_usd  egress_by  usd     low     high    lacks  as_of
#   2014  ws      listed    -        million_messages  0.00045  0.0012      0.0162      packets    0.0179  0.0178  0.0179  -      2025-01-01

BEGIN { FS = OFS = "\t"; HEADERS_B = 52; SEGMENT_B = 1448 }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 {
  if ($column["region"] == region) { price[$column["item"]] = $column["usd"]; as_of = $column["as_of"] }
  next
}

{ point = $column["engine"] OFS $column["workload"] OFS $column["setting"] }

file == 2 {
  window_s[point] = $column["to_s"] - $column["from_s"]
  message_b[point] = on_wire(payload_of($column["setting"]) + 0)
  if (is_unsized($column["workload"], $column["setting"])) unsized[point]
  next
}

{
  metric = $column["metric"]
  if (!(point in era)) { era[point] = $column["era"]; points[++point_count] = point }
  if (metric ~ /_rss_kb_per_connection$/) { rss_kb[point] += $column["mean"]; next }
  mean[point, metric] = $column["mean"]; low[point, metric] = $column["low"]; high[point, metric] = $column["high"]
}

END {
  print "era", "engine", "workload", "setting", "what", "cpu_usd", "memory_usd", "egress_usd", "egress_by", "usd", "low", "high", "lacks", "as_of"
  for (i = 1; i <= point_count; i++) share_out(points[i])
}

function payload_of(setting) { return match(setting, /payload_b=[0-9]+/) ? substr(setting, RSTART + 10, RLENGTH - 10) : payload_b }

function is_unsized(workload, setting,    own) {
  own = match(setting, /behaviour=[a-z-]+/) ? substr(setting, RSTART + 10, RLENGTH - 10) : behaviour
  return own !~ /^(echo|broadcast|json-ping|pingpong|pages|idle)$/ || payload_of(setting) == "drawn" || index(" " own_sizes " ", " " workload " ") > 0
}

# Of a payload, with the headers of its packets
function on_wire(payload,    packets) {
  packets = int((payload + SEGMENT_B - 1) / SEGMENT_B)
  return payload + HEADERS_B * (packets > 1 ? packets : 1)
}

function share_out(point,    connected, per_hour, memory, egress) {
  connected = mean[point, "connected_at_end"]
  memory = (point in rss_kb) && connected > 0 ? rss_kb[point] * connected / 1048576 * price["memory"] : ""
  egress = egress_hz(point) / 1e9 * 3600 * price["egress"]
  per_hour = 3600 * mean[point, "received_hz"] / 1e6
  if (per_hour > 0) put(point, "million_messages", "server_cpu_s_per_1k", price["vcpu"] / 3.6, memory, egress, per_hour)
  if (connected > 0) put(point, "connection_month", "server_cpu_cores", price["vcpu"] * 730 / connected, memory, egress, connected / 730)
}

# Bytes a second.
function egress_hz(point) {
  if (((point, "wire_down_b") in mean) && window_s[point] > 0) return mean[point, "wire_down_b"] / window_s[point]
  return mean[point, "received_hz"] * message_b[point]
}

# What the CPU costs is a metric times its rate, with the metric's interval; what the rest costs an hour is shared out over so many.
function put(point, what, metric, rate, memory, egress, shares,    rest, lacks, by) {
  if (!((point, metric) in mean)) return
  by = ((point, "wire_down_b") in mean) ? "device" : "packets"
  lacks = memory == "" ? "memory" : ""
  if (by == "packets" && (point in unsized)) lacks = lacks (lacks == "" ? "" : ",") "payload"
  rest = (memory + egress) / shares
  print era[point], point, what, digits(mean[point, metric] * rate), (memory == "" ? "-" : digits(memory / shares)), \
    digits(egress / shares), by, digits(mean[point, metric] * rate + rest), \
    bound(low[point, metric], rate, rest), bound(high[point, metric], rate, rest), (lacks == "" ? "-" : lacks), as_of
}

function bound(value, rate, rest) { return value == "-" ? "-" : digits(value * rate + rest) }
function digits(x) { return sprintf("%.4g", x) }
