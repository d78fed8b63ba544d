/** Two runs of the same experiments side by side: what differs between them by more than its interval. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBundle } from './bundle.js';
import { describeDifferences } from './differences.js';
import { UserError } from './failure.js';
import { ROOT } from './places.js';
import { digits, formatInterval, formatTable } from './report.js';
import { numberOrNull } from './verdict.js';

/** @typedef {Record<string, string>} Row of trials-to-ratios */
/** @typedef {{experiment: string, a: string, b: string}} Pair the bundles of one experiment */

/** What is compared, where both runs have it. */
const COMPARED = [
  'server_cpu_s_per_1k', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms', 'saturation_hz', 'worker_rss_kb_per_connection', 'connected_share',
];
/** What SAME=1 judges: the metrics of a point rise and fall together, and all of them would count one chance several times. */
const JUDGED = 'server_cpu_s_per_1k';
/** Of 95 % intervals, this share is expected to miss 1 where nothing differs. */
const MISSED_SHARE = 0.05;
/**
 * SAME=1 counts what differs by more than this: runs minutes apart share no blocks, and a machine, a virtual one above all, is by so
 * much another from one to the next. What differs by less is still told, and is no verdict on the machine.
 */
const DRIFT = 0.05;
/** SAME=1 fails on more differences than chance brings in this share of comparisons of a thing with itself. */
const BOUND_QUANTILE = 0.99;

/**
 * Print the ratio B / A of each point and metric, which of them differ, and, with `same`, whether that is more than chance brings.
 * @param {string} a a bundle, or a reproduce run with a bundle an experiment, as a person gave it
 * @param {string} b
 * @param {{same?: boolean}} [options] `same`: the two are claimed to be the same thing (A/A)
 * @returns {number} exit code: 0, or 1 when `same` and more differ than chance allows
 * @throws {UserError} when there is nothing to compare
 */
export function compareBundles(a, b, { same = false } = {}) {
  const rows = pairBundles(a, b).flatMap(comparePair);
  if (rows.length === 0) {
    throw new UserError(`compare: ${a} and ${b} have no point with a metric in common; give two runs of the same points, and see in reduced/dropped.tsv of each whether all trials were left out`);
  }
  console.log(`\n${describeCounts(rows).join('\n')}`);
  return same ? judgeSameness(rows) : 0;
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

/** @param {string} path @returns {Record<string, string>} the bundle of each experiment of a run @throws {UserError} */
function listBundles(path) {
  const isBundle = (/** @type {string} */ folder) => existsSync(join(folder, 'spec.json'));
  const names = existsSync(path) && !isBundle(path) ? readdirSync(path).sort() : [];
  const within = names.filter((name) => isBundle(join(path, name)) && openBundle(join(path, name)).spec.experiment === name);
  const folders = within.length ? within.map((name) => join(path, name)) : [path];
  return Object.fromEntries(folders.map((folder) => {
    const { spec } = openBundle(folder);
    if (existsSync(join(folder, 'reduced', 'trials.tsv'))) return [spec.experiment, folder];
    throw new UserError(`${folder}: holds no reduced/trials.tsv: the run did not end; go on with it by RESUME=1, then compare`);
  }));
}

/** @param {Pair} pair @returns {Row[]} */
function comparePair({ experiment, a, b }) {
  const rows = computeRatios(a, b);
  console.log(`\n${experiment}: B / A\nA  ${a}\nB  ${b}`);
  const differences = describeDifferences(openBundle(a).spec, openBundle(b).spec);
  for (const difference of differences) console.error(`warning: ${experiment}: A and B differ in ${difference}`);
  const settings = rows.some(({ setting }) => setting !== '-');
  const lines = rows.map((row) => [
    row.workload, row.engine, ...(settings ? [row.setting] : []), row.metric, `${row.n_a}, ${row.n_b}`, formatRatio(row), describeRatio(row),
  ]);
  console.log(lines.length ? formatTable(['workload', 'engine', ...(settings ? ['setting'] : []), 'metric', 'n', 'ratio [95 %]', ''], lines) : 'no point with a metric in common');
  return rows.map((row) => ({ experiment, ...row }));
}

/** @param {string} a @param {string} b @returns {Row[]} the rows of analysis/trials-to-ratios.awk */
function computeRatios(a, b) {
  // Whole paths: an awk takes an operand such as `x=y/trials.tsv` for an assignment.
  const tables = [a, b].map((bundle) => resolve(bundle, 'reduced', 'trials.tsv'));
  const filters = ['median.awk', 'trials-to-ratios.awk'].flatMap((name) => ['-f', join(ROOT, 'analysis', name)]);
  const { status, stdout, stderr } = spawnSync('awk', ['-v', `metrics=${COMPARED.join(' ')}`, ...filters, ...tables],
    { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new UserError(`compare: awk could not read ${tables.join(', ')}: ${stderr.trim()}; see the header of analysis/trials-to-ratios.awk`);
  const [header, ...lines] = stdout.trimEnd().split('\n').map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index]])));
}

