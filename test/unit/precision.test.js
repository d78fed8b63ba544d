import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tQuantile } from '../../analysis/statistics/distributions.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { makePlan } from '../../harness/plan/plan.js';
import { decideBlocks, describePrecision } from '../../harness/plan/precision.js';
import { withLevel } from '../../harness/spec/spec.js';
import { checkPrecision } from '../../harness/spec/spec-checks.js';
import { judgeRead } from '../../analysis/claims/verdict.js';

const engine = { era: 'today', processes: { worker: 1 }, options: {} };
/** @type {any} */
const SPEC = {
  seed: 7, profile: 'default',
  axes: { engine: ['a', 'b', 'c'], workload: ['w', 'v'] },
  engines: { a: engine, b: engine, c: engine },
  load: { behaviour: 'pingpong', client_processes: 2 },
  workloads: { w: { arrivals: {} }, v: { arrivals: {} } },
  phases: { repeats: 6, warmup_s: 1, connections: 30, connect_rate_hz: 10, ramp_s: 3, settle_s: 1, hold_s: 5 },
  precision: withLevel({ ratio_half_width: 0.1, looks: [6, 9, 12], budget_min: 60 }),
};
const PLAN = makePlan(SPEC);

/** @param {object} [values] @returns {any} a row: a against b under w, inconclusive, with a wide interval */
const row = (values) => ({
  claim: 'T4', workload: 'w', setting: '-', of: 'a', to: 'b', n: 6, mean: 1.1, low: 0.8, high: 1.5, scale: 'log', degrees: 5, verdict: 'inconclusive', ...values,
});

/** @param {{block: number, engine: string, workload: string}[]} added */
const parts = (added) => [...new Set(added.map(({ block, engine: name, workload }) => `${block} ${name} ${workload}`))].sort();

test('a claim that is undecided by a wide interval has blocks added, of its own points alone, up to the next look', () => {
  const { added, look, why } = decideBlocks(SPEC, PLAN, [row({}), row({ claim: 'T5', workload: 'v', verdict: 'reproduced' })]);
  assert.equal(look, 9);
  assert.equal(why, '1 row open (T4)');
  assert.deepEqual(parts(added), ['7 a w', '7 b w', '8 a w', '8 b w', '9 a w', '9 b w']);
  assert.deepEqual(added.map(({ order }) => order), [37, 38, 39, 40, 41, 42]);
});

test('what is added is what a plan of so many blocks would have held, with the same draws and in the same order', () => {
  const { added } = decideBlocks(SPEC, PLAN, [row({})]);
  const whole = makePlan({ ...SPEC, phases: { ...SPEC.phases, repeats: 12 } });
  assert.deepEqual(whole.slice(0, PLAN.length), PLAN);
  const expected = whole.filter((planned) => planned.block > 6 && planned.block <= 9 && planned.workload === 'w' && planned.engine !== 'c');
  assert.deepEqual(added.map(({ trial, seed }) => [trial, seed]), expected.map(({ trial, seed }) => [trial, seed]));
});

test('of the reference only the points that the added trials are compared with are added', () => {
  const reference = { engine: 'r', points: [{ workload: ['w'] }, { workload: ['v'] }] };
  const held = { ...SPEC, engines: { ...SPEC.engines, r: engine }, reference };
  const { added } = decideBlocks(held, makePlan(held), [row({})]);
  assert.deepEqual(parts(added).slice(0, 3), ['7 a w', '7 b w', '7 r w']);
  assert.equal(added.length, 9);
});

test('a run that was added to is looked at after its last block, and decides the same each time it is asked', () => {
  const first = decideBlocks(SPEC, PLAN, [row({})]);
  const longer = [...PLAN, ...first.added];
  const second = decideBlocks(SPEC, longer, [row({ n: 9 })]);
  assert.deepEqual(parts(second.added), ['10 a w', '10 b w', '11 a w', '11 b w', '12 a w', '12 b w']);
  assert.deepEqual(decideBlocks(SPEC, longer, [row({ n: 9 })]), second);
  const last = decideBlocks(SPEC, [...longer, ...second.added], [row({ n: 12 })]);
  assert.deepEqual([last.added, last.why], [[], 'this was the last look, with 1 row open (T4)']);
});

test('nothing is added where claims are decided, however wide the interval, or not run at all', () => {
  for (const verdict of ['reproduced', 'not reproduced', 'needs more cores', 'not run']) {
    assert.deepEqual(decideBlocks(SPEC, PLAN, [row({ verdict })]).added, [], verdict);
  }
});

