/** The latency of an engine at the measured load next above another: as many connections, bytes and messages a second, or more. */
import { max } from 'd3-array';
import { settingWithout } from '../../harness/common/setting.js';
import { loadOf } from './surface.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./surface.js').At & {p99_ms: number}} Latency */

const NAMES = /** @type {const} */ (['connections', 'payload_b', 'total_rate_hz']);

/**
 * Steps at shares of an engine's own saturation do not count: each trial has them at other rates.
 * @param {Row[]} steps of steps.tsv @param {any} spec
 * @returns {(ranked: Row) => Latency | undefined} the highest p99 of its trials at a row of ranks.tsv; undefined if it had no such load
 */
export function findLatencies(steps, spec) {
  const isKnown = (/** @type {Row} */ { side, role, share = '-', latency_p99_ms }) =>
    side === 'server' && role === 'server' && share === '-' && latency_p99_ms !== '-';
  const all = steps.filter(isKnown).map((row) => ({
    ...loadOf(row, spec), total_rate_hz: Number(row.total_rate_hz), p99_ms: Number(row.latency_p99_ms),
    engine: row.engine, workload: row.workload, setting: settingWithout(row, 'connections', 'payload_b'),
  }));
  return (ranked) => {
    const above = all.filter((each) => each.engine === ranked.engine && each.workload === ranked.workload && each.setting === ranked.setting
      && NAMES.every((name) => each[name] >= Number(ranked[name])));
    const [next] = above.sort((a, b) => NAMES.map((name) => a[name] - b[name]).find((difference) => difference !== 0) ?? 0);
    if (!next) return undefined;
    const { connections, payload_b, total_rate_hz } = next;
    const same = above.filter((each) => NAMES.every((name) => each[name] === next[name]));
    return { connections, payload_b, total_rate_hz, p99_ms: Number(max(same, ({ p99_ms }) => p99_ms)) };
  };
}
