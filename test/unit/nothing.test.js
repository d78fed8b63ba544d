import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { judgeRead } from '../../analysis/claims/verdict.js';
import { judgeClaim } from '../../analysis/claims/summary.js';
import { whyUnloaded } from '../../analysis/claims/load-there.js';
import { refuseNothing, whyNothing } from '../../analysis/trials/no-load.js';

const UP = { asked: 20, opened: 20, failed_local: 0 };
const ALL = { due: 10, sent: 10, received: 10 };
const OPEN = { behaviour: 'echo', hold_s: 1, arrivals: { kind: 'constant', period_ms: 100 } };

test('a load of which nothing was connected, sent or answered says what was not there', () => {
  const none = { asked: 20, opened: 0, failed_local: 0 };
  const gone = { due: 10, sent: 0, received: 0 };
  assert.equal(whyNothing({ connections: none, window: gone, errors: { 'HTTP 503': 19, ETIMEDOUT: 1 } }, OPEN), 'none of 20 connections came up ("HTTP 503", 19 times)');
  assert.equal(whyNothing({ connections: { ...none, failed_local: 20 }, window: gone }, OPEN), 'none of 20 connections came up, some by limits of this host (./wscale doctor)');
  assert.equal(whyNothing({ connections: none, window: gone }, { ...OPEN, behaviour: 'idle' }), 'none of 20 connections came up');
  assert.equal(whyNothing({ connections: UP, window: gone }, OPEN), 'none of 10 messages that were due in the window was sent');
  assert.equal(whyNothing({ connections: UP, window: { ...ALL, received: 0 } }, OPEN), 'none of 10 messages that were sent in the window was answered');
  assert.equal(whyNothing({ connections: UP, window: { due: 0, sent: 0, received: 0 } }, { ...OPEN, arrivals: { kind: 'closed' } }),
    'none of 0 messages that were due in the window was sent');
  assert.equal(whyNothing({ connections: UP, window: { due: 0, sent: 0, received: 0 } }, { ...OPEN, hold_s: 2, arrivals: { kind: 'updates', period_ms: 100 } }),
    'none of the updates of the window arrived');
});

test('a load that was there stands, whatever the server lost of it, and one that asks for no messages needs none', () => {
  assert.equal(whyNothing({ connections: UP, window: ALL }, OPEN), undefined);
  assert.equal(whyNothing({ connections: { ...UP, opened: 1 }, window: { due: 10, sent: 1, received: 1 } }, OPEN), undefined);
  const quiet = { connections: UP, window: { due: 0, sent: 0, received: 0 } };
  for (const told of [
    { ...OPEN, behaviour: 'idle' }, { ...OPEN, arrivals: { kind: 'staircase' } }, { ...OPEN, behaviour: 'broadcast', arrivals: { kind: 'closed' } },
    { ...OPEN, arrivals: { kind: 'updates', period_ms: 0 } }, { ...OPEN, arrivals: { kind: 'updates', period_ms: 1000 } },
  ]) assert.equal(whyNothing(quiet, told), undefined, JSON.stringify(told));
});

test('of several hosts the one is named whose part of the load was not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nothing-test-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (/** @type {string} */ place, /** @type {unknown} */ summary) => {
    mkdirSync(join(folder, 'raw', place, 'client'), { recursive: true });
    writeFileSync(join(folder, 'raw', place, 'client/summary.json'), JSON.stringify(summary));
  };
  const hosts = [{ name: 'm1' }, { name: 'm2', connections: 20 }, { name: 'm3', connections: 20 }];
  writeFileSync(join(folder, 'trial.json'), JSON.stringify({ engine: 'ws', client: OPEN, hosts }));
  write('hosts/m2', { connections: UP, window: ALL });
  write('hosts/m3', { connections: UP, window: ALL });
  refuseNothing(folder);
  write('hosts/m3', { connections: { asked: 20, opened: 0, failed_local: 0 }, window: { due: 10, sent: 0, received: 0 } });
  const told = /^Error: none of 20 connections came up on m3; see whether the server .+: make check-server ENGINE=ws$/;
  assert.throws(() => refuseNothing(folder), told);
});

const POINT = { engine: 'a', workload: 'listed', setting: '-' };
/** @type {any} */
const ROW = {
  claim: 'T6', era: '2014', workload: 'listed', setting: '-', metric: 'store_cpu_cores', of: 'a', to: '-', criterion: '<0.05',
  n: 6, mean: 0.001, low: 0.0009, high: 0.0011, scale: 'log', degrees: 5,
};

test('a row wants the load of each of its points to have been there, whatever its criterion, unless it is about the load', () => {
  const of = (/** @type {string} */ metric, /** @type {string} */ mean) => [{ ...POINT, metric: 'connected_share', mean: '1' }, { ...POINT, metric, mean }];
  assert.equal(whyUnloaded(ROW, of('answered_share', '0.9')), undefined);
  const few = '12.3 % of the messages were answered';
  for (const changes of [{}, { criterion: '>1' }, { criterion: '0.4..0.6' }, { to: 'b' }, { of: 'b', to: 'a' }, { of: 'b', to: 'a', setting: 'x=1', to_setting: '-' }]) {
    assert.equal(whyUnloaded({ ...ROW, ...changes }, of('answered_share', '0.123')), few, JSON.stringify(changes));
  }
  assert.equal(whyUnloaded(ROW, [{ ...POINT, metric: 'connected_share', mean: '0.05' }]), '5 % of the connections were open');
  assert.equal(whyUnloaded(ROW, [{ ...POINT, engine: 'b', metric: 'connected_share', mean: '0.05' }]), undefined, 'of another engine');
  for (const metric of ['connected_share', 'connected_at_end', 'answered_share']) {
    assert.equal(whyUnloaded({ ...ROW, metric }, of('answered_share', '0')), undefined, metric);
  }
  const use = { ...POINT, metric: 'server_cpu_cores', mean: '0.9' };
  assert.equal(whyUnloaded(ROW, [use], [0.5, 0.8]), '0.9 cores were in use, of 0.5 to 0.8');
  assert.equal(whyUnloaded(ROW, [{ ...use, mean: '0.6' }], [0.5, 0.8]), undefined);
  const judged = judgeRead({ ...ROW, unloaded: '5 % of the connections were open' });
  assert.deepEqual([judged.verdict, judged.p, judged.decided_by], ['inconclusive', 1, 'a run with its load (5 % of the connections were open)']);
  assert.equal(judgeClaim([judged], 'all').verdict, 'inconclusive');
  assert.equal(judgeRead(ROW).verdict, 'reproduced');
});