test('nothing is added where the interval is as narrow as was asked, on the scale that it is symmetric on', () => {
  const narrow = [row({ mean: 1, low: 0.92, high: 1.09 }), row({ mean: 2, low: 1.85, high: 2.15, scale: 'linear' }), row({ scale: 'range' })];
  const { added, why } = decideBlocks(SPEC, PLAN, narrow);
  assert.deepEqual([added, why], [[], 'each claim is decided, or its interval is as narrow as was asked']);
  for (const wide of [row({ mean: 1, low: 0.88, high: 1.12 }), row({ mean: 2, low: 1.75, high: 2.25, scale: 'linear' }), row({ n: 2, low: null, high: null })]) {
    assert.notDeepEqual(decideBlocks(SPEC, PLAN, [wide]).added, []);
  }
});

test('nothing is added that would take longer than is allowed', () => {
  const hurried = { ...SPEC, precision: { ...SPEC.precision, budget_min: 7 } };
  const { added, why } = decideBlocks(hurried, PLAN, [row({})]);
  assert.deepEqual(added, []);
  assert.equal(why, 'the next look would come after 9 min, and 7 are allowed, with 1 row open (T4)');
});

test('a row that names no single point, such as a fit, has all that its engines have under its workload', () => {
  const ofWorkload = decideBlocks(SPEC, PLAN, [row({ of: 'c', to: '-', setting: 'n=2', workload: 'v' })]);
  assert.deepEqual(parts(ofWorkload.added), ['7 c v', '8 c v', '9 c v']);
  const ofNone = decideBlocks(SPEC, PLAN, [row({ of: 'c', to: '-', setting: 'n=2', workload: '-' })]);
  assert.deepEqual(parts(ofNone.added), ['7 c v', '7 c w', '8 c v', '8 c w', '9 c v', '9 c w']);
  assert.match(decideBlocks(SPEC, PLAN, [row({ of: 'unheard-of', to: '-' })]).why, /^no point can have more blocks/);
});

test('a point that is in few blocks only is not added to', () => {
  const few = { ...SPEC, points: [{ engine: ['a', 'b'], workload: ['w'], repeats_max: 6 }] };
  assert.deepEqual(decideBlocks(few, makePlan(few), [row({})]).added, []);
});

test('without [precision] blocks are fixed', () => {
  const { precision: _none, ...fixed } = SPEC;
  assert.deepEqual(decideBlocks(fixed, PLAN, [row({})]).added, []);
});

test('the looks share the error, and the plan says how many blocks there may be', () => {
  assert.equal(SPEC.precision.level.toFixed(4), '0.9833');
  const reported = '6 to 12 blocks: looked at after 6, 9, 12, until each claim is decided or known to within 10 %, or 60 min are over';
  assert.equal(describePrecision(SPEC.precision), reported);
});

test('looks that do not ascend, or do not begin with the profile\'s blocks, are errors of the manifest', () => {
  /** @param {number[]} looks @returns {string[]} */
  const check = (looks) => {
    /** @type {string[]} */
    const problems = [];
    checkPrecision({ ...SPEC, precision: { ...SPEC.precision, looks } }, problems);
    return problems;
  };
  assert.deepEqual(check([6, 9]), []);
  assert.match(check([6, 12, 9])[0], /^precision\.looks: 6, 12, 9 do not ascend; /);
  assert.match(check([5, 9])[0], /^precision\.looks: the first is after 5 blocks, and profiles\.default\.repeats is 6; /);
});

test('the interval of a run with several looks is of their level', () => {
  const highOf = (/** @type {number} */ level) => 2 * Math.exp(tQuantile(2, level) * Math.log(2) / Math.sqrt(3));
  for (const level of [0.95, 0.98]) assert.ok(Math.abs(Number(findCentre([1, 2, 4], level).high) / highOf(level) - 1) < 1e-9);
});

test('a row of a run with three looks weighs three chances', () => {
  const [mean, error, degrees] = [1.2, 0.06, 5];
  /** @param {number} level @returns {any} */
  const rowAt = (level) => {
    const half = tQuantile(degrees, level) * error;
    return row({ criterion: '>1', mean, degrees, error, low: mean * Math.exp(-half), high: mean * Math.exp(half) });
  };
  const once = judgeRead(rowAt(0.95));
  const thrice = judgeRead({ ...rowAt(1 - 0.05 / 3), level: 1 - 0.05 / 3 });
  assert.ok(Math.abs(Number(thrice.p) / Number(once.p) - 3) < 0.05, `${once.p} ${thrice.p}`);
});
