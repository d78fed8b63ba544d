#!/usr/bin/awk -f
# demand-to-mixes: for each mix of processes, the saturation that the demand of the roles predicts, beside the measured one.
#
#   awk -f student.awk -f interval.awk -f roles.awk -f demand-to-mixes.awk roles.tsv demand.tsv trials.tsv > mixes.tsv
#
# roles.tsv   of spec-to-roles.js
# demand.tsv  of trials-to-demand
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; saturation_hz and <role>_cpu_cores_mean are read
# Output:     era, engine, workload, line, setting, use, predicted_hz, bottleneck, n, measured_hz, low, high, error_pct, busiest
#
# A role of k processes, each with a share of a core, carries k * share / demand messages a second: the least of them is the
# prediction, and its role the bottleneck (the utilization law; P. J. Denning, J. P. Buzen, The operational analysis of
# queueing network models). use is "training" where the mix taught the demand, else "held-out". busiest is the role whose
# processes were the busiest, on average over the role, when the mix was measured. Lines (roles.awk) without a demand are left out.
#
#   era   engine              workload   line  setting          use       predicted_hz  bottleneck  n  measured_hz  low  high  error_pct  busiest
#   2014  socketcluster-2014  saturated  -     processes=2+1+1  held-out  920           worker      6  905          890  918   1.66       worker

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] { learn_role($column["engine"], $column["position"], $column["role"], $column["count"], $column["core_share"]); next }

FILENAME == ARGV[2] { group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["line"]; is_known[group]; demand_s[group, $column["role"]] = $column["mean"]; next }

role_count[$column["engine"]] < 2 || !read_mix($column["engine"], $column["setting"]) { next }

{
  group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS line
  mix = group OFS $column["setting"]
  value[mix, $column["metric"], ++count[mix, $column["metric"]]] = $column["value"]
}

$column["metric"] == "saturation_hz" && (group in is_known) && !(mix in group_of) {
  mixes[++mix_count] = mix
  group_of[mix] = group; engine_of[mix] = $column["engine"]; setting_of[mix] = $column["setting"]
}

END {
  print "era", "engine", "workload", "line", "setting", "use", "predicted_hz", "bottleneck", "n", "measured_hz", "low", "high", "error_pct", "busiest"
  for (i = 1; i <= mix_count; i++) report(mixes[i])
}

function report(mix,    engine, n, measured) {
  engine = engine_of[mix]
  read_mix(engine, setting_of[mix])
  predict(group_of[mix], engine)
  n = find_mean(mix, "saturation_hz")
  measured = mean
  interval = mean OFS low OFS high
  print mix, (is_training(engine) ? "training" : "held-out"), (predicted_hz > 0 ? sprintf("%.6g", predicted_hz) : "-"), bottleneck, \
    n, interval, (predicted_hz > 0 ? sprintf("%.4g", 100 * (predicted_hz - measured) / measured) : "-"), find_busiest(mix, engine)
}

# Set predicted_hz and bottleneck for the mix that was read last.
function predict(group, engine,    i, role, hz) {
  predicted_hz = 0; bottleneck = "-"
  for (i = 1; i <= role_count[engine]; i++) {
    role = role_of[engine, i]
    if (!(demand_s[group, role] > 0)) continue
    hz = count_of[role] * core_share[engine] / demand_s[group, role]
    if (bottleneck == "-" || hz < predicted_hz) { predicted_hz = hz; bottleneck = role }
  }
}

function find_busiest(mix, engine,    i, most, role) {
  role = "-"
  for (i = 1; i <= role_count[engine]; i++) {
    if (find_mean(mix, role_of[engine, i] "_cpu_cores_mean") && mean + 0 > most) { most = mean + 0; role = role_of[engine, i] }
  }
  return role
}

# Returns how many values there are; where there are some, mean, low and high are theirs.
function find_mean(mix, metric,    i) {
  split("", values)
  for (i = 1; i <= count[mix, metric]; i++) values[i] = value[mix, metric, i]
  if (count[mix, metric]) find_interval(values, count[mix, metric])
  return count[mix, metric] + 0
}
