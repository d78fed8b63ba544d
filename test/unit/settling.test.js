/** The load of a sweep's first step runs while connections settle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSteps } from '../../analysis/trials/steps.js';

test('steps: what was not sent before the sweep, because connections still opened, is no backlog of its steps', () => {
  const second = { due: '1000', sent: '1000', received: '1000', connected: '10' };
  const seconds = [{ ...second, t_s: '0', sent: '600', received: '600' }, { ...second, t_s: '1' }];
  const steps = [{ step: '1', total_rate_hz: '1000', batch: '1', from_s: '1', to_s: '2' }];
  const accounts = ['step_1_from', 'window_end'].map((mark, index) => (
    { mark, t_us: `${index}000000`, pid: '7', side: 'server', role: 'worker', index: '1', cpu_ns: `${index}0`, wait_ns: '0', ticks: '0', voluntary: '0', involuntary: '0', rss_kb: '1' }));
  const backlogOf = (/** @type {number} */ begin_s) => computeSteps(steps, accounts, seconds, [], new Set(), begin_s)[0].backlog_s;
  assert.deepEqual([backlogOf(1), backlogOf(0)], ['0', '0.4']);
});
