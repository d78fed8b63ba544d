#!/usr/bin/awk -f
# steps-to-curves: the cost of a message against the rate, over the trials of a sweep.
#
#   awk -f student.awk -f interval.awk -f sweep.awk -f steps-to-curves.awk steps.tsv > curves.tsv
#
# steps.tsv  trial, block, era, engine, workload, setting, then the columns of accounts-to-steps
# Output:    era, engine, workload, setting, side, role, rate_hz, together, n, cores, cores_low, cores_high, us_per_message, us_low, us_high,
#            wakings_hz, received_hz, latency_p50_ms, latency_p99_ms. cores is of all processes of the role, us_per_message all that they
#            used over the messages that were answered; both with their 95 % intervals over trials, the rest are means. A rate that a
#            trial goes through several times, up and down, has the mean of its steps. A rate that some trial did not answer whole is
#            left out: what is left would be a selection. Where steps.tsv has a column share so has this: steps that are shares of what
#            each trial found its server to answer are put together by them, and rate_hz is the mean of their rates; the steps of a
#            server are in the order of their rates then, in whichever they were.
#
#   era   engine          workload    setting             side    role    rate_hz  together  n  cores  ...  us_per_message  us_low  us_high
#   2014  engine.io-2014  sweep-2014  cores=alone-worker  server  worker  4000     1         4  0.478  ...  119             117     121

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  print "era", "engine", "workload", "setting", "side", "role", "rate_hz", "together", "n", "cores", "cores_low", "cores_high", \
    "us_per_message", "us_low", "us_high", "wakings_hz", "received_hz", "latency_p50_ms", "latency_p99_ms" ("share" in column ? OFS "share" : "")
  next
}

{
  server = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  role = server OFS $column["side"] OFS $column["role"]
  is_share = "share" in column && $column["share"] != "-"
  key = role OFS (is_share ? "share " $column["share"] : $column["rate_hz"]) OFS $column["together"]
  # a rate of 0 at the begin and one at the end of a sweep are two steps
  key = key SUBSEP ($column["rate_hz"] == 0 ? $column["step"] : "")
  if (!(key in trials)) keys[++count] = key
  if (!((key, $column["trial"]) in number)) number[key, $column["trial"]] = ++trials[key]
  i = number[key, $column["trial"]]
  steps[key]++; steps[key, i]++
  server_of[key] = server; role_of[key] = role; together[key] = $column["together"]; rate_text[key] = $column["rate_hz"]
  if (is_share) { share[key] = $column["share"]; rate_sum[key] += $column["rate_hz"] }
  if (!step_stands($column["backlog_s"])) { refused[key]++; next }
  cores_sum[key, i] += $column["cpu_cores"]; received_sum[key, i] += $column["received_hz"]
  cores[key, i] = cores_sum[key, i] / steps[key, i]
  if (received_sum[key, i] > 0) us[key, i] = 1e6 * cores_sum[key, i] / received_sum[key, i]
  wakings_hz[key] += $column["wakings_hz"]; received_hz[key] += $column["received_hz"]
  p50_ms[key] += $column["latency_p50_ms"]; p99_ms[key] += $column["latency_p99_ms"]
  if ($column["latency_p50_ms"] == "-") lacks_p50[key]
  if ($column["latency_p99_ms"] == "-") lacks_p99[key]
}

END {
  if ("share" in column) sort_by_rate()
  for (k = 1; k <= count; k++) if (!refused[keys[k]]) put(keys[k], trials[keys[k]])
}

# The keys of a server lie together: all are of its first trial.
function sort_by_rate(    k, i, key) {
  for (k = 2; k <= count; k++) {
    key = keys[k]
    for (i = k - 1; i >= 1 && server_of[keys[i]] == server_of[key] && rate_of(keys[i]) + 0 > rate_of(key) + 0; i--) keys[i + 1] = keys[i]
    keys[i + 1] = key
  }
}

function rate_of(key) { return (key in share) ? short(rate_sum[key] / steps[key]) : rate_text[key] }

function put(key, n) {
  print role_of[key], rate_of(key), together[key], n, interval_of(cores, key, n), ((key, 1) in us ? interval_of(us, key, n) : "-" OFS "-" OFS "-"), short(wakings_hz[key] / steps[key]), \
    short(received_hz[key] / steps[key]), mean_of(p50_ms, lacks_p50, key), mean_of(p99_ms, lacks_p99, key) \
    ("share" in column ? OFS ((key in share) ? share[key] : "-") : "")
}

# "-" where a step has too few answers for the percentile.
function mean_of(sums, lacks, key) { return (key in lacks) ? "-" : short(sums[key] / steps[key]) }

function interval_of(values, key, n,    i) {
  split("", sample)
  for (i = 1; i <= n; i++) sample[i] = values[key, i]
  return mean_interval(sample, n)
}

function short(x) { return sprintf("%.6g", x) }