/** @param {Row} row @returns {string} */
const formatRatio = ({ ratio, low, high }) => formatInterval({ mean: Number(ratio), low: numberOrNull(low), high: numberOrNull(high) });

/** @param {Row} row @returns {boolean} are there trials enough for an interval? */
const isJudgeable = ({ low }) => low !== '-';

/** @param {Row} row @returns {boolean} does the interval leave out 1? */
const differs = ({ low, high }) => isJudgeable({ low }) && (Number(low) > 1 || Number(high) < 1);

/** @param {Row} row @returns {boolean} does the interval leave out all that the machine's drift explains? */
const differsBeyondDrift = (row) => differs(row) && (Number(row.low) > 1 + DRIFT || Number(row.high) < 1 / (1 + DRIFT));

/** @param {Row} row @returns {string} */
function describeRatio(row) {
  if (!isJudgeable(row)) return 'too few trials';
  return differs(row) ? 'differs' : '';
}

/** @param {Row[]} rows @returns {string[]} what differs, and how many of how many */
function describeCounts(rows) {
  const judgeable = rows.filter(isJudgeable);
  const differing = rows.filter(differs);
  const lines = differing.map((row) => `differs: ${namePoint(row)} ${row.metric}: ${formatRatio(row)}`);
  const few = rows.length - judgeable.length;
  if (few) lines.push(`${few} of ${rows.length} ratios have no interval: it takes four trials a point in each run; run PROFILE=default or paper`);
  if (judgeable.length) {
    const shares = `${digits((100 * differing.length) / judgeable.length)} % (${digits(100 * MISSED_SHARE)} % are expected where nothing differs)`;
    lines.push(`${judgeable.length} compared, ${differing.length} differ beyond their 95 % intervals: ${shares}`);
    lines.push('Metrics of a point are not independent, and the trials of two runs share no blocks: what the machine did meanwhile counts as a difference.');
  }
  return lines;
}

/** @param {Row} row @returns {string} */
const namePoint = ({ experiment, engine, workload, setting }) => [experiment, engine, workload, ...(setting === '-' ? [] : [setting])].join(' ');

/** @param {Row[]} rows @returns {number} exit code @throws {UserError} when none has an interval */
function judgeSameness(rows) {
  const judged = rows.filter((row) => row.metric === JUDGED && isJudgeable(row));
  if (judged.length === 0) {
    throw new UserError(`compare: SAME: no point of both runs has ${JUDGED} with an interval; run both with PROFILE=default or paper`);
  }
  const count = judged.filter(differsBeyondDrift).length;
  const bound = boundByChance(judged.length, MISSED_SHARE, BOUND_QUANTILE);
  const ratios = judged.map(({ ratio }) => Number(ratio)).sort((x, y) => x - y);
  console.log(`SAME: of ${judged.length} ratios of ${JUDGED}, ${count} have intervals wholly beyond ${100 * DRIFT} % of 1, which the machine may drift; were they the same to within that, more than ${bound} would in less than ${Math.round(100 * (1 - BOUND_QUANTILE))} of 100 comparisons (binomial, at most ${MISSED_SHARE} each)`);
  if (count <= bound) return 0;
  console.error(`error: SAME: ${count} of ${judged.length} ratios differ by more than ${100 * DRIFT} %, the bound is ${bound}; the ratios are ${digits(ratios[0])} to ${digits(ratios[ratios.length - 1])}: where all lie on one side of 1, run both again on a machine that is quieter`);
  return 1;
}

/**
 * The quantile of the binomial distribution.
 * @param {number} n @param {number} p @param {number} quantile
 * @returns {number} the least k with P(X <= k) >= quantile
 */
export function boundByChance(n, p, quantile) {
  let term = (1 - p) ** n;
  let sum = term;
  let k = 0;
  for (; sum < quantile && k < n; k++) {
    term *= ((n - k) / (k + 1)) * (p / (1 - p));
    sum += term;
  }
  return k;
}
