/**
 * Sums the packets of a scripted exchange by step and direction. Columns:
 *
 *   packets     Ethernet frames; segments: frames with bytes of the TCP stream
 *   ethernet_b ip_b tcp_b   headers (Ethernet's 14 bytes, without preamble, checksum and gap)
 *   again_b     retransmitted bytes of the stream; stream_b: bytes of the stream without retransmissions
 *   http_b frames payload_b formula_b records   as in packets.tsv
 *   segments_b  bytes of the segments, headers included, as the thesis counts them; wire_b: bytes of all frames
 *   websocket_b headers of WebSocket frames: stream_b less HTTP and payload; over TLS, formula_b
 *   tls_b       the rest of stream_b
 */
import { group, sum } from 'd3-array';

/** @typedef {Record<string, string>} Row */
/** @typedef {{step: string, direction: string} & Record<string, any>} Step */

export const SUMS = [
  'packets',
  'segments',
  'ethernet_b',
  'ip_b',
  'tcp_b',
  'again_b',
  'stream_b',
  'http_b',
  'frames',
  'payload_b',
  'formula_b',
  'records',
  'segments_b',
  'wire_b',
];
const AS_THEY_ARE = ['ip_b', 'tcp_b', 'http_b', 'frames', 'payload_b', 'formula_b', 'records'];

/** @param {Row} packet @returns {Record<string, number>} */
function measure(packet) {
  const of = (/** @type {string} */ column) => Number(packet[column]);
  const [stream_b, isCarrier] = [of('stream_b'), of('stream_b') > 0];
  return {
    packets: 1,
    ethernet_b: of('frame_b') - of('ip_b') - of('tcp_b') - stream_b,
    wire_b: of('frame_b'),
    segments: isCarrier ? 1 : 0,
    segments_b: isCarrier ? of('frame_b') : 0,
    again_b: of('again') ? stream_b : 0,
    stream_b: of('again') ? 0 : stream_b,
    ...Object.fromEntries(AS_THEY_ARE.map((column) => [column, of(column)])),
  };
}

/**
 * @param {Row[]} packets with a mark before each step; packets before the first mark are ignored
 * @returns {Step[]} one row per step and direction
 */
export function sumPackets(packets) {
  let step = '';
  const marked = packets.flatMap((packet) => {
    if (packet.mark !== '-') step = packet.mark;
    return packet.mark === '-' && step ? [{ step, direction: packet.direction, ...measure(packet) }] : [];
  });
  const steps = [...new Set(packets.map(({ mark }) => mark).filter((mark) => mark !== '-'))];
  const byStep = group(
    marked,
    (row) => row.step,
    (row) => row.direction,
  );
  return steps.flatMap((name) => {
    const isSecure = sum([...(byStep.get(name)?.values() ?? [])].flat(), (row) => Number(Reflect.get(row, 'records'))) > 0;
    return ['up', 'down'].map((direction) => {
      const rows = byStep.get(name)?.get(direction) ?? [];
      const sums = Object.fromEntries(SUMS.map((column) => [column, sum(rows, (row) => Number(Reflect.get(row, column)))]));
      const rest = sums.stream_b - sums.http_b - sums.payload_b;
      const websocket_b = isSecure ? sums.formula_b : rest;
      return { step: name, direction, ...sums, websocket_b, tls_b: rest - websocket_b };
    });
  });
}
