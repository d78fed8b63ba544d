/**
 * The packets of a scripted exchange to bytes by step, direction and layer. Of each:
 *
 *   packets     Ethernet frames; segments: those that carry bytes of the stream
 *   ethernet_b ip_b tcp_b   headers (Ethernet's of 14 bytes, without preamble, checksum and gap)
 *   again_b     bytes of the stream that were sent again; stream_b: bytes of the stream, without those
 *   http_b frames payload_b formula_b records   as packets.tsv has them
 *   segments_b  frames that carry bytes of the stream: what the source counts; wire_b: frames in all
 * websocket_b frame headers: what of the stream is neither HTTP nor payload; over TLS that holds TLS's own too, and
 * this is formula_b
 *   tls_b       what remains
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
 * @param {Row[]} packets with a mark before those of each step; before the first nothing is asked for
 * @returns {Step[]} a row a step and direction
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
