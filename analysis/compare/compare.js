/** Compares two runs of the same experiments and tells significant differences. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { computeRatios } from '../points/ratios.js';
import { openBundle } from '../../harness/common/bundle.js';
import { describeDifferences } from './differences.js';
import { UserError } from '../../harness/common/failure.js';
import { readTsv } from '../../harness/common/files.js';
import { tablesOf } from '../../harness/common/tables.js';
import { FALSE_ALARMS_MAX, JUDGED, canJudge, describeAlarm, describeShifts, judgePairs, pairTrials } from './sameness.js';
import { asJson, digits, formatInterval, formatTable, numberOrNull } from '../../harness/common/format.js';
import { describeApart, describeYardsticks, findApart } from '../../harness/common/yardstick.js';

/** @typedef {Record<string, string>} Row of trials.tsv, or a ratio */
/** @typedef {{experiment: string, a: string, b: string}} Pair the bundles of one experiment */
/** @typedef {Pair & {shifts: import('./shifts.js').Shift[], alarms: import('./shifts.js').Shift[]}} Judged */

/** Metrics to compare, if both runs have them; a cost in CPU time, and as a multiple of the reference's. */
const COMPARED = [
  'server_cpu_s_per_1k', 'server_cpu_x_reference', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms', 'saturation_hz',
  'worker_rss_kb_per_connection', 'connected_share',
];
/** If nothing differs, this share of 95 % intervals is expected to exclude 1. */
const MISSED_SHARE = 0.05;
/**
 * Drift of a machine, above all a virtual one, from one hour to the next, as a share of all costs alike. The runs were not at one time, so
 * a smaller shift of everything is reported without a verdict. `./wscale duet` measures both in one run and can tell.
 */
const DRIFT = 0.05;

/**
 * Print the ratio B / A of each point and metric, the differences, and, with `same`, whether there are more than chance explains.
 * @param {string} a a bundle, or a reproduce run with a bundle per experiment, as the user gave it @param {string} b
 * @param {{same?: boolean, json?: boolean}} [options] `same`: the two are claimed to be the same (A/A); `json`: machine-readable output
 * @returns {number} exit code: 0, or 1 if `same` and more differs than chance explains @throws {UserError} when there is nothing to compare
 */
export function compareBundles(a, b, { same = false, json = false } = {}) {
  const pairs = pairBundles(a, b).map((pair) => ({ ...pair, rows: comparePair(pair) }));
  const rows = pairs.flatMap((pair) => pair.rows);
  if (!json || rows.length === 0) pairs.forEach(printPair);
  if (rows.length === 0) {
    throw new UserError(`compare: ${a} and ${b} have no point with a metric in common; give two runs of the same points, and see in reduced/dropped.tsv of each whether all trials were left out`);
  }
  if (!json) console.log(`\n${describeCounts(rows).join('\n')}`);
  const judged = judgeSameness(pairs, same);
  if (json) printJson(pairs, judged);
  else printSameness(judged, same);
  const alarms = judged.flatMap(({ experiment, alarms: own }) => own.map((shift) => ({ experiment, shift })));
  if (!same || alarms.length === 0) return 0;
  for (const { experiment, shift } of alarms) {
    console.error(`error: SAME: ${experiment}: ${describeAlarm(shift)}; see in what A and B differ, or run both again on a machine that is quieter`);
  }
  return 1;
}

/** @param {string} a @param {string} b @returns {Pair[]} @throws {UserError} */
function pairBundles(a, b) {
  const [ofA, ofB] = [listBundles(a), listBundles(b)];
  const common = Object.keys(ofA).filter((experiment) => experiment in ofB);
  if (common.length === 0) {
    throw new UserError(`compare: ${a} is of ${Object.keys(ofA).join(', ')}, ${b} of ${Object.keys(ofB).join(', ')}; give two runs of the same experiment`);
  }
  for (const [path, bundles] of /** @type {const} */ ([[a, ofA], [b, ofB]])) {
    const alone = Object.keys(bundles).filter((experiment) => !common.includes(experiment));
    if (alone.length) console.error(`warning: only ${path} holds ${alone.join(', ')}: not compared`);
  }
  return common.map((experiment) => ({ experiment, a: ofA[experiment], b: ofB[experiment] }));
}

