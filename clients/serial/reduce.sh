#!/usr/bin/env bash
# reduce: the medians of a trial that went in rounds (clients/CONTRACT.md, Reduction).
# usage: reduce.sh RAW FROM_S TO_S SETTING TABLES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
samples="${1:?usage: reduce.sh RAW FROM_S TO_S SETTING TABLES}/client/serial.tsv"
[ -f "$samples" ] || exit 0
{ head -n 1 "$samples"; tail -n +2 "$samples" | sort -t "$(printf '\t')" -k 5,5g; } |
  awk -v from_s="$2" -v to_s="$3" -f "$here/serial-to-metrics.awk"
