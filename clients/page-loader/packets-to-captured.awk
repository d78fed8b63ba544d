#!/usr/bin/awk -f
# packets-to-captured: the bytes that were captured while each page was loaded, beside those that the browser's device counted.
#
#   awk -f packets-to-captured.awk host.tsv loads.tsv packets.tsv > captured.tsv
#
# host.tsv     mark, t_us, wall_us: the clock of the machine's marks, and what a clock on the wall said
# loads.tsv    README.md; a load lies between called_ms and told_ms
# packets.tsv  of fields-to-packets, in the order of time
# Output:      load, scenario, x, workflow, counted_b, frames_b, stream_b, packets: of what came from the server by the device's counter,
#              in Ethernet frames, and in these as the TCP stream, without what had come before; "-" where nothing was counted
#
#   load  scenario  x     workflow   counted_b  frames_b  stream_b  packets
#   3     files     1024  websocket  1122312    1122312   1073400   741

BEGIN { FS = OFS = "\t"; print "load", "scenario", "x", "workflow", "counted_b", "frames_b", "stream_b", "packets" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 { if ($column["wall_us"] != "-") wall_ahead_us = $column["wall_us"] - $column["t_us"]; next }

file == 2 {
  receipt_us = $column["received_us"] - $column["server_ahead_us"] + wall_ahead_us
  count++
  from_us[count] = receipt_us + 1000 * $column["called_ms"]; to_us[count] = receipt_us + 1000 * $column["told_ms"]
  name[count] = $column["load"] OFS $column["scenario"] OFS $column["x"] OFS $column["workflow"] OFS $column["down_b"]
  frames_b[count] = stream_b[count] = packets[count] = 0
  next
}

$column["direction"] == "down" {
  while (at < count && $column["wall_us"] > to_us[at]) at++
  if (at < 1 || $column["wall_us"] < from_us[at] || $column["wall_us"] > to_us[at]) next
  frames_b[at] += $column["frame_b"]; packets[at]++
  if ($column["again"] == 0) stream_b[at] += $column["stream_b"]
}

END { for (i = 1; i <= count; i++) print name[i], frames_b[i], stream_b[i], packets[i] }
