/**
 * Compares intervals, fits and decisions with scipy's: those of the records, and those that analysis/ computes from
 * data with known laws.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fitAll } from '../../analysis/points/fits.js';
import { listSpared } from '../../analysis/points/spared.js';
import { findPrior } from '../../analysis/statistics/moderated.js';
import { poolRuns } from '../../analysis/statistics/prediction.js';
import { residualsByScore } from '../../analysis/statistics/coverage.js';
import { binomialAtLeast } from '../../analysis/statistics/distributions.js';
import { rejectByHolm } from '../../analysis/statistics/holm.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT, recordOf } from '../../harness/common/places.js';
import { tablesOf } from '../../harness/common/tables.js';
import { seededRandom } from '../../harness/common/random.js';
import { listExperiments } from '../../harness/spec/spec.js';
import { judgeRead } from '../../analysis/claims/verdict.js';
import { withError } from '../with-error.js';

/** Debian's Python, which the package of scipy is for. PATH may name another one first. */
const PYTHON = '/usr/bin/python3';

/** @param {object} question @returns {any} */
function ask(question) {
  const { status, stdout, stderr } = spawnSync(PYTHON, [join(ROOT, 'test/oracle/oracle.py')], { input: JSON.stringify(question), encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(status, 0, `the oracle did not answer: ${stderr}`);
  return JSON.parse(stdout);
}

before(() => {
  const { status, stderr } = spawnSync(PYTHON, ['-c', 'import scipy'], { encoding: 'utf8' });
  assert.equal(status, 0, `error: ${PYTHON}: has no scipy (${String(stderr).trim().split('\n').pop()}); install it with: apt-get install python3-scipy`);
});

/**
 * Asserts that they are equal within a relative tolerance, or that both are absent.
 * @param {unknown} found @param {number | null} expected @param {string} what @param {number} [relative]
 */
function assertSame(found, expected, what, relative = 1e-5) {
  if (expected === null) return assert.equal(found, '-', what);
  return assert.ok(Math.abs(Number(found) - expected) <= relative * Math.abs(expected) + 1e-9, `${what}: ${found}, scipy says ${expected}`);
}

/**
 * @param {Record<string, string>[]} trials
 * @returns {Map<string, Map<string, number>>} by engine, workload, setting and metric the value of each block
 */
function byPoint(trials) {
  const points = new Map();
  for (const { engine, workload, setting, metric, block, value } of trials) {
    const key = [engine, workload, setting, metric].join('\t');
    points.set(key, (points.get(key) ?? new Map()).set(block, Number(value)));
  }
  return points;
}

for (const experiment of listExperiments()) {
  const record = recordOf(experiment);
  const reduced = tablesOf(record);
  test(`the intervals in the result of record of ${experiment} are scipy's`, { skip: existsSync(reduced) ? false : 'it has none yet' }, () => {
    const [points, compared] = ['points', 'compared'].map((name) => readTsv(join(reduced, `${name}.tsv`)));
    const [trials, flagged, dropped] = ['trials', 'flagged', 'dropped'].map((name) => readTsv(join(reduced, `${name}.tsv`)));
    const values = byPoint(trials);
    const judged = byPoint([...trials, ...listSpared(flagged, dropped, trials)]);
    const run = compared.filter(({ n, criterion }) => n !== '0' && !criterion.startsWith('reaches'));
    const rows = [...points, ...run];
    const { precision } = readJson(join(record, 'spec.json'));
    const levels = [...points.map(() => 0.95), ...run.map(() => precision?.level ?? 0.95)];
    const answers = ask({ levels, groups: [
      ...points.map((row) => [...(values.get([row.engine, row.workload, row.setting, row.metric].join('\t')) ?? [])].map(([, value]) => value)),
      ...run.map((row) => listRatios(judged, row)),
    ] }).groups;
    for (const [index, { mean, low, high }] of answers.entries()) {
      const row = rows[index];
      const what = JSON.stringify(row);
      assertSame(row.mean, mean, what);
      assertSame(row.low, low, what);
      assertSame(row.high, high, what);
    }
  });
}

/**
 * @param {Map<string, Map<string, number>>} values @param {Record<string, string>} row of compared.tsv
 * @returns {number[]} ratios within blocks; the values themselves without a second engine
 */
function listRatios(values, row) {
  const of = values.get([row.of, row.workload, row.setting, row.metric].join('\t')) ?? new Map();
  if (row.to === '-') return [...of.values()];
  const to = values.get([row.to, row.workload, row.to_setting, row.to_metric].join('\t')) ?? new Map();
  return [...of].filter(([block]) => to.get(block) > 0).map(([block, value]) => value / to.get(block));
}

const random = seededRandom(12);
/** @param {number} share @returns {number} noise as a factor; the seed is fixed */
const wobble = (share) => Math.exp(share * (random() + random() + random() - 1.5));

/** @type {Record<string, (x: number) => number>} by law, the true values without noise */
const TRUTHS = {
  linear: (x) => (x === 0 ? 800 : 0.45 * 800 * x),
  amdahl: (x) => 1000 / (0.1 + 0.9 / x),
  gustafson: (x) => 1000 * (x - 0.25 * (x - 1)),
  usl: (x) => (1000 * x) / (1 + 0.06 * (x - 1) + 0.01 * x * (x - 1)),
};
const FITS = [
  ...Object.entries(TRUTHS).map(([law, truth]) => ({ law, rows: (law === 'linear' ? [0, 3, 5, 7, 9] : [1, 2, 3, 4, 6, 8]).flatMap((x) => [1, 2, 3].map(() => [x, 0, 0, truth(x) * wobble(0.06)])) })),
  { law: 'elasticity', rows: [-1, 0, 1].flatMap((x) => [2, 3.5].flatMap((y) => [4, 9, 13].flatMap((u) => [1, 2].map((block) => [x, y, u, Math.exp(-3 * block + 0.8 * x + 1.1 * y + 0.15 * u) * wobble(0.2), block])))) },
];

test('fits of every law are those of scipy\'s curve_fit: parameters to five digits, standard errors and intervals to a five-hundredth of their width', () => {
  const data = FITS.flatMap(({ law, rows }) => rows.map(([x, y, u, value, block]) => (
    { law, era: '2014', engine: 'e', workload: 'w', setting: '-', x: [x, y, u], value, block: String(block ?? '-') })));
  const found = fitAll(data);
  for (const [index, answer] of ask({ fits: FITS }).fits.entries()) {
    for (const [parameter, expected] of Object.entries(answer)) {
      const row = found.find((each) => each.law === FITS[index].law && each.parameter === parameter);
      assert.ok(row, `${FITS[index].law} has no ${parameter}`);
      const what = `${FITS[index].law} ${parameter}`;
      assertSame(row.value, expected.value, what);
      const width = expected.high - expected.low;
      for (const column of ['se', 'low', 'high']) assert.ok(Math.abs(Number(row[column]) - expected[column]) < 0.002 * width, `${what} ${column}: ${row[column]}, scipy says ${expected[column]}`);
    }
  }
});

test('probabilities against a criterion are those of scipy\'s t', () => {
  const rows = Array.from({ length: 60 }, (_, index) => {
    const [scale, n, bound] = [index % 2 ? 'log' : 'linear', 3 + (index % 9), 1];
    const [mean, width] = [0.7 + random(), 0.02 + 0.3 * random()];
    const [low, high] = scale === 'log' ? [mean * Math.exp(-width), mean * Math.exp(width)] : [mean - width, mean + width];
    return { n, mean, low, high, scale, degrees: n - 1, bound };
  });
  const blank = { claim: 'T4', era: '2014', workload: '-', setting: '-', metric: 'm', of: 'a', to: '-', criterion: '>1' };
  for (const [index, p] of ask({ rows }).rows.entries()) {
    const found = judgeRead(withError({ ...blank, ...rows[index] }));
    assertSame(found.p, p, JSON.stringify(rows[index]), 1e-2); // we give 3 digits
    assert.equal(found.verdict === 'inconclusive', p > 0.05, JSON.stringify(rows[index]));
  }
});

test('what Holm rejects has an adjusted probability of 5 % at most', () => {
  const families = Array.from({ length: 200 }, (_, index) => Array.from({ length: 1 + (index % 8) }, () => random() ** 6));
  for (const [index, adjusted] of ask({ families }).families.entries()) {
    assert.deepEqual(rejectByHolm(families[index]), adjusted.map((/** @type {number} */ p) => p <= 0.05), String(families[index]));
  }
});

test('normal scores, from which coverage is simulated, are those of scipy\'s beta and normal distributions', () => {
  const samples = Array.from({ length: 60 }, (_, index) => Array.from({ length: 3 + (index % 10) }, () => random() + random() ** 4));
  const found = residualsByScore(samples);
  for (const [index, score] of ask({ samples }).samples.flat().entries()) assertSame(found[index], score, String(index), 1e-6);
});

test('the oracle is not the suite: it finds a wrong interval', () => {
  const [{ low }] = ask({ levels: [0.95], groups: [[1, 2, 3]] }).groups;
  assert.throws(() => assertSame('1.2', low, 'a wrong end'), /scipy says/);
  assert.ok(readFileSync(join(ROOT, 'test/oracle/oracle.py'), 'utf8').includes('stats.t.interval'));
});

test('the probability of so many of n or more is that of scipy\'s binomial distribution', () => {
  const counts = [1, 2, 6, 13, 100].flatMap((n) => [0, 1, Math.floor(n / 2), n - 1, n].map((count) => ({ count, n })));
  const shares = counts.flatMap((row) => [0.05, 0.5].map((bound) => ({ ...row, bound })));
  for (const [index, answer] of ask({ shares }).shares.entries()) {
    const { count, n, bound } = shares[index];
    assert.ok(Math.abs(binomialAtLeast(count, n, bound) - answer) < 1e-9, `${count} of ${n} at ${bound}: ${binomialAtLeast(count, n, bound)}, scipy says ${answer}`);
  }
});

test('the prior of many spreads is that of scipy\'s digamma and trigamma, also where they differ by no more than chance', () => {
  const spreads = [0, 0.3, 1, 2].map((unlike) => Array.from({ length: 40 }, (_, index) => {
    const degrees = 1.95 + (index % 3);
    const [own, chance] = [Math.exp(unlike * (random() - 0.5) * 4), (random() + random() + random()) / 1.5];
    return [0.01 * own * chance, degrees];
  }));
  const priors = [...spreads, [[0.01, 2], [0.01, 2]], [[0.01, 8], [0.5, 8]]];
  for (const [index, { degrees, variance }] of ask({ priors }).priors.entries()) {
    const found = findPrior(priors[index].map(([own, own_degrees]) => ({ variance: own, degrees: own_degrees })));
    assertSame(found.degrees, degrees, `degrees of ${index}`);
    assertSame(found.variance, variance, `variance of ${index}`);
  }
});

test('the parts within and between runs, and the prediction of a new one, are those of scipy\'s F', () => {
  const runs = [0, 0.02, 0.4].flatMap((spread) => [4, 5, 9].map((count) =>
    Array.from({ length: count }, () => ({ mean: 3 + spread * random() + 0.02 * random(), error: 0.02 + 0.05 * random() }))));
  for (const [index, answer] of ask({ runs }).runs.entries()) {
    const found = poolRuns(runs[index]);
    for (const [part, value] of Object.entries(answer)) assertSame(Reflect.get(found, part), value, `${part} of ${index}`, 1e-9);
  }
});
