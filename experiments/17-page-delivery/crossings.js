/** From which x on the server's page is complete later than that of another workflow. */
import { group } from 'd3-array';
import { cellOf, digitsOf } from '../../analysis/digits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { findCrossing } from '../../clients/page-loader/crossing.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{trial: string, scenario: string, workflow: string, x: number, ms: number}} Load */

/** @type {Record<string, string>} */
const UNITS = { files: ' KiB', documents: ' documents', timeouts: ' ms', series: ' requests', parallel: ' requests' };
export const CROSSING_COLUMNS = [
  'source',
  'workload',
  'setting',
  'scenario',
  'workflow',
  'most',
  'n',
  'crossed',
  'later',
  'x',
  'low',
  'high',
  'scale',
  'words',
];

/** @param {number} x @returns {string} three significant digits, as everywhere */
const short = (x) => String(Number(Number(digitsOf(x)).toPrecision(3)));

/** @param {Row[]} published scenario, x, workflow, ms @returns {Record<string, string | number>[]} the source's own */
function listPublished(published) {
  return [...group(published, ({ scenario }) => scenario)].flatMap(([scenario, rows]) =>
    ['ajax', 'stream'].flatMap((workflow) => {
      const msOf = (/** @type {string} */ way, /** @type {string} */ x) =>
        Number(rows.find((row) => row.workflow === way && row.x === x)?.ms ?? NaN);
      const steps = [...new Set(rows.map(({ x }) => x))].map((x) => ({ x: Number(x), late_ms: msOf('server', x) - msOf(workflow, x) }));
      const x = steps.every(({ late_ms }) => Number.isFinite(late_ms)) ? findCrossing(steps) : undefined;
      return x === undefined
        ? []
        : [
            {
              source: 'published',
              workload: '-',
              setting: '-',
              scenario,
              workflow,
              most: steps[steps.length - 1].x,
              x: digitsOf(x),
              words: `at ${short(x)}${UNITS[scenario]}`,
            },
          ];
    }),
  );
}

/** @param {Row[]} rows of trials.tsv @returns {Map<string, number>} ms by trial, scenario, workflow and x */
const mapLoads = (rows) =>
  new Map(
    rows.map(({ trial, metric, value }) => {
      const [, , workflow, scenario, x] = metric.split('_');
      return [[trial, scenario, workflow, x].join(' '), Number(value)];
    }),
  );

/**
 * @param {Row[]} rows of one workflow and scenario of a point
 * @param {Map<string, number>} loads
 * @param {Map<string, number>} crossings
 */
function describePair(rows, loads, crossings) {
  const { engine, workload, setting, metric } = rows[0];
  const [, , workflow, scenario] = metric.split('_');
  const trials = [...group(rows, ({ trial }) => trial)].flatMap(([trial, own]) => {
    const shared = own
      .map((row) => row.metric.split('_')[4])
      .filter((x) => loads.has([trial, scenario, 'server', x].join(' ')))
      .map(Number);
    if (shared.length < 2) return [];
    const most = Math.max(...shared);
    const [server, other] = ['server', workflow].map((way) => Number(loads.get([trial, scenario, way, most].join(' '))));
    return [{ most, isLater: server > other, x: crossings.get([trial, scenario, workflow].join(' ')) }];
  });
  if (trials.length === 0) return [];
  const found = trials.flatMap(({ x }) => (x === undefined ? [] : [x]));
  const later = trials.filter(({ isLater }) => isLater).length;
  const most = /** @type {{most: number}} */ (trials.at(-1)).most;
  const centre = found.length === trials.length ? findCentre(found) : undefined;
  return [
    {
      source: engine,
      workload,
      setting,
      scenario,
      workflow,
      most,
      n: trials.length,
      crossed: found.length,
      later,
      x: cellOf(centre?.mean),
      low: cellOf(centre?.low),
      high: cellOf(centre?.high),
      scale: centre?.scale ?? '-',
      words: describe({ n: trials.length, crossed: found.length, later, most, centre, unit: UNITS[scenario] }),
    },
  ];
}

/**
 * @param {{n: number, crossed: number, later: number, most: number, centre?:
 *   import('../../analysis/statistics/intervals.js').Centre, unit: string}} found
 */
function describe({ n, crossed, later, most, centre, unit }) {
  if (centre) {
    const { mean, low, high } = centre;
    const interval =
      low === undefined || high === undefined ? `no interval: ${n} ${n === 1 ? 'trial' : 'trials'}` : `${short(low)}, ${short(high)}`;
    return `at ${short(mean)} [${interval}]${unit}`;
  }
  if (crossed) return `in ${crossed} of ${n} trials`;
  if (later === n) return 'nowhere: with the least it is the later already';
  return `nowhere up to ${most}${unit}${later ? ` in ${n - later} of ${n} trials` : ''}`;
}

/**
 * @param {Row[]} trials of trials.tsv
 * @param {Row[]} published
 * @returns {Record<string, unknown>[]} of crossings.tsv
 */
export function listCrossings(trials, published) {
  const timed = trials.filter(({ metric }) => /^load_ms_[a-z]+_[a-z]+_[0-9]+$/.test(metric));
  const loads = mapLoads(timed);
  const crossings = new Map(
    trials
      .filter(({ metric }) => metric.startsWith('crossing_'))
      .map(({ trial, metric, value }) => {
        const [, scenario, , workflow] = metric.split('_');
        return [[trial, scenario, workflow].join(' '), Number(value)];
      }),
  );
  const others = timed.filter(({ metric }) => !metric.startsWith('load_ms_server_'));
  const pairs = group(others, ({ engine, workload, setting, metric }) =>
    [engine, workload, setting, ...metric.split('_').slice(2, 4)].join('\t'),
  );
  return [...listPublished(published), ...[...pairs.values()].flatMap((rows) => describePair(rows, loads, crossings))];
}
