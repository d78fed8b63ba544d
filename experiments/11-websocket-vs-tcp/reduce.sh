#!/usr/bin/env bash
# reduce: what experiment 11 makes of its reduced tables, in the same folder.
#
#   experiments/11-websocket-vs-tcp/reduce.sh results/11-websocket-vs-tcp/<stamp>/reduced
#
# Reads trials.tsv, and comparisons.tsv, plan.tsv and the trials' serial.tsv beside the folder. Writes:
#   overhead.tsv  era, engine, base, setting, quantity (connect or echo), size_b, n, overhead_pct, low_pct, high_pct: by how much longer the
#                 engine takes than TCP alone, (T_WS - T_TCP) / T_TCP, from the ratios within blocks
#   connect.tsv   era, engine, setting, share, us: so large a share of all connections of the window was set up within so long
#   warmup.tsv    era, engine, setting, t_s, us: the median of the smallest echo of all trials, by quarters of a second, from the warm-up on
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
bundle=$(cd "$reduced/.." && pwd)
analysis=$(cd "$(dirname "$0")/../../analysis" && pwd)
trials="$reduced/trials.tsv"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line for each pair that a claim compares, at each setting and time that both have.
list_pairs() {
  awk 'BEGIN { FS = OFS = "\t"; print "era", "workload", "setting", "metric", "of", "to" }
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    FILENAME == ARGV[1] { if (!(($column["of"], $column["to"]) in known)) { known[$column["of"], $column["to"]]; of[++pairs] = $column["of"]; to[pairs] = $column["to"]; era[pairs] = $column["era"] } next }
    $column["metric"] !~ /^(connect_us|echo_us_[0-9]+)$/ { next }
    { point = $column["workload"] OFS $column["setting"] OFS $column["metric"] }
    !(($column["engine"], point) in has) { has[$column["engine"], point] }
    !(point in seen) { seen[point]; points[++count] = point }
    END { for (i = 1; i <= pairs; i++) for (k = 1; k <= count; k++) if ((of[i], points[k]) in has && (to[i], points[k]) in has) print era[i], points[k], of[i], to[i] }
  ' "$bundle/comparisons.tsv" "$trials"
}

# era, engine, setting, t_s, from_s, to_s, quantity, size_b, us of every sample of a trial that stands.
list_samples() {
  awk -F '\t' -v OFS='\t' '
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    FILENAME == ARGV[1] { stands[$column["trial"]]; next }
    $column["trial"] in stands { print $column["trial"], $column["era"], $column["engine"], $column["setting"], $column["from_s"], $column["to_s"] }
  ' "$trials" "$bundle/plan.tsv" | while IFS=$(printf '\t') read -r trial era engine setting from_s to_s; do
    awk -v OFS='\t' -v labels="$(printf '%s\t%s\t%s' "$era" "$engine" "$setting")" -v window="$(printf '%s\t%s' "$from_s" "$to_s")" \
      'NR > 1 { print labels, $1, window, $3, $4, $5 }' "$bundle/trials/$trial/raw/client/serial.tsv"
  done
}

list_pairs > "$work/pairs"
awk -f "$analysis/median.awk" -f "$analysis/trials-to-comparisons.awk" "$work/pairs" "$trials" | awk '
  BEGIN { FS = OFS = "\t"; print "era", "engine", "base", "setting", "quantity", "size_b", "n", "overhead_pct", "low_pct", "high_pct" }
  function percent(ratio) { return ratio == "-" ? "-" : sprintf("%.4g", 100 * (ratio - 1)) }
  NR > 1 && $7 > 0 { size_b = $4; sub(/.*_/, "", size_b); print $1, $5, $6, $3, $4 == "connect_us" ? "connect\t0" : "echo\t" size_b, $7, percent($8), percent($9), percent($10) }
' > "$reduced/overhead.tsv"

# By time, so that what is picked is in order.
list_samples | sort -t "$(printf '\t')" -k 9,9g > "$work/samples"
{
  printf 'era\tengine\tsetting\tshare\tus\n'
  awk -F '\t' -v OFS='\t' '
    $7 == "connect" && $4 + 0 >= $5 && $4 + 0 < $6 { point = $1 OFS $2 OFS $3; us[point, ++count[point]] = $9 }
    END { for (point in count) for (k = 1; k < 100; k++) print point, k / 100, us[point, 1 + int((count[point] - 1) * k / 100)] }
  ' "$work/samples" | sort -t "$(printf '\t')" -k 1,3 -k 4,4g
} > "$reduced/connect.tsv"
{
  printf 'era\tengine\tsetting\tt_s\tus\n'
  awk -F '\t' -v OFS='\t' '
    $7 != "echo" { next }
    smallest == "" || $8 + 0 < smallest { smallest = $8 + 0 }
    { quarter = int(4 * ($4 + 1000)) / 4 - 1000; key = $1 OFS $2 OFS $3 OFS quarter; us[$8, key, ++count[$8, key]] = $9; keys[key] }
    END { for (key in keys) { n = count[smallest, key]; if (n > 0) print key, us[smallest, key, int((n + 1) / 2)] } }
  ' "$work/samples" | sort -t "$(printf '\t')" -k 1,3 -k 4,4g
} > "$reduced/warmup.tsv"
