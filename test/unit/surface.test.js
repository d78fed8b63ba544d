/** The cost surface of a message, fitted to simulated servers with a known cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitSurfaces } from '../../analysis/points/surface.js';
import { interpolateWithin } from '../../analysis/statistics/hull.js';
import { answerHeld } from '../../harness/check/trust/held-out.js';
import { judgeHeld } from '../../harness/check/trust/outcomes.js';
import { countBySurface } from '../../report/count-processes.js';
import { seededRandom } from '../../harness/common/random.js';
import { formatSetting, spellSettings } from '../../harness/common/setting.js';

/** @typedef {{connections?: number, payload_b?: number}} Cell settings that differ from the default */

const SPEC = {
  engines: { a: { processes: { worker: 1 }, options: {} } },
  load: { behaviour: 'echo', client_processes: 1, payload: { type: 'text', bytes: 128 } },
  workloads: { sweep: { arrivals: { kind: 'staircase', step_s: 1, lead_s: 0, steps: [] } } },
  phases: { connections: 1000, connect_rate_hz: 1000, settle_s: 0, hold_s: 1, warmup_s: 0 },
};
const RATES = [500, 1000, 2000, 5000, 10_000, 20_000, 50_000];
/** @type {Cell[]} */
const CELLS = [{}, { connections: 100 }, { connections: 10_000 }, { payload_b: 4096 }, { connections: 10_000, payload_b: 4096 }];

/**
 * CPU µs per message: of waking, which a busy server shares among more messages; of the message and its bytes; of
 * connections.
 */
const costAt = (/** @type {number} */ hz, /** @type {Cell} */ { connections = 1000, payload_b = 128 }) =>
  (40 / (1 + hz / 6000) + 9 + payload_b / 600) * (connections / 1000) ** 0.07;

/**
 * @param {{cells?: Cell[], rates?: number[], blocks?: number, seed?: number, spread?: number, cost?: typeof costAt}} [given] `spread` of
 *   the cost, by step
 * @returns {{trials: Record<string, string>[], steps: Record<string, string>[]}} tables of a run
 */
function simulate({ cells = CELLS, rates = RATES, blocks = 3, seed = 1, spread = 0.05, cost = costAt } = {}) {
  const random = seededRandom(seed);
  const off = () => Math.exp(spread * 2 * (random() + random() - 1));
  const steps = Array.from({ length: blocks }, (_, index) => index + 1).flatMap((block) => cells.flatMap((cell, place) => {
    const pairs = Object.fromEntries(Object.entries(cell).map(([key, value]) => [key, String(value)]));
    return rates.map((hz) => ({
      trial: `b${block}-${place}`, block: String(block), era: 'today', engine: 'a', workload: 'sweep', setting: formatSetting(pairs),
      side: 'server', role: 'server', batch: '1', share: '-', backlog_s: '0', total_rate_hz: String(hz), received_hz: String(hz),
      cpu_cores: String((hz * cost(hz, cell) * off()) / 1e6),
    }));
  }));
  return { trials: [], steps: spellSettings(steps) };
}

/** @param {Parameters<typeof simulate>[0]} [given] */
const surfaceOf = (given) => fitSurfaces(simulate(given), SPEC)[0].surfaces[0];
/** @param {ReturnType<typeof surfaceOf>} surface @param {number} total_rate_hz @param {Cell} [cell] */
const ask = (surface, total_rate_hz, { connections = 1000, payload_b = 128 } = {}) =>
  surface.answer({ total_rate_hz, connections, payload_b });

test('an answer says whether it was measured, interpolated or extrapolated, and far beyond the measurements it is unknown', () => {
  const surface = surfaceOf();
  const how = (/** @type {number} */ hz, /** @type {Cell} */ cell = {}) => {
    const found = ask(surface, hz, cell);
    return 'why' in found ? found.why : found.how;
  };
  assert.equal(how(5000), 'measured');
  assert.equal(how(5000, { connections: 10_000, payload_b: 4096 }), 'measured');
  assert.equal(how(7000), 'interpolated');
  assert.equal(how(5000, { connections: 3000, payload_b: 1000 }), 'interpolated');
  assert.equal(how(5000, { connections: 100, payload_b: 4096 }), 'extrapolated', 'no cell has so few connections with such messages');
  assert.equal(how(300), 'extrapolated');
  assert.equal(how(100), 'not known so low');
  assert.equal(how(60_000), 'no step of so many stands', 'without a search nobody knows what it answers');
  assert.equal(how(5000, { connections: 50_000 }), 'extrapolated');
  assert.equal(how(5000, { connections: 200_000 }), 'not known at this number of connections');
  assert.equal(how(5000, { payload_b: 1e6 }), 'not known at this size');
});