/** It reads no table. @param {string} path @returns {Record<string, string>} the bundle of each experiment of a run @throws {UserError} */
export function listBundles(path) {
  const isBundle = (/** @type {string} */ folder) => existsSync(join(folder, 'spec.json'));
  const names = isFolder(path) && !isBundle(path) ? readdirSync(path).sort() : [];
  const within = names.filter((name) => isBundle(join(path, name)) && openBundle(join(path, name)).spec.experiment === name);
  const folders = within.length ? within.map((name) => join(path, name)) : [path];
  return Object.fromEntries(folders.map((folder) => [openBundle(folder).spec.experiment, folder]));
}

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @param {Pair} pair @returns {Row[]} */
function comparePair({ experiment, a, b }) {
  const differences = describeDifferences(openBundle(a).spec, openBundle(b).spec);
  for (const difference of differences) console.error(`warning: ${experiment}: A and B differ in ${difference}`);
  return markLeast(computeRatios(readTrials(a), readTrials(b), COMPARED), a, b).map((row) => ({ experiment, ...row }));
}

/** @param {Pair & {rows: Row[]}} pair */
function printPair({ experiment, a, b, rows }) {
  console.log(`\n${experiment}: B / A\nA  ${a}\nB  ${b}`);
  describeBothYardsticks(a, b).forEach((line) => console.log(line));
  const settings = rows.some(({ setting }) => setting !== '-');
  const lines = rows.map((row) => [
    row.workload, row.engine, ...(settings ? [row.setting] : []), row.metric, row.n, formatRatio(row), describeRatio(row),
  ]);
  console.log(lines.length ? formatTable(['workload', 'engine', ...(settings ? ['setting'] : []), 'metric', 'n', 'ratio [95 %]', ''], lines) : 'no point with a metric in common');
}

/** @param {(Pair & {rows: Row[]})[]} pairs @param {Judged[]} judged all shifts, and the significant ones */
function printJson(pairs, judged) {
  const all = pairs.map(({ experiment, a, b, rows }) => {
    const { shifts = [], alarms = [] } = judged.find((each) => each.experiment === experiment) ?? {};
    const ratios = rows.map(({ experiment: _, ...row }) => ({ ...asJson(row), differs: differs(row) }));
    const marked = shifts.map((shift) => ({ ...shift, differs: alarms.includes(shift) }));
    return { experiment, a, b, apart: findApart(a, b), ratios, shifts: marked };
  });
  console.log(JSON.stringify(all, null, 2));
}

/** @param {string} a @param {string} b @returns {string[]} the machine's yardsticks in each of two runs */
function describeBothYardsticks(a, b) {
  const both = [a, b].map((bundle) => describeYardsticks(bundle));
  if (both.every((lines) => lines.length === 0)) return [];
  const told = both.map((lines) => (lines.length ? lines : ['none was taken']));
  return [...told.flatMap((lines, index) => lines.map((line) => `yardstick ${'AB'[index]}  ${line}`)), ...describeApart(a, b)];
}

/**
 * If the load's core was full before the server fell behind, in any trial, the saturation is a lower bound.
 * @param {Row[]} rows @param {string} a @param {string} b @returns {Row[]} with `least` for such a saturation: "A", "B" or "both"
 */
function markLeast(rows, a, b) {
  const nameOf = (/** @type {Row} */ { engine, workload, setting }) => [engine, workload, setting].join('\t');
  const [inA, inB] = [a, b].map((bundle) => new Set(readTrials(bundle)
    .filter(({ metric, value }) => metric === 'saturation_at_least' && Number(value) > 0).map(nameOf)));
  return rows.map((row) => {
    const [isA, isB] = [inA, inB].map((least) => row.metric === 'saturation_hz' && least.has(nameOf(row)));
    return isA || isB ? { ...row, least: isA && isB ? 'both' : isA ? 'A' : 'B' } : row;
  });
}

/** @param {Row} row @returns {string} */
const formatRatio = ({ ratio, low, high }) => formatInterval({ mean: Number(ratio), low: numberOrNull(low), high: numberOrNull(high) });

/** @param {Row} row @returns {boolean} are there trials enough for an interval? */
const isJudgeable = ({ low }) => low !== '-';

/** @param {Row} row @returns {boolean} does a trial of A have 0 and its partner in B more? */
const isBoundless = ({ ratio }) => ratio === 'Infinity';

/** @param {Row} row @returns {boolean} does the interval exclude 1, on a side that lower bounds allow? */
const differs = ({ low, high, least }) => isJudgeable({ low }) && ((Number(low) > 1 && least !== 'A') || (Number(high) < 1 && least !== 'B')) && least !== 'both';

