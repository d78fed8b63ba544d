#!/usr/bin/awk -f
# packets-to-wire: the packets of a scripted exchange (clients/exchange) to bytes by step, direction and layer.
#
#   awk -f packets-to-wire.awk packets.tsv > wire
#
# packets.tsv  of fields-to-packets: a mark goes before the packets of each step
#
# Output, a line a step and direction. Sums of the captured are:
#   packets     Ethernet frames
#   segments    those that carry bytes of the stream
#   ethernet_b ip_b tcp_b   headers (Ethernet's of 14 bytes, without preamble, checksum and gap)
#   again_b     bytes of the stream that were sent again
#   stream_b    bytes of the stream, without those
#   http_b frames payload_b formula_b records   as packets.tsv has them
# and what follows of them:
#   websocket_b frame headers: what of the stream is neither HTTP nor payload; over TLS that holds TLS's own too, and this is formula_b
#   tls_b       what remains
#   wire_b      frames in all
#   segments_b  frames that carry bytes of the stream: what the source counts

BEGIN { FS = OFS = "\t"; count = split("packets segments ethernet_b ip_b tcp_b again_b stream_b http_b frames payload_b formula_b records segments_b wire_b", sums, " ") }

FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["mark"] != "-" { step = $column["mark"]; if (!(step in seen)) { seen[step]; order[++steps] = step } next }

step == "" { next } # before the first mark nothing is asked for

{
  direction = $column["direction"]
  secure[step] += $column["records"]
  add("packets", 1)
  add("ethernet_b", $column["frame_b"] - $column["ip_b"] - $column["tcp_b"] - $column["stream_b"])
  add("ip_b", $column["ip_b"]); add("tcp_b", $column["tcp_b"]); add("wire_b", $column["frame_b"])
  if ($column["stream_b"] > 0) { add("segments", 1); add("segments_b", $column["frame_b"]) }
  add($column["again"] ? "again_b" : "stream_b", $column["stream_b"])
  add("http_b", $column["http_b"]); add("frames", $column["frames"]); add("payload_b", $column["payload_b"])
  add("formula_b", $column["formula_b"]); add("records", $column["records"])
}

function add(name, value) { sum[step, direction, name] += value }

END {
  printf "step\tdirection"
  for (i = 1; i <= count; i++) printf "\t%s", sums[i]
  print "", "websocket_b", "tls_b"
  for (s = 1; s <= steps; s++) { put(order[s], "up"); put(order[s], "down") }
}

function put(step, direction,    rest, websocket_b, i) {
  printf "%s\t%s", step, direction
  for (i = 1; i <= count; i++) printf "\t%d", sum[step, direction, sums[i]]
  rest = sum[step, direction, "stream_b"] - sum[step, direction, "http_b"] - sum[step, direction, "payload_b"]
  websocket_b = secure[step] ? sum[step, direction, "formula_b"] : rest
  print "", websocket_b + 0, rest - websocket_b
}
