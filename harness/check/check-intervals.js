/** Checks the coverage of our intervals by simulation with the published records' residuals; writes its part of docs/validation.md. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mean } from 'd3-array';
import { NORMAL, resample, residualsByScore, residualsTogether, simulateCoverage, simulatePower } from '../../analysis/statistics/coverage.js';
import { deviationOf } from '../../analysis/statistics/spread.js';
import { readTsv } from '../common/files.js';
import { writePart } from '../common/marks.js';
import { ROOT, numberOfExperiment, recordOf } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { formatMarkdownTable as table } from '../common/format.js';
import { seededRandom } from '../common/random.js';
import { fillParagraphs } from '../common/prose.js';
import { listExperiments } from '../spec/spec.js';

/** @typedef {Record<string, string>} Cells */
/** @typedef {{experiment: string, trials: Cells[], compared: Cells[]}} RecordTables */
/** @typedef {{metric: string, values: number[]}} Group logarithms of one point's trials, or of one comparison's blocks */

const SEED = 20261122;
const COUNTS = [3, 4, 6, 9, 12];
const DRAWS = 20_000;
/** Bounds of acceptable coverage. */
const RIGHT = [0.93, 0.97];
const EFFECT = 1.2;
const POWER = 0.8;
/** Claims whose residual spreads the power is computed for. */
const POWERED = ['T4', 'T5'];
/** Smallest group: with fewer values an estimated spread means little. */
const LEAST = 4;
const DOCUMENT = join(ROOT, 'docs', 'validation.md');

/** @returns {RecordTables[]} of every result of record */
function readRecords() {
  return listExperiments().map((experiment) => ({ experiment, reduced: tablesOf(recordOf(experiment)) }))
    .filter(({ reduced }) => existsSync(reduced))
    .map(({ experiment, reduced }) => ({ experiment, trials: readTsv(join(reduced, 'trials.tsv')), compared: readTsv(join(reduced, 'compared.tsv')) }));
}

/** @param {Cells} row @returns {string} */
const pointOf = ({ engine, workload, setting, metric }) => [engine, workload, setting, metric].join('\t');

/** @param {Cells[]} trials @returns {Map<string, Map<string, number>>} values by block, by point */
function byPoint(trials) {
  const points = Map.groupBy(trials, pointOf);
  return new Map([...points].map(([point, rows]) => [point, new Map(rows.map(({ block, value }) => [block, Number(value)]))]));
}

/** @param {Group[]} groups @returns {Group[]} logarithms, of groups large enough with differing values */
const toLogarithms = (groups) => groups.filter(({ values }) => values.length >= LEAST && values.every((value) => value > 0))
  .map(({ metric, values }) => ({ metric, values: values.map(Math.log) })).filter(({ values }) => deviationOf(values) > 1e-9);

/** @param {RecordTables} record @returns {Group[]} */
const listPointGroups = ({ experiment, trials }) => toLogarithms([...byPoint(trials)].map(([point, blocks]) => (
  { metric: `${experiment} ${point.split('\t')[3]}`, values: [...blocks.values()] })));

/** @param {RecordTables} record @param {(row: Cells) => boolean} [isWanted] @returns {Group[]} ratios within blocks that claims compare */
function listRatioGroups({ experiment, trials, compared }, isWanted = () => true) {
  const points = byPoint(trials);
  return toLogarithms(compared.filter((row) => row.to !== '-' && isWanted(row)).map((row) => {
    const of = points.get(pointOf({ ...row, engine: row.of })) ?? new Map();
    const to = points.get(pointOf({ ...row, engine: row.to, setting: row.to_setting, metric: row.to_metric })) ?? new Map();
    return { metric: `${experiment} ${row.metric}`, values: [...of].filter(([block]) => to.has(block)).map(([block, value]) => value / to.get(block)) };
  }));
}

/** @param {Group[]} groups @returns {number[]} residuals in units of the standard deviation over all groups of an experiment's metric */
const residualsByMetric = (groups) =>
  [...Map.groupBy(groups, ({ metric }) => metric).values()].flatMap((own) => residualsTogether(own.map(({ values }) => values)));

/** @param {number | undefined} share @returns {string} */
const percent = (share) => (share === undefined ? '-' : `${(100 * share).toFixed(1)} %`);

