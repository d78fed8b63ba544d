#!/usr/bin/env bash
# reduce: what experiment 17 makes of its reduced tables, in the same folder.
#
#   experiments/17-page-delivery/reduce.sh results/17-page-delivery/<stamp>/reduced
#
# Reads points.tsv, and the trials' loads.tsv and waterfall.tsv where they are. Writes:
#   delivery.tsv   source, workload, setting, scenario, x, workflow, n, ms, low, high: each load's time; source is an engine, or published: the
#                  thesis's own numbers
#   crossings.tsv  source, workload, setting, scenario, workflow, n, x, low, high: from which x on the server's page is later than the workflow's
#   trips.tsv      engine, rtt_ms, metric, n, mean, low, high: what hangs on the round trip
#   bars.tsv       engine, workflow, line, what, begin_ms, first_ms, end_ms: one load of each workflow, request by request, and the marks of
#                  its page (first_ms is "-"), since the server's receipt
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)

awk -f "$here/points-to-delivery.awk" "$here/published.tsv" "$reduced/points.tsv" > "$reduced/delivery.tsv"
awk -f "$here/delivery-to-crossings.awk" "$reduced/delivery.tsv" "$reduced/points.tsv" > "$reduced/crossings.tsv"
awk '
  BEGIN { FS = OFS = "\t"; print "engine", "rtt_ms", "metric", "n", "mean", "low", "high" }
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  $column["setting"] !~ /rtt_us=/ || $column["metric"] !~ /^(load_ms_[a-z]+_(noop_0|parallel_[0-9]+|timeouts_[0-9]+)|gain_pages_[0-9]+|slope_ms_[a-z]+_series)$/ { next }
  { rtt_us = $column["setting"]; sub(/.*rtt_us=/, "", rtt_us); sub(/,.*/, "", rtt_us)
    print $column["engine"], rtt_us / 1000, $column["metric"], $column["n"], $column["mean"], $column["low"], $column["high"] }
' "$reduced/points.tsv" > "$reduced/trips.tsv"

printf 'engine\tworkflow\tline\twhat\tbegin_ms\tfirst_ms\tend_ms\n' > "$reduced/bars.tsv"
[ ! -f "$reduced/waterfall.tsv" ] || awk -f "$here/loads-to-bars.awk" "$reduced/loads.tsv" "$reduced/waterfall.tsv" >> "$reduced/bars.tsv"
