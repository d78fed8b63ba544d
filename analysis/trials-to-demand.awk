#!/usr/bin/awk -f
# trials-to-demand: the CPU that a message takes from each role near saturation, from the training half of the mixes.
#
#   awk -f median.awk -f roles.awk -f trials-to-demand.awk roles.tsv trials.tsv > demand.tsv
#
# roles.tsv   of spec-to-roles.js
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; <role>_cpu_s_per_1k are read, under workloads
#             where saturation was searched
# Output:     era, engine, workload, line, role, n, median, low, high, per_worker; in CPU s a message, over the trials of all
#             training mixes; per_worker is the ratio of processes that the thesis asks for (3.4): how many of the role
#             are as busy as one worker. Only engines of more than one role, and lines of theirs (roles.awk) that leave a mix
#             to test it on.
#
#   era   engine              workload   line           role      n   median    low       high      per_worker
#   2014  socketcluster-2014  saturated  scheduling=rr  balancer  48  0.000310  0.000295  0.000322  0.81

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] { learn_role($column["engine"], $column["position"], $column["role"], $column["count"], $column["core_share"]); next }

role_count[$column["engine"]] < 2 || !read_mix($column["engine"], $column["setting"]) { next }

{ group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS line }

$column["metric"] == "saturation_hz" && !(group in engine_of) { engine_of[group] = $column["engine"]; groups[++group_count] = group }

$column["metric"] == "saturation_hz" && !is_training($column["engine"]) { is_tested[group] }

$column["metric"] ~ /_cpu_s_per_1k$/ && is_training($column["engine"]) {
  role = $column["metric"]
  sub(/_cpu_s_per_1k$/, "", role)
  if (role in count_of) value[group, role, ++count[group, role]] = $column["value"] / 1000
}

END {
  print "era", "engine", "workload", "line", "role", "n", "median", "low", "high", "per_worker"
  for (g = 1; g <= group_count; g++)
    for (i = 1; (groups[g] in is_tested) && i <= role_count[engine_of[groups[g]]]; i++) put(groups[g], role_of[engine_of[groups[g]], i])
}

function put(group, role,    worker_s) {
  if (!count[group, role]) return
  sort_values(group, "worker")
  worker_s = median_of(sorted, count[group, "worker"])
  sort_values(group, role)
  print group, role, count[group, role], median_interval(sorted, count[group, role]), (worker_s > 0 ? sprintf("%.4g", median_of(sorted, count[group, role]) / worker_s) : "-")
}

function sort_values(group, role,    i) {
  split("", sorted)
  for (i = 1; i <= count[group, role]; i++) sorted[i] = value[group, role, i]
  sort_numbers(sorted, count[group, role])
}
