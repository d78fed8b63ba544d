/**
 * For each block, the rate at which one process of each role reaches a given load of its core, and the predicted rates of
 * mixes. Then intervals over blocks, compared with measurements of whole servers.
 */
import { group, max, range, rollup, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { centreCells } from '../../analysis/points/points.js';
import { Curve, stands } from '../../analysis/statistics/curve.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{era: string, engine: string, block: number, kind: string, what: string, load: number, total_rate_hz: number,
 *   reached: number, isAtLeast: boolean}} Capacity
 */

/** Roles that hardly work under this load (T6), so that none is measured alone. */
const IDLE = ['store', 'broker'];
const LOADS = range(1, 11).map((tenths) => tenths / 10);
export const CAPACITY_COLUMNS = ['era', 'engine', 'block', 'kind', 'what', 'load', 'total_rate_hz', 'reached', 'at_least'];

/** @param {Row} row */
const stepOf = ({ trial, step }) => `${trial}\t${step}`;

/** @param {Row[]} steps @returns {Map<string, number>} by step, the CPU use of the busiest process of the load */
const mapLoadCores = (steps) => rollup(
  steps.filter(({ side }) => side === 'client'), (rows) => Number(max(rows, ({ busiest_cpu_cores }) => Number(busiest_cpu_cores))), stepOf);

/** @param {Curve} curve @param {Row} row @param {number} cores @param {Map<string, number>} loadCores */
function addFull(curve, row, cores, loadCores) {
  const [due_hz, received_hz, backlog_s] = [row.due_hz, row.received_hz, row.backlog_s].map(Number);
  curve.addFull({ due_hz, received_hz, backlog_s, cores, load_cores: loadCores.get(stepOf(row)) ?? 0 });
}

/** @param {Row[]} steps of one role alone on its core, in one block @param {Map<string, number>} loadCores */
function curveOf(steps, loadCores) {
  const curve = new Curve();
  for (const row of steps) {
    const cores = Number(row.cpu_cores) / Number(row.processes);
    addFull(curve, row, cores, loadCores);
    if (stands(row.backlog_s)) curve.add(Number(row.total_rate_hz), Number(row.received_hz), cores);
  }
  return curve;
}

/** @param {Curve[]} curves @returns {number} the rate on one shared core: CPU times per message, each at a full core, are added */
const rateByLoad = (curves) => 1 / sum(curves, (curve) => 1 / curve.rateFor(1));

