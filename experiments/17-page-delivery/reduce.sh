#!/usr/bin/env bash
# reduce: what experiment 17 makes of its reduced tables, in the same folder.
#
#   experiments/17-page-delivery/reduce.sh results/17-page-delivery/<stamp>/reduced
#
# Reads points.tsv, trials.tsv, the trials' loads.tsv and waterfall.tsv where they are. Writes:
#   delivery.tsv   source, workload, setting, scenario, x, workflow, n, ms, low, high, source_ms: each load's time; source is an engine, or
#                  published: the thesis's own numbers
#   crossings.tsv  from which x on the server's page is later than another workflow's, over the trials: trials-to-crossings.awk
#   ceiling.tsv    as delivery.tsv, of few AJAX requests in parallel, in ascending x: workflow is ajax, or http2 where they went over HTTP/2;
#                  those over a link that adds 0 ms among them
#   inflation.tsv  engine, workload, workflow, by, n, mean, low, high: bytes on the wire per byte of file, as the browser's device counted them
#                  (device) and as they were captured: in Ethernet frames (frames), and of these what they carried of the TCP stream (stream)
#   marks.tsv      when a page first painted something, could be used, had its data, and was complete
#   trips.tsv      engine, rtt_ms, workload, metric, n, mean, low, high: what hangs on the round trip. An engine that has no link of 0 has its
#                  main workload's there, where nothing is added either
#   bars.tsv       engine, workflow, line, what, begin_ms, first_ms, end_ms: one load of each workflow, request by request, and the marks of
#                  its page (first_ms is "-"), since the server's receipt
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
analysis="$here/../../analysis"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -f "$here/points-to-delivery.awk" "$here/published.tsv" "$reduced/points.tsv" > "$reduced/delivery.tsv"
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$here/trials-to-crossings.awk" "$reduced/delivery.tsv" "$reduced/trials.tsv" > "$reduced/crossings.tsv"
awk -f "$here/points-to-marks.awk" "$reduced/points.tsv" > "$reduced/marks.tsv"

# Up to 30: beyond, steps of six can't be seen
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print; next }
  $column["source"] == "published" || $column["scenario"] != "parallel" || $column["workflow"] != "ajax" || $column["x"] > 30 { next }
  $column["setting"] == "-" || $column["setting"] ~ /^http=/ || $column["setting"] ~ /,rtt_us=0$/ {
    if ($column["setting"] ~ /^http=2/) $column["workflow"] = "http2"
    $column["setting"] = "-"
    print
  }
' "$reduced/delivery.tsv" > "$work/ceiling"
{ head -n 1 "$work/ceiling"; tail -n +2 "$work/ceiling" | sort -t "$(printf '\t')" -s -k 1,1 -k 6,6 -k 5,5n; } > "$reduced/ceiling.tsv"
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "engine", "workload", "workflow", "by", "n", "mean", "low", "high"; next }
  $column["setting"] == "-" || $column["setting"] == "capture=on" {
    by = sub(/^wire_b_per_file_b_/, "", $column["metric"]) ? "device" : sub(/^captured_b_per_file_b_/, "", $column["metric"]) ? "frames" : \
      sub(/^captured_tcp_b_per_file_b_/, "", $column["metric"]) ? "stream" : ""
    if (by != "") print $column["engine"], $column["workload"], $column["metric"], by, $column["n"], $column["mean"], $column["low"], $column["high"]
  }
' "$reduced/points.tsv" > "$reduced/inflation.tsv"
awk -F '\t' -v OFS='\t' '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "engine", "rtt_ms", "workload", "metric", "n", "mean", "low", "high"; next }
  $column["metric"] !~ /^(load_ms_[a-z]+_(noop_0|parallel_[0-9]+|timeouts_[0-9]+)|gain_pages_[0-9]+|slope_ms_[a-z]+_series)$/ { next }
  {
    engine = $column["engine"]; metric = $column["metric"]
    rest = $column["workload"] OFS metric OFS $column["n"] OFS $column["mean"] OFS $column["low"] OFS $column["high"]
  }
  $column["setting"] == "-" && $column["workload"] ~ /^(source|desk|look)$/ { plain[++plains] = engine OFS 0 OFS rest; of[plains] = engine; named[plains] = metric }
  $column["setting"] ~ /rtt_us=/ {
    rtt_us = $column["setting"]; sub(/.*rtt_us=/, "", rtt_us); sub(/,.*/, "", rtt_us)
    if (rtt_us == 0) has_zero[engine]
    wanted[engine, metric]
    line[++lines] = engine OFS rtt_us / 1000 OFS rest
  }
  END {
    for (i = 1; i <= plains; i++) if ((of[i], named[i]) in wanted && !(of[i] in has_zero)) print plain[i]
    for (i = 1; i <= lines; i++) print line[i]
  }
' "$reduced/points.tsv" > "$reduced/trips.tsv"

printf 'engine\tworkflow\tline\twhat\tbegin_ms\tfirst_ms\tend_ms\n' > "$reduced/bars.tsv"
[ ! -f "$reduced/waterfall.tsv" ] || awk -f "$here/loads-to-bars.awk" "$reduced/loads.tsv" "$reduced/waterfall.tsv" >> "$reduced/bars.tsv"