/** What a ratio of saturations means if the load was the limit. @type {Record<string, string>} */
const LEAST = {
  A: 'so much at most: the load was the limit in A',
  B: 'so much at least: the load was the limit in B',
  both: 'two lower bounds: the load was the limit in both, so it tells nothing of the servers',
};

/** @param {Row} row @returns {string} */
function describeRatio(row) {
  const why = isBoundless(row) ? '0 in a trial of A: no bound' : 'too few trials';
  const words = [...(isJudgeable(row) ? [] : [why]), ...(differs(row) ? ['differs'] : []), ...(row.least ? [LEAST[row.least]] : [])];
  return words.join('; ');
}

/** @param {Row[]} rows @returns {string[]} the differences and their number */
function describeCounts(rows) {
  const judgeable = rows.filter(isJudgeable);
  const differing = rows.filter(differs);
  const lines = differing.map((row) => `differs: ${namePoint(row)} ${row.metric}: ${formatRatio(row)}${row.least ? `, ${LEAST[row.least]}` : ''}`);
  const boundless = rows.filter(isBoundless).length;
  const few = rows.length - judgeable.length - boundless;
  if (few) lines.push(`${few} of ${rows.length} ratios have no interval: it takes three pairs of trials a point; run PROFILE=default or paper`);
  if (boundless) lines.push(`${boundless} of ${rows.length} ratios have no bound: a trial of A has 0 where that of B has more`);
  if (judgeable.length) {
    const shares = `${digits((100 * differing.length) / judgeable.length)} % (${digits(100 * MISSED_SHARE)} % are expected where nothing differs)`;
    lines.push(`${judgeable.length} compared, ${differing.length} differ beyond their 95 % intervals: ${shares}`);
    lines.push('Metrics of a point are not independent, and the two runs were not at one time: what the machine did meanwhile counts as a difference.');
  }
  return lines;
}

/** @param {Row} row @returns {string} */
const namePoint = ({ experiment, engine, workload, setting }) => [experiment, engine, workload, ...(setting === '-' ? [] : [setting])].join(' ');

/**
 * @param {Pair[]} pairs @param {boolean} same are the two claimed to be the same?
 * @returns {Judged[]} of experiments with enough blocks @throws {UserError} if `same`, and no experiment has enough
 */
function judgeSameness(pairs, same) {
  const all = pairs.map(({ experiment, a, b }) => ({ experiment, a, b, trials: pairTrials(readTrials(a), readTrials(b)) }));
  const judged = all.filter(({ trials }) => canJudge(trials));
  if (judged.length === 0 && same) throw new UserError(`compare: SAME: no experiment has ${JUDGED} in enough blocks of both runs; run both with PROFILE=default or paper, and see reduced/dropped.tsv of each`);
  const alpha = FALSE_ALARMS_MAX / judged.length;
  return judged.map(({ experiment, a, b, trials }) => {
    const { shifts, alarms } = judgePairs(trials, { drift: DRIFT, alpha });
    const isApart = findApart(a, b).length > 0; // then a shift of everything is the machine's
    return { experiment, a, b, shifts, alarms: alarms.filter(({ of }) => of !== 'all' || !isApart) };
  });
}

/** @param {Judged[]} judged @param {boolean} same */
function printSameness(judged, same) {
  for (const { experiment, a, b, shifts, alarms } of judged) console.log([`\n${experiment}`, describeShifts(shifts, alarms), ...describeApart(a, b)].join('\n'));
  const count = judged.reduce((sum, { alarms }) => sum + alarms.length, 0);
  if (judged.length) console.log(`\n${describeRule(count, same)}`);
}

/** @param {number} count @param {boolean} same @returns {string} */
function describeRule(count, same) {
  const rule = `were A and B the same to within ${100 * DRIFT} % for everything alike, which a machine may drift from run to run, any would in less than 5 of 100 comparisons`;
  return `${same ? 'SAME: ' : ''}${count} shift${count === 1 ? '' : 's'} of ${JUDGED} differ; ${rule} (\`./wscale check-power\` measures how often; \`./wscale duet\` tells the machine from a slowdown of everything)`;
}

/** @param {string} bundle @throws {UserError} */
function readTrials(bundle) {
  const path = join(tablesOf(bundle), 'trials.tsv');
  if (existsSync(path)) return readTsv(path);
  throw new UserError(`${bundle}: holds no reduced/trials.tsv: the run did not end; go on with it by RESUME=1, then compare`);
}
