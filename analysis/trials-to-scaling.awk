#!/usr/bin/awk -f
# trials-to-scaling: throughput at saturation against cores, trial by trial.
#
#   awk -v bases='2014:engine.io-2014 today:engine.io' -v options='scheduling' -f student.awk -f interval.awk -f roles.awk \
#     -f trials-to-scaling.awk roles.tsv trials.tsv > scaling.tsv
#
# bases       era:engine, the engines that the others are held against; of an era the first that was measured at one unit
# roles.tsv   of spec-to-roles.js
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; the metric saturation_hz is read
# Output:     era, engine, workload, setting, line, trial, block, n_cores, units, throughput_hz, base, relative, own_relative
#
# n_cores counts processes that serve, as the thesis counts its "three, five, seven cores" (3.4): balancers, workers, stores,
# brokers; each has a core of its own. units is the n of a law of speed-up, which needs a value at 1: workers, or pairs of a
# balancer and a worker where there are balancers ("-" where they are not as many, or there is more than one store).
# line is the setting without the processes: the trials of a line differ in these alone (roles.awk).
# base is that of the same era. relative is to its mean at one unit, own_relative to the engine's own.
#
#   era   engine              workload   setting          line  trial  block  n_cores  units  throughput_hz  base            relative  own_relative
#   2014  socketcluster-2014  saturated  processes=2+2+1  -     b01-…  1      5        2      1840           engine.io-2014  0.96      1.92

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] { learn_role($column["engine"], $column["position"], $column["role"], $column["count"]); next }

$column["metric"] != "saturation_hz" { next }

{
  engine = $column["engine"]
  if (!read_mix(engine, $column["setting"])) next
  trials++
  era[trials] = $column["era"]; workload[trials] = $column["workload"]; own[trials] = engine OFS line
  label[trials] = $column["era"] OFS engine OFS $column["workload"] OFS $column["setting"] OFS line OFS $column["trial"] OFS $column["block"]
  cores[trials] = total_of(engine); units[trials] = count_units(); hz[trials] = $column["value"]
  if (units[trials] == 1) one_hz[own[trials], workload[trials], ++ones[own[trials], workload[trials]]] = $column["value"]
}

END {
  print "era", "engine", "workload", "setting", "line", "trial", "block", "n_cores", "units", "throughput_hz", "base", "relative", "own_relative"
  for (i = 1; i <= trials; i++) {
    base = base_of(era[i], workload[i])
    print label[i], cores[i], units[i], hz[i], base, ratio(hz[i], mean_of_one(base OFS "-", workload[i])), ratio(hz[i], mean_of_one(own[i], workload[i]))
  }
}

function count_units() {
  if (!("balancer" in count_of)) return count_of["worker"]
  return count_of["balancer"] == count_of["worker"] && count_of["store"] == 1 ? count_of["worker"] : "-"
}

# The first of the era's bases that a process of this workload stands for, or the last.
function base_of(era, workload,    n, i, named, pair, base) {
  n = split(bases, named, " ")
  for (i = 1; i <= n; i++) {
    split(named[i], pair, ":")
    if (pair[1] != era) continue
    base = pair[2]
    if ((base OFS "-", workload) in ones) return base
  }
  return base
}

function mean_of_one(own, workload,    i, n) {
  n = ones[own, workload]
  if (!n) return 0
  split("", values)
  for (i = 1; i <= n; i++) values[i] = one_hz[own, workload, i]
  find_interval(values, n)
  return mean
}

function ratio(value, to) { return to > 0 ? sprintf("%.6g", value / to) : "-" }
