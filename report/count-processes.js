/**
 * `make processes RATE=20000`: how many processes of each role a load needs, given the rate that one process carries on its own core.
 * This rate is in predictions.tsv (kind "role": the rate at which one process uses a given share of its core). An experiment's tables.js
 * computes it from a sweep. For engines with one role it can also come from the cost surface. More load never needs fewer processes.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { greatest, rollup } from 'd3-array';
import { findLatencies } from '../analysis/points/latencies.js';
import { fitSurfaces } from '../analysis/points/surface.js';
import { findCentre } from '../analysis/statistics/intervals.js';
import { geometricMean } from '../analysis/statistics/spread.js';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { ALONE } from '../harness/common/placements.js';
import { languageOf, listEngines, readEngine } from '../harness/spec/engines.js';
import { resolveConditions } from '../harness/spec/points.js';
import { asJson, countTrials, digits, formatTable } from '../harness/common/format.js';
import { tablesOf } from '../harness/common/tables.js';
import { checkKnown } from '../harness/common/nearest-word.js';
import { ROOT, recordOf } from '../harness/common/places.js';
import { listRecorded } from '../harness/records/sources.js';
import { describeLatency, tellLatency } from './rank.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{total_rate_hz: number, load: number, members?: number, connections?: number, payload_b?: number, engines?: string[],
 *   language?: string}} Wanted the rate over all connections, the share of its core that a process may use, and how many connections get
 *   each message (default: its sender alone); default of `connections`: for each process, as many as in most measurements
 */
/**
 * @typedef {{bundle: string, load: number, at?: object, of: string, rows: string[][]}} Counted `of`: the core and the load of each process,
 *   in words; `at`: connections and size, where they matter
 */

const TABLE = 'predictions.tsv';
const DELIVERY = 'server_cpu_s_per_1k';
const ASSUMED = '\nAt least and at most: by the 95 % interval of what one carries. Each further process is taken to carry as much.';
const OF_ECHOES = '\np99: of an echo, in the worst trial at the load of one process, or at the next above it (in brackets). A message is an echo; rooms: --members.';
const OF_ROOMS = '\nA message costs an echo, and for each further member a delivery as to 1,000 connections: rooms and messages of other sizes were not measured, which the interval ignores. Each room is in one process.';
const MORE = 'one may carry more: it was asked for no more';
const SINGLE = 'a single process here';
const SINGLE_MEANS = '\nA single process here: to use more cores, put a proxy before several, or give one threads. Neither was measured.';
const HEAD = ['engine', 'era', 'role', 'processes', 'at least', 'at most', 'one carries', 'p99, ms', 'remark'];
const COLUMNS = ['engine', 'era', 'role', 'processes', 'at_least', 'at_most', 'one_carries_hz', 'p99_ms', 'remark'];

/** @returns {string[]} published records with the table or a cost surface */
const listRecords = () => listRecorded().map((name) => recordOf(name))
  .filter((record) => existsSync(join(record, 'reduced', TABLE)) || hasSurface(openBundle(record).spec));

/** @param {any} spec @returns {boolean} does it sweep whole servers on one core? */
const hasSurface = ({ workloads, cores }) =>
  cores?.placement === 'one' && Object.values(workloads).some(({ search, arrivals }) => search && arrivals.kind === 'staircase');

/**
 * Assumes that each process carries as much as one alone: overhead between processes is not included.
 * @param {Row} row of predictions.tsv @param {number} total_rate_hz @returns {string[]} cells from `processes` on
 */
function count({ total_rate_hz: carried, low, high, n, extrapolated, at_least }, total_rate_hz) {
  const needed = (/** @type {string} */ each) => (each === '-' ? '-' : String(Math.ceil(total_rate_hz / Number(each))));
  const isAtLeast = at_least === 'yes';
  const remarks = [
    extrapolated === 'yes' ? 'beyond what was measured' : '', isAtLeast ? MORE : '', low === '-' ? `no interval: ${countTrials(n)}` : '',
  ];
  return [needed(carried), isAtLeast ? '-' : needed(high), needed(low), `${Math.round(Number(carried))}/s`, '-', remarks.filter(Boolean).join(', ')];
}

/**
 * The highest rate at `load` or below: old tables may predict more at a lower load, and a process need not use its whole share.
 * @param {Row[]} rows of one role, with loads up to `load` @param {number} load @returns {Row | undefined}
 */
