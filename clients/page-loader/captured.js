/** The bytes that were captured while each page was loaded, beside those that the browser's device counted. */
import { group, max, median, min, sum } from 'd3-array';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{load: string, scenario: string, x: string, workflow: string, counted_b: string, frames_b: number,
 *   stream_b: number, packets: number}} Captured of what came from the server: by the device's counter, in Ethernet
 *   frames, and in these as the TCP stream, without what had come before
 */

export const CAPTURED_COLUMNS = ['load', 'scenario', 'x', 'workflow', 'counted_b', 'frames_b', 'stream_b', 'packets'];

/**
 * @param {Row[]} host its marks, by two clocks
 * @param {Row[]} loads each lies between called_ms and told_ms
 * @param {Row[]} packets
 * @returns {Captured[]}
 */
export function listCaptured(host, loads, packets) {
  const mark = host.findLast(({ wall_us }) => wall_us !== '-');
  const wall_ahead_us = Number(mark?.wall_us ?? 0) - Number(mark?.t_us ?? 0);
  const down = packets.filter(({ direction }) => direction === 'down');
  return loads.map(({ load, scenario, x, workflow, down_b, received_us, server_ahead_us, called_ms, told_ms }) => {
    const receipt_us = Number(received_us) - Number(server_ahead_us) + wall_ahead_us;
    const [from_us, to_us] = [called_ms, told_ms].map((ms) => receipt_us + 1000 * Number(ms));
    const own = down.filter(({ wall_us }) => Number(wall_us) >= from_us && Number(wall_us) <= to_us);
    return {
      load,
      scenario,
      x,
      workflow,
      counted_b: down_b,
      frames_b: sum(own, ({ frame_b }) => Number(frame_b)),
      stream_b: sum(own, ({ again, stream_b }) => (Number(again) === 0 ? Number(stream_b) : 0)),
      packets: own.length,
    };
  });
}

/**
 * @param {Captured[]} captured
 * @returns {[string, number][]} bytes per byte of file, between the least file and the largest, so that headers and
 *   scripts fall out
 */
export function captureMetrics(captured) {
  return [
    ...group(
      captured.filter(({ scenario }) => scenario === 'files'),
      ({ workflow }) => workflow,
    ),
  ].flatMap(([workflow, rows]) => {
    const [least, most] = [min, max].map((end) => Number(end(rows, ({ x }) => Number(x))));
    const perByte = (/** @type {'frames_b' | 'stream_b'} */ name) => {
      const at = (/** @type {number} */ x) =>
        Number(
          median(
            rows.filter((row) => Number(row.x) === x),
            (row) => row[name],
          ),
        );
      return (at(most) - at(least)) / (1024 * (most - least));
    };
    if (most === least) return [];
    return [
      [`captured_b_per_file_b_${workflow}`, perByte('frames_b')],
      [`captured_tcp_b_per_file_b_${workflow}`, perByte('stream_b')],
    ];
  });
}
