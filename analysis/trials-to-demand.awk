#!/usr/bin/awk -f
# trials-to-demand: the CPU that a message takes from each role, from the training half of the mixes.
#
#   awk -f student.awk -f interval.awk -f roles.awk -f trials-to-demand.awk roles.tsv trials.tsv > demand.tsv
#
# roles.tsv   of spec-to-roles.js
# trials.tsv  trial, block, era, engine, workload, setting, metric, value; <role>_cpu_s_per_1k and <role>_cpu_cores are read,
#             under workloads where saturation was searched
# Output:     era, engine, workload, line, role, n, mean, low, high, per_worker, left_out; in CPU s a message, over the trials
#             of all training mixes; per_worker is the ratio of processes that the thesis asks for (3.4): how many of the
#             role are as busy as one worker. Only engines of more than one role, and lines of theirs (roles.awk) that leave a
#             mix to test it on.
#
# A trial in which more than one role has a process that used up its core is left out, and left_out counts such trials: what
# is used up there is the same for each role, so that its ratios would be those of the cores, not of the work.
#
#   era   engine              workload   line           role      n   mean      low       high      per_worker  left_out
#   2014  socketcluster-2014  saturated  scheduling=rr  balancer  48  0.000310  0.000295  0.000322  0.81        0

BEGIN { FS = OFS = "\t"; used_up = 0.97 }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] { learn_role($column["engine"], $column["position"], $column["role"], $column["count"], $column["core_share"]); next }

role_count[$column["engine"]] < 2 || !read_mix($column["engine"], $column["setting"]) { next }

{ group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS line }

$column["metric"] == "saturation_hz" && !(group in engine_of) { engine_of[group] = $column["engine"]; groups[++group_count] = group }

$column["metric"] == "saturation_hz" && !is_training($column["engine"]) { is_tested[group] }

!is_training($column["engine"]) { next }

{ role = $column["metric"] }

sub(/_cpu_s_per_1k$/, "", role) && (role in count_of) {
  rows++
  group_at[rows] = group; trial_at[rows] = $column["trial"]; role_at[rows] = role; cost_s[rows] = $column["value"] / 1000
}

sub(/_cpu_cores$/, "", role) && (role in count_of) && $column["value"] > used_up * core_share[$column["engine"]] {
  if (++full[$column["trial"]] == 2) left_out[group]++
}

END {
  for (i = 1; i <= rows; i++)
    if (full[trial_at[i]] < 2) value[group_at[i], role_at[i], ++count[group_at[i], role_at[i]]] = cost_s[i]
  print "era", "engine", "workload", "line", "role", "n", "mean", "low", "high", "per_worker", "left_out"
  for (g = 1; g <= group_count; g++)
    for (i = 1; (groups[g] in is_tested) && i <= role_count[engine_of[groups[g]]]; i++) put(groups[g], role_of[engine_of[groups[g]], i])
}

function put(group, role,    n, worker_s, cost) {
  n = count[group, role] + 0
  if (!n) { print group, role, n, "-", "-", "-", "-", left_out[group] + 0; return }
  worker_s = count[group, "worker"] ? mean_of(group, "worker") : 0
  cost = mean_of(group, role)
  print group, role, n, mean, low, high, (worker_s > 0 ? sprintf("%.4g", cost / worker_s) : "-"), left_out[group] + 0
}

function mean_of(group, role,    i) {
  split("", values)
  for (i = 1; i <= count[group, role]; i++) values[i] = value[group, role, i]
  find_interval(values, count[group, role])
  return mean
}
