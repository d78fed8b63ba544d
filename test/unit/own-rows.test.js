/** Rows that experiments judge by their own tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSpans } from '../../analysis/points/spans.js';
import { listSaved } from '../../experiments/10-wire-bytes/tables.js';

test('spans: what all processes of a role used together in some seconds, and nothing of the seconds around them', () => {
  const sample = (/** @type {number} */ t_s, /** @type {string} */ process, /** @type {number} */ value) => (
    { trial: 'b1', engine: 'a', t_s: String(t_s), side: 'server', process, quantity: 'cpu_pct', value: String(value) });
  const series = [10, 10.5, 11.5, 12, 13].flatMap((t_s) => [
    sample(t_s, 'worker 1', t_s > 10 && t_s <= 12 ? 30 : 99), sample(t_s, 'worker 2', 20), sample(t_s, 'store 1', 2),
    { ...sample(t_s, 'client 1', 90), side: 'client' },
  ]);
  const found = listSpans(series, () => ({ ramp: [10, 12] }));
  assert.deepEqual(found.map(({ metric, value }) => [metric, value]), [['worker_ramp_cores', '0.5'], ['store_ramp_cores', '0.02']]);
});

test('batching: eight frames in one segment save what their segments cost, not seven of eight by arithmetic', () => {
  const of = (/** @type {string} */ step, /** @type {number} */ value) => ({ trial: 'b1', metric: `${step}_up_overhead_b`, value: String(value) });
  const [saved] = listSaved([of('single', 480), of('corked', 102), of('batched', 60)]);
  assert.equal(saved.value, '0.7875');
});
