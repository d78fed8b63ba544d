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
