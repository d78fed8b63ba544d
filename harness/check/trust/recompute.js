/** Compares the suite's numbers with other programs' numbers from the same captures: recompute.py, and scipy through test/oracle. */
import { join } from 'node:path';
import { UserError } from '../../common/failure.js';
import { readTsv } from '../../common/files.js';
import { ROOT } from '../../common/places.js';
import { lastWords, runProgram } from '../../common/programs.js';

/** @typedef {import('./outcomes.js').Compared} Compared */
/** @typedef {{bundle: string, trial: string, engine: string, workload: string, setting: string, metric: string, value: number}} Value */
/** @typedef {{what: string, ours: number, theirs: number | null, tolerance: number}} Couple */

/** Debian's Python, with Debian's scipy; PATH may find another first. */
const PYTHON = '/usr/bin/python3';
/** Relative: six digits are printed, a histogram has three, and an interval's end is less exact than a value, by its quantile. */
const TOLERANCES = { value: 2e-5, percentile: 1e-3, end: 2e-4 };

/** @param {string[]} argv @param {object} [question] @returns {any} */
function askPython(argv, question) {
  const ended = runProgram([PYTHON, ...argv], { input: JSON.stringify(question ?? {}) });
  if (ended.status === 0) return JSON.parse(ended.stdout);
  throw new UserError(`${argv[0]}: ${lastWords(ended)}; install scipy: apt-get install python3-scipy`);
}

/** @param {Record<string, unknown>} row */
const pointOf = ({ engine, workload, setting, metric }) => [engine, workload, setting, metric].join('\t');

/** @param {Record<string, unknown>} row */
const numberOf = ({ trial, metric }) => `${trial}\t${metric}`;

/** @param {string} metric */
const isPercentile = (metric) => /_p\d+_ms$/.test(metric);

/** @param {string} metric such as latency_p99_ms @returns {string} */
const nameOf = (metric) => metric.replace(/_p\d+_ms$/, ' percentiles').replace(/_ms$/, '');

/** @param {string} bundle @returns {Record<string, string>[]} numbers of all trials, including flagged ones */
export const readNumbers = (bundle) => ['trials', 'flagged'].flatMap((name) => readTsv(join(bundle, 'reduced', `${name}.tsv`)));

/** @param {string[]} bundles @returns {Compared[]} */
export function compareWithRecomputed(bundles) {
  if (bundles.length === 0) return [];
  const values = /** @type {Value[]} */ (askPython([join(import.meta.dirname, 'recompute.py'), ...bundles]));
  return compare([...coupleValues(values, bundles), ...coupleIntervals(values, bundles)]);
}

/** @param {Value[]} values @param {string[]} bundles @returns {Couple[]} numbers of trials present in the tables */
function coupleValues(values, bundles) {
  const own = new Map(bundles.map((bundle) => [bundle, new Map(readNumbers(bundle).map((row) => [numberOf(row), Number(row.value)]))]));
  return values.flatMap((value) => {
    const ours = own.get(value.bundle)?.get(numberOf(value));
    const tolerance = isPercentile(value.metric) ? TOLERANCES.percentile : TOLERANCES.value;
    return ours === undefined ? [] : [{ what: nameOf(value.metric), ours, theirs: value.value, tolerance }];
  });
}

/** @param {Value[]} values @param {string[]} bundles @returns {Couple[]} means and interval ends over valid trials */
function coupleIntervals(values, bundles) {
  return bundles.flatMap((bundle) => {
    const stands = new Set(readTsv(join(bundle, 'reduced/trials.tsv')).map(numberOf));
    const own = values.filter((value) => value.bundle === bundle && stands.has(numberOf(value)));
    const groups = [...Map.groupBy(own, pointOf)];
    const question = { levels: groups.map(() => 0.95), groups: groups.map(([, each]) => each.map(({ value }) => value)) };
    const answers = groups.length ? askPython([join(ROOT, 'test/oracle/oracle.py')], question).groups : [];
    const points = new Map(readTsv(join(bundle, 'reduced/points.tsv')).map((row) => [pointOf(row), row]));
    return groups.flatMap(([point, [{ metric }]], index) => {
      const row = points.get(point);
      if (!row) return [];
      const { mean, low, high } = answers[index];
      const tolerance = isPercentile(metric) ? TOLERANCES.percentile : TOLERANCES.end;
      return [
        { what: 'means, by scipy', ours: Number(row.mean), theirs: mean, tolerance },
        ...Object.entries({ low, high }).filter(([end]) => row[end] !== '-')
          .map(([end, theirs]) => ({ what: 'ends of 95 % intervals, by scipy', ours: Number(row[end]), theirs, tolerance })),
      ];
    });
  });
}

/** @param {Couple[]} couples @returns {Compared[]} largest difference of each kind and tolerance */
export function compare(couples) {
  const differenceOf = (/** @type {Couple} */ { ours, theirs }) =>
    (theirs === null ? Infinity : Math.abs(ours - theirs) / Math.max(Math.abs(theirs), 1e-12));
  return [...Map.groupBy(couples, ({ what, tolerance }) => `${what}\t${tolerance}`).values()].map((own) => (
    { what: own[0].what, numbers: own.length, difference: Math.max(...own.map(differenceOf)), tolerance: own[0].tolerance }));
}
