/** More load never needs fewer processes, and a process that may use more of its core never carries less. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Curve } from '../../analysis/statistics/curve.js';
import { countProcesses } from '../../report/count-processes.js';

const LOADS = Array.from({ length: 10 }, (_, index) => (index + 1) / 10);

/** Steps of a sweep. Their CPU use need not rise with the rate, and some have a backlog. */
const STEPS = fc.array(fc.record({
  hz: fc.integer({ min: 100, max: 100_000 }), cores: fc.double({ min: 0.01, max: 1, noNaN: true }), backlog_s: fc.constantFrom(0, 0, 0, 1),
}), { minLength: 2, maxLength: 9 });

/** @param {{hz: number, cores: number, backlog_s: number}[]} steps */
function curveOf(steps) {
  const curve = new Curve();
  for (const { hz, cores, backlog_s } of steps) {
    curve.addFull({ due_hz: hz, received_hz: hz, cores, load_cores: 0.1, backlog_s });
    if (backlog_s === 0) curve.add(hz, hz, cores);
  }
  return curve;
}

test('a process carries no less where it may use more of its core, whatever its steps were', () => {
  fc.assert(fc.property(STEPS, (steps) => {
    const curve = curveOf(steps);
    const rates = LOADS.map((load) => curve.rateFor(load));
    for (const [index, rate] of rates.entries()) assert.ok(index === 0 || rate >= rates[index - 1] * (1 - 1e-9), rates.join(' '));
  }), { numRuns: 2000 });
});

/** @param {number[]} carried messages a second, at each of LOADS */
const tableOf = (carried) => carried.map((total_rate_hz, index) =>
  ({ era: 'today', engine: 'a', kind: 'role', what: 'worker', load: String(LOADS[index]), n: '3', total_rate_hz: String(total_rate_hz), low: '-', high: '-' }));

test('as many processes, or more, at a higher rate and at a lower load of each, whatever a table of before says', () => {
  const carried = fc.array(fc.integer({ min: 100, max: 100_000 }), { minLength: 10, maxLength: 10 });
  const engines = { a: { processes: { worker: 1 } } };
  fc.assert(fc.property(carried, fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 1e6 }), (all, rate, more) => {
    const count = (/** @type {number} */ total_rate_hz, /** @type {number} */ load) =>
      Number(countProcesses(tableOf(all), engines, { total_rate_hz, load })[0][3]);
    const counts = LOADS.map((load) => count(rate, load));
    assert.deepEqual(counts, counts.toSorted((a, b) => b - a));
    for (const load of LOADS) assert.ok(count(rate + more, load) >= count(rate, load));
  }));
});
