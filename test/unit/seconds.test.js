/** What the agent reports each second of a load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicUs } from '../../harness/agent/clock.js';
import { ClientSeconds } from '../../harness/agent/client-seconds.js';
import { Seconds } from '../../harness/agent/seconds.js';

/** No process has this pid: it is above PID_MAX_LIMIT of Linux. */
const GONE = 2 ** 22 + 1;

/**
 * @param {Record<string, unknown>[]} processes @param {number} lines @param {ClientSeconds} [clients]
 * @returns {Promise<any[]>} the first lines that are reported
 */
async function follow(processes, lines, clients) {
  const reported = /** @type {any[]} */ ([]);
  const watched = new Map(processes.map((process_) => [process_.pid, process_]));
  const seconds = new Seconds(/** @type {any} */ ({ watched }), monotonicUs(), process.pid, (event) => reported.push(event), clients);
  seconds.begin();
  while (reported.length < lines) await sleep(50);
  seconds.end();
  return reported.slice(0, lines);
}

test('each second has a line with the cores by role, from the second one on', async () => {
  const reported = await follow([{ pid: process.pid, side: 'server', role: 'worker' }], 3);
  assert.deepEqual(reported.map(({ event, t_s }) => [event, t_s]), [['second', 0], ['second', 1], ['second', 2]]);
  assert.equal(reported[0].cores, undefined);
  assert.ok(reported[1].cores.worker >= 0 && reported[1].segments_hz >= 0 && reported[1].established >= 0, JSON.stringify(reported[1]));
  assert.ok(reported.every(({ warnings }) => !warnings.includes('server worker ended')));
});

test('a process that has ended is in the warnings', async () => {
  const [{ warnings }] = await follow([{ pid: GONE, side: 'client', role: 'recorder' }], 1);
  assert.ok(warnings.includes('client recorder ended'));
});

/** @param {(string | undefined)[]} lines one per read */
const client = (...lines) => ({ readLast: () => lines.shift() });
/** @param {number} t_s @param {number} count @param {object} [more] */
const lineOf = (t_s, count, more) => JSON.stringify({ t_s, connected: 10, due: count, sent: count, received: count - 1, ...more });

test('what clients tell is part of the second, with rates from the second line on', async () => {
  const clients = new ClientSeconds([client(lineOf(1.35, 100, { latency_p50_us: 400 }), lineOf(2.35, 350))]);
  const [first, second] = await follow([], 2, clients);
  assert.deepEqual(first.client, { connected: 10, due: 100, sent: 100, received: 99, latency_p50_us: 400 });
  assert.deepEqual(second.client, { connected: 10, due: 350, sent: 350, received: 349, due_hz: 250, sent_hz: 250, received_hz: 250 });
});

test('several clients of a host add up, of their latencies the worst is reported, and one that is late counts as it was', () => {
  const clients = new ClientSeconds([
    client(lineOf(1, 100, { latency_p99_us: 5 }), lineOf(2, 200, { latency_p99_us: 5 })),
    client(lineOf(1, 10, { latency_p99_us: 7 }), undefined),
    client(),
  ]);
  const [first, second] = [clients.read(), clients.read()];
  assert.deepEqual([first?.connected, first?.due, first?.latency_p99_us], [20, 110, 7]);
  assert.deepEqual([second?.connected, second?.due], [20, 210]);
  assert.equal(clients.read(), undefined);
});

test('a client that tells nothing, or what is not as the contract has it, is left out', async () => {
  const clients = new ClientSeconds([client(), client('no JSON', '{"t_s":1}', 'null', '7', lineOf(1, 5, { due: 'five' }))]);
  for (let times = 0; times < 6; times++) assert.equal(clients.read(), undefined);
  const [second] = await follow([], 1);
  assert.ok(!('client' in second));
});
