#!/usr/bin/env bash
# reduce: what experiment 11 makes of its reduced tables, in the same folder.
#
#   experiments/11-websocket-vs-tcp/reduce.sh results/11-websocket-vs-tcp/<stamp>/reduced
#
# Reads trials.tsv and points.tsv, and comparisons.tsv, plan.tsv and the trials' serial.tsv beside the folder. Writes:
#   overhead.tsv  era, engine, base, setting, base_setting, quantity (connect or echo), size_b, n, overhead_pct, low_pct, high_pct: by how much longer the
#                 engine takes than TCP alone, (T_WS - T_TCP) / T_TCP, from the ratios within blocks
#   connect.tsv   era, engine, setting, share, us: so large a share of all connections of the window was set up within so long
#   lines.tsv     era, engine, points, own_us, round_trips: the time to connect as a line over the round trip that the link adds, own_us + round_trips * rtt,
#                 by least squares through the medians
#   roundtrips.tsv era, engine, base, kind, rtt_us, n, ratio, low, high: by how much longer it takes to connect than over TCP alone, against the round trip:
#                 measured, and by the two lines; kind source: where these meet the source's 3.66
#   warmup.tsv    era, engine, setting, quantity, t_s, us: the median of the smallest echo and of connecting, of all trials, by quarters of
#                 a second, from the warm-up on
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
bundle=$(cd "$reduced/.." && pwd)
analysis=$(cd "$(dirname "$0")/../../analysis" && pwd)
trials="$reduced/trials.tsv"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line for each pair that a claim compares, at each setting and time that both have, and at two settings where a claim compares those.
list_pairs() {
  awk 'BEGIN { FS = OFS = "\t"; print "era", "workload", "setting", "to_setting", "metric", "of", "to" }
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    FILENAME == ARGV[1] {
      is_crossed = $column["setting"] != $column["to_setting"]
      pair = $column["era"] OFS $column["of"] OFS $column["to"] (is_crossed ? OFS $column["setting"] OFS $column["to_setting"] : "")
      if (!(pair in known)) { known[pair]; of[++pairs] = $column["of"]; to[pairs] = $column["to"]; era[pairs] = $column["era"]; at[pairs] = is_crossed ? $column["setting"] : ""; to_at[pairs] = $column["to_setting"] }
      next
    }
    $column["metric"] !~ /^(connect_us|echo_us_[0-9]+)$/ { next }
    { point = $column["workload"] OFS $column["setting"] OFS $column["metric"]; has[$column["engine"], point] }
    !(point in seen) { seen[point]; workload[++count] = $column["workload"]; setting[count] = $column["setting"]; metric[count] = $column["metric"] }
    END {
      for (i = 1; i <= pairs; i++) for (k = 1; k <= count; k++) {
        if (at[i] != "" && at[i] != setting[k]) continue
        base = at[i] == "" ? setting[k] : to_at[i]
        if ((of[i], workload[k] OFS setting[k] OFS metric[k]) in has && (to[i], workload[k] OFS base OFS metric[k]) in has) print era[i], workload[k], setting[k], base, metric[k], of[i], to[i]
      }
    }
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
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/trials-to-comparisons.awk" "$work/pairs" "$trials" | awk '
  BEGIN { FS = OFS = "\t"; print "era", "engine", "base", "setting", "base_setting", "quantity", "size_b", "n", "overhead_pct", "low_pct", "high_pct" }
  function percent(ratio) { return ratio == "-" ? "-" : sprintf("%.4g", 100 * (ratio - 1)) }
  NR > 1 && $8 > 0 { size_b = $5; sub(/.*_/, "", size_b); print $1, $6, $7, $3, $4, $5 == "connect_us" ? "connect\t0" : "echo\t" size_b, $8, percent($9), percent($10), percent($11) }
' > "$reduced/overhead.tsv"

# Where a point has more than a rate and a round trip it is another line.
awk '
  BEGIN { FS = OFS = "\t"; print "era", "engine", "points", "own_us", "round_trips" }
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  $column["metric"] != "connect_us" || $column["setting"] !~ /^rate_mbit=[0-9]+,rtt_us=[0-9]+$/ { next }
  { engine = $column["era"] OFS $column["engine"]; if (!(engine in n)) order[++engines] = engine
    x = $column["setting"]; sub(/.*=/, "", x); y = $column["mean"]; n[engine]++; sx[engine] += x; sy[engine] += y; sxx[engine] += x * x; sxy[engine] += x * y }
  END { for (i = 1; i <= engines; i++) { e = order[i]; if (n[e] < 3) continue
    slope = (n[e] * sxy[e] - sx[e] * sy[e]) / (n[e] * sxx[e] - sx[e] * sx[e]); printf "%s\t%d\t%.4g\t%.4g\n", e, n[e], (sy[e] - slope * sx[e]) / n[e], slope } }
' "$reduced/points.tsv" > "$reduced/lines.tsv"
awk '
  BEGIN { FS = OFS = "\t"; source = 3.533 / 0.965; print "era", "engine", "base", "kind", "rtt_us", "n", "ratio", "low", "high" }
  FNR == 1 { next }
  FILENAME == ARGV[1] { own_us[$2] = $4; trips[$2] = $5; next }
  $6 != "connect" || $4 != $5 || $4 !~ /^rate_mbit=[0-9]+,rtt_us=[0-9]+$/ { next }
  { rtt_us = $4; sub(/.*=/, "", rtt_us); pair = $1 OFS $2 OFS $3; if (!(pair in seen)) { seen[pair]; order[++pairs] = pair; of[pairs] = $2; to[pairs] = $3 }
    print pair, "measured", rtt_us, $8, ratio($9), ratio($10), ratio($11) }
  function ratio(percent) { return percent == "-" ? "-" : sprintf("%.4g", 1 + percent / 100) }
  END { for (i = 1; i <= pairs; i++) if (of[i] in own_us && to[i] in own_us) {
    for (d = 0; d <= 1000; d += 20) print order[i], "line", d, "-", sprintf("%.4g", (own_us[of[i]] + trips[of[i]] * d) / (own_us[to[i]] + trips[to[i]] * d)), "-", "-"
    divisor = source * trips[to[i]] - trips[of[i]]
    if (divisor != 0) print order[i], "source", sprintf("%.4g", (own_us[of[i]] - source * own_us[to[i]]) / divisor), "-", sprintf("%.4g", source), "-", "-" } }
' "$reduced/lines.tsv" "$reduced/overhead.tsv" > "$reduced/roundtrips.tsv"

[ -d "$bundle/trials" ] || exit 0 # a result of record: the tables of single samples came with it
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
  printf 'era\tengine\tsetting\tquantity\tt_s\tus\n'
  awk -F '\t' -v OFS='\t' '
    $7 == "echo" && (smallest == "" || $8 + 0 < smallest) { smallest = $8 + 0 }
    { quarter = int(4 * ($4 + 1000)) / 4 - 1000; key = $1 OFS $2 OFS $3 OFS $7 OFS quarter; us[$8, key, ++count[$8, key]] = $9; keys[key] = $7 }
    END { for (key in keys) { size_b = keys[key] == "connect" ? 0 : smallest; n = count[size_b, key]; if (n > 0) print key, us[size_b, key, int((n + 1) / 2)] } }
  ' "$work/samples" | sort -t "$(printf '\t')" -k 1,4 -k 5,5g
} > "$reduced/warmup.tsv"
