/** Latency predicted by mean value analysis, for demands with a known answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LATENCY_COLUMNS, predictLatencies } from '../../experiments/05-core-scaling/latency.js';
import { parseTsv } from '../../harness/common/files.js';

const HEADER = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'step', 'total_rate_hz', 'batch', 'side', 'role', 'processes', 'cpu_cores', 'received_hz',
  'backlog_s', 'latency_p50_ms', 'latency_mean_ms'];
const RATES = [0, 1000, 2000, 4000, 8000];

/** @typedef {Record<string, number>} Uses CPU time of a message in us, by role */

/**
 * @param {string} engine @param {string} cores @param {number} block @param {Uses} uses
 * @param {{mean_ms?: number | '-', backlog_s?: number}} [more] of the last step
 * @returns {string[]} lines of steps.tsv: one per step and role, and one per step for the whole server
 */
function sweep(engine, cores, block, uses, { mean_ms = 1, backlog_s = 0 } = {}) {
  return RATES.flatMap((hz, index) => {
    const rows = Object.entries(uses).map(([role, us]) => ({ role, side: role === 'client' ? 'client' : 'server', use: (hz * us) / 1e6 }));
    const server = rows.filter(({ side }) => side === 'server').reduce((sum, { use }) => sum + use, 0);
    return [...rows, { role: 'server', side: 'server', use: server }].map(({ role, side, use }) => [`b${block}-${engine}-${cores}`, block, '2014', engine, 'sweep', `cores=${cores}`,
      index + 1, hz, 1, side, role, 1, use, hz, hz === 8000 ? backlog_s : 0, 0.5, mean_ms].join('\t'));
  });
}

const FIRST = { balancer: 50, worker: 100, store: 0, client: 20 };
const MEASURED = [1, 2, 3].flatMap((block) => [
  ...sweep('socketcluster-2014', 'alone-balancer', block, { ...FIRST, worker: 130 }), // it costs more on a shared core
  ...sweep('socketcluster-2014', 'alone-worker', block, { ...FIRST, balancer: 40 }),
  ...sweep('socketcluster-2014', 'one', block, { ...FIRST, balancer: 40 }, { mean_ms: 0.5, backlog_s: 0.5 }),
]);

/**
 * @param {string} setting @param {string} workload @param {Record<string, number>} values by metric
 * @returns {string[]} lines of trials.tsv
 */
const trial = (setting, workload, values) => [1, 2, 3].flatMap((block) =>
  Object.entries(values).map(([metric, value]) => [`b${block}`, block, '2014', 'socketcluster-2014', workload, setting, metric, value].join('\t')));

const TRIALS = 'trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue';

const ROLES = new Map([
  ['socketcluster-2014', ['balancer', 'worker', 'store'].map((role) => ({ role, count: 1 }))], ['engine.io-2014', [{ role: 'worker', count: 1 }]],
]);

/**
 * @param {string[]} lines of steps @param {{cores: number, mixes?: [string, string[]][]}} given @param {string[]} [trials]
 * @returns {Record<string, string>[]} rows
 */
function run(lines, { cores, mixes = [] }, trials = []) {
  const [steps, rows] = [[HEADER.join('\t'), ...lines], [TRIALS, ...trials]].map((text) => parseTsv(text.join('\n')));
  const found = predictLatencies({ steps, trials: rows, roles: ROLES, cores, mixesOf: new Map(mixes), level: 0.95 });
  return found.map((row) => Object.fromEntries(LATENCY_COLUMNS.map((name) => [name, String(row[name] ?? '-')])));
}

/** @param {string} found @param {number} expected */
const assertNear = (found, expected) => assert.ok(Math.abs(Number(found) / expected - 1) < 1e-4, `${found}, not ${expected}`);

