/** How long a message should take in a server that runs whole, by the model, beside what was measured. */
import { group, max, mean, rollup, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { nameOfPoint } from '../../analysis/points/points.js';
import { stands } from '../../analysis/statistics/curve.js';
import { centreCells } from './cells.js';
import { Demands, Model, roleOf } from './model.js';
import { errorOf } from './predictions.js';

/** @typedef {Record<string, string>} Row */
/** @import { Point, Measured, Roles } from './model.js' */

export const LATENCY_COLUMNS = [
  'era', 'engine', 'workload', 'setting', 'total_rate_hz', 'n', 'load', 'load_low', 'load_high', 'predicted_ms', 'low', 'high', 'busiest',
  'measured_n', 'measured_load', 'measured_ms', 'measured_low', 'measured_high', 'measured_p50_ms', 'load_error_pct', 'error_pct',
];
/** @param {Row[]} rows @param {string} column @returns {number | undefined} none where a step has too few answers */
const meanOf = (rows, column) =>
  rows.every((row) => (row[column] ?? '-') !== '-') ? mean(rows, (row) => Number(row[column])) : undefined;

/** @param {Row[]} rows @param {(own: Row[]) => Measured | undefined} measure @returns {Map<string, Measured>} by block */
const measureBlocks = (rows, measure) => new Map([...group(rows, ({ block }) => block)].flatMap(([block, own]) => {
  const measured = measure(own);
  return measured ? [[block, measured]] : [];
}));

/** @param {Row[]} rows of a trial's step @returns {Measured | undefined} */
function measureStep(rows) {
  const servers = rows.filter(({ role }) => role === 'server');
  if (servers.length === 0) return undefined;
  const others = rows.filter((row) => roleOf(row) !== 'server');
  return {
    hz: Number(mean(servers, ({ received_hz }) => Number(received_hz))),
    mean_ms: meanOf(servers, 'latency_mean_ms'),
    p50_ms: meanOf(servers, 'latency_p50_ms'),
    loads: rollup(others, (own) => sum(own, ({ cpu_cores }) => Number(cpu_cores)) / servers.length, roleOf),
  };
}

/**
 * @param {Row[]} steps with batch = 1 and a place
 * @returns {Point[]} what was measured whole at each rate of a sweep: means over the steps of a trial
 */
function pointsOfSweeps(steps) {
  const nameOf = (/** @type {Row} */ row) => `${nameOfPoint(row)}\t${row.total_rate_hz}`;
  const refused = new Set(steps.filter(({ backlog_s }) => !stands(backlog_s)).map(nameOf));
  const standing = steps.filter(({ total_rate_hz, backlog_s }) => Number(total_rate_hz) > 0 && stands(backlog_s));
  return [...group(standing, nameOf)].filter(([, rows]) => rows.some(({ role }) => role === 'server')).map(([name, rows]) => {
    const { era, engine, workload, setting, total_rate_hz } = rows[0];
    const place = rows[0]['setting.cores'];
    return { era, engine, workload, setting, total_rate_hz, place, blocks: measureBlocks(rows, measureStep), isRefused: refused.has(name) };
  });
}

/** @param {Row[]} rows of a trial @returns {Measured | undefined} */
function measureTrial(rows) {
  const values = new Map(rows.map(({ metric, value }) => [metric, Number(value)]));
  const hz = values.get('received_hz');
  const loads = [...values].flatMap(([metric, value]) => {
    const role = /^(.*)_cpu_cores_mean$/.exec(metric)?.[1];
    return role === undefined ? [] : [/** @type {const} */ ([role, value])];
  });
  return hz === undefined ? undefined : { hz, p50_ms: values.get('latency_p50_ms') ?? 0, loads: new Map(loads) };
}

/**
 * @param {Row[]} trials of trials.tsv @param {Set<string>} swept workloads with a sweep
 * @returns {Point[]} one rate in all its window, at cores=one, or where all share all cores
 */
function pointsOfTrials(trials, swept) {
  const shown = trials.filter(({ workload, 'setting.generator': generator, 'setting.cores': place = 'shared' }) =>
    !swept.has(workload) && !generator && ['one', 'shared'].includes(place));
  return [...group(shown, nameOfPoint).values()].map((rows) => {
    const { era, engine, workload, setting, 'setting.cores': place = 'shared', 'setting.processes': processes } = rows[0];
    const counts = processes?.split('+').map(Number);
    return { era, engine, workload, setting, total_rate_hz: '-', place, counts, blocks: measureBlocks(rows, measureTrial), isRefused: false };
  });
}

/** @param {import('./model.js').Predicted[]} predictions @param {number} level @returns {Record<string, string>} cells */
function describePredictions(predictions, level) {
  const isMissing = predictions.some(({ seconds }) => seconds === 0);
  return {
    n: String(predictions.length),
    ...centreCells(predictions[0].load > 0 ? predictions.map(({ load }) => load) : [], level, ['load', 'load_low', 'load_high']),
    ...centreCells(isMissing ? [] : predictions.map(({ seconds }) => seconds * 1000), level, ['predicted_ms', 'low', 'high']),
    busiest: digitsOf(Number(max(predictions, ({ busiest }) => busiest)), 3),
  };
}

/** @param {(number | undefined)[]} values @returns {number[]} none where one is missing */
const allOf = (values) => (values.includes(undefined) ? [] : /** @type {number[]} */ (values));

/** @param {Point} point @param {Model} model @param {number} level @returns {Record<string, unknown>[]} */
function describePoint(point, model, level) {
  if (point.isRefused || point.place === 'own' || model.cores < 2) return [];
  const blocks = [...point.blocks].sort(([a], [b]) => Number(a) - Number(b));
  const predictions = blocks.flatMap(([block, { hz }]) => model.predict(point, block, hz) ?? []);
  if (predictions.length === 0) return [];
  const measured = blocks.map(([, found]) => found);
  const { era, engine, workload, setting, total_rate_hz } = point;
  const predicted = describePredictions(predictions, level);
  const loads = predicted.load === '-' ? [] : measured.map((each) => model.measuredLoad(point, each));
  const found = {
    ...centreCells(loads, level, ['measured_load']),
    ...centreCells(allOf(measured.map(({ mean_ms }) => mean_ms)), level, ['measured_ms', 'measured_low', 'measured_high']),
    ...centreCells(allOf(measured.map(({ p50_ms }) => p50_ms)), level, ['measured_p50_ms']),
  };
  return [{
    era, engine, workload, setting, total_rate_hz, ...(total_rate_hz === '-' && centreCells(measured.map(({ hz }) => hz), level, ['total_rate_hz'])),
    ...predicted, measured_n: measured.length, ...found, load_error_pct: errorOf(predicted.load, found.measured_load),
    error_pct: errorOf(predicted.predicted_ms, found.measured_ms),
  }];
}

/** @param {(string | undefined)[]} cells @returns {string[]} each once, as numbers go */
const inOrder = (cells) => [...new Set(/** @type {string[]} */ (cells))].sort((a, b) => Number(a) - Number(b));

/**
 * @param {Point[]} points of sweeps @param {Map<string, string[]>} mixesOf @param {Model} model @param {number} level
 * @returns {Record<string, unknown>[]} mixes with a core a process, at the rates of the sweeps
 */
function describeMixes(points, mixesOf, model, level) {
  return [...mixesOf].flatMap(([engine, mixes]) => {
    const own = points.filter((point) => point.engine === engine);
    if (own.length === 0) return [];
    const { era, workload } = own[own.length - 1];
    const rates = inOrder(own.map(({ total_rate_hz }) => total_rate_hz));
    const blocks = inOrder(own.flatMap((point) => [...point.blocks.keys()]));
    return mixes.flatMap((mix) => rates.flatMap((total_rate_hz) => {
      const point = { era, engine, place: 'own', counts: mix.split('+').map(Number) };
      const predictions = blocks.flatMap((block) => model.predict(point, block, Number(total_rate_hz)) ?? []);
      if (predictions.length === 0 || predictions.some(({ seconds }) => seconds === 0)) return [];
      return [{ era, engine, workload, setting: `cores=own,processes=${mix}`, total_rate_hz, ...describePredictions(predictions, level), measured_n: 0 }];
    }));
  });
}

/**
 * load is the cores of those roles of the server whose load here comes from a sweep elsewhere, in which they are alone
 * ("-" where there are none). error_pct and load_error_pct are what was predicted over what was measured, less 1. n and
 * measured_n are blocks; a rate that some trial did not answer whole is left out.
 * @param {{steps: Row[], trials: Row[], roles: Roles, cores: number, mixesOf: Map<string, string[]>, level: number}}
 *   given `cores` of the machine; mixes whose processes have cores of their own
 * @returns {Record<string, unknown>[]} of latency.tsv
 */
export function predictLatencies({ steps, trials, roles, cores, mixesOf, level }) {
  const placed = steps.filter((row) => Number(row.batch) === 1 && row['setting.cores']);
  const model = new Model(roles, new Demands(placed), cores);
  const swept = pointsOfSweeps(placed);
  const single = pointsOfTrials(trials, new Set(steps.map(({ workload }) => workload)));
  return [...[...swept, ...single].flatMap((point) => describePoint(point, model, level)), ...describeMixes(swept, mixesOf, model, level)];
}
