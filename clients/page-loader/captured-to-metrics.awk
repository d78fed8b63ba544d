#!/usr/bin/awk -f
# captured-to-metrics: captured bytes per byte of file, between the least file and the largest, so that headers and scripts fall out.
#
#   awk -f median.awk -f captured-to-metrics.awk captured.tsv
#
# captured.tsv  of packets-to-captured
# Output:       metric, value, without a header: those that generator.toml lists
#
#   captured_b_per_file_b_websocket   1.0532

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["scenario"] == "files" {
  workflow = $column["workflow"]; x = $column["x"] + 0
  if (!(workflow in most)) { names[++count] = workflow; least[workflow] = most[workflow] = x }
  if (x < least[workflow]) least[workflow] = x
  if (x > most[workflow]) most[workflow] = x
  n = ++samples[workflow, x]
  frames_b[workflow, x, n] = $column["frames_b"]; stream_b[workflow, x, n] = $column["stream_b"]
}

END {
  for (k = 1; k <= count; k++) {
    workflow = names[k]
    file_b = 1024 * (most[workflow] - least[workflow])
    if (file_b == 0) continue
    print "captured_b_per_file_b_" workflow, sprintf("%.6g", (median(frames_b, most[workflow]) - median(frames_b, least[workflow])) / file_b)
    print "captured_tcp_b_per_file_b_" workflow, sprintf("%.6g", (median(stream_b, most[workflow]) - median(stream_b, least[workflow])) / file_b)
  }
}

function median(bytes, x,    i, n) {
  n = samples[workflow, x]
  split("", values)
  for (i = 1; i <= n; i++) values[i] = bytes[workflow, x, i]
  sort_numbers(values, n)
  return median_of(values, n)
}
