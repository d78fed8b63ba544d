#!/usr/bin/awk -f
# delivery-to-crossings: from which x on the server's page is complete later than that of another workflow.
#
#   awk -f delivery-to-crossings.awk delivery.tsv points.tsv > crossings.tsv
#
# delivery.tsv  of points-to-delivery: of it the source's own numbers, in ascending x
# points.tsv    those that were measured, found in each trial by itself (clients/page-loader/loads-to-metrics.awk)
# Output:       source, workload, setting, scenario, workflow, n, x, low, high; no line where they do not cross
#
#   source     workload  setting  scenario  workflow  n  x    low  high
#   published  -         -        files     ajax      -  242  -    -

BEGIN { FS = OFS = "\t"; print "source", "workload", "setting", "scenario", "workflow", "n", "x", "low", "high" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file == 2) tell_published(); next }

file == 1 && $column["source"] == "published" {
  scenario = $column["scenario"]; x = $column["x"]
  if (!((scenario, x) in is_step)) { is_step[scenario, x]; step[scenario, ++steps[scenario]] = x }
  if (!(scenario in known)) { known[scenario]; scenarios[++count] = scenario }
  ms[scenario, $column["workflow"], x] = $column["ms"]
  next
}

file == 2 && $column["metric"] ~ /^crossing_[a-z]+_server_[a-z]+$/ {
  split($column["metric"], part, "_")
  print $column["engine"], $column["workload"], $column["setting"], part[2], part[4], $column["n"], $column["mean"], $column["low"], $column["high"]
}

function tell_published(    i, s, w, x, now, before, at, others, from) {
  split("ajax stream", others, " ")
  for (i = 1; i <= count; i++) for (w = 1; w <= 2; w++) {
    at = ""; before = ""
    for (s = 1; s <= steps[scenarios[i]]; s++) {
      x = step[scenarios[i], s]
      if (!((scenarios[i], "server", x) in ms) || !((scenarios[i], others[w], x) in ms)) { at = ""; break }
      now = ms[scenarios[i], "server", x] - ms[scenarios[i], others[w], x]
      if (now < 0) at = ""
      else if (before == "") at = now > 0 ? "none" : ""
      else if (now > 0 && at == "") at = from + (x - from) * -before / (now - before)
      before = now; from = x
    }
    if (at != "" && at != "none") printf "published\t-\t-\t%s\t%s\t-\t%.4g\t-\t-\n", scenarios[i], others[w], at
  }
}
