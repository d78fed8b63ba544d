#!/usr/bin/awk -f
# validity-to-disturbed: the steps of a sweep that a rule flags: they leave steps.tsv and the percentiles of their trial.
#
#   awk -F '\t' -v trial=b01-ws-sweep -f validity-to-disturbed.awk steps.tsv validity.tsv >> disturbed.tsv
#
# steps.tsv     of the harness: step, rate_hz, ...
# validity.tsv  rule, value, bound, passed, severity, words: of a step the severity is "step <n>", or "latency of step <n>"
# Output:       trial, step, rate_hz, leaves, reason, value, bound; leaves: what of it leaves the trial, all or its latency
#
#   b01-ws-sweep  3  960  all  late-sends  0.75  0.01

BEGIN { OFS = "\t" }
FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
FILENAME == ARGV[1] { rate_hz[$column["step"]] = $column["rate_hz"]; next }
$column["passed"] == "no" && $column["severity"] ~ /^(latency of )?step / {
  step = $column["severity"]; sub(/.*step /, "", step)
  print trial, step, rate_hz[step], $column["severity"] ~ /^latency/ ? "latency" : "all", $column["rule"], $column["value"], $column["bound"]
}
