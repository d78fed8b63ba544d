#!/usr/bin/awk -f
# steps-to-latency: how long a message should take in a server that runs whole, by what it takes each role alone, beside what was measured.
#
#   awk -v cores=2 -v mixes='socketcluster-2014:2+2+1 ...' -f student.awk -f interval.awk -f sweep.awk -f steps-to-latency.awk roles.tsv steps.tsv \
#     trials.tsv
#
# roles.tsv   of spec-to-roles.js: engine, position, role, ...
# steps.tsv   trial, block, era, engine, workload, setting, then the columns of accounts-to-steps
# trials.tsv  the same to setting, then metric, value: trials without a sweep at cores=one, or where all share all cores, are read: of them the
#             loads and the median are known, and the rate is what they had
# cores       of the machine; mixes: engine:processes of each role, each on a core of its own, at the rates of the sweep
# Output:     era, engine, workload, setting, rate_hz, n, load, load_low, load_high, predicted_ms, low, high, busiest, measured_n, measured_load,
#             measured_ms, measured_low, measured_high, measured_p50_ms, load_error_pct, error_pct
#
# Mean value analysis of an open network of queues: a message that comes to a core finds there as many as there are on average, so that it
# stays D / (1 - U), D what it takes of the core, U the core's load (M. Reiser, S. S. Lavenberg, Mean-Value Analysis of Closed Multichain
# Queuing Networks, Journal of the ACM 27(2), 1980; open networks are its simplest case). A core is shared by turns (M/G/1-PS), for what
# runs there are several processes: then the mean is the same however costs spread, as F. Baskett and others show (Journal of the ACM 22(2),
# 1975); first come, first served, would need the spread of the costs, which is not measured, and gives the same where it is exponential.
# Several cores that share their processes stay D / (1 - (U / c)^c): exact for one and for two. D is of the role's own curve at that rate, from
# the sweep in which it has a core to itself in the same block, and of roles that never have one, and of the client, from sweeps of others.
# What no account of CPU holds is not in it: the way from a waking to the first instruction, pauses of a collector, and answers that wait for
# each other. busiest is the load of the fullest core; from 0.95 on, or where a block has a core beyond, nothing is predicted.
# load is the cores of those roles of the server whose load here comes from a sweep elsewhere, in which they are alone ("-" where there are
# none). error_pct and load_error_pct are what was predicted over what was measured, less 1. n and measured_n are blocks; as in curves.tsv a
# rate that some trial did not answer whole is left out.
#
#   era   engine          workload    setting             rate_hz  n  load  ...  predicted_ms  low   high  busiest  ...  measured_ms  ...  error_pct
#   2014  engine.io-2014  sweep-2014  cores=alone-worker  2000     4  -     ...  0.33          0.31  0.35  0.37     ...  0.36         ...  -8.3

BEGIN { FS = OFS = "\t"; mix_count = split(mixes, mix_asked, " "); busiest_max = 0.95 }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[3] { learn_trial(); next }

FILENAME == ARGV[1] {
  role_of[$column["engine"], $column["position"]] = $column["role"]
  if ($column["position"] > role_count[$column["engine"]]) role_count[$column["engine"]] = $column["position"] + 0
  next
}

{ has_sweep[$column["workload"]] }

$column["together"] != 1 || !match($column["setting"], /cores=[a-z0-9-]+/) { next }

{
  place = substr($column["setting"], RSTART + 6, RLENGTH - 6)
  group = $column["era"] OFS $column["engine"]
  point = group OFS $column["workload"] OFS $column["setting"] OFS $column["rate_hz"]
  block = $column["block"]; role = $column["side"] == "client" ? "client" : $column["role"]
  if (block > blocks) blocks = block + 0
  if (!step_stands($column["backlog_s"])) { refused[point]; next }
  if (role == "server") measure()
  else {
    role_load[point, block, role] += $column["cpu_cores"]
    learn_role()
  }
}

END {
  print "era", "engine", "workload", "setting", "rate_hz", "n", "load", "load_low", "load_high", "predicted_ms", "low", "high", "busiest", \
    "measured_n", "measured_load", "measured_ms", "measured_low", "measured_high", "measured_p50_ms", "load_error_pct", "error_pct"
  for (p = 1; p <= point_count; p++) report(points[p])
  for (m = 1; m <= mix_count; m++) report_mix(mix_asked[m])
}

