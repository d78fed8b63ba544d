#!/usr/bin/awk -f
# processes-to-cv: how much the processes of a role differ in CPU, trial by trial: standard deviation over mean.
#
#   awk -v role=balancer -f processes-to-cv.awk processes.tsv > trials
#
# processes.tsv  trial, block, era, engine, workload, setting, side, role, index, cpu_cores, ...: each server process of each trial
# role           whose processes
# Output:        trial, block, era, engine, workload, setting, metric, value; the metric is <role>_cpu_cv
#
# The ratio of the busiest to the idlest is of two processes out of all; this is of all of them, and its spread from trial to trial
# is smaller. Loads spread evenly from one to twice as much have 1 / (3 sqrt(3)) = 0.19.
#
#   trial  block  era   engine              workload   setting              metric           value
#   b01-…  1      2014  socketcluster-2014  described  processes=9+21+1,…   balancer_cpu_cv  0.12

BEGIN { FS = OFS = "\t"; print "trial", "block", "era", "engine", "workload", "setting", "metric", "value" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["side"] == "server" && $column["role"] == role {
  trial = $column["trial"] OFS $column["block"] OFS $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"]
  if (!(trial in n)) order[++trials] = trial
  n[trial]++
  sum[trial] += $column["cpu_cores"]
  squares[trial] += $column["cpu_cores"] ^ 2
}

END {
  for (i = 1; i <= trials; i++) {
    trial = order[i]
    mean = sum[trial] / n[trial]
    variance = squares[trial] / n[trial] - mean ^ 2
    if (n[trial] > 1 && mean > 0) print trial, role "_cpu_cv", sprintf("%.6g", (variance > 0 ? sqrt(variance) : 0) / mean)
  }
}
