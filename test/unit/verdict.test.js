import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeClaim, judgeClaims } from '../../analysis/claims/summary.js';
import { listCriteria, markYounger } from '../../analysis/claims/younger.js';
import { compare as compareBlocks } from '../../analysis/points/comparisons.js';
import { rejectByHolm } from '../../analysis/statistics/holm.js';
import { judge, judgeRead, judgeRow, listComparisons } from '../../analysis/claims/verdict.js';
import { makeTables } from '../../experiments/03-engineio-vs-socketcluster/tables.js';
import { withError } from '../with-error.js';

/** @type {[string, string, number, number | null, number | null][]} verdict, criterion, trials, interval */
const JUDGEMENTS = [
  ['reproduced', '>1', 6, 1.01, 1.4],
  ['not reproduced', '>1', 6, 0.7, 0.99],
  ['inconclusive', '>1', 6, 0.9, 1.1],
  ['inconclusive', '>1', 6, 1, 1.1],
  ['inconclusive', '>1', 6, 0.9, 1],
  ['inconclusive', '>1', 5, null, null],
  ['not run', '>1', 0, null, null],
  ['reproduced', '<0.05', 6, 0.01, 0.049],
  ['not reproduced', '<0.05', 6, 0.051, 0.2],
  ['inconclusive', '<0.05', 6, 0.04, 0.06],
  ['inconclusive', '<0.05', 6, 0.01, 0.05],
  ['inconclusive', '<0.05', 6, 0.05, 0.06],
  ['inconclusive', '<0.05', 1, null, null],
  ['not run', '<0.05', 0, null, null],
  ['reproduced', '>-1', 6, -0.5, 0.5],
];

for (const [verdict, criterion, n, low, high] of JUDGEMENTS) {
  test(`${n} trials with the interval ${low} to ${high} against ${criterion} are ${verdict}`, () => {
    assert.equal(judge(criterion, n, low, high), verdict);
  });
}

/** @type {any} */
const SPEC = {
  axes: { engine: ['a', 'b', 'c', 'd'], workload: ['listed', 'described'] },
  claims: [
    { id: 'T4', metric: 'server_cpu_s_per_1k', above: 1, compare: [{ era: '2014', of: 'a', to: 'b' }, { era: 'today', of: 'c', to: 'd' }] },
    { id: 'T6', below: 0.05, compare: [{ era: '2014', of: 'a', metric: 'store_cpu_cores' }] },
    { id: 'T7', metric: 'due_hz', above: 0, compare: [{ era: '2014', of: 'a', metric: 'sent_hz' }] },
  ],
};

test('each comparison of a claim is listed once for each workload', () => {
  const listed = listComparisons(SPEC).map(({ claim, era, workload, of, to }) => [claim, era, workload, of, to].join(' '));
  assert.deepEqual(listed, [
    'T4 2014 listed a b', 'T4 2014 described a b', 'T4 today listed c d', 'T4 today described c d',
    'T6 2014 listed a -', 'T6 2014 described a -', 'T7 2014 listed a -', 'T7 2014 described a -',
  ]);
});

test('claims are judged by the generator of the sources, whatever else is run', () => {
  const listed = listComparisons({ ...SPEC, axes: { ...SPEC.axes, generator: ['forked', 'swarm'] } });
  assert.deepEqual(listed, listComparisons(SPEC));
  assert.deepEqual([...new Set(listed.map(({ setting }) => setting))], ['-']);
});

test('a comparison of points that are too large for the machine needs more cores; a comparison of unknown points is left out', () => {
  const compare = [{ era: 'today', of: 'a', at: 'connections=9' }, { era: 'today', of: 'a', at: 'connections=8' }, { era: 'today', of: 'a', at: 'connections=7' }];
  const spec = {
    ...SPEC, points: [{ connections: [9] }], beyond: [{ connections: [8], needs_cores: 16, engine: ['a'], workload: ['listed'] }],
    claims: [{ id: 'C1', metric: 'latency_p50_ms', above: 1, compare }],
  };
  const listed = listComparisons(spec).map(({ setting, workload, needs }) => [setting, workload, needs]);
  assert.deepEqual(listed, [
    ['connections=9', 'listed', undefined], ['connections=9', 'described', undefined], ['connections=8', 'listed', '16 cores'],
  ]);
});