const maxOf = (rows, load) =>
  (rows.some((row) => row.load === String(load)) ? greatest(rows, ({ total_rate_hz }) => Number(total_rate_hz)) : undefined);

/**
 * @param {Row[]} predictions rows of predictions.tsv
 * @param {Record<string, {processes: Record<string, number>}>} engines of spec.json
 * @param {Wanted} wanted `load` of the table @returns {string[][]} one row per engine and role, in the order of its roles
 */
export function countProcesses(predictions, engines, { total_rate_hz, load }) {
  const roles = predictions.filter(({ kind }) => kind === 'role');
  return [...Map.groupBy(roles, ({ engine }) => engine)].flatMap(([engine, all]) => {
    const own = all.filter((row) => Number(row.load) <= load);
    return Object.keys(engines[engine]?.processes ?? {}).map((role) => {
      const row = maxOf(own.filter(({ what }) => what === role), load);
      const none = all.some(({ what }) => what === role) ? ['-', '-', '-', '-', '-', 'not known at this load'] : ['1', '-', '-', '-', '-', 'was not measured alone'];
      return [engine, all[0].era ?? '-', role, ...(row ? count(row, total_rate_hz) : none)];
    });
  });
}

/**
 * The table has some loads only. With less than asked for, a count is rather too high than too low.
 * @param {Row[]} predictions @param {number} wanted @param {string} [bundle] its name
 * @returns {number} the highest load of the table up to the wanted one @throws {UserError} if there is none
 */
export function findLoad(predictions, wanted, bundle = '') {
  const loads = [...new Set(predictions.filter(({ kind }) => kind === 'role').map(({ load }) => Number(load)))].sort((a, b) => a - b);
  const found = loads.findLast((load) => load <= wanted);
  if (found === undefined) throw new UserError(`LOAD: ${wanted} is below all loads of ${bundle ? `${bundle}/reduced/${TABLE}` : 'the table'}; use ${loads[0]} or more`);
  return found;
}

/** More than any machine has cores. */
const PROCESSES_MAX = 128;

/**
 * @param {(many: number) => number} carriedBy rate of each of so many processes @param {number} total_rate_hz
 * @returns {number} the smallest number of processes for the rate; Infinity above PROCESSES_MAX
 */
function leastOf(carriedBy, total_rate_hz) {
  for (let many = 1; many <= PROCESSES_MAX; many++) if (many * carriedBy(many) >= total_rate_hz) return many;
  return Infinity;
}

/** @param {number} many @returns {string} */
const formatCount = (many) => (Number.isFinite(many) ? String(many) : `over ${PROCESSES_MAX}`);

/** @param {string} engine @param {string} role @returns {boolean} is its server in servers/ never more than one process? */
const isSingle = (engine, role) => listEngines().includes(engine) && readEngine(engine).roles[role]?.max === 1;

/** @param {import('../analysis/points/surface.js').Surface} surface @param {number} connections of a process @returns {string} */
function tellBeyond({ cells }, connections) {
  const most = Math.max(...cells.map((cell) => cell.connections));
  return connections > most ? `measured up to ${most} connections` : 'beyond what was measured';
}

/** @typedef {Map<string, Map<string, number>>} Deliveries by engine and block: CPU of a broadcast message to one connection, µs */

/** @param {Row[]} trials @param {any} spec @returns {Deliveries} */
export function readDeliveries(trials, spec) {
  const costs = trials.filter((row) => row.metric === DELIVERY && resolveConditions(spec, /** @type {any} */ (row)).behaviour === 'broadcast');
  return rollup(costs, (own) => geometricMean(own.map(({ value }) => 1e3 * Number(value))), ({ engine }) => engine, ({ block }) => block);
}

/**
 * @param {import('../analysis/points/surface.js').Design} design @param {Record<string, {processes: Record<string, number>}>} engines
 * @param {Wanted} wanted
 * @param {{deliveries?: Deliveries, latencyOf?: ReturnType<typeof findLatencies>}} [tables] of the same run
 * @returns {string[][]} one row per engine with a single role
 */
