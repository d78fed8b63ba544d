#!/usr/bin/awk -f
# plan-to-generators: what is to be compared where points were run with two generators, for trials-to-comparisons.
#
#   awk -f plan-to-generators.awk plan.tsv > pairs
#
# plan.tsv  order, trial, block, era, engine, workload, setting, ..., point
# Output:   era, workload, setting, metric, of, to, to_setting; in the order of the points. Each setting that names a generator
#           is compared with the one that is the same but for that. Only a header where there is none.
#
#   era   workload  setting          metric               of              to              to_setting
#   2014  listed    generator=swarm  server_cpu_s_per_1k  socket.io-2014  socket.io-2014  -

BEGIN {
  FS = OFS = "\t"
  metric_count = split("server_cpu_s_per_1k client_cpu_s_per_1k latency_p50_ms latency_p99_ms", metrics, " ")
  print "era", "workload", "setting", "metric", "of", "to", "to_setting"
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["setting"] ~ /(^|,)generator=/ {
  point = $column["point"]
  if (point > last) last = point + 0
  row[point] = $0
}

END {
  for (point = 1; point <= last; point++) if (point in row) put(row[point])
}

function put(line,    cell, i) {
  split(line, cell, FS)
  for (i = 1; i <= metric_count; i++)
    print cell[column["era"]], cell[column["workload"]], cell[column["setting"]], metrics[i], \
      cell[column["engine"]], cell[column["engine"]], without_generator(cell[column["setting"]])
}

function without_generator(setting) {
  sub(/generator=[^,]*/, "", setting)
  sub(/,,/, ",", setting)
  gsub(/^,|,$/, "", setting)
  return setting == "" ? "-" : setting
}
