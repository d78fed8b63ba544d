/** The clients' measurements for each second of a ramp, and their quartiles over trials. */
import { group, quantile } from 'd3-array';
import { join } from 'node:path';
import { isEnoughFor, mergeLog } from '../../analysis/captures/latency.js';
import { cellOf } from '../../analysis/digits.js';
import { POINT, nameOfPoint } from '../../analysis/points/points.js';
import { readTsv } from '../../harness/common/files.js';

/** @typedef {Record<string, string>} Row */

const LABELS = ['trial', 'block', ...POINT];
const PERCENTILES = [50, 99];
export const SECOND_COLUMNS = [...LABELS, 't_s', 'connected', 'due', 'received', ...PERCENTILES.map((p) => `latency_p${p}_ms`)];
const QUARTILES = { '': 0.5, _least: 0.25, _most: 0.75 };
export const MEDIAN_COLUMNS = [
  ...POINT, 't_s', 'n', 'connected', ...['received', 'latency_p50_ms'].flatMap((name) => Object.keys(QUARTILES).map((end) => `${name}${end}`)),
];

/**
 * @param {Row} planned @param {string} raw the trial's captures
 * @returns {Record<string, string | number>[]} latencies belong to the second in which a message was due; a percentile is
 *   "-" with fewer than 10 samples beyond it
 */
export function listSeconds(planned, raw) {
  const logs = mergeLog(join(raw, 'client/latency.hlog'), (second) => second);
  return readTsv(join(raw, 'client/intervals.tsv')).filter(({ t_s }) => Number(t_s) < Number(planned.to_s)).map((row) => {
    const own = logs.get(Number(row.t_s));
    const latencyAt = (/** @type {number} */ p) => (own && isEnoughFor(own.totalCount, p) ? own.getValueAtPercentile(p) / 1000 : '-');
    return { ...planned, ...row, ...Object.fromEntries(PERCENTILES.map((p) => [`latency_p${p}_ms`, latencyAt(p)])) };
  });
}

/**
 * @param {Row[]} seconds of seconds.tsv
 * @returns {Record<string, string | number>[]} median and quartiles over trials for each second (type 7 of R. J. Hyndman and
 *   Y. Fan, Sample Quantiles in Statistical Packages, 1996). A trial without answers in a second has no latency there; "-" if
 *   no trial has one
 */
export function computeMedians(seconds) {
  const lines = group(seconds, nameOfPoint, ({ t_s }) => Number(t_s));
  return [...lines.values()].flatMap((line) => [...line].sort(([a], [b]) => a - b).map(([t_s, rows]) => {
    const quartilesOf = (/** @type {string} */ name) => {
      const values = rows.filter((row) => row[name] !== '-').map((row) => Number(row[name]));
      return Object.entries(QUARTILES).map(([end, share]) => [`${name}${end}`, cellOf(quantile(values, share))]);
    };
    return { ...rows[0], t_s, n: rows.length, ...Object.fromEntries(['connected', 'received', 'latency_p50_ms'].flatMap(quartilesOf)) };
  }));
}
