#!/usr/bin/env bash
# reduce: what experiment 5 makes of its reduced tables, in the same folder.
#
#   experiments/05-core-scaling/reduce.sh results/05-core-scaling/<stamp>/reduced
#
# Reads trials.tsv, steps.tsv, and spec.json, plan.tsv and the trials' connections.tsv beside the folder. Writes:
#   roles.tsv        the roles of each engine, in the order of a mix
#   capacities.tsv   the rate at which one process of each role has a given load of its core, and what that predicts for mixes, block by block
#   predictions.tsv  the same over blocks, beside what was measured whole
#   latency.tsv      how long a message should take in a server that runs whole, by those demands, beside what was measured
#   slopes.tsv       what a core of SocketCluster carries, over what one process of engine.io does
#   scaling.tsv      throughput at saturation against cores, where processes had cores of their own; fits.tsv and residuals.tsv: linear growth,
#                    Amdahl's, Gustafson's and the Universal Scalability Law
#   rates.tsv        the rates per connection that the listing makes; totals.tsv: their sums
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

[ -f "$reduced/steps.tsv" ] || printf 'trial\tblock\tera\tengine\tworkload\tsetting\tstep\n' > "$reduced/steps.tsv" # no trial of a sweep stands

filter() { # name of a filter, its inputs
  awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/$1.awk" "${@:2}"
}

mixes=$(for balancers in 1 2 3 4; do for workers in 1 2 3 4; do printf 'socketcluster-2014:%s+%s+1 ' "$balancers" "$workers"; done; done
  for workers in 1 2 4 8; do printf 'socketcluster-14:%s+1 engine.io:%s ws:%s ' "$workers" "$workers" "$workers"; done)
# Larger ones, where this machine ran them for real
mixes="$mixes$(awk -F '\t' -v listed="$mixes" '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  $column["workload"] == "saturated" && $column["setting"] ~ /^cores=own,processes=/ {
    mix = $column["engine"] ":" substr($column["setting"], length("cores=own,processes=") + 1)
    if (index(" " listed, " " mix " ") == 0 && !(mix in seen)) { seen[mix]; printf "%s ", mix }
  }' "$bundle/plan.tsv")"
"$node" "$analysis/spec-to-roles.js" "$bundle/spec.json" > "$reduced/roles.tsv"
awk -v mixes="$mixes" -f "$analysis/sweep.awk" -f "$analysis/steps-to-capacities.awk" "$reduced/roles.tsv" "$reduced/steps.tsv" > "$reduced/capacities.tsv"
filter capacities-to-predictions "$reduced/capacities.tsv" "$reduced/trials.tsv" > "$reduced/predictions.tsv"
cores=$("$node" -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).environment?.cores ?? 0' "$bundle/spec.json")
own='socketcluster-2014:1+1+1 socketcluster-2014:2+2+1 socketcluster-2014:4+4+1 engine.io-2014:1 socketcluster-14:1+1 socketcluster-14:4+1 engine.io:1'
sweeps() { awk -v cores="$cores" -v mixes="$own" -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/sweep.awk" -f "$analysis/steps-to-$1.awk" "${@:2}"; }
sweeps latency "$reduced/roles.tsv" "$reduced/steps.tsv" "$reduced/trials.tsv" > "$reduced/latency.tsv"
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

# The laws of speed-up take real cores, and many of them
scaling() { awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/roles.awk" -f "$analysis/$1.awk" "${@:2}"; }
scaling trials-to-scaling -v options='scheduling balancing' -v bases='2014:engine.io-2014 2014:socket.io-2014 today:engine.io today:socket.io' "$reduced/roles.tsv" "$reduced/trials.tsv" > "$reduced/scaling.tsv"
scaling scaling-to-laws "$reduced/scaling.tsv" > "$work/laws"
"$analysis/fit.sh" "$work/laws" "$reduced"
if [ "$(wc -l < "$work/laws")" -gt 1 ] && grep -qE 'cores=own,processes=(4[+]4[+]1|8[+]1)' "$bundle/plan.tsv"; then
  printf 'claim\tlaw\tparameter\tcriterion\tengines\tsetting\nT19\tusl\tkappa\tholds 0 within 0.002\t.\t.\n' > "$work/rules"
  awk -f "$analysis/fits-to-judged.awk" "$work/rules" "$reduced/fits.tsv" "$reduced/scaling.tsv" | awk -F '\t' -v OFS='\t' 'NR > 1 { print $0, "-" }' > "$work/T19"
else
  for of in 2014:socketcluster-2014 today:socketcluster-14; do
    printf 'T19\t%s\tsaturated\tcores=own\tusl_kappa\t%s\t-\t-\t-\tholds 0 within 0.002\t0\t-\t-\t-\t-\t-\t10 cores\n' "${of%:*}" "${of#*:}"
  done > "$work/T19"
fi
awk -v OFS='\t' 'NR == 1 { print $0, "needs"; next } { print $0, "-" }' "$reduced/judged.tsv" | cat - "$work/T19" > "$work/judged"
mv "$work/judged" "$reduced/judged.tsv"

# connections.tsv of each trial that stands and has one, under the workload as listed, with what the plan says of it.
list_connections() {
  local trial block window_s
  printf 'trial\tblock\twindow_s\tconnection\tdue\tsent\treceived\n'
  awk -F '\t' -v OFS='\t' '
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    FILENAME == ARGV[1] { stands[$column["trial"]]; next }
    ($column["trial"] in stands) && $column["workload"] == "listed" { print $column["trial"], $column["block"], $column["to_s"] - $column["from_s"] }
  ' "$reduced/trials.tsv" "$bundle/plan.tsv" | while IFS=$(printf '\t') read -r trial block window_s; do
    table="$bundle/trials/$trial/raw/client/connections.tsv"
    [ ! -f "$table" ] || awk -v OFS='\t' -v labels="$(printf '%s\t%s\t%s' "$trial" "$block" "$window_s")" 'NR > 1 { print labels, $0 }' "$table"
  done
}
[ -d "$bundle/trials" ] || exit 0 # a result of record: the tables of single connections came with it
max_ms=$("$node" -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).workloads.listed.arrivals.max_ms' "$bundle/spec.json")
list_connections > "$work/connections"
awk -v max_ms="$max_ms" -v totals="$reduced/totals.tsv" -f "$analysis/median.awk" -f "$analysis/connections-to-rates.awk" "$work/connections" > "$reduced/rates.tsv"
