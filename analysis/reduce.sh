#!/usr/bin/env bash
# reduce: a bundle's raw captures to its tables, in <bundle>/reduced.
#
#   analysis/reduce.sh results/<experiment>/<stamp>
#
# Reads plan.tsv, comparisons.tsv and trials/*/{status,validity.tsv,raw}. Writes, all or nothing:
#   trials.tsv    trial, block, era, engine, workload, setting, metric, value: every number of every trial that stands
#   series.tsv    CPU of each process and connections, second by second
#   load.tsv      the same, medians over trials
#   processes.tsv CPU, descriptors and memory of each server process in the window
#   steps.tsv     of a sweep: what each role used in each step, trial by trial
#   curves.tsv    the same over trials: the cost of a message against the rate; parts.tsv: what of it is idling, waking, messages;
#                 openings.tsv: what a connection costs to open and to keep
#   dropped.tsv   trial, reason, value, bound: every trial that does not stand, and why
#   disturbed.tsv trial, step, rate_hz, leaves, reason, value, bound: every step of a sweep that a rule flags, where there are any: what
#                 leaves steps.tsv and the percentiles of its trial, all of it or its latencies
#   flagged.tsv   as trials.tsv, of the trials that a rule flagged, where there are any; of a sweep flagged-steps.tsv too
# what the parts of the run make of their own records (spec-to-filters.js), and what trials-to-tables.sh makes of all this
# without the captures.
# Each step is a filter of this folder that can be run by itself; its header is its manual.
set -euo pipefail
export LC_ALL=C # a decimal point is a point, and the order of lines that of their bytes
here=$(cd "$(dirname "$0")" && pwd)
node="$here/../runtimes/node-24/bin/node"
[ -x "$node" ] || node=node
bundle=$(cd -- "${1:?usage: reduce.sh BUNDLE}" && pwd) # whole: an awk takes the file a=b for an assignment
trials="$bundle/trials"
out="$bundle/reduced.partial-$$"
trap 'rm -rf "$out"' EXIT
rm -rf "$bundle"/reduced.partial-*
mkdir "$out"

# One line a planned trial: kept, or why not. A trial that a rule flags is whole: its numbers have tables of their own.
sort_out() {
  printf 'trial\treason\tvalue\tbound\n' > "$out/dropped.tsv"
  : > "$out/kept"
  : > "$out/flagged"
  tail -n +2 "$bundle/plan.tsv" | cut -f 2 | while IFS= read -r trial; do
    [[ $trial =~ ^[A-Za-z0-9][A-Za-z0-9_.+-]*$ ]] || { printf 'error: %q: plan.tsv names a trial %q; it was changed since it was written\n' "$bundle" "$trial" >&2; exit 2; }
    status=planned
    [ -f "$trials/$trial/status" ] && status=$(head -n 1 "$trials/$trial/status")
    if [ "$status" != "done" ]; then
      printf '%s\t%s\t-\t-\n' "$trial" "$status" >> "$out/dropped.tsv"
    elif [ ! -s "$trials/$trial/validity.tsv" ]; then
      printf '%s\tnot judged\t-\t-\n' "$trial" >> "$out/dropped.tsv"
    elif awk -F '\t' -v trial="$trial" -f "$here/validity-to-dropped.awk" "$trials/$trial/validity.tsv" >> "$out/dropped.tsv"; then
      echo "$trial" >> "$out/flagged"
    else
      echo "$trial" >> "$out/kept"
    fi
  done
}

# Put the plan's columns of the trial before each line of standard input, whose header is left out.
label() {
  labels=$1 awk -F '\t' -v OFS='\t' 'NR > 1 { print ENVIRON["labels"], $0 }'
}

# Add a trial's own table to the one of all trials.
add_table() { # labels name table
  [ -f "$into/$2.tsv" ] || printf 'trial\tblock\tera\tengine\tworkload\tsetting\t%s\n' "$(head -n 1 "$3")" > "$into/$2.tsv"
  label "$1" < "$3" >> "$into/$2.tsv"
}

begin_tables() { # folder
  printf 'trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue\n' > "$1/trials.tsv"
  printf 'trial\tblock\tera\tengine\tworkload\tsetting\tside\trole\tindex\tcpu_cores\tdescriptors\trss_kb\n' > "$1/processes.tsv"
  printf 'trial\tblock\tera\tengine\tworkload\tsetting\tt_s\tside\tprocess\tquantity\tvalue\n' > "$1/series.tsv"
}

