#!/usr/bin/awk -f
# seconds-to-medians: for each second of a ramp, over its trials, the median of what was answered and how late, and the middle half of them.
#
#   awk -f median.awk -f seconds-to-medians.awk seconds.tsv > medians
#
# seconds.tsv  trial, block, era, engine, workload, setting, t_s, connected, due, received, latency_p50_ms, latency_p99_ms
# Output:      era, engine, workload, setting, t_s, n, connected, then of received and of latency_p50_ms: itself, _least, _most. connected is
#              a median as well; _least and _most are the quartiles: half of the trials lie between them. n counts trials; those in which
#              nothing of that second was answered have no latency, and where no trial has one "-" stands.
#
#   era    engine      workload  setting              t_s  n  connected  received  received_least  received_most  latency_p50_ms  …
#   today  websockets  ramp      client_processes=50  12   8  4160       4003      3990            4009           0.31            …

BEGIN {
  FS = OFS = "\t"
  print "era", "engine", "workload", "setting", "t_s", "n", "connected", "received", "received_least", "received_most", \
    "latency_p50_ms", "latency_p50_ms_least", "latency_p50_ms_most"
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  line = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]; t_s = $column["t_s"]
  if (!(line in last)) { lines[++line_count] = line; last[line] = t_s }
  if (t_s + 0 > last[line] + 0) last[line] = t_s
  add(line, t_s, "connected"); add(line, t_s, "received"); add(line, t_s, "latency_p50_ms")
}

END {
  for (i = 1; i <= line_count; i++)
    for (t_s = 0; t_s <= last[lines[i]]; t_s++)
      if ((lines[i], t_s, "received") in count) {
        split(quartiles(lines[i], t_s, "connected"), connected, OFS)
        print lines[i], t_s, count[lines[i], t_s, "received"], connected[1], quartiles(lines[i], t_s, "received"), quartiles(lines[i], t_s, "latency_p50_ms")
      }
}

function add(line, t_s, name) { if ($column[name] != "-") value[line, t_s, name, ++count[line, t_s, name]] = $column[name] }

# "median <tab> lower <tab> upper quartile".
function quartiles(line, t_s, name,    n, j) {
  n = count[line, t_s, name] + 0
  if (n == 0) return "-" OFS "-" OFS "-"
  split("", sorted)
  for (j = 1; j <= n; j++) sorted[j] = value[line, t_s, name, j]
  sort_numbers(sorted, n)
  return quantile_of(sorted, n, 0.5) OFS quantile_of(sorted, n, 0.25) OFS quantile_of(sorted, n, 0.75)
}

# Linear between the sorted values (type 7 of R. J. Hyndman and Y. Fan, Sample Quantiles in Statistical Packages, 1996).
function quantile_of(values, n, share,    at, below) {
  at = 1 + (n - 1) * share
  below = int(at)
  return sprintf("%.6g", below == n ? values[n] : values[below] + (at - below) * (values[below + 1] - values[below]))
}
