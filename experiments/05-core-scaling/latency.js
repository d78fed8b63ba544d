/**
 * Predicts the latency of a message in a whole server from the CPU demand of each role alone, and compares it with
 * measurements.
 *
 * Mean value analysis of an open queueing network. A message that arrives at a core finds the average number of messages
 * there, so its residence time is D / (1 - U), with service demand D and utilisation U of the core (M. Reiser,
 * S. S. Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, Journal of the ACM 27(2), 1980; open
 * networks are its simplest case). A core is modelled as processor sharing (M/G/1-PS), because several processes run on
 * it. Then the mean does not depend on the distribution of demands (F. Baskett and others, Journal of the ACM 22(2),
 * 1975). First come, first served would need their variance, which we do not measure; it gives the same mean if demands
 * are exponential. With c shared cores the residence time is D / (1 - (U / c)^c), exact for 1 and 2 cores. D comes from
 * the role's own curve at that rate, from the sweep where it has a core to itself in the same block. For roles that
 * never have one, and for the client, D comes from the sweeps of other roles.
 *
 * The model leaves out delays without CPU time: from a wake-up to the first instruction, pauses for garbage collection,
 * and answers that wait for each other.
 */
import { group, max, mean, rollup, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { nameOfPoint } from '../../analysis/points/points.js';
import { Curve, stands } from '../../analysis/statistics/curve.js';
import { centreCells, errorOf } from './capacities.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {Map<string, {role: string, count: number}[]>} Roles of each engine, in the order of a mix, with the default number of
 *   processes
 */
/**
 * @typedef {{hz: number, mean_ms?: number, p50_ms?: number, loads: Map<string, number>}} Measured in one block; `loads`:
 *   cores by role
 */
/**
 * @typedef {{engine: string, era: string, workload: string, setting: string, place: string, total_rate_hz: string, counts?:
 *   number[], blocks: Map<string, Measured>, isRefused: boolean}} Point
 */
/** @typedef {{load: number, busiest: number, seconds: number}} Predicted `seconds`: 0 if a core is too full */

/** Above this load of the fullest core we predict nothing. */
const BUSIEST_MAX = 0.95;

/** @param {Row} row */
export const roleOf = ({ side, role }) => (side === 'client' ? 'client' : role);

/** The curves of each engine's roles by block: alone on a core, or shared with others if a role is never alone. */
export class Demands {
  /** @param {Row[]} steps with batch = 1 and a place */
  constructor(steps) {
    /** @type {Map<string, Curve>} by era, engine, block, role and how */
    this.curves = new Map();
    /** Roles that have a core to themselves in some setting. */
    this.alone = new Set();
    for (const row of steps) this.#learn(row);
  }

  /** Uses only roles with one process: otherwise the load of each process is unknown. @param {Row} row */
  #learn(row) {
    const [place, role] = [row['setting.cores'] ?? '', roleOf(row)];
    if (role === 'server' || Number(row.processes) !== 1 || !place.startsWith('alone-') || !stands(row.backlog_s)) return;
    const how = place === `alone-${role}` ? 'alone' : 'beside';
    if (how === 'alone') this.alone.add(`${row.era} ${row.engine} ${role}`);
    const name = [row.era, row.engine, row.block, role, how].join(' ');
    const curve = this.curves.get(name) ?? new Curve();
    this.curves.set(name, curve);
    curve.add(Number(row.total_rate_hz), Number(row.received_hz), Number(row.cpu_cores));
  }

  /** @param {string} era @param {string} engine @param {string} role */
  isAlone(era, engine, role) {
    return this.alone.has(`${era} ${engine} ${role}`);
  }

  /** @param {string} era @param {string} engine @param {string} block @param {string} role */
  curveOf(era, engine, block, role) {
    const curve = this.curves.get([era, engine, block, role, this.isAlone(era, engine, role) ? 'alone' : 'beside'].join(' '));
    return curve && curve.points.length >= 2 ? curve : undefined;
  }
}

/**
 * @param {{used: number, queues: number, servers: number}[]} stations `used` cores in total, over `queues` queues with `servers` cores each
 * @param {number} total_rate_hz @returns {{busiest: number, seconds: number}} the residence time of a message
 */
function residenceOf(stations, total_rate_hz) {
  const full = stations.map(({ used, queues, servers }) => used / queues / servers);
  const seconds = sum(stations, ({ used, servers }, index) => (full[index] < 1 ? used / total_rate_hz / (1 - full[index] ** servers) : 0));
  const busiest = Math.max(0, ...full);
  return { busiest, seconds: busiest >= BUSIEST_MAX ? 0 : seconds };
}

export class Model {
  /** @param {Roles} roles @param {Demands} demands @param {number} cores of the machine */
  constructor(roles, demands, cores) {
    this.roles = roles;
    this.demands = demands;
    this.cores = cores;
  }

  /** Is its load predicted from a sweep where it is alone? @param {Pick<Point, 'era' | 'engine' | 'place'>} at @param {string} role */
  isPredicted({ era, engine, place }, role) {
    return this.demands.isAlone(era, engine, role) && place !== `alone-${role}`;
  }

