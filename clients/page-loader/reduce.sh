#!/usr/bin/env bash
# reduce: what loads of pages come to (clients/CONTRACT.md, Reduction).
# usage: reduce.sh RAW FROM_S TO_S SETTING TABLES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
raw=${1:?usage: reduce.sh RAW FROM_S TO_S SETTING TABLES}
loads="$raw/client/loads.tsv"
[ -f "$loads" ] || exit 0
cp "$loads" "$5/loads.tsv"
# Of one scenario: the others' loads look alike, but for the bytes. Some workflows have files alone.
awk -F '\t' 'NR == 1 || $2 == "timeouts" || ($2 == "files" && $4 ~ /^(binary|websocket)$/)' "$raw/client/waterfall.tsv" > "$5/waterfall.tsv"
awk -f "$here/../../analysis/median.awk" -f "$here/loads-to-metrics.awk" "$loads"
if [ -f "$raw/wire/packets.tsv" ]; then
  awk -f "$here/packets-to-captured.awk" "$raw/host.tsv" "$loads" "$raw/wire/packets.tsv" > "$5/captured.tsv"
  awk -f "$here/../../analysis/median.awk" -f "$here/captured-to-metrics.awk" "$5/captured.tsv"
fi
