#!/usr/bin/env bash
# pcap-to-packets: what was captured on the wire, a line a packet; the capture itself is compressed.
#
#   analysis/captures/pcap-to-packets.sh FOLDER PORT
#
# FOLDER has packets.pcap of tcpdump and, where TLS was spoken, keys.log (the client's NSS key log); PORT is the server's. Writes
# packets.tsv (fields-to-packets.awk) and packets.pcap.gz, and removes packets.pcap.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: pcap-to-packets.sh FOLDER PORT}
port=${2:?usage: pcap-to-packets.sh FOLDER PORT}
pcap="$folder/packets.pcap"
# Packets of one connection can overtake each other where two cores carry them
dissect=(-o tcp.reassemble_out_of_order:TRUE -d "tcp.port==$port,http")
if [ -s "$folder/keys.log" ]; then
  dissect+=(-o "tls.keylog_file:$folder/keys.log" -d "tcp.port==$port,tls" -d "tls.port==$port,http")
fi
fields=()
for field in frame.len frame.time_epoch ip.hdr_len tcp.hdr_len tcp.len tcp.dstport tcp.stream tcp.seq udp.payload tls.record.length \
  http.request.line http.request.method http.request.uri http.request.version \
  http.response.line http.response.version http.response.code http.response.phrase \
  websocket.opcode websocket.mask websocket.payload_length websocket.payload_length_ext_16 websocket.payload_length_ext_64; do
  fields+=(-e "$field")
done
trap 'rm -f "$folder"/*.partial' EXIT
tshark -r "$pcap" "${dissect[@]}" -T fields -E header=y "${fields[@]}" > "$folder/fields.partial"
awk -v port="$port" -f "$here/fields-to-packets.awk" "$folder/fields.partial" > "$folder/packets.partial"
gzip -1 -c "$pcap" > "$folder/gz.partial"
mv "$folder/packets.partial" "$folder/packets.tsv"
mv "$folder/gz.partial" "$pcap.gz"
rm "$pcap"
