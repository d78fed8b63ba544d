#!/usr/bin/env bash
# reduce: what a page's own numbers say beside those of the clients (clients/CONTRACT.md, Reduction).
# usage: reduce.sh RAW FROM_S TO_S SETTING TABLES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
raw=${1:?usage: reduce.sh RAW FROM_S TO_S SETTING TABLES}
[ -f "$raw/browser/metrics.tsv" ] || exit 0
awk -f "$here/page-to-difference.awk" "$raw/browser/metrics.tsv" "$raw/client/intervals.tsv"
