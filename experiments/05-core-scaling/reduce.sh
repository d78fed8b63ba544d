#!/usr/bin/env bash
# reduce: what experiment 5 makes of its reduced tables, in the same folder.
#
#   experiments/05-core-scaling/reduce.sh results/05-core-scaling/<stamp>/reduced
#
# Reads trials.tsv, steps.tsv, and spec.json beside the folder. Writes:
#   roles.tsv        the roles of each engine, in the order of a mix
#   capacities.tsv   the rate at which one process of each role has a given load of its core, and what that predicts for mixes, block by block
#   predictions.tsv  the same over blocks, beside what was measured whole
#   slopes.tsv       what a core of SocketCluster carries, over what one process of engine.io does
#   judged.tsv       the slopes that claims are judged by
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
bundle=$(cd "$reduced/.." && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
analysis="$root/analysis"
node="$root/runtimes/node-24/bin/node"
[ -x "$node" ] || node=node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -f "$reduced/steps.tsv" ] || exit 0 # no trial of a sweep stands

filter() { # name of a filter, its inputs
  awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/$1.awk" "${@:2}"
}

mixes=$(for balancers in 1 2 3 4; do for workers in 1 2 3 4; do printf 'socketcluster-2014:%s+%s+1 ' "$balancers" "$workers"; done; done
  for workers in 1 2 4 8; do printf 'socketcluster-14:%s+1 engine.io:%s ws:%s ' "$workers" "$workers" "$workers"; done)
"$node" "$analysis/spec-to-roles.js" "$bundle/spec.json" > "$reduced/roles.tsv"
awk -v mixes="$mixes" -f "$analysis/sweep.awk" -f "$analysis/steps-to-capacities.awk" "$reduced/roles.tsv" "$reduced/steps.tsv" > "$reduced/capacities.tsv"
filter capacities-to-predictions "$reduced/capacities.tsv" "$reduced/trials.tsv" > "$reduced/predictions.tsv"
cat > "$work/pairs" <<'PAIRS'
era	of	to	idle
2014	socketcluster-2014	engine.io-2014	store
today	socketcluster-14	engine.io	broker
PAIRS
filter capacities-to-slopes "$work/pairs" "$reduced/capacities.tsv" > "$reduced/slopes.tsv"
cat > "$work/rules" <<'RULES'
claim	count	criterion
T11	without	0.4..0.6
T11	with	0.4..0.6
R3	without	0.7..1.3
R3	with	0.7..1.3
RULES
awk -f "$analysis/slopes-to-judged.awk" "$work/rules" "$reduced/slopes.tsv" > "$reduced/judged.tsv"