/** @param {Curve[]} curves @returns {number} the rate on one shared core: CPU uses at that rate, each alone on its core, add up to 1 */
function rateByRate(curves) {
  let [low, high] = [0, 1e7];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (sum(curves, (curve) => curve.coresAt(middle)) < 1) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * @param {Map<string, Curve>} roles of an engine in a block @param {string[]} names of its roles in the order of a mix
 * @param {string[]} mixes @param {boolean} isWhole whether this block has all roles that work
 */
function capacitiesOf(roles, names, mixes, isWhole) {
  const ofRoles = [...roles].flatMap(([what, curve]) => LOADS.map((load) =>
    ({ kind: 'role', what, load, total_rate_hz: curve.rateFor(load), reached: curve.loadReached, isAtLeast: load === 1 && curve.isAtLeast })));
  const curves = [...roles.values()];
  if (curves.length === 0 || (names.length > 1 && !isWhole)) return ofRoles;
  const reached = Math.min(1, ...curves.map(({ loadReached }) => loadReached));
  const ofMixes = mixes.map((mix) => {
    const counts = mix.split('+').map(Number);
    const limits = names.flatMap((name, index) => {
      const curve = roles.get(name);
      return curve ? [{ curve, hz: counts[index] * curve.rateFor(1) }] : [];
    });
    const { hz, curve } = limits.reduce((least, limit) => (limit.hz < least.hz ? limit : least)); // the first role to saturate
    return { kind: 'mix', what: mix, load: 1, total_rate_hz: hz, reached: curve.loadReached, isAtLeast: curve.isAtLeast };
  });
  return [
    ...ofRoles,
    { kind: 'one', what: '-', load: 1, total_rate_hz: rateByLoad(curves), reached, isAtLeast: curves.some(({ isAtLeast }) => isAtLeast) },
    { kind: 'one-by-rate', what: '-', load: 1, total_rate_hz: rateByRate(curves), reached, isAtLeast: false },
    ...ofMixes,
  ];
}

/**
 * @param {Row[]} rows of one engine, each of a role alone on its core @param {number[]} blocks
 * @param {{names: string[], mixes: string[], loadCores: Map<string, number>}} given its roles in the order of a mix @returns {Capacity[]}
 */
function capacitiesOfEngine(rows, blocks, { names, mixes, loadCores }) {
  const [{ era, engine }] = rows;
  const byBlock = blocks.map((block) => {
    const own = rows.filter((row) => Number(row.block) === block);
    const curves = names.map((name) => /** @type {const} */ ([name, curveOf(own.filter(({ role }) => role === name), loadCores)]));
    return { block, roles: new Map(curves.filter(([, { points }]) => points.length >= 2)) };
  });
  const working = names.filter((name) => !IDLE.includes(name));
  return byBlock.flatMap(({ block, roles }) =>
    capacitiesOf(roles, names, mixes, working.every((name) => roles.has(name)))
      .filter(({ total_rate_hz }) => total_rate_hz > 0).map((capacity) => ({ era, engine, block, ...capacity })));
}

/**
 * @param {Row[]} rows of a whole server on one core, in one block @param {Map<string, number>} loadCores
 * @returns {Capacity[]} empty if no step filled the core
 */
function capacityOfWhole(rows, loadCores) {
  const curve = new Curve();
  for (const row of rows) addFull(curve, row, Number(row.cpu_cores), loadCores);
  if (!curve.fullHz) return [];
  const [{ era, engine, block }] = rows;
  return [{ era, engine, block: Number(block), kind: 'whole', what: '-', load: 1, total_rate_hz: curve.fullHz, reached: 1, isAtLeast: curve.isAtLeast }];
}

/**
 * @param {Row[]} steps of steps.tsv @param {Map<string, string[]>} rolesOf the roles of each engine, in the order of a mix
 * @param {Map<string, string[]>} mixesOf mixes of each engine
 * @returns {Capacity[]} a role's curve comes from the sweep in which it is alone on its core; "whole" is the rate of a whole
 *   server on one core
 */
export function computeCapacities(steps, rolesOf, mixesOf) {
  const loadCores = mapLoadCores(steps);
  const single = steps.filter(({ batch }) => Number(batch) === 1);
  const alone = single.filter((row) => row['setting.cores'] === `alone-${row.role}`);
  const standing = alone.filter(({ backlog_s }) => stands(backlog_s));
  const blocks = range(1, Number(max(standing, ({ block }) => Number(block)) ?? 0) + 1);
  const engines = group(alone, ({ era, engine }) => `${era}\t${engine}`);
  const whole = single.filter((row) => row.role === 'server' && row['setting.cores'] === 'one');
  const wholes = group(whole, ({ era, engine, block }) => [era, engine, block].join('\t'));
  return [
    ...[...engines.values()].flatMap((rows) => {
      const { engine } = rows[0];
      return capacitiesOfEngine(rows, blocks, { names: rolesOf.get(engine) ?? [], mixes: mixesOf.get(engine) ?? [], loadCores });
    }),
    ...[...wholes.values()].flatMap((rows) => capacityOfWhole(rows, loadCores)),
  ];
}

/** @param {Capacity} capacity @returns {Record<string, unknown>} a row of capacities.tsv */
export const formatCapacity = ({ total_rate_hz, reached, isAtLeast, ...rest }) =>
  ({ ...rest, total_rate_hz: digitsOf(total_rate_hz), reached: digitsOf(reached, 4), at_least: isAtLeast ? 'yes' : 'no' });

export const PREDICTION_COLUMNS = [
  'era', 'engine', 'kind', 'what', 'load', 'n', 'total_rate_hz', 'low', 'high', 'us_per_message', 'us_low', 'us_high', 'extrapolated', 'at_least',
  'measured_n', 'measured_hz', 'measured_low', 'measured_high', 'error_pct',
];
/** A load counts as extrapolated if less than this share of it was reached. */
const REACHED_SHARE = 0.98;

/** @param {Row} row @param {import('./scaling.js').Roles} roles @returns {string} such as "2+2+1"; "1" of a server that is one process */
export const mixOf = (row, roles) => row['setting.processes'] ?? (roles.get(row.engine) ?? []).map(({ count }) => count).join('+');

/**
 * @param {Row[]} capacities of capacities.tsv @param {Row[]} trials @param {import('./scaling.js').Roles} roles
 * @returns {Map<string, number[]>} measured rates of whole servers, by engine, kind and what; none that the load generator limited
 */
function mapMeasured(capacities, trials, roles) {
  const whole = capacities.filter(({ kind, at_least }) => kind === 'whole' && at_least !== 'yes')
    .map(({ era, engine, total_rate_hz }) => ({ name: `${era}\t${engine}\tone\t-`, hz: Number(total_rate_hz) }));
  const isSwept = new Set(whole.map(({ name }) => name));
  const limited = new Set(trials.filter(({ metric, value }) => metric === 'saturation_at_least' && Number(value) > 0).map(({ trial }) => trial));
  const searched = trials.filter(({ metric, trial }) => metric === 'saturation_hz' && !limited.has(trial)).flatMap((row) => {
    const { era, engine, setting, value } = row;
    const mix = row['setting.cores'] === 'own' ? mixOf(row, roles) : undefined;
    const name = setting === 'cores=one' ? `${era}\t${engine}\tone\t-` : `${era}\t${engine}\tmix\t${mix}`;
    return isSwept.has(name) || (setting !== 'cores=one' && !mix) ? [] : [{ name, hz: Number(value) }];
  });
  return rollup([...whole, ...searched], (rows) => rows.map(({ hz }) => hz), ({ name }) => name);
}

/**
 * @param {Row[]} capacities @param {Row[]} trials @param {import('./scaling.js').Roles} roles @param {number} level
 * @returns {Record<string, unknown>[]} of predictions.tsv
 */
export function predictRates(capacities, trials, roles, level) {
  const measured = mapMeasured(capacities, trials, roles);
  const shown = capacities.filter(({ kind }) => kind !== 'whole');
  return [...group(shown, ({ era, engine, kind, what, load }) => [era, engine, kind, what, load].join('\t')).values()].map((rows) => {
    const { era, engine, kind, what, load } = rows[0];
    const rates = centreCells(rows.map(({ total_rate_hz }) => Number(total_rate_hz)), ['total_rate_hz', 'low', 'high'], level);
    const us = (/** @type {string} */ rate) => (kind !== 'role' || rate === '-' ? '-' : digitsOf((1e6 * Number(load)) / Number(rate), 4));
    const found = measured.get([era, engine, kind === 'one-by-rate' ? 'one' : kind, what].join('\t')) ?? [];
    const whole = centreCells(found, ['measured_hz', 'measured_low', 'measured_high'], level);
    return {
      era, engine, kind, what, load, n: rows.length, ...rates,
      us_per_message: us(rates.total_rate_hz), us_low: us(rates.high), us_high: us(rates.low),
      extrapolated: rows.some(({ reached }) => Number(reached) < Number(load) * REACHED_SHARE) ? 'yes' : 'no',
      at_least: rows.some(({ at_least }) => at_least === 'yes') ? 'yes' : 'no', measured_n: found.length, ...whole,
      error_pct: errorOf(rates.total_rate_hz, whole.measured_hz),
    };
  });
}

/** @param {string} predicted a cell @param {string} found @returns {string} per cent */
const errorOf = (predicted, found) =>
  (predicted === '-' || found === '-' ? '-' : digitsOf(100 * (Number(predicted) / Number(found) - 1), 3));