  /**
   * @param {{era: string, engine: string, place: string, counts?: number[]}} point @param {string} block @param {number} total_rate_hz
   * @returns {Predicted | undefined} undefined if a role, or the client, was not measured
   */
  predict(point, block, total_rate_hz) {
    const { era, engine, place, counts } = point;
    const roles = [...(this.roles.get(engine) ?? []).map(({ role }, index) => ({ role, each: counts?.[index] ?? 1 })), { role: 'client', each: 1 }];
    const used = roles.flatMap(({ role, each }) => {
      const curve = this.demands.curveOf(era, engine, block, role);
      return curve ? [{ role, each, cores: each * curve.coresAt(total_rate_hz / each) }] : [];
    });
    if (used.length < roles.length) return undefined;
    const load = sum(used, ({ role, cores }) => (this.isPredicted(point, role) ? cores : 0));
    return { load, ...residenceOf(this.#stations(place, used), total_rate_hz) };
  }

  /** @param {string} place @param {{role: string, each: number, cores: number}[]} used */
  #stations(place, used) {
    if (place === 'own') return used.map(({ each, cores }) => ({ used: cores, queues: each, servers: 1 }));
    const isOwn = (/** @type {string} */ role) => (place === 'one' ? role !== 'client' : place === `alone-${role}`);
    const [own, rest] = [used.filter(({ role }) => isOwn(role)), used.filter(({ role }) => !isOwn(role))];
    const left = place === 'shared' ? this.cores : this.cores - 1;
    const beside = sum(rest, ({ each }) => each);
    return [
      { used: sum(own, ({ cores }) => cores), queues: 1, servers: 1 },
      { used: sum(rest, ({ cores }) => cores), queues: 1, servers: Math.min(beside, left) },
    ];
  }

  /** @param {Point} point @param {Measured} measured */
  measuredLoad(point, { loads }) {
    return sum(this.roles.get(point.engine) ?? [], ({ role }, index) =>
      this.isPredicted(point, role) ? (point.counts?.[index] ?? 1) * (loads.get(role) ?? 0) : 0,
    );
  }
}

export const LATENCY_COLUMNS = [
  'era', 'engine', 'workload', 'setting', 'total_rate_hz', 'n', 'load', 'load_low', 'load_high', 'predicted_ms', 'low', 'high', 'busiest',
  'measured_n', 'measured_load', 'measured_ms', 'measured_low', 'measured_high', 'measured_p50_ms', 'load_error_pct', 'error_pct',
];
/** @param {Row[]} rows @param {string} column @returns {number | undefined} undefined if a step has too few answers */
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
 * @returns {Point[]} measurements of whole servers at each rate of a sweep: means over the steps of a trial
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
 * @returns {Point[]} trials with one rate, at cores=one or with all cores shared by all processes
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

/** @param {Predicted[]} predictions @param {number} level @returns {Record<string, string>} cells */
function describePredictions(predictions, level) {
  const isMissing = predictions.some(({ seconds }) => seconds === 0);
  return {
    n: String(predictions.length),
    ...centreCells(predictions[0].load > 0 ? predictions.map(({ load }) => load) : [], level, ['load', 'load_low', 'load_high']),
    ...centreCells(isMissing ? [] : predictions.map(({ seconds }) => seconds * 1000), level, ['predicted_ms', 'low', 'high']),
    busiest: digitsOf(Number(max(predictions, ({ busiest }) => busiest)), 3),
  };
}

/** @param {(number | undefined)[]} values @returns {number[]} empty if one is missing */
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

/** @param {(string | undefined)[]} cells @returns {string[]} unique, in numeric order */
const inOrder = (cells) => [...new Set(/** @type {string[]} */ (cells))].sort((a, b) => Number(a) - Number(b));

/**
 * @param {Point[]} points of sweeps @param {Map<string, string[]>} mixesOf @param {Model} model @param {number} level
 * @returns {Record<string, unknown>[]} mixes with one core per process, at the rates of the sweeps
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
 * Computes latency.tsv. load is the number of cores used by the roles with predicted load (Model.isPredicted), "-" if there
 * are none. error_pct and load_error_pct are predicted / measured - 1. n and measured_n count blocks. A rate is left out if
 * some trial did not keep up with it.
 * @param {{steps: Row[], trials: Row[], roles: Roles, cores: number, mixesOf: Map<string, string[]>, level: number}}
 *   given `cores` of the machine; mixes with one core per process
 * @returns {Record<string, unknown>[]} of latency.tsv
 */
export function predictLatencies({ steps, trials, roles, cores, mixesOf, level }) {
  const placed = steps.filter((row) => Number(row.batch) === 1 && row['setting.cores']);
  const model = new Model(roles, new Demands(placed), cores);
  const swept = pointsOfSweeps(placed);
  const single = pointsOfTrials(trials, new Set(steps.map(({ workload }) => workload)));
  return [...[...swept, ...single].flatMap((point) => describePoint(point, model, level)), ...describeMixes(swept, mixesOf, model, level)];
}
