#!/usr/bin/env bash
# reduce: adds to the tables of experiment 12 what a transport costs per update, per poll, and per client and second.
#
#   experiments/12-transports/reduce.sh results/12-transports/<stamp>/reduced
#
# analysis/reduce.sh runs it when its own tables are there. Reads trials.tsv and, beside the folder, plan.tsv and comparisons.tsv;
# writes trials.tsv, points.tsv and compared.tsv anew, with more metrics in each, and
#   transports.tsv  bytes per update and delays of each point on one line, for delay.gp
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
root=$(cd "$(dirname "$0")/../.." && pwd)
analysis="$root/analysis"

awk -f "$analysis/trials-to-transports.awk" "$reduced/../plan.tsv" "$reduced/trials.tsv" > "$reduced/trials.new"
mv "$reduced/trials.new" "$reduced/trials.tsv"
awk -f "$analysis/median.awk" -f "$analysis/trials-to-points.awk" "$reduced/trials.tsv" > "$reduced/points.tsv"
awk -f "$analysis/median.awk" -f "$analysis/trials-to-comparisons.awk" "$reduced/../comparisons.tsv" "$reduced/trials.tsv" > "$reduced/compared.tsv"
awk -f "$analysis/points-to-transports.awk" "$reduced/points.tsv" > "$reduced/transports.tsv"
