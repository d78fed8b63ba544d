/** Costs and latencies of engines at shares of their saturation, and costs at 0.8 of a core. */
import { group, mean, sum } from 'd3-array';
import { digitsOf } from '../digits.js';
import { Curve, stands } from '../statistics/curve.js';
import { isShare } from './curves.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {[metric: string, value: number]} Metric */

const LOAD = 0.8;

/** @param {Row[]} metrics of a trial @param {string[]} roles @returns {number | undefined} CPU ms to open a connection, if known of all */
export function openingOf(metrics, roles) {
  const values = roles.map((role) => metrics.find(({ metric }) => metric === `${role}_cpu_ms_per_connection`)?.value);
  return values.includes(undefined) ? undefined : sum(values, Number);
}

/** @param {Row[]} rows the steps of a share in one trial @param {number} percent @returns {Metric[]} */
function describeShare(rows, percent) {
  const [cores, received_hz] = ['cpu_cores', 'received_hz'].map((column) => sum(rows, (row) => Number(row[column])));
  if (rows.some(({ backlog_s }) => !stands(backlog_s)) || cores <= 0 || received_hz <= 0) return [];
  const known = ['latency_p50_ms', 'latency_p99_ms'].filter((column) => rows.every((row) => row[column] !== '-'));
  return [
    [`messages_per_cpu_s_at_${percent}`, received_hz / cores],
    [`server_cpu_us_at_${percent}`, (1e6 * cores) / received_hz],
    [`server_cpu_cores_at_${percent}`, cores / rows.length],
    ...known.map((column) => /** @type {Metric} */ ([`${column}_at_${percent}`, Number(mean(rows, (row) => Number(row[column])))])),
  ];
}

/** @param {Row[]} rows the server side's steps of one trial @param {Row[]} metrics of the trial @returns {Metric[]} */
function describeTrial(rows, metrics) {
  const servers = rows.filter(({ role }) => role === 'server');
  if (!servers.some(isShare)) return [];
  const roles = [...new Set(rows.filter(({ role }) => role !== 'server').map(({ role }) => role))];
  const opening_ms = openingOf(metrics, roles);
  const shares = group(servers.filter(isShare), ({ share }) => Math.floor(100 * Number(share) + 0.5));
  const hz = Curve.of(servers.filter(({ backlog_s }) => stands(backlog_s))).hzBetween(LOAD);
  return [
    ...(opening_ms === undefined ? [] : [/** @type {Metric} */ (['server_cpu_ms_per_connection', opening_ms])]),
    ...[...shares].filter(([percent]) => percent <= 100).flatMap(([percent, own]) => describeShare(own, percent)),
    ...(hz === undefined ? [] : [/** @type {Metric} */ ([`messages_per_cpu_s_at_load_${100 * LOAD}`, hz / LOAD])]),
  ];
}

/**
 * If a server fell behind in any step of a share, the share is left out: the other steps would be a selection.
 * @param {Row[]} trials of trials.tsv @param {Row[]} steps @returns {Row[]} further rows of trials.tsv
 */
export function computeShares(trials, steps) {
  const metrics = group(trials, ({ trial }) => trial);
  const sweeps = group(steps.filter(({ side }) => side === 'server'), ({ trial }) => trial);
  return [...sweeps].flatMap(([trial, rows]) =>
    describeTrial(rows, metrics.get(trial) ?? []).map(([metric, value]) => ({ ...rows[0], metric, value: digitsOf(value) })));
}