test('a claim with a row that needs more cores is not reproduced by its other rows', () => {
  const rows = [{ n: 6, mean: 4, low: 3, high: 5 }, { n: 0, mean: null, low: null, high: null, needs: '4 cores' }];
  const judged = rows.map((row) => judgeRead({ .../** @type {any} */ ({ claim: 'C1', era: 'today', criterion: '>1' }), ...row }));
  assert.deepEqual(judged.map(({ verdict }) => verdict), ['reproduced', 'needs more cores']);
  assert.equal(judgeClaim(judged, 'all').verdict, 'needs more cores');
});

test('a comparison takes its own metric before the claim\'s, and the claim\'s criterion', () => {
  const listed = listComparisons(SPEC).filter(({ workload }) => workload === 'listed').map(({ metric, criterion }) => `${metric} ${criterion}`);
  assert.deepEqual(listed, ['server_cpu_s_per_1k >1', 'server_cpu_s_per_1k >1', 'store_cpu_cores <0.05', 'sent_hz >0']);
});

/** @param {Partial<import('../../analysis/claims/verdict.js').Row>} cells @returns {import('../../analysis/claims/verdict.js').Verdict} */
const row = (cells) => judgeRead(withError({
  claim: 'T4', era: '2014', workload: 'listed', setting: '-', metric: 'm', of: 'a', to: 'b', criterion: '>1', n: 6, mean: 2, low: 1, high: 4, scale: 'log', degrees: 5, ...cells,
}));

test('a mean on its side of the criterion whose interval just touches it has a probability of 5 %', () => {
  assert.ok(Math.abs(Number(row({}).p) - 0.05) < 1e-3);
  assert.ok(Math.abs(Number(row({ criterion: '<1' }).p) - 0.05) < 1e-3);
  assert.ok(Math.abs(Number(row({ scale: 'linear', mean: 2.5 }).p) - 0.05) < 1e-3);
  assert.equal(row({ criterion: '>0' }).p, 0);
});

test('the p-value comes from the standard error in the table', () => {
  const { error: _error, ...known } = row({});
  const rounded = { ...known, n: '6', mean: '2', low: '2', high: '2', degrees: '5', scale: 'linear', criterion: '>1.999999' };
  const cells = /** @type {Record<string, string>} */ (/** @type {unknown} */ (rounded));
  const told = judgeRow({ ...cells, error: '1e-6' });
  assert.equal(told.error, 1e-6);
  assert.equal(told.p, 0.363); // two-sided, t = 1 with 5 degrees of freedom
  assert.equal(judgeRow({ ...cells, error: '-' }).p, 0);
  assert.ok(!('error' in judgeRow(cells)));
});

test('within two bounds the nearer one counts, outside them the one that is passed', () => {
  assert.ok(Math.abs(Number(row({ criterion: '1..100' }).p) - 0.05) < 1e-3);
  assert.ok(Math.abs(Number(row({ criterion: '0.1..1' }).p) - 0.05) < 1e-3);
});

test('an inconclusive row says how many trials would decide it, and a row that nothing would decide says that', () => {
  const need = row({ low: 0.9, high: 4 / 0.9 }).decided_by;
  assert.match(String(need), /^[7-8] trials$/);
  assert.equal(row({ mean: 1.001, low: 0.5, high: 2.002 }).decided_by, 'more than 100 trials: the one is 0.5 to 2 times the other');
  assert.equal(row({ mean: 1.001, low: 0.5, high: 2.002, to: '-' }).decided_by, 'more than 100 trials: the mean is 0.1 % from 1');
  assert.equal(row({ criterion: '1..3', mean: 1.001, low: 0.5, high: 2.002 }).decided_by, 'more than 100 trials: the mean is 0.1 % from 1');
  assert.equal(row({ criterion: '1..3', mean: 2.99, low: 1.5, high: 5.96 }).decided_by, 'more than 100 trials: the mean is 0.333 % from 3');
  assert.equal(row({ criterion: '>0', scale: 'linear', to: '-', mean: 0.01, low: -1, high: 1.02 }).decided_by, 'more than 100 trials: 0 within -1 to 1.02');
  assert.equal(row({ n: 2, low: null, high: null }).decided_by, '3 trials or more');
  assert.equal(row({ low: 1.5, high: 2.6 }).decided_by, undefined);
});

