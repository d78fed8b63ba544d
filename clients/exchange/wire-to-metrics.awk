#!/usr/bin/awk -f
# wire-to-metrics: of the steps of an exchange, the numbers that claims are made of.
#
#   awk -v setting=deflate=on,tls=1.3 -f wire-to-metrics.awk wire > metrics
#
# setting  of the point
# wire     of packets-to-wire
#
# Output: metric, value.
#   handshake_up_b handshake_down_b  the opening handshake: request, response
#   header_up_b_N header_down_b_N    header of the frame that carries a binary message of N bytes, where it is one frame
#   frame_excess_b                   without TLS and compression, over all that was sent: bytes of the stream beside the payload against what RFC
#                                    6455, section 5.2 makes of each frame; payload against what was sent; the handshake against its HTTP. 0: equal
#                                    to the byte
#   tls_record_b                     over TLS: what a record adds to a message that is sent by itself
#   fragments_max                    most frames that one message came in
#   single_up_b single_down_b corked_ batched_    the group: Ethernet frames that carry bytes of the stream, in all
#   single_up_segments ...           how many they are
#   single_up_overhead_b ...         what of them is not payload

BEGIN { FS = OFS = "\t"; print "metric", "value" }

FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{ step = $column["step"]; direction = $column["direction"] }

step == "handshake" { print "handshake_" direction "_b", $column["http_b"]; excess_b += distance($column["websocket_b"], 0); next }

step ~ /^(heartbeat|close)$/ { excess_b += distance($column["websocket_b"], $column["formula_b"]); next }

step ~ /^(single|corked|batched)$/ {
  print step "_" direction "_b", $column["segments_b"]
  print step "_" direction "_segments", $column["segments"]
  if (step == "single" && direction == "up" && $column["records"] > 0) print "tls_record_b", $column["tls_b"] / $column["records"]
  print step "_" direction "_overhead_b", $column["segments_b"] - $column["payload_b"]
  next
}

step ~ /^(text|binary)-[0-9]+$/ {
  size_b = substr(step, index(step, "-") + 1)
  if (step ~ /^binary/ && $column["frames"] == 1) print "header_" direction "_b_" size_b, $column["websocket_b"]
  if ($column["frames"] > fragments_max) fragments_max = $column["frames"]
  excess_b += distance($column["websocket_b"], $column["formula_b"]) + distance($column["payload_b"], size_b)
}

function distance(a, b) { return a > b ? a - b : b - a }

END {
  print "fragments_max", fragments_max
  if (setting !~ /deflate=on|tls=[^n]/) print "frame_excess_b", excess_b
}
