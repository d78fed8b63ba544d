#!/usr/bin/env bash
# reduce: bytes per update and delays of each point of experiment 12 on one line, for delay.gp.
#
#   experiments/12-transports/reduce.sh results/12-transports/<stamp>/reduced
#
# analysis/reduce.sh runs it when points.tsv is there. Writes transports.tsv.
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)

awk -f "$here/points-to-transports.awk" "$reduced/points.tsv" > "$reduced/transports.tsv"