test('what the machine has too few cores for is a verdict of its own, with their number', () => {
  const found = row({ n: 0, mean: null, low: null, high: null, needs: '8 cores' });
  assert.deepEqual([found.verdict, found.decided_by, found.p], ['needs more cores', '8 cores', null]);
});

test('a block without a finite ratio is reported, and makes a claim that the ratio is small inconclusive', () => {
  const trials = [['a', 1, 2], ['b', 1, 1], ['a', 2, 2], ['b', 2, 0]].map(([engine, block, value]) => (
    { engine: String(engine), workload: 'w', setting: '-', metric: 'm', block: String(block), value: String(value) }));
  const [found] = compareBlocks([{ of: 'a', to: 'b', workload: 'w', setting: '-', metric: 'm' }], trials);
  assert.deepEqual([found.n, found.mean, found.boundless], [1, '2', 1]);
  assert.equal(row({ low: 1.9, high: 2.1, boundless: 1 }).verdict, 'reproduced');
  const small = row({ criterion: '<3', low: 1.9, high: 2.1, boundless: 1 });
  assert.deepEqual([small.verdict, small.decided_by], ['inconclusive', 'a ratio in each block: in 1 of 7 what it is divided by is 0 or less']);
  assert.equal(judgeClaim([small], 'any').verdict, 'inconclusive');
  const large = row({ criterion: '>3', low: 1.9, high: 2.1, boundless: 1 });
  assert.deepEqual([large.verdict, large.decided_by], [small.verdict, small.decided_by], 'a boundless ratio is above 3');
  assert.equal(row({ criterion: '<1.5', low: 1.9, high: 2.1, boundless: 1 }).verdict, 'not reproduced');
  assert.equal(row({ n: 0, mean: null, low: null, high: null, boundless: 3 }).verdict, 'inconclusive');
});

test('a metric that a standing trial lacks leaves its row open: the other blocks are a selection', () => {
  const trials = [['a', 1, 'm'], ['b', 1, 'm'], ['a', 2, 'other'], ['b', 2, 'm'], ['a', 3, 'm']].map(([engine, block, metric]) => (
    { engine: String(engine), workload: 'w', setting: '-', metric: String(metric), block: String(block), value: '2' }));
  const ratio = { of: 'a', to: 'b', workload: 'w', setting: '-', metric: 'm' };
  const [found] = compareBlocks([ratio], trials);
  assert.deepEqual([found.n, found.mean, found.lacking], [1, '1', 1], 'block 2 lacks it, block 3 has no trial of b');
  const [alone] = compareBlocks([{ ...ratio, to: '-' }], trials);
  assert.deepEqual([alone.n, alone.lacking], [2, 1]);
  const [spared] = compareBlocks([ratio], trials.filter(({ metric }) => metric === 'm'), undefined, trials.filter(({ metric }) => metric === 'other'));
  assert.deepEqual([spared.n, spared.lacking], [1, undefined], 'a flagged trial does not stand');
  const open = row({ criterion: '>1', low: 1.9, high: 2.1, lacking: 1 });
  assert.deepEqual([open.verdict, open.decided_by, open.p], ['inconclusive', 'a value of each trial that stands: in 1 of 7 blocks one has none', 1]);
  assert.equal(row({ n: 0, mean: null, low: null, high: null, lacking: 3 }).verdict, 'not run');
});

test('an experiment that judges by its own table keeps the number of blocks without a finite ratio', () => {
  const ramps = [['worker', 1, 2], ['balancer', 1, 2], ['worker', 2, 2], ['balancer', 2, 0]].map(([role, block, value]) => ({
    engine: 'socketcluster-2014', workload: 'described', setting: '-', metric: `${role}_ramp_cores`, block: String(block), value: String(value),
  }));
  const plan = [{ engine: 'socketcluster-2014', workload: 'described' }];
  /** @type {{columns: string[], rows: Record<string, unknown>[]}[]} */
  const written = [];
  const write = (/** @type {string} */ _, /** @type {string[]} */ columns, /** @type {any[]} */ rows) => written.push({ columns, rows });
  makeTables(/** @type {any} */ ({ plan, read: () => ramps, write, hasCaptures: false }));
  assert.ok(written[0].columns.includes('boundless'));
  assert.equal(written[0].rows[0].boundless, 1);
});

