#!/usr/bin/env bash
# reduce: of a script whose packets were captured, bytes by step, direction and layer (clients/CONTRACT.md, Reduction).
# usage: reduce.sh RAW FROM_S TO_S SETTING TABLES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packets="${1:?usage: reduce.sh RAW FROM_S TO_S SETTING TABLES}/wire/packets.tsv"
[ -f "$packets" ] || exit 0
awk -f "$here/packets-to-wire.awk" "$packets" > "$5/wire.tsv"
awk -v setting="$4" -f "$here/wire-to-metrics.awk" "$5/wire.tsv"
