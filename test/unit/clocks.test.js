/** Clocks of several hosts: how their offsets are measured, and what the doctor says of them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compareClock, serveClock } from '../../harness/agent/clock-service.js';
import { diagnoseClock, diagnoseCongestion, diagnoseWallClock } from '../../harness/check/doctor-hosts.js';
import { readTsv } from '../../harness/common/files.js';
import { Clocks, boundOf, driftOf, readClock } from '../../harness/run/clocks.js';

const folder = mkdtempSync(join(tmpdir(), 'clocks-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {number} offset_us @param {number} rtt_us @param {number} at_us */
const reading = (offset_us, rtt_us, at_us) => ({ offset_us, rtt_us, at_us });

test('a clock is read by the shortest exchange; its error is half of that, plus the drift', async () => {
  let exchange = 0;
  const ask = async () => {
    await new Promise((resolve) => setTimeout(resolve, ++exchange === 7 ? 0 : 5));
    return performance.now() * 1000 + 5e9;
  };
  const { offset_us, rtt_us } = await readClock(/** @type {any} */ ({ ask }));
  assert.equal(exchange, 20);
  assert.ok(Math.abs(offset_us - 5e9) <= rtt_us / 2 + 1, `${offset_us} in ${rtt_us}`);
  const reported = { host: 'a', before: reading(1000, 200, 0), after: reading(1010, 300, 10e6) };
  assert.equal(driftOf(reported), 1);
  assert.equal(boundOf(reported), 160);
});

test("two hosts compare their clocks with each other: a distant coordinator adds no error, and only sets the start", async () => {
  const far_ms = 40;
  const ahead_us = { s: 5e9, c: 7e9 };
  const makeAgent = (/** @type {'s' | 'c'} */ name) => ({
    ask: async (/** @type {string} */ op) => {
      await new Promise((resolve) => setTimeout(resolve, far_ms));
      if (op === 'clock') return performance.now() * 1000 + ahead_us[name];
      return op === 'compareClock' ? reading(ahead_us.c - ahead_us.s, 100, 1) : 1;
    },
  });
  const places = /** @type {const} */ (['s', 'c']).map((name) => ({ name, address: '-', agent: /** @type {any} */ (makeAgent(name)) }));
  const clocks = new Clocks(places);
  assert.equal(clocks.offsetToServer('c'), undefined, 'it is not known yet');
  await clocks.readBefore();
  await clocks.readAfter();
  assert.equal(clocks.offsetToServer('c'), ahead_us.s - ahead_us.c);
  assert.equal(clocks.offsetToServer('s'), -0);
  const startOf = clocks.agree(1e6);
  assert.equal(startOf('c') - startOf('s'), ahead_us.c - ahead_us.s, 'one instant');
  assert.ok(startOf('s') - ahead_us.s > performance.now() * 1000 + 1e6, 'which all are told before');
  const raw = join(folder, 'far');
  clocks.write(raw);
  const told = readTsv(join(raw, 'clocks', 'clocks.tsv')).map(({ host, when, bound_us }) => [host, when, bound_us].join(' '));
  assert.deepEqual(told, ['c before 50.0', 'c after 50.0']);
  assert.equal(readTsv(join(raw, 'clocks', 'metrics.tsv'))[0].value, '0.0500');
});

test('an agent asks another for its time over TCP, and says where it could not', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  const given = { own: '127.0.0.1', address: '127.0.0.1', port, exchanges: 5 };
  await new Promise((resolve) => probe.close(resolve));
  const why = /its clock could not be compared with that of the server's host at 127\.0\.0\.1:\d+: .*REFUSED.*; can 127\.0\.0\.1 connect/;
  await assert.rejects(compareClock(given), why);
  const service = await serveClock('127.0.0.1', port);
  const { offset_us, rtt_us } = await compareClock(given);
  service.close();
  assert.ok(Math.abs(offset_us) <= rtt_us / 2 + 1, `one clock is ${offset_us} us apart in ${rtt_us} us`);
  await assert.rejects(compareClock(given), /ECONNREFUSED/, 'it serves no more');
});

test('the doctor warns of an uncertain or drifting clock, and of an unusual congestion control', () => {
  /** @param {import('../../harness/run/clocks.js').HostClock} clock */
  const statuses = (clock) => diagnoseClock(clock).map(({ status }) => status);
  assert.deepEqual(statuses({ host: 'a', before: reading(0, 200, 0), after: reading(5, 200, 1e6) }), ['ok', 'ok']);
  assert.deepEqual(statuses({ host: 'a', before: reading(0, 3000, 0), after: reading(0, 200, 1e6) }), ['warn', 'ok']);
  assert.deepEqual(statuses({ host: 'a', before: reading(0, 200, 0), after: reading(500, 200, 1e6) }), ['ok', 'warn']);
  assert.deepEqual(diagnoseClock(undefined).map(({ status }) => status), ['ok'], 'the server is what the others are compared with');
  assert.deepEqual([-900, 900].map((ahead_ms) => diagnoseWallClock(ahead_ms).status), ['ok', 'ok']);
  assert.match(diagnoseWallClock(-3600_000).value, /^1 h 00 min behind:/);
  assert.match(diagnoseWallClock(2000).value, /^2 s ahead:/);
  assert.deepEqual([diagnoseCongestion('cubic').status, diagnoseCongestion('bbr').status], ['ok', 'warn']);
});