test('a point beyond the machine needs more cores even if it was measured', () => {
  const claims = [{ id: 'T7b', metric: 'm', above: 1, compare: [{ era: '2014', of: 'a', at: 'connections=8' }] }];
  const beyond = [{ engine: ['a'], workload: ['listed'], connections: [8], needs_cores: 4 }];
  const listed = listComparisons({ ...SPEC, claims, points: [{ connections: [8] }], beyond });
  assert.deepEqual(listed.map(({ workload, needs }) => [workload, needs]), [['listed', '4 cores'], ['described', undefined]]);
});

test('Holm rejects the least against all, the next against one fewer, and nothing after the first that stands', () => {
  assert.deepEqual(rejectByHolm([0.04, 0.01, 0.03]), [false, true, false]);
  assert.deepEqual(rejectByHolm([0.02, 0.01, 0.03]), [true, true, true]);
  assert.deepEqual(rejectByHolm([0.02, 0.06]), [true, false]);
});

const HOLDS = row({ low: 1.9, high: 2.1 });
const FAILS = row({ mean: 0.5, low: 0.45, high: 0.55 });
const OPEN = row({ low: 0.9, high: 4 / 0.9 });
const NOT_RUN = row({ n: 0, mean: null, low: null, high: null });
const TOO_SMALL = row({ n: 0, mean: null, low: null, high: null, needs: '8 cores' });

test('a claim of which all rows must hold is reproduced by all, not reproduced by one that fails, else open', () => {
  assert.equal(judgeClaim([HOLDS, HOLDS], 'all').verdict, 'reproduced');
  assert.equal(judgeClaim([HOLDS, FAILS, OPEN], 'all').verdict, 'not reproduced');
  assert.equal(judgeClaim([HOLDS, OPEN], 'all').verdict, 'inconclusive');
  assert.equal(judgeClaim([HOLDS, NOT_RUN], 'all').verdict, 'inconclusive');
  assert.equal(judgeClaim([HOLDS, TOO_SMALL], 'all').verdict, 'needs more cores');
  assert.equal(judgeClaim([{ ...HOLDS, verdict: 'needs more cores' }], 'all').verdict, 'needs more cores', 'whatever was measured');
  assert.equal(judgeClaim([NOT_RUN], 'all').verdict, 'not run');
});

test('with variants one that holds reproduces a claim, and all must fail to refute it', () => {
  assert.equal(judgeClaim([HOLDS, FAILS], 'any').verdict, 'reproduced');
  assert.equal(judgeClaim([FAILS, FAILS], 'any').verdict, 'not reproduced');
  assert.equal(judgeClaim([FAILS, OPEN], 'any').verdict, 'inconclusive');
});

test('the rows of a claim that must all hold are tested each by itself, and the one that fails among all of them', () => {
  const barely = row({ low: 1.02, high: 4 / 1.02 });
  assert.equal(barely.verdict, 'reproduced');
  assert.equal(judgeClaim([barely], 'all').verdict, 'reproduced');
  assert.equal(judgeClaim(Array(20).fill(barely), 'all').verdict, 'reproduced', 'each is tested by itself where all must hold');
  assert.equal(judgeClaim([barely, ...Array(19).fill(OPEN)], 'any').verdict, 'inconclusive', 'and among all where one is enough');
  const against = row({ criterion: '<1', low: 1.02, high: 4 / 1.02 });
  assert.equal(judgeClaim([against], 'all').verdict, 'not reproduced');
  assert.equal(judgeClaim([against, ...Array(19).fill(OPEN)], 'all').verdict, 'inconclusive');
});

