#!/usr/bin/env bash
# reduce: what experiment 6 makes of its reduced tables, in the same folder.
#
#   experiments/06-parameter-influence/reduce.sh results/06-parameter-influence/<stamp>/reduced
#
# Reads trials.tsv, and spec.json beside the folder. Writes:
#   fits.tsv    by how much the server's CPU grows with rate, connections and size; residuals.tsv: what the power law leaves over
#   judged.tsv  the differences of these that T12 is judged by, around the sizes that the source names
#   sizes.tsv   the same for the size alone, between neighbouring sizes
#   source.tsv  the load of the source: connections of all clients, their period, files a second and thousands of these
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
root=$(cd "$(dirname "$0")/../.." && pwd)
analysis="$root/analysis"
node="$root/runtimes/node-24/bin/node"
[ -x "$node" ] || node=node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Around each size that the source names, the nearest that were measured; and the chord between the two
near_1_kb=81-4000 near_500_kb=250000-700000
awk -v ranges="$near_1_kb $near_500_kb 1000-500000" -f "$analysis/trials-to-elasticity.awk" "$reduced/trials.tsv" > "$work/data"
"$analysis/fit.sh" "$work/data" "$reduced"
{
  printf 'claim\tlaw\tparameter\tcriterion\tengines\tsetting\n'
  for near in "$near_1_kb" "$near_500_kb"; do
    printf 'T12\telasticity\t%s\t>0\t.\t^payload_b=%s$\n' period_minus_size "$near" connections_minus_size "$near"
  done
} > "$work/rules"
awk -f "$analysis/fits-to-judged.awk" "$work/rules" "$reduced/fits.tsv" > "$reduced/judged.tsv"

awk -f "$analysis/points-to-sizes.awk" "$reduced/points.tsv" > "$reduced/sizes.tsv"

# shellcheck disable=SC2016 # ${…} is JavaScript's
"$node" -p '
  const { source_phases, load, workloads } = JSON.parse(require("fs").readFileSync(process.argv[1]));
  const connections = source_phases.connections * load.client_processes;
  const { period_ms } = workloads.described.arrivals;
  `connections\tperiod_ms\tfiles_hz\tfiles_khz\n${[connections, period_ms, 1000 * connections / period_ms, connections / period_ms].join("\t")}`
' "$reduced/../spec.json" > "$reduced/source.tsv"
