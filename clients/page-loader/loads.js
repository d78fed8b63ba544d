/**
 * The metrics of a trial of page loads. Most are medians over the trial's loads of one workflow, scenario and x.
 */
import { group, max, median } from 'd3-array';
import { fitLine } from '../../analysis/statistics/lines.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {[string, number]} Metric */
/** @typedef {{workflow: string, scenario: string, steps: {x: number, rows: Row[]}[]}} Kind steps in ascending x */

/** Connections of a browser to one host over HTTP/1.1. */
const CONNECTIONS = 6;
/** Time of each request in the scenario `parallel` (servers/CONTRACT.md). */
const PARALLEL_MS = 2000;
/** @type {Record<string, string>} name of the metric by column of loads.tsv */
const NAMES = {
  total_ms: 'load_ms',
  data_ms: 'data_ms',
  source_ms: 'source_ms',
  first_paint_ms: 'first_paint_ms',
  interactive_ms: 'interactive_ms',
  server_cpu_ms: 'server_cpu_ms',
  database_cpu_ms: 'database_cpu_ms',
  browser_cpu_ms: 'browser_cpu_ms',
  down_b: 'wire_down_b',
};

/** @param {Row[]} rows @param {string} column @returns {number | undefined} undefined if no row has a value */
const medianOf = (rows, column) =>
  median(
    rows.filter((row) => (row[column] ?? '-') !== '-'),
    (row) => Number(row[column]),
  );
/** @param {{rows: Row[]}} step @returns {number} */
const loadOf = ({ rows }) => Number(medianOf(rows, 'total_ms'));

/** @param {Row[]} loads @returns {Kind[]} */
const groupKinds = (loads) =>
  [
    ...group(
      loads,
      ({ workflow, scenario }) => `${workflow}_${scenario}`,
      ({ x }) => Number(x),
    ).values(),
  ].map((byX) => {
    const steps = [...byX].map(([x, rows]) => ({ x, rows })).sort((a, b) => a.x - b.x);
    const { workflow, scenario } = steps[0].rows[0];
    return { workflow, scenario, steps };
  });

/** @param {Kind} kind @returns {Metric[]} */
function describeKind({ workflow, scenario, steps }) {
  const name = `${workflow}_${scenario}`;
  const medians = Object.entries(NAMES).flatMap(([column, metric]) =>
    steps.flatMap(({ x, rows }) => {
      const value = medianOf(rows, column);
      return value === undefined ? [] : [/** @type {Metric} */ ([`${metric}_${name}_${x}`, value])];
    }),
  );
  if (steps.length < 2) return medians;
  const points = steps.map((step) => /** @type {[number, number]} */ ([step.x, loadOf(step)]));
  const { slope, level } = fitLine(points);
  const off = Number(max(points, ([x, y]) => Math.abs(y - level - slope * x))); // always 0 with two steps
  return [
    ...medians,
    [`load_ms_${name}_least`, points[0][1]],
    [`load_ms_${name}_most`, points[points.length - 1][1]],
    [`slope_ms_${name}`, slope],
    ...(steps.length > 2 ? [/** @type {Metric} */ ([`off_line_ms_${name}`, off])] : []),
  ];
}

/**
 * @param {(workflow: string, scenario: string) => Kind['steps']} stepsOf
 * @returns {Metric[]} time saved by the pushed page over the rendered one, in units of one load of the page without data
 */
function listGains(stepsOf) {
  const [page] = stepsOf('server', 'noop');
  const rendered = new Map(stepsOf('server', 'timeouts').map((step) => [step.x, loadOf(step)]));
  if (!page) return [];
  const gains = stepsOf('stream', 'timeouts')
    .filter(({ x }) => x > 0 && rendered.has(x))
    .map((step) => /** @type {Metric} */ ([`gain_pages_${step.x}`, (Number(rendered.get(step.x)) - loadOf(step)) / loadOf(page)]));
  return gains.length ? [...gains, ['gain_pages_most', gains[gains.length - 1][1]]] : [];
}

/**
 * @param {Kind[]} kinds
 * @returns {Metric[]} time of a load of parallel requests over the expected time of its batches; a batch is one request
 *   on each of the browser's connections
 */
function listBatches(kinds) {
  return kinds
    .filter(({ scenario }) => scenario === 'parallel')
    .flatMap(({ workflow, steps }) => {
      const shares = steps.map(
        (step) =>
          /** @type {Metric} */ ([`batch_share_${workflow}_${step.x}`, loadOf(step) / (PARALLEL_MS * Math.ceil(step.x / CONNECTIONS))]),
      );
      return steps.length > 1
        ? [...shares, /** @type {Metric} */ ([`batch_share_${workflow}_most`, shares[shares.length - 1][1]])]
        : shares;
    });
}

/**
 * @param {Kind[]} kinds
 * @returns {Metric[]} bytes per byte of file, from the difference between the largest and the smallest file. Headers and
 *   scripts cancel out
 */
function listInflation(kinds) {
  return kinds
    .filter(({ scenario, steps }) => scenario === 'files' && steps.length > 1)
    .flatMap(({ workflow, steps }) => {
      const [first, last] = [steps[0], steps[steps.length - 1]];
      const [least_b, most_b] = [first, last].map(({ rows }) => medianOf(rows, 'down_b'));
      return least_b === undefined || most_b === undefined
        ? []
        : [/** @type {Metric} */ ([`wire_b_per_file_b_${workflow}`, (most_b - least_b) / (1024 * (last.x - first.x))])];
    });
}

/** @param {Row[]} loads of loads.tsv @returns {Metric[]} as listed in generator.toml */
export function computeLoads(loads) {
  const kinds = groupKinds(loads);
  const stepsOf = (/** @type {string} */ workflow, /** @type {string} */ scenario) =>
    kinds.find((kind) => kind.workflow === workflow && kind.scenario === scenario)?.steps ?? [];
  return [
    ...kinds.flatMap(describeKind),
    ...listGains(stepsOf),
    ...listBatches(kinds),
    ...listInflation(kinds),
    ['page_clock_bound_ms', Number(max(loads, ({ bound_ms }) => Number(bound_ms)))],
  ];
}
