#!/usr/bin/env bash
# reduce: bytes by step, direction and layer as medians over trials.
#
#   experiments/10-wire-bytes/reduce.sh results/10-wire-bytes/<stamp>/reduced
#
# Reads wire.tsv. Writes:
#   layers.tsv   era engine workload setting step direction, the medians of wire.tsv's columns, n, and message_b: payload asked for
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
awk -f "$analysis/median.awk" -f "$analysis/trials-to-points.awk" "$work/values" > "$work/points"
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
    # one by one and together by the client; the answer to what came together by a server that answers it together; one message
    if (engine != (step == "corked" && direction == "down" ? "uws" : "ws") || (direction == "down" && step != "corked")) next
    rank = (step == "single" ? 0 : step == "batched" ? 30 : direction == "up" ? 10 : 20) + (tls == "none" ? 1 : tls == "1.2" ? 2 : 3)
    n = $column["segments"]; carried = $column["tls_b"] + $column["websocket_b"] + $column["payload_b"]
    split(14 * n "|" 20 * n "|" $column["segments_b"] - 34 * n - carried "|" $column["tls_b"] "|" $column["websocket_b"] "|" $column["payload_b"], part_b, "|")
    split("Ethernet|IP|TCP|TLS|WebSocket|payload", part, "|")
    at = 0
    for (p = 1; p <= 6; p++) {
      line[rank, p] = engine OFS tls OFS step OFS direction OFS part[p] OFS at OFS at + part_b[p] OFS n OFS $column["segments_b"] OFS source[tls, step, direction, "wire_b"] + 0
      at += part_b[p]
    }
  }
  END { for (rank = 1; rank < 40; rank++) if ((rank, 1) in line) { bar++; for (p = 1; p <= 6; p++) print bar, line[rank, p] } }
' "$(dirname "$0")/published.tsv" "$reduced/layers.tsv" > "$reduced/batching.tsv"

# Of each size, and of the opening handshake, the share of each layer in all frames of both directions, acknowledgements too
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "engine", "step", "message_b", "part", "from_b", "to_b", "wire_b"; next }
  $column["setting"] != "-" || $column["step"] !~ /^(binary-.*|handshake)$/ { next }
  {
    name = $column["engine"] OFS $column["step"] OFS $column["message_b"]
    if (!(name in seen)) { seen[name]; order[++names] = name }
    b[name, 1] += $column["ethernet_b"]; b[name, 2] += $column["ip_b"]; b[name, 3] += $column["tcp_b"]; b[name, 4] += $column["http_b"]
    b[name, 5] += $column["websocket_b"]; b[name, 6] += $column["payload_b"]; wire_b[name] += $column["wire_b"]
  }
  END {
    split("Ethernet|IP|TCP|HTTP|WebSocket|payload", part, "|")
    for (i = 1; i <= names; i++) {
      name = order[i]; at = 0
      for (p = 1; p <= 6; p++) { print name, part[p], at, at + b[name, p], wire_b[name]; at += b[name, p] }
    }
  }
' "$reduced/layers.tsv" > "$reduced/shares.tsv"