test('beyond the measured connections a message costs no less than at the most of them, although the fitted law bends down', () => {
  const cost = (/** @type {number} */ hz, /** @type {Cell} */ cell) => costAt(hz, cell) * (cell.connections === 10_000 ? 0.8 : 1);
  const surface = surfaceOf({ cost, spread: 0 });
  const logsAt = (/** @type {number} */ connections) => {
    const found = ask(surface, 5000, { connections });
    return 'why' in found ? [] : found.costs.map(({ log }) => log);
  };
  assert.deepEqual(logsAt(50_000), logsAt(10_000));
  assert.equal(logsAt(10_000).length, 3);
});

test('nine of ten answers at loads that were not measured are within 15 %, and the part of check-trust says so', () => {
  const random = seededRandom(5);
  const held = Array.from({ length: 20 }, () =>
    ({ connections: Math.round(1000 * 10 ** random()), payload_b: Math.round(128 * 32 ** random()) }));
  const unseen = simulate({ cells: held, rates: [700, 3000, 15_000, 40_000], blocks: 2, seed: 2 });
  const designs = [simulate(), unseen].map((tables) => fitSurfaces(tables, SPEC));
  const answers = answerHeld(designs[0], designs[1]);
  assert.equal(answers.length, 80);
  const { passed, said } = judgeHeld({ answers, within: 0.15, share: 0.9 });
  assert.equal(passed, true, said);
  const scattered = answers.map((answer, index) => ({ ...answer, apart: index < 4 ? 0.5 : 0.1 }));
  const far = judgeHeld({ answers: scattered, within: 0.15, share: 0.9 });
  assert.deepEqual(far.rows.map((row) => row.at(-1)), Array(4).fill('19 of 20'), 'the first four loads are one of each rate');
  const dearer = answers.map((answer) => ({ ...answer, measured: answer.measured * 1.3 }));
  assert.equal(judgeHeld({ answers: dearer, within: 0.15, share: 0.9 }).passed, false);
  assert.equal(judgeHeld({ answers: answers.slice(0, 5), within: 0.15, share: 0.9 }).passed, null);
  const some = answers.map(({ answered, ...rest }, index) => (index % 4 ? { ...rest, answered } : rest));
  const refusing = judgeHeld({ answers: some, within: 0.15, share: 0.9 });
  assert.equal(refusing.passed, false, 'what is refused is not near');
  assert.match(refusing.said, /, and 20 were refused$/);
});

test('fitted to one curve, the surface ignores connections and size, and names those of the curve', () => {
  const surface = surfaceOf({ cells: [{}] });
  assert.deepEqual([surface.onlyCell?.connections, surface.onlyCell?.payload_b], [1000, 128]);
  const [here, there] = [ask(surface, 5000), ask(surface, 5000, { connections: 9000 })].map((found) => ('why' in found ? found : found.costs));
  assert.deepEqual(here, there);
});

test('a block that lacks a cell gets the surface of all blocks, shifted to its own steps', () => {
  const tables = simulate({ spread: 0 });
  const steps = tables.steps.filter((row) => row.trial !== 'b2-3')
    .map((row) => (row.block === '2' ? { ...row, cpu_cores: String(1.2 * Number(row.cpu_cores)) } : row));
  const [surface] = fitSurfaces({ trials: [], steps }, SPEC)[0].surfaces;
  const found = ask(surface, 5000, { payload_b: 4096 });
  assert.ok(!('why' in found) && found.costs.length === 3);
  const [first, second] = found.costs.map(({ log }) => Math.exp(log));
  assert.ok(Math.abs(second / first - 1.2) < 0.05, `${first} ${second}`);
});

test('saturation is what was found at a load, and between two loads lies between theirs, although more was found farther off', () => {
  const cells = [{ connections: 100 }, {}, { connections: 10_000 }];
  const { steps } = simulate({ cells });
  const found_hz = (/** @type {string} */ trial) => (trial.endsWith('-1') ? '60000' : '80000');
  const trials = [...new Set(steps.map(({ trial }) => trial))].map((trial) => ({ trial, metric: 'saturation_hz', value: found_hz(trial) }));
  const [surface] = fitSurfaces({ trials, steps }, SPEC)[0].surfaces;
  const saturationAt = (/** @type {number} */ connections) =>
    Math.round(surface.rangeAt({ total_rate_hz: 1000, connections, payload_b: 128 }).saturation_hz);
  assert.deepEqual([100, 1000, 10_000].map(saturationAt), [80_000, 60_000, 80_000]);
  assert.equal(saturationAt(Math.sqrt(1000 * 10_000)), Math.round(Math.sqrt(60_000 * 80_000)), 'the mean of the logarithms');
});