export function countBySurface({ surfaces, usual, workload, setting }, engines, wanted, { deliveries, latencyOf = () => undefined } = {}) {
  const { total_rate_hz, load, members = 1, connections, payload_b = usual.payload_b } = wanted;
  return surfaces.filter(({ engine }) => Object.keys(engines[engine]?.processes ?? {}).length === 1).map((surface) => {
    const { engine, era } = surface;
    const [role] = Object.keys(engines[engine].processes);
    const delivery = deliveries?.get(engine);
    const why = surface.laws.size === 0 ? 'too few of its steps stand' : members > 1 && !delivery ? 'its broadcasts were not measured'
      : surface.whyFar({ connections: usual.connections, payload_b });
    if (why) return [engine, era, role, '-', '-', '-', '-', '-', why];
    const typical_us = delivery ? geometricMean([...delivery.values()]) : 0;
    const more_us = (/** @type {string} */ block) => (members - 1) * (delivery?.get(block) ?? typical_us);
    /** @type {Map<number, {found: ReturnType<typeof surface.ratesFor>, centre: import('../analysis/statistics/intervals.js').Centre}>} */
    const known = new Map();
    const of = (/** @type {number} */ many) => {
      const each = connections === undefined ? usual.connections : Math.max(1, connections / many);
      const found = known.get(each)?.found ?? surface.ratesFor(load, { payload_b, connections: each }, more_us);
      const made = known.get(each) ?? { found, centre: findCentre(found.rates) };
      known.set(each, made);
      return { ...made, connections: each };
    };
    const processes = leastOf((many) => of(many).centre.mean, total_rate_hz);
    const counted = Math.min(processes, PROCESSES_MAX);
    const { found, centre, connections: each } = of(counted);
    const hasInterval = centre.low !== undefined;
    const [least, most] = /** @type {const} */ (['high', 'low']).map((end) =>
      (hasInterval ? formatCount(leastOf((many) => Number(of(many).centre[end]), total_rate_hz)) : '-'));
    const remarks = [
      found.isWithin ? '' : tellBeyond(surface, each), found.isAtLeast ? MORE : '',
      hasInterval ? '' : `no interval: ${countTrials(String(found.rates.length))}`,
      processes > 1 && isSingle(engine, role) ? SINGLE : '', processes > 1 && members > each ? 'too few connections each for a room' : '',
      connections === undefined || processes < 2 ? '' : `with ${Math.round(each)} connections each`,
    ];
    const at = { total_rate_hz: String(total_rate_hz / counted), connections: String(each), payload_b: String(payload_b) };
    const p99 = members > 1 || processes > counted ? '-' : describeLatency({ ...at, ...tellLatency(latencyOf({ engine, workload, setting, ...at })) });
    return [engine, era, role, formatCount(processes), found.isAtLeast ? '-' : least, most, `${Math.round(centre.mean)}/s`, p99, remarks.filter(Boolean).join(', ')];
  });
}

/** @param {string} path of a bundle @param {string} bundle its name @param {Wanted} wanted @returns {Counted[]} one per design */
function countOfSurface(path, bundle, wanted) {
  const { spec } = openBundle(path);
  const [trials, steps] = ['trials', 'steps'].map((name) => readTsv(join(tablesOf(path), `${name}.tsv`)));
  return fitSurfaces({ trials, steps }, spec).map((design) => {
    const { connections = design.usual.connections, payload_b = design.usual.payload_b } = wanted;
    const of = `${connections} connections ${wanted.connections ? 'in all' : 'each'}, ${payload_b} B, ${design.behaviour}`;
    const rows = countBySurface(design, spec.engines, wanted, {
      deliveries: readDeliveries(trials, spec), latencyOf: findLatencies(steps, spec),
    });
    const at = { members: wanted.members, connections: wanted.connections, payload_b };
    return { bundle, load: wanted.load, at, of: `a core of its own, ${of}`, rows };
  });
}

/**
 * @param {string | undefined} from a bundle; default: every published record with the table or a surface @param {Wanted} wanted
 * @returns {Counted[]} @throws {UserError}
 */
