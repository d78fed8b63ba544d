#!/usr/bin/env bash
# reduce: what experiment 15 makes of its reduced tables, in the same folder.
#
#   experiments/15-ramp-to-saturation/reduce.sh results/15-ramp-to-saturation/<stamp>/reduced
#
# Reads trials.tsv, and plan.tsv and the trials' records beside the folder. Writes:
#   seconds.tsv  what clients saw in each second of a ramp
#   medians.tsv  the same over trials: medians, and the middle half of the trials
#   knees.tsv    where latency left its level, trial by trial: knee_connections, knee_hz, plateau_hz, level_p50_ms, ...
#   ramps.tsv    the same over trials, with intervals
#   judged.tsv   C3: twice as many clients over half as many; C4: the knee against what is answered beyond it, of each block the mean of its
#                ramps, for C4 is of the server and not of how many clients there are
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

if [ -d "$bundle/trials" ]; then # of a result of record seconds.tsv came with it
  tail -n +2 "$reduced/trials.tsv" | cut -f 1 | sort -u > "$work/stand"
  mapfile -t stand < "$work/stand"
  "$node" "$analysis/hlog-to-seconds.js" "$bundle/plan.tsv" "$bundle/trials" ${stand[@]+"${stand[@]}"} > "$reduced/seconds.tsv"
fi
awk -f "$analysis/median.awk" -f "$analysis/seconds-to-medians.awk" "$reduced/seconds.tsv" > "$reduced/medians.tsv"
awk -f "$analysis/median.awk" -f "$analysis/seconds-to-knees.awk" "$reduced/seconds.tsv" > "$reduced/knees.tsv"
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/trials-to-points.awk" "$reduced/knees.tsv" > "$reduced/ramps.tsv"

# Of each block the geometric mean over its ramps, whatever the number of clients, as a trial with the rest of their setting
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print; next }
  { print }
  $column["metric"] != "knee_to_plateau" { next }
  { rest = $column["setting"]; sub(/,?client_processes=[0-9]+/, "", rest); sub(/^,/, "", rest)
    key = $column["block"] OFS $column["era"] OFS $column["engine"] OFS $column["workload"] OFS (rest == "" ? "-" : rest)
    if (!(key in ramps)) keys[++count] = key
    ramps[key]++; logs[key] += log($column["value"]) }
  END { for (k = 1; k <= count; k++) print "block-" k, keys[k], "knee_to_plateau", exp(logs[keys[k]] / ramps[keys[k]]) }
  ' "$reduced/knees.tsv" > "$work/knees"

# Rows of the claims: for each engine of the plan twice as many clients against half as many, and its knees
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i
    print "claim", "era", "workload", "setting", "metric", "of", "to", "to_setting", "to_metric", "criterion"; next }
  { setting = $column["setting"]; key = $column["era"] OFS $column["engine"] OFS setting }
  key in seen { next }
  { seen[key]; count++; era[count] = $column["era"]; engine[count] = $column["engine"]; of[count] = setting; workload[count] = $column["workload"]
    clients[count] = setting; sub(/.*client_processes=/, "", clients[count]); sub(/,.*/, "", clients[count])
    rest[count] = setting; sub(/,?client_processes=[0-9]+/, "", rest[count]); sub(/^,/, "", rest[count]) }
  END {
    for (i = 1; i <= count; i++) {
      row = "C4" OFS era[i] OFS workload[i] OFS (rest[i] == "" ? "-" : rest[i]) OFS "knee_to_plateau" OFS engine[i] OFS "-" OFS "-" OFS "-" OFS "0.8..1.25"
      if (!(row in told)) { told[row]; print row }
    }
    for (i = 1; i <= count; i++) for (j = 1; j <= count; j++) {
      if (engine[i] != engine[j] || rest[i] != rest[j] || clients[i] != 2 * clients[j]) continue
      for (m = 1; m <= split("plateau_hz level_p50_ms", metric, " "); m++)
        print "C3", era[i], workload[i], of[i], metric[m], engine[i], engine[j], of[j], metric[m], "0.95..1.05"
    }
  }' "$bundle/plan.tsv" > "$work/rows"
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/trials-to-comparisons.awk" "$work/rows" "$work/knees" > "$work/judged"

# A server answers no more than falls due. Where a ramp ends short of 1.25 / 0.8 of its knee, C4's ratio can hardly fall below 0.8 whatever the
# server does: it takes the source's 50,000 connections, and the cores that their load asks for (experiment.toml, needs_cores).
awk -F '\t' -v OFS='\t' '
  FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i }
  FILENAME == ARGV[1] { if ($column["metric"] == "due_to_knee") { ramps[$column["engine"]]++; short[$column["engine"]] += ($column["value"] < 1.25 / 0.8) }; next }
  FNR == 1 { print $0, "needs"; next }
  { is_short = $column["claim"] == "C4" && short[$column["of"]] > ramps[$column["of"]] / 2; print $0, is_short ? "8 cores" : "-" }
  ' "$reduced/knees.tsv" "$work/judged" > "$reduced/judged.tsv"
