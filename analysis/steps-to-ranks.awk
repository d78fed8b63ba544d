#!/usr/bin/awk -f
# steps-to-ranks: engines sorted by what a message costs their server at one rate, and which of them can't be told apart.
#
#   awk -v rate_hz=5000 -f student.awk -f interval.awk -f sweep.awk -f moderate.awk -f steps-to-ranks.awk trials.tsv steps.tsv [disturbed.tsv] > ranks.tsv
#
# rate_hz     messages a second over all connections
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; saturation_hz and saturation_at_least are read, where there are
# steps.tsv   the same to setting, then the columns of accounts-to-steps: the curve of a trial. A step without messages, of this workload or
#             another of the same engine and block, is the curve's begin.
# disturbed.tsv  trial, step, rate_hz, leaves, ...: steps of which all leaves are in no table. A trial that lacks its last ones says nothing of rates so high
# Output:     workload, setting, rate_hz, rank, is_shared, era, engine, n, us_per_message, low, high, cores, saturation_hz, server_cores_most,
#             at_least;
#             sorted by cost in each workload and setting. low and high are the engine's own 95 % interval over its trials.
#             An engine of which a trial does not answer the rate, or was not asked for so much, stands at the end with "-".
#             server_cores_most is the load of the server's core in its last step. at_least: in some trial the load's core was full where
#             the search ended, so that the server answers saturation_hz at least, and was not asked for more; no such column where no trial
#             tells it.
#
# Ranks: an engine has the rank 1 + the number of those that are decidedly cheaper. Of two engines one is decidedly cheaper where the
# 95 % interval of their ratio leaves out 1: Student's t on logarithms, the trials in blocks (a two-way layout: H. Scheffé, The Analysis of
# Variance, 1959, chapter 4), each engine with its own spread, moderated by that of all engines of the table (moderate.awk), and the degrees
# of freedom of B. L. Welch, Biometrika 34, 1947. Those that have a rank in common are equal to the first of them as far as these trials
# say. Each pair is by itself: of twenty pairs of equals one is expected to be told apart.
#
#   workload  setting  rate_hz  rank  is_shared  era    engine   n  us_per_message  low   high  cores   saturation_hz  server_cores_most  at_least
#   sweep     -        5000     1     no         today  gorilla  3  21.2            20.1  22.4  0.106   48200          0.81               no

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  if ($column["metric"] == "saturation_hz") saturation_hz[$column["trial"]] = $column["value"]
  if ($column["metric"] == "saturation_at_least") { at_least[$column["trial"]] = $column["value"]; has_least = 1 }
  next
}

FILENAME == ARGV[3] {
  if ($column["leaves"] == "all" && $column["rate_hz"] > lost_hz[$column["trial"]]) lost_hz[$column["trial"]] = $column["rate_hz"] + 0
  next
}

$column["role"] != "server" || $column["side"] != "server" || $column["together"] != 1 || !step_stands($column["backlog_s"]) { next }

{
  trial = $column["trial"]; of_block = $column["engine"] SUBSEP $column["block"]
  if ($column["rate_hz"] == 0) { idle_steps[of_block]++; idle_cores[of_block] += $column["cpu_cores"]; next }
  if (!(trial in block)) {
    trials[++trial_count] = trial; block[trial] = $column["block"]; engine[trial] = $column["engine"]; era[$column["engine"]] = $column["era"]
    table[trial] = $column["workload"] OFS $column["setting"]
    if (!(table[trial] in members)) tables[++table_count] = table[trial]
    members[table[trial]]
  }
  add_to_curve(trial, $column["rate_hz"], $column["received_hz"], $column["cpu_cores"])
}

END {
  print "workload", "setting", "rate_hz", "rank", "is_shared", "era", "engine", "n", "us_per_message", "low", "high", "cores", "saturation_hz", "server_cores_most" (has_least ? OFS "at_least" : "")
  for (k = 1; k <= table_count; k++) rank_table(tables[k])
}

function rank_table(name,    t) {
  engine_count = blocks = 0
  split("", number); split("", n_of); split("", log_us); split("", is_beyond); split("", saturated); split("", least_of); split("", most); split("", known_rank)
  for (t = 1; t <= trial_count; t++) if (table[trials[t]] == name) take(trials[t], engine[trials[t]])
  order_engines()
  spread_of_each()
  for (t = 1; t <= engine_count; t++) put(name, t)
}