function countOfBundles(from, wanted) {
  const { members = 1, connections } = wanted;
  if (connections !== undefined && members > connections) throw new UserError(`MEMBERS: ${members} are more than the ${connections} connections; give fewer`);
  const bundles = from === undefined ? listRecords() : [from];
  if (bundles.length === 0) throw new UserError(`no result of record has ${TABLE}; give a bundle of an experiment with sweeps: FROM=results/…`);
  const counted = bundles.flatMap((path) => {
    const bundle = from ?? relative(ROOT, path);
    const { spec, plan } = openBundle(path);
    const predictions = readTsv(join(tablesOf(path), TABLE));
    if (predictions.length === 0 && hasSurface(spec)) return countOfSurface(path, bundle, wanted);
    if (predictions.length === 0) throw new UserError(`${bundle}: has no ${TABLE}; give a bundle of an experiment with sweeps`);
    if (members > 1) return []; // of broadcasts the table knows nothing
    if (wanted.engines && !predictions.some(({ engine }) => wanted.engines?.includes(engine))) return [];
    const load = findLoad(predictions, wanted.load, bundle);
    const rows = countProcesses(predictions, spec.engines, { ...wanted, load });
    return [{ bundle, load, of: `a core of its own${describeAlone(spec, plan)}`, rows }];
  }).sort((a, b) => Number('at' in b) - Number('at' in a));
  if (counted.length === 0 && members > 1) throw new UserError(`MEMBERS: ${from} has no broadcasts of one process; leave it out, or FROM`);
  return choose(answerOnce(counted), bundles, wanted);
}

/** @param {any} spec @param {Row[]} plan @returns {string} the load of a role that is alone on a core */
function describeAlone(spec, plan) {
  const point = plan.find((row) => row['setting.cores']?.startsWith(ALONE));
  if (!point) return '';
  const { connections, behaviour } = resolveConditions(spec, /** @type {any} */ (point));
  return `, ${connections} connections, ${behaviour}`;
}

/** @param {Counted[]} counted surfaces first @returns {Counted[]} without engines for which one before has a number */
function answerOnce(counted) {
  const said = new Set();
  return counted.map((each) => {
    const rows = each.rows.filter(([engine]) => !said.has(engine)); // an engine may have several roles
    rows.forEach(([engine, , , processes]) => processes !== '-' && said.add(engine));
    return { ...each, rows };
  }).filter(({ rows }) => rows.length > 0);
}

/** @param {Counted[]} counted @param {string[]} bundles @param {Wanted} wanted @returns {Counted[]} without others @throws {UserError} */
function choose(counted, bundles, { engines, language }) {
  const keep = (/** @type {(engine: string) => boolean} */ isKept) =>
    counted.map((each) => ({ ...each, rows: each.rows.filter(([engine]) => isKept(engine)) })).filter(({ rows }) => rows.length > 0);
  const isOf = (/** @type {string} */ engine) => language === undefined || languageOf(engine).toLowerCase() === language.toLowerCase();
  const languages = counted.flatMap(({ rows }) => rows.map(([engine]) => languageOf(engine)));
  if (language && keep(isOf).length === 0) throw new UserError(`LANGUAGE: no engine of ${language} was measured alone on a core; use one of ${[...new Set(languages)].sort().join(', ')}`);
  if (!engines) return keep(isOf);
  checkKnown('ENGINES', engines, bundles.flatMap((path) => Object.keys(openBundle(path).spec.engines)));
  const found = keep((engine) => engines.includes(engine) && isOf(engine));
  if (found.length > 0) return found;
  throw new UserError(`ENGINES: no process of ${engines.join(', ')} was measured alone on a core; leave ENGINES out to see those that were`);
}

/** @param {string | undefined} from @param {Wanted} wanted @returns {string} JSON: one row per engine and role @throws {UserError} */
export const processesAsJson = (from, wanted) => JSON.stringify(countOfBundles(from, wanted).flatMap(({ bundle, load, at, rows }) =>
  rows.map((row) => ({ bundle, total_rate_hz: wanted.total_rate_hz, load, ...at, ...asJson(Object.fromEntries(row.map((cell, index) => [COLUMNS[index], cell.replace(/\/s$/, '')]))) }))), null, 2);

/** @param {string | undefined} from @param {Wanted} wanted @returns {string} @throws {UserError} */
export function describeProcesses(from, wanted) {
  const hasRooms = wanted.members !== undefined && wanted.members > 1;
  const each = hasRooms ? `, each to ${wanted.members} members` : '';
  const said = countOfBundles(from, wanted).map(({ bundle, load, of, rows }) => [
    `processes for ${wanted.total_rate_hz} messages a second${each}, each process at ${digits(100 * load)} % of ${of}, by ${bundle}:`, '',
    formatTable(HEAD, rows), '',
  ].join('\n')).join('\n');
  return `${said}${ASSUMED}${hasRooms ? OF_ROOMS : OF_ECHOES}${said.includes(SINGLE) ? SINGLE_MEANS : ''}`;
}
