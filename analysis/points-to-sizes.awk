#!/usr/bin/awk -f
# points-to-sizes: by how many per cent a message costs the server more when its size grows by one, between neighbouring sizes.
#
#   awk -f points-to-sizes.awk points.tsv > steps.tsv
#
# points.tsv  era, engine, workload, setting, metric, n, median, low, high; server_cpu_s_per_1k is read
# Output:     era, engine, workload, setting, from_b, to_b, elasticity: log(cost at to_b / cost at from_b) / log(to_b / from_b); setting
#             is what the points have beside the size
#
# An exponent over a wide range is a mean: these say where it is small and where it is near 1.
#
#   era   engine              workload   setting                              from_b  to_b    elasticity
#   2014  socketcluster-2014  described  client_processes=2,period_ms=4000  1000    500000  0.63

BEGIN { FS = OFS = "\t"; print "era", "engine", "workload", "setting", "from_b", "to_b", "elasticity" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["metric"] == "server_cpu_s_per_1k" && $column["mean"] > 0 && read_size($column["setting"]) {
  line = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS rest
  if (!(line in sizes)) order[++lines] = line
  insert(line, size, $column["mean"])
}

END {
  for (i = 1; i <= lines; i++) for (j = 2; j <= sizes[order[i]]; j++) {
    line = order[i]
    print line, size_of[line, j - 1], size_of[line, j], sprintf("%.4f", log(cost_of[line, j] / cost_of[line, j - 1]) / log(size_of[line, j] / size_of[line, j - 1]))
  }
}

# Fill size with payload_b and rest with the other pairs of the setting. False where there is no size.
function read_size(setting,    n, pairs, i) {
  size = 0; rest = ""
  n = split(setting, pairs, ",")
  for (i = 1; i <= n; i++) {
    if (pairs[i] ~ /^payload_b=/) size = substr(pairs[i], 11) + 0
    else rest = rest (rest == "" ? "" : ",") pairs[i]
  }
  if (rest == "") rest = "-"
  return size > 0
}

# Keep the sizes of a line in ascending order.
function insert(line, size, cost,    j) {
  for (j = ++sizes[line]; j > 1 && size_of[line, j - 1] > size; j--) { size_of[line, j] = size_of[line, j - 1]; cost_of[line, j] = cost_of[line, j - 1] }
  size_of[line, j] = size; cost_of[line, j] = cost
}