test('the residence time at each core is the CPU time of a message there over the free share of the core', () => {
  const rows = run(MEASURED, { cores: 2 });
  const [one] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=one' && total_rate_hz === '4000');
  // utilisation of the server's core 0.6, of the client's 0.08
  assertNear(one.predicted_ms, 0.15 / (1 - 0.6) + 0.02 / (1 - 0.08));
  assertNear(one.load, 0.6);
  assert.deepEqual([one.n, one.busiest, one.measured_n, one.measured_ms, one.measured_p50_ms, one.load_error_pct, one.error_pct], ['3', '0.6', '3', '0.5', '0.5', '7.14', '-20.7']);
  const [beside] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=alone-worker' && total_rate_hz === '4000');
  // balancer and client share the other core, each with its own demand
  assertNear(beside.predicted_ms, 0.1 / (1 - 0.4) + 0.07 / (1 - 0.28));
  assertNear(beside.load, 0.2); // of the balancer alone: the worker's load is measured in this setting
  assert.equal(beside.load_error_pct, '25');
});

test('with a third core the other processes share two cores, and use no more cores than there are processes', () => {
  const rows = run(MEASURED, { cores: 3 });
  const [beside] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=alone-worker' && total_rate_hz === '4000');
  assertNear(beside.predicted_ms, 0.1 / (1 - 0.4) + 0.07 / (1 - 0.14 ** 2));
  const [one] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=one' && total_rate_hz === '4000');
  assertNear(one.predicted_ms, 0.15 / (1 - 0.6) + 0.02 / (1 - 0.08));
});

test('a mix whose processes have a core each is computed at the rates of the sweep, as far as no core is full', () => {
  const rows = run(MEASURED, { cores: 2, mixes: [['socketcluster-2014', ['1+2+1']], ['engine.io-2014', ['1']]] });
  const mix = rows.filter(({ setting }) => setting === 'cores=own,processes=1+2+1');
  assert.deepEqual(mix.map(({ total_rate_hz, measured_n, error_pct }) => [total_rate_hz, measured_n, error_pct]), ['1000', '2000', '4000', '8000'].map((hz) => [hz, '0', '-']));
  assertNear(mix[2].predicted_ms, 0.05 / (1 - 0.2) + 0.1 / (1 - 0.2) + 0.02 / (1 - 0.08));
});

test('there is no prediction for a full core, and no row for a rate at which some trial had a backlog', () => {
  const rows = run(MEASURED, { cores: 2 });
  assert.deepEqual(rows.filter(({ setting }) => setting === 'cores=one').map(({ total_rate_hz }) => total_rate_hz), ['1000', '2000', '4000']);
  const [full] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=alone-balancer' && total_rate_hz === '8000');
  assert.deepEqual([full.predicted_ms, full.busiest, full.error_pct], ['-', '0.96', '-']);
});

test('a record without means has predictions, and the median beside them', () => {
  const lines = MEASURED.map((line) => line.replace(/[^\t]+$/, '-'));
  const rows = run(lines, { cores: 2 });
  const [one] = rows.filter(({ setting, total_rate_hz }) => setting === 'cores=one' && total_rate_hz === '4000');
  assert.deepEqual([one.measured_ms, one.measured_p50_ms, one.error_pct], ['-', '0.5', '-']);
});

test('a trial without a sweep is predicted at the rate that it had: on one core, or where several processes a role share all cores', () => {
  const used = { balancer_cpu_cores_mean: 0.1, worker_cpu_cores_mean: 0.2, latency_p50_ms: 0.3 };
  const trials = [
    ...trial('cores=one', 'saturated', { ...used, received_hz: 2000 }), ...trial('processes=2+2+1', 'described', { ...used, received_hz: 4000 }),
    ...trial('processes=1+1+1', 'sweep', { ...used, received_hz: 4000 }), ...trial('cores=own', 'saturated', { ...used, received_hz: 4000 }),
  ];
  const rows = run(MEASURED, { cores: 2 }, trials);
  const found = rows.filter(({ workload }) => workload !== 'sweep');
  const columns = ['setting', 'total_rate_hz', 'measured_load', 'measured_p50_ms', 'load_error_pct'];
  assert.deepEqual(found.map((row) => columns.map((name) => row[name])), [['cores=one', '2000', '0.3', '0.3', '0'], ['processes=2+2+1', '4000', '0.6', '0.3', '0']]);
  assertNear(found[0].predicted_ms, 0.15 / (1 - 0.3) + 0.02 / (1 - 0.04));
  assertNear(found[1].predicted_ms, 0.17 / (1 - (0.68 / 2) ** 2)); // both cores serve all processes, the client too
  assert.ok(found.every(({ measured_ms, error_pct }) => measured_ms === '-' && error_pct === '-'));
});
