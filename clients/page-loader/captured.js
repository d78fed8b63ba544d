/** Bytes and transmissions captured during each page load, to compare with the byte counters of the browser's device. */
import { group, max, median, min, sum } from 'd3-array';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{load: string, scenario: string, x: string, workflow: string, counted_b: string, frames_b: number,
 *   stream_b: number, packets: number, transmissions: number}} Captured bytes from the server: `counted_b` by the
 *   device's counter, `frames_b` in Ethernet frames, `stream_b` in the TCP stream without retransmissions.
 *   `transmissions` in both directions: requests and responses except for scripts and the favicon, and data frames of a
 *   WebSocket
 */

export const CAPTURED_COLUMNS = ['load', 'scenario', 'x', 'workflow', 'counted_b', 'frames_b', 'stream_b', 'packets', 'transmissions'];

const SCRIPT = /\.js(\?|$)|^\/favicon/;
/** Transmissions for n pieces of data according to the source (its claim H8). @type {Record<string, (n: number) => number>} */
const PREDICTED = { ajax: (n) => 2 * n + 2, stream: (n) => n + 4 };

/** Subtracts 2 per script: its response has arrived once the page is complete. @param {Row[]} packets both ways @returns {number} */
function countTransmissions(packets) {
  const scripts = packets.filter(({ uri }) => SCRIPT.test(uri)).length;
  return sum(packets, ({ http_b, data_frames }) => Number(http_b > '0') + Number(data_frames)) - 2 * scripts;
}

/**
 * @param {Row[]} host its marks, on two clocks
 * @param {Row[]} loads each lasts from called_ms to told_ms
 * @param {Row[]} packets
 * @returns {Captured[]}
 */
export function listCaptured(host, loads, packets) {
  const mark = host.findLast(({ wall_us }) => wall_us !== '-');
  const wall_ahead_us = Number(mark?.wall_us ?? 0) - Number(mark?.t_us ?? 0);
  return loads.map(({ load, scenario, x, workflow, down_b, received_us, server_ahead_us, called_ms, told_ms }) => {
    const receipt_us = Number(received_us) - Number(server_ahead_us) + wall_ahead_us;
    const [from_us, to_us] = [called_ms, told_ms].map((ms) => receipt_us + 1000 * Number(ms));
    const all = packets.filter(({ wall_us }) => Number(wall_us) >= from_us && Number(wall_us) <= to_us);
    const own = all.filter(({ direction }) => direction === 'down');
    return {
      load,
      scenario,
      x,
      workflow,
      counted_b: down_b,
      frames_b: sum(own, ({ frame_b }) => Number(frame_b)),
      stream_b: sum(own, ({ again, stream_b }) => (Number(again) === 0 ? Number(stream_b) : 0)),
      packets: own.length,
      transmissions: countTransmissions(all),
    };
  });
}

/** @param {Captured[]} captured @returns {[string, number][]} */
export const captureMetrics = (captured) => [...listInflation(captured), ...listExcess(captured)];

/**
 * @param {Captured[]} captured
 * @returns {[string, number][]} largest difference between a page's transmissions and the source's prediction, over the n
 *   of the series
 */
function listExcess(captured) {
  const series = captured.filter(({ scenario, workflow }) => scenario === 'series' && workflow in PREDICTED);
  return [...group(series, ({ workflow }) => workflow)].map(([workflow, rows]) => {
    const offs = rows.map(({ x, transmissions }) => Math.abs(transmissions - PREDICTED[workflow](Number(x))));
    return [`transmissions_off_${workflow}_series`, Math.max(...offs)];
  });
}

/**
 * @param {Captured[]} captured
 * @returns {[string, number][]} bytes per byte of file, from the difference between the largest and the smallest file.
 *   Headers and scripts cancel out
 */
function listInflation(captured) {
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
