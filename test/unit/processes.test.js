/** How many processes a load needs: by hand, from a small table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countProcesses } from '../../report/count-processes.js';

const ENGINES = { front: { processes: { balancer: 1, worker: 1, store: 1 } } };
/** @param {string} what @param {string} total_rate_hz @param {string} low @param {string} high */
const row = (what, total_rate_hz, low, high, extrapolated = 'no') =>
  ({ era: '2014', engine: 'front', kind: 'role', what, load: '0.7', n: low === '-' ? '2' : '4', total_rate_hz, low, high, extrapolated });
const TABLE = [row('balancer', '6000', '3500', '11000', 'yes'), row('worker', '5000', '-', '-'), { ...row('-', '9', '-', '-'), kind: 'mix' }];

test('a role needs the rate over what one carries, rounded up; its interval gives the least and the most', () => {
  const [balancer, worker, store] = countProcesses(TABLE, ENGINES, { total_rate_hz: 20000, load: 0.7 });
  assert.deepEqual(balancer, ['front', '2014', 'balancer', '4', '2', '6', '6000/s', 'beyond what was measured']);
  assert.deepEqual(worker, ['front', '2014', 'worker', '4', '-', '-', '5000/s', 'no interval: 2 trials']);
  assert.deepEqual(store.slice(2), ['store', '1', '-', '-', '-', 'was not measured alone']);
});

test('a load of a core that the table has not is refused, with those that it has', () => {
  const ask = () => countProcesses(TABLE, ENGINES, { total_rate_hz: 20000, load: 0.75 });
  assert.throws(ask, { message: 'LOAD: 0.75 is not in the table; use one of 0.7' });
});
