#!/usr/bin/awk -f
# series-to-load: for each second of a point, the median over its trials of each process's CPU and of the connections.
#
#   awk -f median.awk -f series-to-load.awk series.tsv > load.tsv
#
# series.tsv  trial, block, era, engine, workload, setting, t_s, side, process, quantity, value
# Output:     era, engine, workload, setting, side, process, quantity, t_s, n, median, least, most; t_s in whole
#             seconds, rounded: top's screens fall at a fraction of a second that differs from trial to trial
#
#   era   engine          workload  setting  side    process   quantity  t_s  n  median  least  most
#   2014  socket.io-2014  listed    -        server  worker 1  cpu_pct   4    6  38      36     41

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  print "era", "engine", "workload", "setting", "side", "process", "quantity", "t_s", "n", "median", "least", "most"
  next
}

{
  line = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"] OFS $column["side"] OFS $column["process"] OFS $column["quantity"]
  t_s = int($column["t_s"] + 0.5)
  if (!(line in last)) { lines[++line_count] = line; first[line] = t_s; last[line] = t_s }
  if (t_s > last[line]) last[line] = t_s
  if (t_s < first[line]) first[line] = t_s
  value[line, t_s, ++count[line, t_s]] = $column["value"]
}

END {
  for (i = 1; i <= line_count; i++)
    for (t_s = first[lines[i]]; t_s <= last[lines[i]]; t_s++)
      if ((n = count[lines[i], t_s]) > 0) report(lines[i], t_s, n)
}

function report(line, t_s, n,    j) {
  split("", sorted)
  for (j = 1; j <= n; j++) sorted[j] = value[line, t_s, j]
  sort_numbers(sorted, n)
  print line, t_s, n, sprintf("%.6g", median_of(sorted, n)), sorted[1], sorted[n]
}
