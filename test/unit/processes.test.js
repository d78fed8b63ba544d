/** How many processes a load needs, from a small table with answers computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBySurface, countProcesses } from '../../report/count-processes.js';

const ENGINES = { front: { processes: { balancer: 1, worker: 1, store: 1 } } };
/** @param {string} what @param {string} total_rate_hz @param {string} low @param {string} high */
const row = (what, total_rate_hz, low, high, extrapolated = 'no') =>
  ({ era: '2014', engine: 'front', kind: 'role', what, load: '0.7', n: low === '-' ? '2' : '4', total_rate_hz, low, high, extrapolated });
const TABLE = [row('balancer', '6000', '3500', '11000', 'yes'), row('worker', '5000', '-', '-'), { ...row('-', '9', '-', '-'), kind: 'mix' }];

test('a role needs the rate divided by the rate of one process, rounded up; the interval gives the least and the most', () => {
  const [balancer, worker, store] = countProcesses(TABLE, ENGINES, { total_rate_hz: 20000, load: 0.7 });
  assert.deepEqual(balancer, ['front', '2014', 'balancer', '4', '2', '6', '6000/s', 'beyond what was measured']);
  assert.deepEqual(worker, ['front', '2014', 'worker', '4', '-', '-', '5000/s', 'no interval: 2 trials']);
  assert.deepEqual(store.slice(2), ['store', '1', '-', '-', '-', 'was not measured alone']);
});

test('a load that the table lacks is refused, with the loads that it has', () => {
  const ask = () => countProcesses(TABLE, ENGINES, { total_rate_hz: 20000, load: 0.75 });
  assert.throws(ask, { message: 'LOAD: 0.75 is not in the table; use one of 0.7' });
});

test('an engine with too few undisturbed steps has no number, and the others keep theirs', () => {
  const carries = { ratesFor: () => ({ rates: [900, 1000, 1100], isWithin: true, isAtLeast: false }), laws: new Map([['1', () => 0]]) };
  const surfaces = /** @type {any[]} */ ([{ engine: 'none', era: 'today', laws: new Map() }, { engine: 'some', era: 'today', ...carries }]);
  const engines = Object.fromEntries(surfaces.map(({ engine }) => [engine, { processes: { worker: 1 } }]));
  const design = /** @type {any} */ ({ surfaces, usual: { connections: 1000, payload_b: 128 } });
  const [none, some] = countBySurface(design, engines, { total_rate_hz: 1900, load: 0.8 });
  assert.deepEqual(none, ['none', 'today', 'worker', '-', '-', '-', '-', 'too few of its steps stand']);
  assert.equal(some[3], '2');
});
