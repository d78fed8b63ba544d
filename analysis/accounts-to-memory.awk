#!/usr/bin/awk -f
# accounts-to-memory: bytes that an idle connection takes, of the server's processes and of the kernel.
#
#   awk -f accounts-to-memory.awk accounts.tsv host.tsv intervals.tsv > metrics
#
# accounts.tsv   mark, pid, side, rss_kb, ...
# host.tsv       mark, kernel_kb, ...: the kernel's memory of all the machine; without the column (old captures) there is nothing to tell
# intervals.tsv  of the client: t_s, connected, due, ... a line a second; where any message fell due there is nothing to tell
#
# Output: metric, value. What was added since the mark `start` until the window's end, over the connections:
# server_b_per_idle_connection by the server's processes (resident), kernel_b_per_idle_connection by the kernel, and the sum of the two,
# memory_b_per_idle_connection. Where the load's processes are on the same machine, as here, the kernel holds both ends of a
# connection, alike but for what their owners set: a half is the server's. A client of another host is "host:pid".
#
#   metric                        value
#   server_b_per_idle_connection  8120

BEGIN { FS = OFS = "\t"; print "metric", "value" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file == 2 && !("kernel_kb" in column)) exit; next }

file == 1 {
  if ($column["side"] == "client" && $column["pid"] !~ /:/) has_client = 1
  if ($column["side"] != "server") next
  if ($column["mark"] == "start") server_kb -= $column["rss_kb"]
  if ($column["mark"] == "window_end") server_kb += $column["rss_kb"]
  next
}

file == 2 {
  if ($column["mark"] == "start") kernel_kb -= $column["kernel_kb"]
  if ($column["mark"] == "window_end") { kernel_kb += $column["kernel_kb"]; is_told = $column["kernel_kb"] > 0 }
  next
}

{ due += $column["due"]; connected = $column["connected"] > connected ? $column["connected"] : connected }

END {
  if (!is_told || due > 0 || connected == 0) exit
  kernel_b = 1024 * kernel_kb / (has_client ? 2 : 1) / connected
  server_b = 1024 * server_kb / connected
  print "server_b_per_idle_connection", sprintf("%.6g", server_b)
  print "kernel_b_per_idle_connection", sprintf("%.6g", kernel_b)
  print "memory_b_per_idle_connection", sprintf("%.6g", server_b + kernel_b)
}
