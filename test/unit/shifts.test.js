import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alarmRate, drawComparison, keepCommonBlocks } from '../../analysis/compare/alarm-rate.js';
import { seededRandom } from '../../harness/common/random.js';
import { pairTrials } from '../../analysis/compare/sameness.js';
import { computeShifts, findAlarms } from '../../analysis/compare/shifts.js';

/** @typedef {import('../../analysis/compare/shifts.js').Pair} Pair */

const random = seededRandom(12);
const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * @param {{blocks: number, engines: number, points?: number, spreads: number[], shifts?: number[], common?: number}}
 *   made `spreads` of the points, in turn; `shifts` of the engines, by default the first; `common`: spread of the
 *   effect that a block has on all its trials
 * @returns {Pair[]}
 */
const makePairs = ({ blocks, engines, points = 1, spreads, shifts = [0], common = 0.03 }) => Array.from({ length: blocks }, (_, block) => {
  const all = common * gauss();
  return Array.from({ length: engines * points }, (_none, index) => {
    const engine = index % engines;
    const log = all + spreads[index % spreads.length] * gauss() + (shifts[engine] ?? shifts[0]);
    return { engine: `e${engine}`, point: `e${engine} p${Math.floor(index / engines)}`, block: String(block), log };
  });
}).flat();

/**
 * @param {number} times @param {() => Pair[]} make
 * @param {(alarms: import('../../analysis/compare/shifts.js').Shift[]) => boolean} isCounted
 */
const countAlarms = (times, make, isCounted) =>
  Array.from({ length: times }, () => findAlarms(computeShifts(make()), 0.04)).filter(isCounted).length;

test('a shift of everything is the mean over blocks of the mean over points, by Student\'s t', () => {
  const logs = [[0.1, 0.3], [0.2, 0.2], [0.3, 0.4]];
  const pairs = logs.flatMap((own, block) => own.map((log, engine) => ({ engine: `e${engine}`, point: `e${engine}`, block: String(block), log })));
  const [all, first, second] = computeShifts(pairs);
  // Block means 0.2, 0.2 and 0.35: mean 0.25, error 0.05, t = 5 with 2 degrees of freedom, so p = 1 - 5 / sqrt(27)
  assert.deepEqual([all.of, all.n, all.degrees], ['all', 3, 2]);
  assert.ok(Math.abs(all.log - 0.25) < 1e-12 && Math.abs(all.error - 0.05) < 1e-12);
  assert.ok(Math.abs(all.p - (1 - 5 / Math.sqrt(27))) < 1e-9);
  assert.ok(Math.abs(first.log + 0.05) < 1e-12 && Math.abs(second.log - 0.05) < 1e-12);
});

test('a shift of everything within the allowed drift raises no alarm, and a shift of one engine does', () => {
  const pairs = makePairs({ blocks: 12, engines: 3, spreads: [0.01], shifts: [0.15, 0.03, 0.03], common: 0 });
  const [strict] = computeShifts(pairs);
  const [drifting, own] = computeShifts(pairs, 0.1);
  assert.ok(strict.p < 0.001 && drifting.p === 1 && own.p < 0.001);
});

test('a point that lacks a block changes the shifts only a little', () => {
  const pairs = makePairs({ blocks: 8, engines: 3, points: 2, spreads: [0.02], shifts: [0.2, 0, 0] });
  const whole = computeShifts(pairs);
  const last = pairs[pairs.length - 1];
  const part = computeShifts(pairs.filter((pair) => pair !== last));
  assert.equal(part.length, whole.length);
  for (const [index, shift] of part.entries()) assert.ok(Math.abs(shift.log - whole[index].log) < 0.02, shift.name);
});

test('two blocks say nothing, and one engine has no shift beyond everything', () => {
  assert.deepEqual(computeShifts(makePairs({ blocks: 2, engines: 3, spreads: [0.1] })), []);
  assert.deepEqual(computeShifts(makePairs({ blocks: 4, engines: 1, spreads: [0.1] })).map(({ of }) => of), ['all']);
  assert.deepEqual(computeShifts([]), []);
});

test('Holm: within a kind the smallest p is tested against all, the next against one fewer; the kinds share the error rate', () => {
  const shift = (/** @type {any} */ values) => ({ n: 6, log: 0.1, error: 0.1, degrees: 5, ...values });
  const shifts = [shift({ of: 'all', name: 'all', p: 0.019 }), ...[0.006, 0.009, 0.05].map((p, index) => shift({ of: 'engine', name: `e${index}`, p }))];
  assert.deepEqual(findAlarms(shifts, 0.04).map(({ name }) => name), ['all', 'e0', 'e1']);
  assert.deepEqual(findAlarms(shifts, 0.02).map(({ name }) => name), []);
});