# What was measured whole at this rate: the mean over the steps of the trial.
function measure(    i) {
  if (!($column["rate_hz"] > 0)) return
  if (!(point in group_of)) { points[++point_count] = point; group_of[point] = group; place_of[point] = place }
  i = ++steps[point, block]
  hz[point, block] += ($column["received_hz"] - hz[point, block]) / i
  if ("latency_mean_ms" in column && $column["latency_mean_ms"] != "-") mean_ms[point, block] += ($column["latency_mean_ms"] - mean_ms[point, block]) / i
  else lacks_mean[point]
  if ($column["latency_p50_ms"] != "-") p50_ms[point, block] += ($column["latency_p50_ms"] - p50_ms[point, block]) / i
  else lacks_p50[point]
  if ((group, $column["rate_hz"]) in asked) return
  asked[group, $column["rate_hz"]]; rates[group, ++rate_count[group]] = $column["rate_hz"]; workload_of[group] = $column["workload"]
}

# A trial without a sweep: one rate in all its window.
function learn_trial() {
  if ($column["workload"] in has_sweep || $column["setting"] ~ /generator=/) return
  place = "shared"
  if (match($column["setting"], /cores=[a-z0-9-]+/)) place = substr($column["setting"], RSTART + 6, RLENGTH - 6)
  if (place != "one" && place != "shared") return
  group = $column["era"] OFS $column["engine"]
  point = group OFS $column["workload"] OFS $column["setting"] OFS "-"
  block = $column["block"]
  if (block > blocks) blocks = block + 0
  if ($column["metric"] == "latency_p50_ms") p50_ms[point, block] = $column["value"]
  else if (sub(/_cpu_cores_mean$/, "", $column["metric"])) role_load[point, block, $column["metric"]] = $column["value"]
  else if ($column["metric"] == "received_hz") {
    if (!(point in group_of)) { points[++point_count] = point; group_of[point] = group; place_of[point] = place; lacks_mean[point] }
    if (match($column["setting"], /processes=[0-9+]+/)) counts_of[point] = substr($column["setting"], RSTART + 10, RLENGTH - 10)
    steps[point, block] = 1
    hz[point, block] = $column["value"]
  }
}

# One process alone on its core, or beside others: of a role that is told of several its share is not known.
function learn_role(    how) {
  if ($column["processes"] != 1 || place !~ /^alone-/) return
  how = place == "alone-" role ? "alone" : "beside"
  if (how == "alone") is_alone[group, role]
  add_to_curve(group SUBSEP block SUBSEP role SUBSEP how, $column["rate_hz"], $column["received_hz"], $column["cpu_cores"])
}

# The name of a role's curve in a block, or "" where it has none.
function curve_of(group, block, role,    how, curve) {
  how = (group, role) in is_alone ? "alone" : "beside"
  curve = group SUBSEP block SUBSEP role SUBSEP how
  return curve_points[curve] >= 2 ? curve : ""
}

# Predict one block at a rate: sets predicted_load, busiest and seconds (0 where a core is too full). False where a role was not measured.
# `counts` are the processes of each role, where they are not one each.
function predict(group, block, place, counts, rate,    engine, count, i, role, curve, each, each_count, own, rest, used, beside, left) {
  engine = substr(group, index(group, OFS) + 1)
  split(counts, each_count, "+")
  count = role_count[engine]
  predicted_load = busiest = seconds = own = rest = beside = 0
  for (i = 1; i <= count + 1; i++) {
    role = i > count ? "client" : role_of[engine, i]
    curve = curve_of(group, block, role)
    if (curve == "") return 0
    each = i <= count && counts != "" ? each_count[i] : 1
    used = each * cores_at(curve, rate / each)
    if (is_predicted(group, place, role)) predicted_load += used
    if (place == "own") stay(used, each, rate, 1)
    else if (place == "one" ? i <= count : place == "alone-" role) own += used
    else { rest += used; beside += each }
  }
  left = place == "shared" ? cores : cores - 1
  if (place != "own") { stay(own, 1, rate, 1); stay(rest, 1, rate, beside < left ? beside : left) }
  if (busiest >= busiest_max) seconds = 0
  return 1
}

