#!/usr/bin/awk -f
# points-to-stacks: the cost of each role of a point, one behind the other, as the parts of a bar.
#
#   awk -f points-to-stacks.awk points.tsv > stacks
#
# points.tsv  era, engine, workload, setting, metric, n, mean, low, high; those that are <role>_cpu_s_per_1k are read
# Output:     engine, workload, setting, side, role, from, to; in the order of the list below, then any other role
#
# The parts are means over the trials, each role by itself: their sum can differ a little from the mean of the sum.
# What server_cpu_s_per_1k and client_cpu_s_per_1k count is what is stacked: the client's recorder is not among it.
#
#   engine              workload  setting  side    role      from   to
#   socketcluster-2014  listed    -        server  balancer  0      0.327
#   socketcluster-2014  listed    -        server  worker    0.327  0.726

BEGIN {
  FS = OFS = "\t"
  role_count = split("balancer worker store broker master", roles, " ")
  for (i = 1; i <= role_count; i++) known[roles[i]] = 1
  known["server"] = known["client"] = known["recorder"] = 1
  print "engine", "workload", "setting", "side", "role", "from", "to"
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["metric"] !~ /_cpu_s_per_1k$/ { next }

{
  role = $column["metric"]
  sub(/_cpu_s_per_1k$/, "", role)
  if (!(role in known)) { known[role] = 1; roles[++role_count] = role }
  point = $column["engine"] OFS $column["workload"] OFS $column["setting"]
  if (!(point in listed)) { listed[point] = 1; points[++point_count] = point }
  cost_s[point, role] = $column["mean"]
}

END {
  for (i = 1; i <= point_count; i++) {
    from_s = 0
    for (j = 1; j <= role_count; j++) from_s = put(points[i], "server", roles[j], from_s)
    put(points[i], "client", "client", 0)
  }
}

# Prints the part, if the point has it, and returns where it ends.
function put(point, side, role, from_s) {
  if (!((point, role) in cost_s)) return from_s
  print point, side, role, sprintf("%.6g", from_s), sprintf("%.6g", from_s + cost_s[point, role])
  return from_s + cost_s[point, role]
}
