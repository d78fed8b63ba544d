#!/usr/bin/env bash
# reduce: bytes by step, direction and layer as means over trials.
#
#   experiments/10-wire-bytes/reduce.sh results/10-wire-bytes/<stamp>/reduced
#
# Reads wire.tsv. Writes:
#   layers.tsv      era engine workload setting step direction, the means of wire.tsv's columns, n, and message_b: payload asked for
#   batching.tsv    the group's bytes on the wire by layer, beside the source's; connection.tsv: opening, heartbeat and close;
#   shares.tsv      each layer's share of a message and its echo: what the figures of these names draw, `layers` the last
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
analysis=$(cd "$(dirname "$0")/../../analysis" && pwd)
[ -f "$reduced/wire.tsv" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One value a line, with step, direction and column for a metric
awk -F '\t' -v OFS='\t' '
  NR == 1 { split($0, name); print "trial", "block", "era", "engine", "workload", "setting", "metric", "value"; next }
  { for (i = 9; i <= NF; i++) print $1, $2, $3, $4, $5, $6, $7 "/" $8 "/" name[i], $i }
' "$reduced/wire.tsv" > "$work/values"
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/trials-to-points.awk" "$work/values" > "$work/points"
awk -F '\t' -v OFS='\t' '
  NR == 1 { print "era", "engine", "workload", "setting", "step", "direction", "message_b", "n", "packets", "segments", "ethernet_b", "ip_b", "tcp_b", "tls_b", "http_b", "websocket_b", "payload_b", "segments_b", "wire_b"; next }
  {
    split($5, part, "/")
    line = $1 OFS $2 OFS $3 OFS $4 OFS part[1] OFS part[2]
    if (!(line in n)) { order[++lines] = line; step[line] = part[1] }
    n[line] = $6; value[line, part[3]] = $7
  }
  END {
    for (i = 1; i <= lines; i++) {
      line = order[i]
      size_b = step[line] ~ /^(text|binary)-/ ? substr(step[line], index(step[line], "-") + 1) : "-"
      print line, size_b, n[line], value[line, "packets"], value[line, "segments"], value[line, "ethernet_b"], value[line, "ip_b"], value[line, "tcp_b"], \
        value[line, "tls_b"], value[line, "http_b"], value[line, "websocket_b"], value[line, "payload_b"], value[line, "segments_b"], value[line, "wire_b"]
    }
  }
' "$work/points" > "$reduced/layers.tsv"

# Bars of the group, of the frames that carry bytes of the stream: the source's number where it has one, else 0
awk -F '\t' -v OFS='\t' '
  NR == FNR { if (FNR > 1) source[$1, $2, $3, $4] = $5; next }
  FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "bar", "engine", "tls", "step", "direction", "part", "from_b", "to_b", "segments", "total_b", "source_b"; next }
  $column["workload"] != "eight" || $column["step"] !~ /^(single|corked|batched)$/ { next }
  {
    engine = $column["engine"]; step = $column["step"]; direction = $column["direction"]
    match($column["setting"], /tls=[^,]*/); tls = substr($column["setting"], RSTART + 4, RLENGTH - 4)
    # by the client one by one, together, and as one message; by each server its answers to what came together
    if (direction == "up" ? engine != "ws" : step != "corked") next
    rank = (step == "single" ? 0 : step == "batched" ? 40 : direction == "up" ? 10 : engine == "uws" ? 20 : 30) + (tls == "none" ? 1 : tls == "1.2" ? 2 : 3)
    n = $column["segments"]; carried = $column["tls_b"] + $column["websocket_b"] + $column["payload_b"]
    split(14 * n "|" 20 * n "|" $column["segments_b"] - 34 * n - carried "|" $column["tls_b"] "|" $column["websocket_b"] "|" $column["payload_b"], part_b, "|")
    split("Ethernet|IP|TCP|TLS|WebSocket|payload", part, "|")
    at = 0
    for (p = 1; p <= 6; p++) {
      line[rank, p] = engine OFS tls OFS step OFS direction OFS part[p] OFS at OFS at + part_b[p] OFS n OFS $column["segments_b"] OFS (engine == "uws" || direction == "up" ? source[tls, step, direction, "wire_b"] : 0) + 0
      at += part_b[p]
    }
  }
  END { for (rank = 1; rank < 50; rank++) if ((rank, 1) in line) { bar++; for (p = 1; p <= 6; p++) print bar, line[rank, p] } }
' "$(dirname "$0")/published.tsv" "$reduced/layers.tsv" > "$reduced/batching.tsv"

# Of each size the share of each layer in all frames of both directions, acknowledgements too
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "engine", "step", "message_b", "part", "from_b", "to_b", "wire_b"; next }
  $column["setting"] != "-" || $column["step"] !~ /^binary-/ { next }
  {
    name = $column["engine"] OFS $column["step"] OFS $column["message_b"]
    if (!(name in seen)) { seen[name]; order[++names] = name }
    b[name, 1] += $column["ethernet_b"]; b[name, 2] += $column["ip_b"]; b[name, 3] += $column["tcp_b"]
    b[name, 4] += $column["websocket_b"]; b[name, 5] += $column["payload_b"]; wire_b[name] += $column["wire_b"]
  }
  END {
    split("Ethernet|IP|TCP|WebSocket|payload", part, "|")
    for (i = 1; i <= names; i++) {
      name = order[i]; at = 0
      for (p = 1; p <= 5; p++) { print name, part[p], at, at + b[name, p], wire_b[name]; at += b[name, p] }
    }
  }
' "$reduced/layers.tsv" > "$reduced/shares.tsv"

# Bars of what a connection costs beside its messages, both directions
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "bar", "engine", "tls", "step", "part", "from_b", "to_b", "segments", "total_b", "source_b"; next }
  $column["workload"] != "eight" || $column["step"] !~ /^(handshake|heartbeat|close)$/ { next }
  {
    engine = $column["engine"]; step = $column["step"]
    match($column["setting"], /tls=[^,]*/); tls = substr($column["setting"], RSTART + 4, RLENGTH - 4)
    rank = (step == "handshake" ? 0 : step == "heartbeat" ? 10 : 20) + (engine == "ws" ? 0 : 3) + (tls == "none" ? 1 : tls == "1.2" ? 2 : 3)
    if (engine != "ws" && step != "handshake") next # a ping and a close are alike
    name[rank] = engine OFS tls OFS step
    b[rank, 1] += $column["ethernet_b"]; b[rank, 2] += $column["ip_b"]; b[rank, 3] += $column["tcp_b"]; b[rank, 4] += $column["tls_b"]
    b[rank, 5] += $column["http_b"]; b[rank, 6] += $column["websocket_b"] + $column["payload_b"]
    packets[rank] += $column["packets"]; total_b[rank] += $column["wire_b"]
  }
  END {
    split("Ethernet|IP|TCP|TLS|HTTP|WebSocket", part, "|")
    for (rank = 1; rank < 30; rank++) if (rank in name) {
      bar++; at = 0
      for (p = 1; p <= 6; p++) { print bar, name[rank], part[p], at, at + b[rank, p], packets[rank], total_b[rank], 0; at += b[rank, p] }
    }
  }
' "$reduced/layers.tsv" > "$reduced/connection.tsv"