test('a rate beyond saturation has no cost; if the load was the limit, the answer says that so many were not asked for', () => {
  const { steps } = simulate();
  const trials = (/** @type {string} */ least) => [...new Set(steps.map(({ trial }) => trial))].flatMap((trial) =>
    [['saturation_hz', '60000'], ['saturation_at_least', least]].map(([metric, value]) => ({ trial, metric, value })));
  const why = (/** @type {string} */ least) =>
    ask(fitSurfaces({ trials: trials(least), steps }, SPEC)[0].surfaces[0], 70_000);
  assert.deepEqual([why('1'), why('0')], [{ why: 'was not asked for so many' }, { why: 'does not answer so many' }]);
});

test('processes by a surface: as many, or more, at a higher rate and at a lower load of each, on few connections and on many', () => {
  const LOADS = [0.5, 0.8, 0.9];
  const asked = fc.record({
    seed: fc.integer({ min: 1, max: 1e6 }), spread: fc.double({ min: 0, max: 0.6, noNaN: true }), rate: fc.integer({ min: 100, max: 3e5 }),
    more: fc.integer({ min: 0, max: 3e5 }), connections: fc.option(fc.integer({ min: 10, max: 1e5 }), { nil: undefined }),
  });
  fc.assert(fc.property(asked, ({ seed, spread, rate, more, connections }) => {
    const [design] = fitSurfaces(simulate({ seed, spread }), SPEC);
    const count = (/** @type {number} */ total_rate_hz, /** @type {number} */ load) => {
      const cell = countBySurface(design, SPEC.engines, { total_rate_hz, load, connections })[0][3];
      return cell.startsWith('over') ? Infinity : Number(cell);
    };
    const counts = LOADS.map((load) => count(rate, load));
    assert.deepEqual(counts, counts.toSorted((a, b) => b - a), `${LOADS}: ${counts}`);
    for (const [index, load] of LOADS.entries()) assert.ok(count(rate + more, load) >= counts[index]);
  }), { numRuns: 15 });
});

test('the rate that a load of a core allows is that of each block, and one below the slowest step is beyond what was measured', () => {
  const costs = [20.2, 20.5, 20.9];
  const { trials, steps } = simulate({ cells: [{}], spread: 0, cost: () => 1 });
  const [{ surfaces: [surface] }] = fitSurfaces({
    trials, steps: steps.map((step) => ({ ...step, cpu_cores: String(Number(step.cpu_cores) * costs[Number(step.block) - 1]) })),
  }, SPEC);
  const at = { connections: 1000, payload_b: 128 };
  const { rates, isWithin } = surface.ratesFor(0.8, at);
  for (const [index, us] of costs.entries()) assert.ok(Math.abs(rates[index] / (0.8e6 / us) - 1) < 0.001, String(rates));
  assert.equal(isWithin, true);
  assert.equal(surface.ratesFor(0.005, at).isWithin, false, '250 messages a second, where the slowest step had 500');
});

test('a point is within a hull where it is a mean of its corners, and the value there lies between theirs', () => {
  const whole = fc.integer({ min: -9, max: 9 });
  const point = fc.record({ at: fc.tuple(whole, whole), value: fc.integer({ min: 0, max: 9 }) });
  const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 5 });
  fc.assert(fc.property(fc.array(point, { minLength: 1, maxLength: 5 }), weights, (points, shares) => {
    const total = points.reduce((sum, _, index) => sum + shares[index], 0);
    const middle = [0, 1].map((axis) => points.reduce((sum, { at }, index) => sum + at[axis] * shares[index], 0) / total);
    const found = interpolateWithin(points, middle);
    const values = points.map(({ value }) => value);
    assert.ok(found !== undefined && found <= Math.max(...values) + 1e-6 && found >= Math.min(...values) - 1e-6);
    assert.equal(interpolateWithin(points, [20, 0]), undefined);
  }));
});

test('within a rectangle, which has two triangulations, the value is between both and jumps nowhere', () => {
  const points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 4]].map(([x, y, value]) => ({ at: [x, y], value }));
  const valueAt = (/** @type {number} */ x, /** @type {number} */ y) => Number(interpolateWithin(points, [x, y]));
  assert.ok(Math.abs(valueAt(0.5, 0.5) - 1) < 1e-6, 'by one diagonal it is 0, by the other 2');
  const steps = Array.from({ length: 101 }, (_, index) => valueAt(index / 100, 0.7));
  for (const [index, value] of steps.slice(1).entries()) assert.ok(value >= steps[index] - 1e-6 && value - steps[index] < 0.05, `${index}: ${value}`);
});
