/**
 * `make processes RATE=20000`: how many processes of each role a load needs, by what one of each carries on a core of its own. That is in
 * predictions.tsv (kind "role": the rate at which one process uses so much of its core), which an experiment's tables.js makes of a sweep.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { asJson, countTrials, formatTable } from '../harness/common/format.js';
import { tablesOf } from '../harness/common/tables.js';
import { ROOT, recordOf } from '../harness/common/places.js';
import { listRecorded } from '../harness/records/sources.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{total_rate_hz: number, load: number}} Wanted messages a second, and the share of its core that a process is to use */

const TABLE = 'predictions.tsv';
const HEAD = ['engine', 'era', 'role', 'processes', 'at least', 'at most', 'one carries', 'remark'];
const COLUMNS = ['engine', 'era', 'role', 'processes', 'at_least', 'at_most', 'one_carries_hz', 'remark'];

/** @returns {string[]} results of record that have the table */
const listRecords = () => listRecorded().map((name) => recordOf(name)).filter((record) => existsSync(join(record, 'reduced', TABLE)));

/**
 * As many as carry the rate when each carries as much as one does: what they cost each other is not in it.
 * @param {Row} row of predictions.tsv @param {number} total_rate_hz @returns {string[]} cells from `processes` on
 */
function count({ total_rate_hz: carried, low, high, n, extrapolated }, total_rate_hz) {
  const needed = (/** @type {string} */ each) => (each === '-' ? '-' : String(Math.ceil(total_rate_hz / Number(each))));
  const remarks = [extrapolated === 'yes' ? 'beyond what was measured' : '', low === '-' ? `no interval: ${countTrials(n)}` : ''];
  return [needed(carried), needed(high), needed(low), `${Math.round(Number(carried))}/s`, remarks.filter(Boolean).join(', ')];
}

/**
 * A process carries what it does at its load, or at a lower one where tables of before say more: it need not use all that it may.
 * @param {Row[]} rows of a role, of loads up to the one that it may have @param {number} load @returns {Row | undefined}
 */
function maxOf(rows, load) {
  if (!rows.some((row) => row.load === String(load))) return undefined;
  return rows.toSorted((a, b) => Number(b.total_rate_hz) - Number(a.total_rate_hz))[0];
}

/**
 * @param {Row[]} predictions rows of predictions.tsv
 * @param {Record<string, {processes: Record<string, number>}>} engines of spec.json
 * @param {Wanted} wanted
 * @returns {string[][]} a row a role of each engine, in the order of its roles
 * @throws {UserError} when the load is none of the table's
 */
export function countProcesses(predictions, engines, { total_rate_hz, load }) {
  const roles = predictions.filter(({ kind }) => kind === 'role');
  const loads = [...new Set(roles.map((row) => row.load))];
  if (!loads.includes(String(load))) throw new UserError(`LOAD: ${load} is not in the table; use one of ${loads.join(', ')}`);
  return [...new Set(roles.map(({ engine }) => engine))].flatMap((engine) => {
    const own = roles.filter((row) => row.engine === engine && Number(row.load) <= load);
    return Object.keys(engines[engine]?.processes ?? {}).map((role) => {
      const row = maxOf(own.filter(({ what }) => what === role), load);
      const era = roles.find((each) => each.engine === engine)?.era ?? '-';
      return [engine, era, role, ...(row ? count(row, total_rate_hz) : ['1', '-', '-', '-', 'was not measured alone'])];
    });
  });
}

/**
 * @param {string | undefined} from a bundle, else every result of record that has the table @param {Wanted} wanted
 * @returns {{bundle: string, rows: string[][]}[]} @throws {UserError}
 */
function countOfBundles(from, wanted) {
  const bundles = from === undefined ? listRecords() : [from];
  if (bundles.length === 0) throw new UserError(`no result of record has ${TABLE}; give a bundle of an experiment with sweeps: FROM=results/…`);
  return bundles.map((path) => {
    const bundle = from ?? relative(ROOT, path);
    const { spec } = openBundle(path);
    const predictions = readTsv(join(tablesOf(path), TABLE));
    if (predictions.length === 0) throw new UserError(`${bundle}: has no ${TABLE}; give a bundle of an experiment with sweeps`);
    return { bundle, rows: countProcesses(predictions, spec.engines, wanted) };
  });
}

/** @param {string | undefined} from @param {Wanted} wanted @returns {string} JSON: a row a role of each engine @throws {UserError} */
export const processesAsJson = (from, wanted) => JSON.stringify(countOfBundles(from, wanted).flatMap(({ bundle, rows }) =>
  rows.map((row) => ({ bundle, ...wanted, ...asJson(Object.fromEntries(row.map((cell, index) => [COLUMNS[index], cell.replace(/\/s$/, '')]))) }))), null, 2);

/** @param {string | undefined} from @param {Wanted} wanted @returns {string} @throws {UserError} */
export const describeProcesses = (from, wanted) => countOfBundles(from, wanted).map(({ bundle, rows }) => [
  `processes for ${wanted.total_rate_hz} messages a second, each at ${100 * wanted.load} % of a core of its own, by ${bundle}:`, '',
  formatTable(HEAD, rows), '',
  'At least and at most: by the 95 % interval of what one carries. Each further process is taken to carry as much as the first.',
].join('\n')).join('\n\n');
