#!/usr/bin/env bash
# trials-to-tables: what is reckoned from the trials' numbers, without the captures: the second half of reduce.sh.
#
#   analysis/trials-to-tables.sh BUNDLE FOLDER
#
# BUNDLE   has spec.json, plan.tsv and comparisons.tsv: a run, or a result of record
# FOLDER   within it, has trials.tsv and what else reduce.sh made of the captures; these are written there:
#   trials.tsv      again, with the metrics that follow from others
#   points.tsv      means over trials with 95 % intervals
#   cost.tsv        the same in money: a million messages, a connection-month
#   compared.tsv    what the claims compare
#   generators.tsv  where points were run with two generators: the one against the other
#   flagged-points.tsv  where trials were flagged: as points.tsv, over flagged.tsv alone; no claim is judged by it
# and what the experiment's own reduce.sh makes of them, where it has one (judged.tsv: more rows to judge). A second run
# writes the same.
set -euo pipefail
export LC_ALL=C # a decimal point is a point, and the order of lines that of their bytes
here=$(cd "$(dirname "$0")" && pwd)
node="$here/../runtimes/node-24/bin/node"
[ -x "$node" ] || node=node
# whole: an awk takes the file a=b for an assignment
bundle=$(cd -- "${1:?usage: trials-to-tables.sh BUNDLE FOLDER}" && pwd)
out=$(cd -- "${2:?usage: trials-to-tables.sh BUNDLE FOLDER}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

filter() { # name of a filter that needs intervals, its inputs
  awk -f "$here/student.awk" -f "$here/interval.awk" -f "$here/$1.awk" "${@:2}"
}

# Metrics that follow from other tables are derived here, so that a new one is there for old results, too. Each filter leaves
# out what it finds of its own.
derive_metrics() { # trials steps: names of tables
  "$node" "$here/spec-to-filters.js" "$bundle/spec.json" derive > "$work/filters"
  while read -r own; do
    awk -f "$own" "$bundle/plan.tsv" "$out/$1.tsv" > "$work/trials.tsv"
    mv "$work/trials.tsv" "$out/$1.tsv"
  done < "$work/filters"
  if [ -f "$out/$2.tsv" ] && [ -f "$experiment/mixes.tsv" ]; then
    awk -F '\t' '$7 !~ /_per_1k_at_/' "$out/$1.tsv" > "$work/trials.tsv"
    awk -f "$here/sweep.awk" -f "$here/steps-to-mixes.awk" "$experiment/mixes.tsv" "$work/trials.tsv" "$out/$2.tsv" > "$work/more"
    cat "$work/trials.tsv" "$work/more" > "$out/$1.tsv"
  fi
  if [ -f "$out/$2.tsv" ] && head -n 1 "$out/$2.tsv" | grep -q 'share$'; then
    awk -F '\t' '$7 !~ /_at_(load_)?[0-9]+$/ && $7 != "server_cpu_ms_per_connection"' "$out/$1.tsv" > "$work/trials.tsv"
    awk -f "$here/sweep.awk" -f "$here/steps-to-shares.awk" "$work/trials.tsv" "$out/$2.tsv" > "$work/more"
    cat "$work/trials.tsv" "$work/more" > "$out/$1.tsv"
  fi
}

ask() { "$node" -p "const spec = JSON.parse(require('fs').readFileSync(process.argv[1])); $1" "$bundle/spec.json"; }
experiment=$(ask spec.experiment)
[[ $experiment =~ ^[A-Za-z0-9][A-Za-z0-9_.+-]*$ ]] || { printf 'error: %q: spec.json names an experiment %q; it was changed since it was written\n' "$bundle" "$experiment" >&2; exit 2; }
experiment="${WSCALE_EXPERIMENTS:-$here/../experiments}/$experiment"
derive_metrics trials steps
filter trials-to-points "$out/trials.tsv" > "$out/points.tsv"
read -r payload_b behaviour own_sizes < <(ask '[typeof spec.load.payload?.bytes === "object" ? "drawn" : spec.load.payload?.bytes ?? 0, spec.load.behaviour,
  ...Object.keys(spec.workloads).filter((name) => /"(sizes_b|loads)":/.test(JSON.stringify(spec.workloads[name])))].join(" ")')
awk -v region=us-east-1 -v payload_b="${payload_b//\\/}" -v behaviour="${behaviour//\\/}" -v own_sizes="${own_sizes//\\/}" -f "$here/points-to-cost.awk" "$here/../infra/ec2/prices.tsv" "$bundle/plan.tsv" "$out/points.tsv" > "$out/cost.tsv"
if [ -f "$out/flagged.tsv" ]; then
  derive_metrics flagged flagged-steps
  filter trials-to-points "$out/flagged.tsv" > "$out/flagged-points.tsv"
fi
awk -f "$here/plan-to-generators.awk" "$bundle/plan.tsv" > "$work/pairs"
if [ "$(wc -l < "$work/pairs")" -gt 1 ]; then
  filter trials-to-comparisons "$work/pairs" "$out/trials.tsv" > "$out/generators.tsv"
fi
if [ -f "$out/steps.tsv" ]; then
  steps_to() { awk -f "$here/student.awk" -f "$here/interval.awk" -f "$here/sweep.awk" -f "$here/steps-to-$1.awk" "$out/steps.tsv" > "$out/$1.tsv"; }
  steps_to curves
  steps_to parts
fi
# What claims are judged by: where the run was looked at several times its spec says the level.
WSCALE_LEVEL=$(ask 'spec.precision?.level ?? 0.95')
export WSCALE_LEVEL
filter trials-to-comparisons "$bundle/comparisons.tsv" "$out/trials.tsv" > "$out/compared.tsv"
rm -f "$out/judged.tsv" # of an experiment that no longer writes one
if [ -x "$experiment/reduce.sh" ]; then "$experiment/reduce.sh" "$out"; fi