# A trial's cost at the rate, as a logarithm.
function take(trial, name,    e, begin, cores) {
  if (!(name in number)) { number[name] = ++engine_count; name_of[engine_count] = name }
  e = number[name]
  begin = name SUBSEP block[trial]
  if (begin in idle_steps) add_to_curve(trial, 0, 0, idle_cores[begin] / idle_steps[begin])
  if (trial in saturation_hz) { saturated[e] += log(saturation_hz[trial]); saturated[e, "n"]++ }
  if (trial in at_least && least_of[e] != "yes") least_of[e] = at_least[trial] > 0 ? "yes" : "no"
  if (load_reached(trial) > most[e]) most[e] = load_reached(trial)
  if (curve_points[trial] < 2 || rate_hz > reach_of(trial)) {
    if (rate_hz > lost_hz[trial] || (trial in saturation_hz && rate_hz > saturation_hz[trial])) is_beyond[e]
    return
  }
  cores = cores_at(trial, rate_hz)
  if (cores <= 0) { is_beyond[e]; return }
  n_of[e]++
  log_us[e, n_of[e]] = log(1e6 * cores / rate_hz); at_block[e, n_of[e]] = block[trial]
}

# The highest rate that is known to be answered.
function reach_of(trial) {
  return (trial in saturation_hz) ? saturation_hz[trial] : curve_hz[trial, curve_points[trial]]
}

# The cheapest first, those that do not reach the rate last.
function order_engines(    e, i, sum) {
  for (e = 1; e <= engine_count; e++) {
    sum = 0
    for (i = 1; i <= n_of[e]; i++) sum += log_us[e, i]
    log_mean[e] = (e in is_beyond) || !n_of[e] ? 1e9 : sum / n_of[e]
    for (i = e - 1; i >= 1 && log_mean[sorted[i]] > log_mean[e]; i--) sorted[i + 1] = sorted[i]
    sorted[i + 1] = e
  }
}

# Set spread_squared and spread_degrees of the mean of each engine: what is left when engines and blocks have been taken out. What the
# blocks take of the degrees of freedom, they take of all engines alike. No degrees: no ranks.
function spread_of_each(    e, i, b, own, left, variance, degrees) {
  split("", block_sum); split("", block_n); split("", spread_squared); split("", spread_degrees)
  for (e = 1; e <= engine_count; e++) if (log_mean[e] < 1e9) {
    own += n_of[e] - 1
    for (i = 1; i <= n_of[e]; i++) { b = at_block[e, i]; block_sum[b] += log_us[e, i] - log_mean[e]; if (!block_n[b]++) blocks++ }
  }
  left = own - blocks + 1
  for (e = 1; e <= engine_count; e++) {
    degrees[e] = left > 0 && log_mean[e] < 1e9 ? (n_of[e] - 1) * left / own : 0
    variance[e] = 0
    if (degrees[e] > 0) for (i = 1; i <= n_of[e]; i++) { b = at_block[e, i]; variance[e] += (log_us[e, i] - log_mean[e] - block_sum[b] / block_n[b]) ^ 2 / degrees[e] }
  }
  find_prior(variance, degrees, engine_count)
  for (e = 1; e <= engine_count; e++) if (log_mean[e] < 1e9) {
    spread_squared[e] = moderated_variance(variance[e], degrees[e]) / n_of[e]
    spread_degrees[e] = moderated_degrees(degrees[e])
  }
}

# Is the engine a decidedly cheaper than b?
function is_cheaper(a, b,    squared, degrees) {
  if (log_mean[a] >= log_mean[b] || log_mean[b] >= 1e9) return 0
  squared = spread_squared[a] + spread_squared[b]
  degrees = squared > 0 ? int(squared ^ 2 / (spread_squared[a] ^ 2 / spread_degrees[a] + spread_squared[b] ^ 2 / spread_degrees[b])) : 1
  return log_mean[b] - log_mean[a] > t_quantile(degrees, 0.95) * sqrt(squared)
}

function rank_of(e,    other, rank) {
  if (e in known_rank) return known_rank[e]
  if (degrees_of_all < 1 || log_mean[e] >= 1e9) return known_rank[e] = "-"
  rank = 1
  for (other = 1; other <= engine_count; other++) if (is_cheaper(other, e)) rank++
  return known_rank[e] = rank
}

function put(name, place,    e, i, other, shared, interval, us) {
  e = sorted[place]
  for (other = 1; other <= engine_count; other++) if (other != e && rank_of(e) != "-" && rank_of(other) == rank_of(e)) shared = 1
  split("", values)
  for (i = 1; i <= n_of[e]; i++) values[i] = exp(log_us[e, i])
  if (log_mean[e] < 1e9) { interval = mean_interval(values, n_of[e]); us = exp(log_mean[e]) }
  else interval = "-" OFS "-" OFS "-"
  print name, rate_hz, rank_of(e), shared ? "yes" : "no", era[name_of[e]], name_of[e], n_of[e] + 0, interval, \
    us == "" ? "-" : sprintf("%.4g", us * rate_hz / 1e6), saturated[e, "n"] ? sprintf("%.5g", exp(saturated[e] / saturated[e, "n"])) : "-", sprintf("%.3g", most[e]) \
    (has_least ? OFS (e in least_of ? least_of[e] : "-") : "")
}