# Adds how long a message stays where `used` cores are spread over so many queues, each served by so many cores.
function stay(used, queues, rate, servers,    full) {
  full = used / queues / servers # of each core
  if (full > busiest) busiest = full
  if (full < 1) seconds += used / rate / (1 - full ^ servers)
}

function report(point,    block, n, measured, missing, full, part, counts) {
  if (point in refused || place_of[point] == "own" || cores < 2) return
  counts = (point in counts_of) ? counts_of[point] : ""
  split("", loads); split("", times); split("", found); split("", found_loads); split("", medians); split("", had_hz)
  for (block = 1; block <= blocks; block++) {
    if (!((point, block) in hz)) continue
    measured++
    found[measured] = mean_ms[point, block]; medians[measured] = p50_ms[point, block]; found_loads[measured] = measured_load(point, block, counts)
    had_hz[measured] = hz[point, block]
    if (!predict(group_of[point], block, place_of[point], counts, hz[point, block])) continue
    n++
    loads[n] = predicted_load; times[n] = seconds * 1000
    if (busiest > full) full = busiest
    if (seconds == 0) missing = 1
  }
  if (!n) return
  if (sub(/-$/, "", point)) { part = point; point = part "-" } # a trial without a sweep
  put(part == "" ? point : part mean_only(had_hz, measured), n, missing, full, measured, (point in lacks_mean) ? 0 : measured, (point in lacks_p50) ? 0 : measured)
}

# A role whose load here comes from elsewhere: from where it is alone.
function is_predicted(group, place, role) { return (group, role) in is_alone && place != "alone-" role }

function measured_load(point, block, counts,    engine, i, sum, each_count) {
  split(counts, each_count, "+")
  engine = substr(group_of[point], index(group_of[point], OFS) + 1)
  for (i = 1; i <= role_count[engine]; i++)
    if (is_predicted(group_of[point], place_of[point], role_of[engine, i]))
      sum += (counts == "" ? 1 : each_count[i]) * role_load[point, block, role_of[engine, i]] / steps[point, block]
  return sum + 0
}

function report_mix(mix,    wanted, g, r, n, group, block, missing, full) {
  split(mix, wanted, ":")
  for (g in rate_count) if (substr(g, index(g, OFS) + 1) == wanted[1]) group = g
  if (group == "") return
  sort_rates(group)
  for (r = 1; r <= rate_count[group]; r++) {
    split("", loads); split("", times); n = missing = full = 0
    for (block = 1; block <= blocks; block++) {
      if (!predict(group, block, "own", wanted[2], rates[group, r])) continue
      n++
      loads[n] = predicted_load; times[n] = seconds * 1000
      if (busiest > full) full = busiest
      if (seconds == 0) missing = 1
    }
    if (n && !missing) put(group OFS workload_of[group] OFS "cores=own,processes=" wanted[2] OFS rates[group, r], n, 0, full, 0, 0, 0)
  }
}

function sort_rates(group,    i, j, x) {
  for (i = 2; i <= rate_count[group]; i++) {
    x = rates[group, i]
    for (j = i - 1; j >= 1 && rates[group, j] + 0 > x + 0; j--) rates[group, j + 1] = rates[group, j]
    rates[group, j + 1] = x
  }
}

function put(point, n, missing, full, measured, means, medians_n,    load_text, load_mean, time_text, time_mean, found_text, found_mean, found_load, median) {
  load_text = loads[1] > 0 ? mean_interval(loads, n) : "-" OFS "-" OFS "-"; load_mean = mean
  time_text = missing ? "-" OFS "-" OFS "-" : mean_interval(times, n); time_mean = mean
  found_load = measured && loads[1] > 0 ? mean_only(found_loads, measured) : "-"
  found_text = means ? mean_interval(found, means) : "-" OFS "-" OFS "-"; found_mean = mean
  median = medians_n ? mean_only(medians, medians_n) : "-"
  print point, n, load_text, time_text, sprintf("%.3g", full), measured + 0, found_load, found_text, median, \
    error_of(found_load != "-", load_mean, found_load), error_of(means && !missing, time_mean, found_mean)
}

function mean_only(values, n) { find_interval(values, n); return mean }

function error_of(is_known, predicted, found) { return is_known ? sprintf("%.3g", 100 * (predicted / found - 1)) : "-" }
