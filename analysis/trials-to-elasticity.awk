#!/usr/bin/awk -f
# trials-to-elasticity: the server's CPU by rate, connections and size, for fit.sh.
#
#   awk -v ranges="81-4000 1000-500000" -f trials-to-elasticity.awk trials.tsv > data
#
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; server_cpu_cores, connections and due_hz are read
# ranges      of sizes, in bytes, ends included: one fit for each
# Output:     law, era, engine, workload, setting, x, y, u, trial, at, value, block; x, y, u are the logarithms of the rate
#             per connection (due_hz / connections), of the connections and of the size; at is the trial's setting
#
# An elasticity is by how many per cent the CPU grows when a parameter grows by one: the exponent of a power law. Over a
# narrow range of sizes it is a local one, over a wide range a mean. A point is there once for each range that its size is in
# (setting "payload_b=81-4000"); other pairs of a setting (a behaviour) stay in the setting. Where one of the three (period,
# connections, size) does not vary there is nothing to fit, and such points are left out. The rate is the measured one: a
# window that is no multiple of the period holds more beats of some connections than of others.
#
#   law         era   engine              workload   setting            x      y     u     trial  at                                               value  block
#   elasticity  2014  socketcluster-2014  described  payload_b=81-4000  -1.10  3.87  6.91  b01-…  client_processes=2,payload_b=1000,period_ms=3000  0.21   1

BEGIN { FS = OFS = "\t"; range_count = split(ranges, range_of, " ") }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["metric"] == "connections" { connections[$column["trial"]] = $column["value"] }

$column["metric"] == "due_hz" { due_hz[$column["trial"]] = $column["value"] }

$column["metric"] == "server_cpu_cores" && $column["value"] > 0 { row[++rows] = $0 }

END {
  print "law", "era", "engine", "workload", "setting", "x", "y", "u", "trial", "at", "value", "block"
  for (i = 1; i <= rows; i++) read_row(row[i])
  for (i = 1; i <= count; i++)
    if (varies[group_of[i], "period_ms"] > 1 && varies[group_of[i], "connections"] > 1 && varies[group_of[i], "payload_b"] > 1) print "elasticity", group_of[i], rest_of[i]
}

function read_row(text,    cell, labels, r, end_b) {
  split(text, cell, FS)
  if (!read_parameters(cell[column["setting"]], cell[column["trial"]])) return
  labels = cell[column["era"]] OFS cell[column["engine"]] OFS cell[column["workload"]]
  for (r = 1; r <= range_count; r++) {
    split(range_of[r], end_b, "-")
    if (parameter["payload_b"] >= end_b[1] && parameter["payload_b"] <= end_b[2]) add(labels OFS rest (rest == "" ? "" : ",") "payload_b=" range_of[r], cell)
  }
}

# Fill parameter[key], and rest with the other pairs of the setting. False unless all three and the rate are known.
function read_parameters(setting, trial,    n, pairs, pair, i) {
  split("", parameter)
  rest = ""
  parameter["connections"] = connections[trial]
  n = split(setting, pairs, ",")
  for (i = 1; i <= n; i++) {
    split(pairs[i], pair, "=")
    if (pair[1] == "payload_b" || pair[1] == "period_ms") parameter[pair[1]] = pair[2]
    else if (pair[1] != "client_processes" && pair[1] != "connections" && pairs[i] != "-") rest = rest (rest == "" ? "" : ",") pairs[i]
  }
  return parameter["connections"] > 0 && due_hz[trial] > 0 && parameter["payload_b"] > 0 && parameter["period_ms"] > 0
}

function add(group, cell,    key) {
  group_of[++count] = group
  rest_of[count] = fixed(log(due_hz[cell[column["trial"]]] / parameter["connections"])) OFS fixed(log(parameter["connections"])) OFS fixed(log(parameter["payload_b"])) OFS \
    cell[column["trial"]] OFS cell[column["setting"]] OFS cell[column["value"]] OFS cell[column["block"]]
  for (key in parameter)
    if (!((group, key, parameter[key]) in seen)) { seen[group, key, parameter[key]]; varies[group, key]++ }
}

function fixed(x) { return sprintf("%.9f", x) }
