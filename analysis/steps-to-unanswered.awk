#!/usr/bin/awk -f
# steps-to-unanswered: the share of a sweep's messages that were never answered, in the steps that the server kept up with.
#
#   awk -f sweep.awk -f steps-to-unanswered.awk steps.tsv intervals.tsv percentiles steps
#
# steps.tsv      step, from_s, to_s, ...: of the harness
# intervals.tsv  of the client: t_s, due, ...
# percentiles    of hlog-to-percentiles, for this trial: series (step_<n>), percentile, value_us, samples: of the mean all that were answered
# steps          of accounts-to-steps
# Output:        metric, value, below a header; nothing more where nothing fell due in such a step
#
#   unanswered_share  0.001

BEGIN { FS = OFS = "\t"; print "metric", "value" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 { n = $column["step"]; steps = n; from_s[n] = $column["from_s"]; to_s[n] = $column["to_s"]; next }

file == 2 {
  for (n = 1; n <= steps; n++) if ($column["t_s"] >= from_s[n] && $column["t_s"] < to_s[n]) due[n] += $column["due"]
  next
}

file == 3 {
  if ($column["percentile"] == "mean" && sub(/^step_/, "", $column["series"])) answered[$column["series"]] = $column["samples"]
  next
}

$column["side"] == "server" && !($column["step"] in seen) && step_stands($column["backlog_s"]) {
  n = $column["step"]; seen[n]
  all += due[n]; lost += due[n] - answered[n]
}

END { if (all > 0) print "unanswered_share", sprintf("%.6g", lost / all) }