test('all rows of a variant must hold, and the claim names the variant that reproduces it', () => {
  const of = (/** @type {string} */ variant, /** @type {ReturnType<typeof row>} */ judged) => ({ ...judged, variant });
  const near = [of('100 us', FAILS), of('100 us', HOLDS)];
  const far = [of('1 ms', HOLDS), of('1 ms', HOLDS)];
  assert.deepEqual(judgeClaim([...near, ...far], 'any'), { verdict: 'reproduced', variant: '1 ms' });
  assert.deepEqual(judgeClaim([...near, of('1 ms', OPEN), of('1 ms', HOLDS)], 'any'), { verdict: 'inconclusive' });
  assert.deepEqual(judgeClaim([...near, of('1 ms', FAILS), of('1 ms', OPEN)], 'any'), { verdict: 'not reproduced' });
});

test('a narrow interval that holds a criterion other than 0 lies at it, and no trials are asked for', () => {
  const near = row({ mean: 1.01, low: 0.98, high: 1.04 });
  assert.deepEqual([near.verdict, near.decided_by], ['at the criterion', undefined]);
  assert.equal(row({ mean: 1.01, low: 0.95, high: 1.06 }).verdict, 'inconclusive');
  assert.equal(row({ criterion: '>0', scale: 'linear', mean: 0.001, low: -0.001, high: 0.003 }).verdict, 'inconclusive');
  assert.equal(row({ criterion: '1..2', mean: 1.01, low: 0.98, high: 1.04 }).verdict, 'inconclusive');
  assert.equal(judgeClaim([HOLDS, near], 'all').verdict, 'at the criterion');
  assert.equal(judgeClaim([OPEN, near], 'all').verdict, 'inconclusive');
});

test('a number is as large as the published one, smaller, larger, or its interval does not decide', () => {
  const sizeOf = (/** @type {number} */ low, /** @type {number} */ high) =>
    row({ mean: Math.sqrt(low * high), low, high, published: 2 }).size?.word;
  assert.deepEqual([sizeOf(1.7, 2.4), sizeOf(1, 1.5), sizeOf(2.6, 3), sizeOf(1.5, 1.7), sizeOf(1, 4)], ['as large', 'smaller', 'larger', 'undecided', 'undecided']);
  assert.equal(row({ mean: 0.13, low: 0.11, high: 0.16, published: 0.65, criterion: '<1' }).size?.word, 'larger', 'further below its bound');
  assert.equal(row({ scale: 'linear', mean: 0.13, low: -0.03, high: 0.29, published: 0.65, criterion: '<1' }).size?.word, 'larger');
  assert.deepEqual(row({ mean: 1.12, low: 1.08, high: 1.16, published: 2.8 }).size, { word: 'smaller', mean: 0.4, low: 0.385714, high: 0.414286 });
  assert.equal(row({}).size, undefined);
});

test('a criterion that differs from that of the run is younger than the data', () => {
  const before = listCriteria(judgeClaims([HOLDS, { ...HOLDS, era: 'today' }], []), [HOLDS, { ...HOLDS, era: 'today' }]);
  const rows = [HOLDS, { ...HOLDS, era: 'today', criterion: '>2' }];
  const judged = judgeClaims(rows, []);
  assert.deepEqual(markYounger(judged, listCriteria(judged, rows), before, rows).map(({ era, younger }) => [era, younger]), [['2014', undefined], ['today', true]]);
  assert.deepEqual(markYounger(judged, before, before, rows), judged);
  const unmeasured = rows.map((each) => ({ ...each, n: 0 }));
  assert.deepEqual(markYounger(judged, listCriteria(judged, rows), before, unmeasured), judged, 'without data it is older than they');
});

test('claims are judged by era, by the rule that the manifest gives', () => {
  const verdicts = [HOLDS, FAILS, { ...HOLDS, era: 'today' }];
  assert.deepEqual(judgeClaims(verdicts, [{ id: 'T4', rows: 'any' }]), [
    { claim: 'T4', era: '2014', verdict: 'reproduced', must_hold: 'any', rows: 2, words: { reproduced: 1, 'not reproduced': 1 } },
    { claim: 'T4', era: 'today', verdict: 'reproduced', must_hold: 'any', rows: 1, words: { reproduced: 1 } },
  ]);
  assert.equal(judgeClaims(verdicts, [])[0].verdict, 'not reproduced');
});
