#!/usr/bin/env bash
# reduce: what experiment 5 makes of its reduced tables, in the same folder.
#
#   experiments/05-core-scaling/reduce.sh results/05-core-scaling/<stamp>/reduced
#
# Reads trials.tsv, points.tsv, and spec.json, plan.tsv and the trials' connections.tsv beside the folder. Writes:
#   roles.tsv        the roles of each engine, and the part of a core that each process had
#   scaling.tsv      throughput at saturation against cores
#   fits.tsv         linear growth, Amdahl's, Gustafson's and the Universal Scalability Law; residuals.tsv: what they leave over
#   demand.tsv       the CPU that a message takes from each role; mixes.tsv: what that predicts for each mix; errors.tsv: how well
#   rates.tsv        the rates per connection that the listing makes; totals.tsv: their sums
#   calibration.tsv  whether an emulated core is worth its share of a real one
#   judged.tsv       the parameters that claims are judged by
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
bundle=$(cd "$reduced/.." && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
analysis="$root/analysis"
node="$root/runtimes/node-24/bin/node"
[ -x "$node" ] || node=node
trials="$reduced/trials.tsv"
roles="$reduced/roles.tsv"

filter() { # name of a filter, its inputs
  awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/roles.awk" -f "$analysis/$1.awk" "${@:2}"
}

# connections.tsv of each trial that stands and has one, under the workload as listed, with what the plan says of it.
list_connections() {
  local trial block window_s
  printf 'trial\tblock\twindow_s\tconnection\tdue\tsent\treceived\n'
  awk -F '\t' -v OFS='\t' '
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    FILENAME == ARGV[1] { stands[$column["trial"]]; next }
    ($column["trial"] in stands) && $column["workload"] == "listed" { print $column["trial"], $column["block"], $column["to_s"] - $column["from_s"] }
  ' "$trials" "$bundle/plan.tsv" | while IFS=$(printf '\t') read -r trial block window_s; do
    table="$bundle/trials/$trial/raw/client/connections.tsv"
    [ ! -f "$table" ] || awk -v OFS='\t' -v labels="$(printf '%s\t%s\t%s' "$trial" "$block" "$window_s")" 'NR > 1 { print labels, $0 }' "$table"
  done
}

"$node" "$analysis/spec-to-roles.js" "$bundle/spec.json" > "$roles"
filter trials-to-scaling "$roles" "$trials" > "$reduced/scaling.tsv"
filter trials-to-demand "$roles" "$trials" > "$reduced/demand.tsv"
filter demand-to-mixes "$roles" "$reduced/demand.tsv" "$trials" > "$reduced/mixes.tsv"
awk -f "$analysis/median.awk" -f "$analysis/mixes-to-errors.awk" "$reduced/mixes.tsv" > "$reduced/errors.tsv"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -f "$analysis/scaling-to-laws.awk" "$reduced/scaling.tsv" > "$work/laws"
"$analysis/fit.sh" "$work/laws" "$reduced"
cat > "$work/rules" <<'RULES'
claim	law	parameter	criterion	engines	setting
T11	linear	slope	0.4..0.6	^socketcluster-(2014|14)$	.
R3	linear	slope	holds 1 within 0.3	^socketcluster-	.
T19	usl	kappa	holds 0 within 0.1	.	.
RULES
cat > "$work/pairs" <<'PAIRS'
engine	workload	real	emulated
engine.io-2014	saturated	cores=own-real	-
socketcluster-2014	saturated	cores=own-real,processes=1+1+1,scheduling=none	processes=1+1+1,scheduling=none
PAIRS
awk -f "$analysis/points-to-calibration.awk" "$work/pairs" "$roles" "$reduced/points.tsv" > "$reduced/calibration.tsv"
# A slope in cores says something of cores where the emulated ones are worth their share, be one process busy or several.
unsure=
if grep -qx no <<< "$(cut -f 9 "$reduced/calibration.tsv")"; then unsure='T11 R3'; fi
awk -v unsure="$unsure" -f "$analysis/fits-to-judged.awk" "$work/rules" "$reduced/fits.tsv" "$reduced/scaling.tsv" > "$reduced/judged.tsv"

[ -d "$bundle/trials" ] || exit 0 # a result of record: the tables of single connections came with it
max_ms=$("$node" -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).workloads.listed.arrivals.max_ms' "$bundle/spec.json")
list_connections > "$work/connections"
awk -v max_ms="$max_ms" -v totals="$reduced/totals.tsv" -f "$analysis/median.awk" -f "$analysis/connections-to-rates.awk" "$work/connections" > "$reduced/rates.tsv"
