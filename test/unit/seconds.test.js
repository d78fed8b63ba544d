/** What the agent tells each second of a load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicUs } from '../../harness/agent/clock.js';
import { Seconds } from '../../harness/agent/seconds.js';

/** Above every pid that Linux gives: PID_MAX_LIMIT. */
const GONE = 2 ** 22 + 1;

/** @param {Record<string, unknown>[]} processes @param {number} ms @returns {Promise<any[]>} what is told of them in so long */
async function follow(processes, ms) {
  const told = /** @type {any[]} */ ([]);
  const watched = new Map(processes.map((process_) => [process_.pid, process_]));
  const seconds = new Seconds(/** @type {any} */ ({ watched }), monotonicUs(), process.pid, (event) => told.push(event));
  seconds.begin();
  await sleep(ms);
  seconds.end();
  return told;
}

test('each second has a line with the cores by role, from the second one on', async () => {
  const told = await follow([{ pid: process.pid, side: 'server', role: 'worker' }], 2700);
  assert.deepEqual(told.map(({ event, t_s }) => [event, t_s]), [['second', 0], ['second', 1], ['second', 2]]);
  assert.equal(told[0].cores, undefined);
  assert.ok(told[1].cores.worker >= 0 && told[1].segments_hz >= 0 && told[1].established >= 0, JSON.stringify(told[1]));
  assert.ok(told.every(({ doubts }) => !doubts.includes('server worker ended')));
});

test('a process that has ended is doubted from then on', async () => {
  const [{ doubts }] = await follow([{ pid: GONE, side: 'client', role: 'recorder' }], 700);
  assert.ok(doubts.includes('client recorder ended'));
});
