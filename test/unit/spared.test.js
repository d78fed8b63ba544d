/** Which metrics of a flagged trial still count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSpared } from '../../analysis/points/spared.js';

const METRICS = ['connected_share', 'handshake_up_b', 'store_cpu_cores', 'server_cpu_s_per_1k', 'latency_p50_ms'];
/** @param {string} trial @returns {Record<string, string>[]} */
const rowsOf = (trial) => METRICS.map((metric) => ({ trial, block: trial.slice(1, 3), engine: 'a', workload: 'w', setting: '-', metric, value: '1' }));
const flagged = ['b01-a', 'b02-a'].flatMap(rowsOf);

test('a trial that was flagged for late sends keeps its connections and bytes, and a store its CPU if nothing else was wrong', () => {
  const spared = listSpared(flagged, [
    { trial: 'b01-a', reason: 'late-sends' }, { trial: 'b01-a', reason: 'clock-step' }, { trial: 'b02-a', reason: 'late-sends' },
  ], []);
  assert.deepEqual(spared.map(({ trial, metric }) => `${trial} ${metric}`), [
    'b01-a connected_share', 'b01-a handshake_up_b', 'b02-a connected_share', 'b02-a handshake_up_b', 'b02-a store_cpu_cores',
  ]);
});

test('a trial whose client lost connections, or got wrong answers, keeps nothing', () => {
  const dropped = [{ trial: 'b01-a', reason: 'local-losses' }, { trial: 'b01-a', reason: 'steal' }, { trial: 'b02-a', reason: 'wrong-answers' }];
  assert.deepEqual(listSpared(flagged, dropped, []), []);
});

test('a trial that others disturbed keeps nothing, nor does one of which no rule is known', () => {
  assert.deepEqual(listSpared(flagged, [{ trial: 'b01-a', reason: 'foreign-cpu-ramp' }], []), []);
});

test('where a trial of the same block stands, it is judged alone', () => {
  const late = ['b01-a', 'b02-a'].map((trial) => ({ trial, reason: 'late-sends' }));
  const spared = listSpared(flagged, late, rowsOf('b01-a-again'));
  assert.deepEqual([...new Set(spared.map(({ trial }) => trial))], ['b02-a']);
});