/** @param {RecordTables[]} records @param {() => number} random @returns {string[]} */
function describeCoverage(records, random) {
  const [points, ratios] = [records.flatMap(listPointGroups), records.flatMap((record) => listRatioGroups(record))];
  const scores = (/** @type {Group[]} */ groups) => residualsByScore(groups.map(({ values }) => values));
  const populations = [
    NORMAL,
    resample(`points (${points.length}), normal scores`, scores(points)),
    resample(`ratios of claims (${ratios.length}), normal scores`, scores(ratios)),
    resample('points, in units of the spread of all points of a metric', residualsByMetric(points)),
    resample('ratios of claims, in units of the spread of all of a metric', residualsByMetric(ratios)),
  ];
  const found = populations.map((population) => COUNTS.map((n) => simulateCoverage(population, n, DRAWS, random)));
  const isRight = (/** @type {number} */ share) => share >= RIGHT[0] && share <= RIGHT[1];
  const outside = populations.flatMap(({ name }, i) => COUNTS.map((n, k) => ({ n, share: found[i][k].student }))
    .filter(({ share }) => !isRight(share)).map(({ n, share }) => `${name}, n = ${n}: ${percent(share)}`));
  return [
    'Each cell: Student\'s t on logarithms / order statistics, of the median, which have no interval under six trials.', '',
    table(['residuals', 'values', 'excess kurtosis', ...COUNTS.map((n) => `n = ${n}`)], populations.map(({ name, size, kurtosis }, i) =>
      [name, size === Infinity ? '-' : String(size), kurtosis.toFixed(1), ...found[i].map(({ student, order }) => `${percent(student)} / ${percent(order)}`)])), '',
    ...(outside.length ? [`Outside ${RIGHT.map((bound) => 100 * bound).join(' to ')} %:`, '', ...outside.map((line) => `- ${line}`)]
      : [`Every one of Student's lies within ${RIGHT.map((bound) => 100 * bound).join(' to ')} %.`]),
  ];
}

/** @param {RecordTables[]} records @param {() => number} random @returns {string[]} */
function describePower(records, random) {
  const record = records.find(({ compared }) => compared.some(({ claim }) => POWERED.includes(claim)));
  const groups = record ? listRatioGroups(record, ({ claim }) => POWERED.includes(claim)) : [];
  if (groups.length === 0) return [`There is no result of record that judges ${POWERED.join(' and ')} to take spreads from.`];
  const spreads = groups.map(({ values }) => deviationOf(values)).sort((a, b) => a - b);
  const rows = Object.entries({
    'the least': spreads[0], 'the middle one': spreads[Math.floor(spreads.length / 2)],
    'all together (root of the mean square)': Math.sqrt(Number(mean(spreads, (spread) => spread ** 2))), 'the greatest': spreads[spreads.length - 1],
  }).map(([name, spread]) => [name, spread.toFixed(3), ...COUNTS.map((n) => {
    const { student, order } = simulatePower(NORMAL, Math.log(EFFECT) / spread, n, DRAWS, random);
    return `${percent(student)} / ${percent(order)}`;
  }), leastCount(spread, random)]);
  return [
    `How many blocks decide a claim? The true ratio is ${EFFECT}, the criterion ">1", and residuals are normal. The spread is the standard deviation of the logarithms of ratios within blocks, of the ${groups.length} rows of `
      + `${POWERED.join(' and ')} in the record of experiment ${record && numberOfExperiment(record.experiment)}. The last column: the least n that decides it with a probability of ${percent(POWER)}.`, '',
    table(['spread of a row', 'sd', ...COUNTS.map((n) => `n = ${n}`), `n for ${percent(POWER)}`], rows),
  ];
}

/** @param {number} spread @param {() => number} random @returns {string} */
function leastCount(spread, random) {
  for (let n = 3; n <= 60; n++) {
    if (simulatePower(NORMAL, Math.log(EFFECT) / spread, n, DRAWS / 10, random).student >= POWER) return String(n);
  }
  return 'more than 60';
}

export function checkIntervals() {
  const random = seededRandom(SEED);
  const records = readRecords();
  const lines = [
    `An interval of 95 % should hold the truth in 95 of 100 cases; 93 to 97 is called right. ${DRAWS.toLocaleString('en')} samples a cell are drawn, from the seed ${SEED}. `
      + 'They are made of the records\' residuals: the logarithm of each value less the mean of its point. With few values a residual is too small, since each value draws the mean to itself. '
      + 'So residuals are drawn in two ways: by their ranks, at the places that normal values would have (normal scores); and in units of the spread of all points of a metric, which has longer tails than any point. '
      + 'By `make check-intervals`.', '',
    ...describeCoverage(records, random), '',
    ...describePower(records, random), '',
  ];
  writePart(DOCUMENT, 'by make check-intervals', fillParagraphs(lines.join('\n'), 120));
  console.log(relative(process.cwd(), DOCUMENT));
}
