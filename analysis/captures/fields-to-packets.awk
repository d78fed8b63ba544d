#!/usr/bin/awk -f
# fields-to-packets: tshark's fields of each packet to lengths, a line a packet.
#
#   tshark -T fields -E header=y -e frame.len ... | awk -v port=20000 -f fields-to-packets.awk > packets.tsv
#
# port  of the server; what goes there goes up
#
# Output, a `-` where there is nothing:
#   packet     from 1
#   direction  up or down
#   mark       a datagram by which the client says what comes next (clients/exchange): its text. It is no traffic of the protocol
#   frame_b    the Ethernet frame, without its checksum
#   ip_b tcp_b headers, with their options
#   stream_b   what it carries of the TCP stream
#   again      1: it carries what others have carried before. By sequence numbers: what only overtook another is new, and tshark's own
#              mark (tcp.analysis.retransmission) takes some of these for repeats
#   records    TLS records that end in it
#   http_b     bytes of the HTTP message that ends in it, a head without a body
#   frames     WebSocket frames that end in it (RFC 6455, section 5.2)
#   payload_b  their payloads, as on the wire
#   formula_b  what their headers are by section 5.2: 2, and 2 or 8 for a longer length, and 4 for a mask
#   wall_us    when it passed, µs since 1970
#   data_frames  those of the frames that are no control frames (section 5.5)
#   uri        of the HTTP request that ends in it

BEGIN { FS = OFS = "\t"; print "packet", "direction", "mark", "frame_b", "ip_b", "tcp_b", "stream_b", "again", "records", "http_b", "frames", "payload_b", "formula_b", "wall_us", "data_frames", "uri" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  packet = NR - 1
  if (get("udp.payload") != "") { print packet, "up", from_hex(get("udp.payload")), "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", wall_us(), "-", "-"; next }
  read_frames()
  print packet, get("tcp.dstport") == port ? "up" : "down", "-", get("frame.len"), get("ip.hdr_len"), get("tcp.hdr_len"), get("tcp.len"), \
    again(get("tcp.stream") " " get("tcp.dstport"), get("tcp.seq"), get("tcp.len")), count(get("tls.record.length")), http_b("request") + http_b("response"), frames, payload_b, formula_b, wall_us(), data_frames, get("http.request.method") == "" ? "-" : get("http.request.uri") # a later tshark names it in the response, too
}

function get(name) { return $column[name] }

# Of each way of each connection: came, how far the stream came without a gap (relative numbers, from 1); beyond, where what lies after a gap
# ends, by where it begins.
function again(way, from_b, length_b,    to_b) {
  from_b += 0; to_b = from_b + length_b
  if (to_b == from_b) return 0
  if (!(way in came)) came[way] = 1
  if (to_b <= came[way] || beyond[way, from_b] >= to_b) return 1
  if (from_b > came[way]) { beyond[way, from_b] = to_b; return 0 }
  came[way] = to_b
  while ((way, came[way]) in beyond) { to_b = beyond[way, came[way]]; delete beyond[way, came[way]]; came[way] = to_b }
  return 0
}

function wall_us(    part) {
  split(get("frame.time_epoch"), part, ".")
  return sprintf("%d%s", part[1], substr(part[2] "000000", 1, 6)) # as text: not every awk counts so far
}
function count(list) { return list == "" ? 0 : split(list, cells, ",") }

# A length of 126 or 127 says that the real one follows, in 16 or 64 bits.
function read_frames(    i, length_b, short, long, masks, at16, at64) {
  frames = split(get("websocket.payload_length"), short_of, ",")
  split(get("websocket.payload_length_ext_16"), ext16, ","); split(get("websocket.payload_length_ext_64"), ext64, ",")
  split(get("websocket.mask"), mask, ","); split(get("websocket.opcode"), opcode, ",")
  payload_b = formula_b = data_frames = 0
  for (i = 1; i <= frames; i++) {
    length_b = short_of[i] == 126 ? ext16[++at16] : short_of[i] == 127 ? ext64[++at64] : short_of[i]
    payload_b += length_b
    data_frames += opcode[i] < 8
    formula_b += 2 + (length_b > 65535 ? 8 : length_b > 125 ? 2 : 0) + (mask[i] == 1 || mask[i] == "True" ? 4 : 0)
  }
}

# Its lines come joined by commas, each with its end as the four characters \r\n; the first line and the empty one come apart.
function http_b(kind,    lines, ends) {
  lines = get("http." kind ".line")
  if (lines == "") return 0
  ends = gsub(/\\r\\n/, "", lines)
  return length(lines) - (ends - 1) + 2 * ends + first_b(kind) + 4
}
function first_b(kind) {
  if (kind == "request") return length(get("http.request.method") get("http.request.uri") get("http.request.version")) + 2
  return length(get("http.response.version") get("http.response.code") get("http.response.phrase")) + 2
}

function from_hex(hex,    text, i) {
  gsub(/:/, "", hex)
  for (i = 1; i < length(hex); i += 2) text = text sprintf("%c", 16 * digit(substr(hex, i, 1)) + digit(substr(hex, i + 1, 1)))
  return text
}
function digit(c) { return index("0123456789abcdef", c) - 1 }