// Simulated with fixed seeds: the rates depend on the method alone, not on the machine
test('of comparisons in which nothing differs at most five in a hundred have an alarm, on spreads alike and unlike', () => {
  for (const [blocks, engines, points, spreads] of /** @type {[number, number, number, number[]][]} */ ([
    [6, 9, 2, [0.17]], [6, 9, 2, [0.12, 0.17, 0.3]], [12, 3, 1, [0.05]], [12, 3, 1, [0.03, 0.05, 0.1]], [20, 3, 1, [0.05, 0.08]],
  ])) {
    const alarms = countAlarms(1000, () => makePairs({ blocks, engines, points, spreads }), ({ length }) => length > 0);
    assert.ok(alarms <= 55, `${alarms} of 1000 with ${blocks} blocks of ${engines} engines, spread ${spreads}`);
    assert.ok(alarms >= 15, `${alarms} of 1000: the method wastes what it may do wrong`);
  }
});

test('of planted slowdowns of 5 % in everything, or 10 % in one engine, more than nineteen in twenty are found in 20 blocks at a spread of 6 %', () => {
  const everything = () => makePairs({ blocks: 20, engines: 3, spreads: [0.06], shifts: [Math.log(1.05)], common: 0.02 });
  assert.ok(countAlarms(300, everything, (alarms) => alarms.some(({ of }) => of === 'all')) >= 285);
  const one = () => makePairs({ blocks: 20, engines: 3, spreads: [0.06], shifts: [Math.log(1.1), 0, 0], common: 0.02 });
  assert.ok(countAlarms(300, one, (alarms) => alarms.some(({ of, name }) => of === 'engine' && name === 'e0')) >= 285);
});

test('trials are paired by point and block, and what cost nothing has no pair', () => {
  const row = (/** @type {any} */ values) => ({ engine: 'ws', workload: 'w', setting: '-', metric: 'server_cpu_s_per_1k', value: '2', ...values });
  const pairs = pairTrials(
    [row({ block: '1' }), row({ block: '2' }), row({ block: '3', value: '0' }), row({ block: '4', setting: 'x=1' })],
    [row({ block: '1', value: '4' }), row({ block: '3' }), row({ block: '4', setting: 'x=1' }), row({ block: '2', metric: 'other' })],
  );
  assert.deepEqual(pairs, [{ engine: 'ws', point: 'ws w', block: '1', log: Math.log(2) }, { engine: 'ws', point: 'ws w x=1', block: '4', log: 0 }]);
});

test('comparisons that are drawn have the measured centre, or none where the two are the same, and the spread of the measured', () => {
  const measured = { name: 'e-plus', engine: 'e', blocks: ['1', '2', '3', '4'], logs: [0.1, 0.2, 0.3, 0.2], isSame: false };
  const meanOf = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const drawn = (/** @type {boolean} */ isSame) => drawComparison([{ ...measured, isSame }], 4000, seededRandom(1)).map(({ log }) => log);
  assert.ok(Math.abs(meanOf(drawn(false)) - 0.2) < 0.01);
  assert.ok(Math.abs(meanOf(drawn(true))) < 0.01);
  const variance = meanOf(drawn(true).map((log) => log ** 2));
  assert.ok(Math.abs(variance - 0.02 / 3) < 0.001, `${variance}`);
});

test('a block that one version lacks is left out of all, and twins seldom raise an alarm', () => {
  const logs = Array.from({ length: 12 }, () => 0.05 * gauss());
  const blocks = logs.map((_log, index) => String(index));
  const make = (/** @type {string} */ engine) =>
    ({ name: engine, engine, blocks, logs: logs.map((log) => log + 0.05 * gauss()), isSame: true });
  const measured = keepCommonBlocks([make('a'), { ...make('b'), blocks: blocks.slice(1), logs: logs.slice(1) }, make('c')]);
  assert.deepEqual(measured.map(({ logs: own, blocks: of }) => [own.length, of[0]]), [[11, '1'], [11, '1'], [11, '1']]);
  const rate = alarmRate(measured, () => true, { size: 12, times: 300, random: seededRandom(3) });
  assert.ok(rate <= 0.08, `${rate}`);
});
