/**
 * What the figure of the whole project shows: messages a second, relative to one process of the reference engine, against cores.
 * Computed rows are of measured demands at one load of a core that every role reached in every block (slopes.tsv): k processes of each
 * working role carry k times what one does, on one core more for the store or broker. Rows of a full core extend the curve of a role
 * that was measured to less. What ran on as many cores is of scaling.tsv.
 */
import { group, rollup } from 'd3-array';
import { LEVEL, findCentre } from '../../analysis/statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

/** Processes of each working role: up to 9 cores, or 7 of two roles. */
const COUNTS = [1, 2, 3, 4, 6, 8];
const CORES_MOST = 16;
/** Of the years where a role was not measured to the load at which it is full. */
const EXTENDED = { engine: 'socketcluster-2014', base: 'engine.io-2014', mixes: ['1+1+1', '2+2+1', '3+3+1', '4+4+1'] };

/** @param {string} text @returns {number} */
const countOf = (text) => text.split('+').reduce((sum, count) => sum + Number(count), 0);

/** @param {string | number} share @returns {string} */
const percent = (share) => `${Math.round(100 * Number(share))} %`;

/** @param {Row[]} slopes @returns {Record<string, unknown>[]} */
function listComputed(slopes) {
  return slopes
    .filter(({ count, slope }) => count.startsWith('without') && slope !== '-')
    .flatMap((row) => {
      const roles = row.era === '2014' ? 2 : 1; // balancers and workers, or workers alone
      const times = (/** @type {string} */ cell, /** @type {number} */ k) =>
        cell === '-' ? '-' : String(Number(cell) * roles * k);
      return COUNTS.map((k) => ({ k, cores: roles * k + 1 }))
        .filter(({ cores }) => cores <= CORES_MOST)
        .map(({ k, cores }) => ({
          era: row.era,
          engine: row.of,
          how: 'computed',
          load: percent(row.load),
          cores,
          n: row.n,
          relative: times(row.slope, k),
          low: times(row.low, k),
          high: times(row.high, k),
        }));
    });
}

/** @param {Row[]} capacities @returns {Record<string, unknown>[]} at a full core */
function listExtended(capacities) {
  const own = capacities.filter(({ engine }) => engine === EXTENDED.engine);
  const bases = rollup(
    capacities.filter(({ engine, kind }) => engine === EXTENDED.base && kind === 'one'),
    ([row]) => Number(row.total_rate_hz),
    ({ block }) => block,
  );
  return EXTENDED.mixes.flatMap((mix) => {
    const rows = own.filter(({ kind, what, block }) => kind === 'mix' && what === mix && bases.has(block));
    const load = percent(Math.min(...rows.map(({ reached }) => Number(reached))));
    const labels = { era: '2014', engine: EXTENDED.engine, how: 'extended', load, cores: countOf(mix) };
    const ratios = rows.map((row) => Number(row.total_rate_hz) / Number(bases.get(row.block)));
    return ratios.length ? [rowOf(labels, ratios)] : [];
  });
}

/** @param {Row[]} scaling @returns {Record<string, unknown>[]} of each engine and number of cores */
function listRun(scaling) {
  const rows = scaling.filter(({ relative }) => relative !== '-');
  return [...group(rows, ({ engine, setting }) => `${engine}\t${setting}`).values()].map((own) =>
    rowOf(
      { era: own[0].era, engine: own[0].engine, how: 'run', cores: Number(own[0].n_cores) },
      own.map(({ relative }) => Number(relative)),
    ),
  );
}

/** @param {Record<string, unknown>} labels @param {number[]} values */
function rowOf(labels, values) {
  const { mean, low, high } = findCentre(values, LEVEL);
  return { ...labels, n: values.length, relative: mean, low: low ?? '-', high: high ?? '-' };
}

/** @param {(table: string) => Row[]} read @returns {Record<string, Row[]>} tables for figures alone */
export function makeRows(read) {
  const rows = [...listComputed(read('slopes')), ...listExtended(read('capacities')), ...listRun(read('scaling'))];
  return { relative: rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, String(cell)]))) };
}
