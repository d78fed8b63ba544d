#!/usr/bin/awk -f
# capacities-to-predictions: capacities over blocks, and beside them what was measured whole.
#
#   awk -f student.awk -f interval.awk -f capacities-to-predictions.awk capacities trials.tsv > predictions.tsv
#
# capacities  of steps-to-capacities
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; saturation_hz at cores=one and at cores=own,processes=<mix> is read,
#             at cores=one of engines that were not swept whole (kind whole of capacities) alone
# Output:     era, engine, kind, what, load, n, rate_hz, low, high, us_per_message, us_low, us_high, extrapolated, at_least, measured_n,
#             measured_hz, measured_low, measured_high, error_pct. us_per_message is load over rate: what a message takes of the core at that load (of a
#             role). extrapolated says whether the load is beyond what some block reached, at_least whether in some block the role
#             answered even the fastest step of its sweep, so that it may carry more. error_pct is what was predicted over what was
#             measured, less 1.
#
#   era   engine          kind  what    load  n  rate_hz  low    high   us_per_message  us_low  us_high  extrapolated  at_least  ...  error_pct
#   2014  engine.io-2014  role  worker  0.8   4  11900    11700  12100  67.2            66.1    68.4     no            no        ...  -

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] && $column["kind"] == "whole" {
  is_swept[$column["era"] OFS $column["engine"]]
  add_measured($column["era"] OFS $column["engine"], "one" OFS "-", $column["rate_hz"])
  next
}

FILENAME == ARGV[1] {
  key = $column["era"] OFS $column["engine"] OFS $column["kind"] OFS $column["what"] OFS $column["load"]
  if (!(key in count)) keys[++key_count] = key
  rate_hz[key, ++count[key]] = $column["rate_hz"]
  if ($column["reached"] < $column["load"] * 0.98) beyond[key]
  if ($column["at_least"] == "yes") more[key]
  next
}

$column["metric"] == "saturation_hz" {
  what = ""; engine = $column["era"] OFS $column["engine"]
  if ($column["setting"] == "cores=one") { what = "one" OFS "-"; if (engine in is_swept) next }
  else if (match($column["setting"], /processes=[0-9+]+/) && $column["setting"] ~ /cores=own/) what = "mix" OFS substr($column["setting"], RSTART + 10, RLENGTH - 10)
  add_measured(engine, what, $column["value"])
}

END {
  print "era", "engine", "kind", "what", "load", "n", "rate_hz", "low", "high", "us_per_message", "us_low", "us_high", "extrapolated", \
    "at_least", "measured_n", "measured_hz", "measured_low", "measured_high", "error_pct"
  for (k = 1; k <= key_count; k++) put(keys[k], count[keys[k]])
}

function add_measured(engine, what, hz,    key) {
  key = engine OFS what OFS 1
  measured_hz[key, ++measured[key]] = hz
  if (sub(/\tone\t/, "\tone-by-rate\t", key)) measured_hz[key, ++measured[key]] = hz
}

function put(key, n,    part, rates, rate, costs, found, error) {
  split(key, part, OFS)
  rates = interval_of(rate_hz, key, n)
  rate = mean + 0
  costs = part[3] == "role" ? cost_of(part[5]) : "-" OFS "-" OFS "-"
  found = "0" OFS "-" OFS "-" OFS "-"
  error = "-"
  if (key in measured) { found = measured[key] OFS interval_of(measured_hz, key, measured[key]); error = sprintf("%.3g", 100 * (rate / mean - 1)) }
  print key, n, rates, costs, ((key in beyond) ? "yes" : "no"), ((key in more) ? "yes" : "no"), found, error
}

# µs a message at a load, from the rate's interval, which was found last.
function cost_of(load) { return us(load, mean) OFS us(load, high) OFS us(load, low) }
function us(load, rate) { return rate == "-" ? "-" : sprintf("%.4g", 1e6 * load / rate) }

function interval_of(values, key, n,    i) {
  split("", sample)
  for (i = 1; i <= n; i++) sample[i] = values[key, i]
  return mean_interval(sample, n)
}
