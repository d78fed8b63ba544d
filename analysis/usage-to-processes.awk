#!/usr/bin/awk -f
# usage-to-processes: what each server process used and held in the window, for figures of how evenly a role is loaded.
#
#   awk -f usage-to-processes.awk usage > processes
#
# usage    of accounts-to-usage
# Output:  side, role, index, cpu_cores, descriptors, rss_kb
#
#   side    role      index  cpu_cores  descriptors  rss_kb
#   server  balancer  1      0.1875     320          30720

BEGIN { FS = OFS = "\t"; print "side", "role", "index", "cpu_cores", "descriptors", "rss_kb" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["phase"] == "window" && $column["side"] == "server" {
  print $column["side"], $column["role"], $column["index"], sprintf("%.6g", $column["cpu_s"] / $column["seconds"]), $column["descriptors"], $column["rss_kb"]
}
