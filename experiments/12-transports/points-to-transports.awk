#!/usr/bin/awk -f
# points-to-transports: of each point its bytes per update and its delays, on one line.
#
#   awk -f points-to-transports.awk points.tsv > transports.tsv
#
# points.tsv  era, engine, workload, setting, metric, n, mean, low, high
# Output:     era, engine, workload, setting, n, and of each of b (wire_b_per_update), p50_ms and p99_ms (latency) the mean, low and
#             high; "-" where a number, or its interval, is not there. Points without updates are left out.
#
#   era    engine  workload  setting        n  b     b_low  b_high  p50_ms  p50_ms_low  ...
#   today  ws      dense     -              6  93.1  92.8   93.6    0.41    0.39        ...

BEGIN {
  FS = OFS = "\t"
  name["wire_b_per_update"] = "b"; name["latency_p50_ms"] = "p50_ms"; name["latency_p99_ms"] = "p99_ms"
  shown = split("b p50_ms p99_ms", quantities, " ")
}

NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  line = "era" OFS "engine" OFS "workload" OFS "setting" OFS "n"
  for (i = 1; i <= shown; i++) line = line OFS quantities[i] OFS quantities[i] "_low" OFS quantities[i] "_high"
  print line
  next
}

$column["metric"] in name {
  point = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  if (!(point in n)) { points[++count] = point; n[point] = $column["n"] }
  found[point, name[$column["metric"]]] = $column["mean"] OFS $column["low"] OFS $column["high"]
}

END {
  for (i = 1; i <= count; i++) {
    line = points[i] OFS n[points[i]]
    for (j = 1; j <= shown; j++) line = line OFS ((points[i], quantities[j]) in found ? found[points[i], quantities[j]] : "-" OFS "-" OFS "-")
    print line
  }
}