# Into the tables of the folder $into.
reduce_trial() { # trial block era engine workload setting from_s to_s
  local labels asked left_out host on raw="$trials/$1/raw" t="$out/$1" threads=()
  labels=$(printf '%s\t%s\t%s\t%s\t%s\t%s' "$1" "$2" "$3" "$4" "$5" "$6")
  awk -f "$here/accounts-to-usage.awk" "$raw/accounts.tsv" > "$t.usage"
  { printf 'series\tpercentile\tvalue_us\n'; trial=$1 awk -F '\t' -v OFS='\t' '$1 == ENVIRON["trial"] && $2 !~ /^step_/ { print $2, $3, $4 }' "$out/percentiles"; } > "$t.percentiles"
  asked=$([ ! -f "$raw/client/metrics.tsv" ] || awk -F '\t' '$1 == "connections" { print $2 }' "$raw/client/metrics.tsv")
  awk -v from_s="$7" -v to_s="$8" -v asked="$asked" -f "$here/usage-to-metrics.awk" "$t.usage" "$raw/client/intervals.tsv" "$t.percentiles" | label "$labels" >> "$into/trials.tsv"
  awk -f "$here/accounts-to-memory.awk" "$raw/accounts.tsv" "$raw/host.tsv" "$raw/client/intervals.tsv" | label "$labels" >> "$into/trials.tsv"
  # Of several hosts the server's captures are where one host's are, and the others' below hosts/
  for host in "$raw" "$raw"/hosts/*; do
    [ -f "$host/top.txt" ] || continue
    on=${host#"$raw"} on=${on##*/} threads=()
    [ ! -f "$host/threads.tsv" ] || threads=("$host/threads.tsv")
    awk -f "$here/top-to-series.awk" "$host/samplers.tsv" "$host/accounts.tsv" ${threads[@]+"${threads[@]}"} "$host/top.txt" |
      on=${on:+ on $on} awk -F '\t' -v OFS='\t' 'NR > 1 && $2 == "capture" { next } { print $1, $2, $3 ENVIRON["on"], "cpu_pct", $5 }' | label "$labels" >> "$into/series.tsv"
  done
  awk -F '\t' -v OFS='\t' '{ print $1 + 1, "client", "connections", "connected", $2 }' "$raw/client/intervals.tsv" | label "$labels" >> "$into/series.tsv"
  for own in "$raw"/*/metrics.tsv; do
    if [ -f "$own" ]; then label "$labels" < "$own" >> "$into/trials.tsv"; fi
  done
  if [ -f "$raw/steps.tsv" ]; then
    { printf 'series\tpercentile\tvalue_us\tsamples\n'; trial=$1 awk -F '\t' -v OFS='\t' '$1 == ENVIRON["trial"] && $2 ~ /^step_/ { print $2, $3, $4, $5 }' "$out/percentiles"; } > "$t.of-steps"
    awk -F '\t' -v trial="$1" -f "$here/validity-to-disturbed.awk" "$raw/steps.tsv" "$trials/$1/validity.tsv" > "$t.disturbed"
    left_out=$(awk -F '\t' '$4 == "all" { print $2 }' "$t.disturbed" | tr '\n' ' ')
    awk -v left_out="$left_out" -f "$here/accounts-to-steps.awk" "$raw/steps.tsv" "$raw/accounts.tsv" "$raw/client/intervals.tsv" "$t.of-steps" > "$t.steps"
    add_table "$labels" steps "$t.steps"
    awk -f "$here/sweep.awk" -f "$here/steps-to-unanswered.awk" "$raw/steps.tsv" "$raw/client/intervals.tsv" "$t.of-steps" "$t.steps" | label "$labels" >> "$into/trials.tsv"
    if [ -s "$t.disturbed" ] && [ "$into" = "$out" ]; then
      [ -f "$out/disturbed.tsv" ] || printf 'trial\tstep\trate_hz\tleaves\treason\tvalue\tbound\n' > "$out/disturbed.tsv"
      cat "$t.disturbed" >> "$out/disturbed.tsv"
    fi
  fi
  for filter in ${filters[@]+"${filters[@]}"}; do
    mkdir "$t.tables"
    "$filter" "$raw" "$7" "$8" "$6" "$t.tables" | label "$labels" >> "$into/trials.tsv"
    for table in "$t.tables"/*.tsv; do
      if [ -f "$table" ]; then add_table "$labels" "$(basename "$table" .tsv)" "$table"; fi
    done
    rm -r "$t.tables"
  done
  awk -f "$here/usage-to-processes.awk" "$t.usage" | label "$labels" >> "$into/processes.tsv"
  rm -f "$t.usage" "$t.percentiles" "$t.steps" "$t.of-steps" "$t.disturbed"
}

sort_out
mapfile -t whole < <(cat "$out/kept" "$out/flagged")
mapfile -t filters < <("$node" "$here/spec-to-filters.js" "$bundle/spec.json" reduce)
"$node" "$here/hlog-to-percentiles.js" "$bundle/plan.tsv" "$trials" ${whole[@]+"${whole[@]}"} > "$out/percentiles"
mkdir "$out/of-flagged"
begin_tables "$out"
begin_tables "$out/of-flagged"
# In the order of the plan's points, not of the shuffled plan, so that tables read alike from run to run.
tail -n +2 "$bundle/plan.tsv" | sort -t "$(printf '\t')" -k 11,11n -k 3,3n | while IFS=$(printf '\t') read -r _ trial block era engine workload setting _ from_s to_s _; do
  if grep -qxF -- "$trial" "$out/kept"; then into=$out; elif grep -qxF -- "$trial" "$out/flagged"; then into=$out/of-flagged; else continue; fi
  reduce_trial "$trial" "$block" "$era" "$engine" "$workload" "$setting" "$from_s" "$to_s"
done
if [ -s "$out/flagged" ]; then
  mv "$out/of-flagged/trials.tsv" "$out/flagged.tsv"
  [ ! -f "$out/of-flagged/steps.tsv" ] || mv "$out/of-flagged/steps.tsv" "$out/flagged-steps.tsv"
fi
awk -f "$here/median.awk" -f "$here/series-to-load.awk" "$out/series.tsv" > "$out/load.tsv"
rm -rf "$out/kept" "$out/flagged" "$out/of-flagged" "$out/percentiles"
"$here/trials-to-tables.sh" "$bundle" "$out"
rm -rf "$bundle/reduced"
mv "$out" "$bundle/reduced"
