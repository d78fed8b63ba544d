#!/usr/bin/awk -f
# trials-to-transports: to the numbers of each trial those of a transport, such as bytes on the wire per update.
#
#   awk -f trials-to-transports.awk plan.tsv trials.tsv > trials.new
#
# plan.tsv    trial, from_s, to_s among others: the windows
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; the lines of a trial stand together
#
# Output: the same, and behind the lines of each trial what is reckoned from them. Both ways on the wire, unless it says
# up (client to server) or down. What would be divided by nothing is left out: bytes per update where none came,
# bytes per poll where a poll had an update. Without a capture of the wire there is CPU alone. What it reckons is left out
# of its input, so that it may be run on its own output.
#
#   ...  metric             value
#   ...  wire_b_per_update  112.4

BEGIN {
  FS = OFS = "\t"
  split("server_cpu_us_per_client_s wire_up_b_per_client_s wire_down_b_per_client_s wire_b_per_client_s wire_b_per_update wire_b_per_poll", names, " ")
  for (i in names) own[names[i]]
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file == 2) print; next }

file == 1 { window_s[$column["trial"]] = $column["to_s"] - $column["from_s"]; next }

$column["metric"] in own { next }

{
  if ($column["trial"] != trial) { finish(); trial = $column["trial"] }
  labels = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6
  value[$column["metric"]] = $column["value"]
  print
}

END { finish() }

function finish(    client_s) {
  client_s = value["connections"] * window_s[trial]
  if (client_s > 0) {
    put("server_cpu_us_per_client_s", 1e6 * value["server_cpu_cores"] / value["connections"])
    if ("wire_up_b" in value) {
      put("wire_up_b_per_client_s", value["wire_up_b"] / client_s)
      put("wire_down_b_per_client_s", value["wire_down_b"] / client_s)
      put("wire_b_per_client_s", (value["wire_up_b"] + value["wire_down_b"]) / client_s)
      if (value["updates_received"] > 0) put("wire_b_per_update", (value["wire_up_b"] + value["wire_down_b"]) / value["updates_received"])
      if (value["polls_empty"] > 0 && value["polls_empty"] == value["requests"]) put("wire_b_per_poll", (value["wire_up_b"] + value["wire_down_b"]) / value["requests"])
    }
  }
  split("", value)
}

function put(name, number) { print labels, name, sprintf("%.6g", number) }
