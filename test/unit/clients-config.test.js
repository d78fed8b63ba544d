import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findErrors } from '../../clients/forked/config.js';
import { readLibrary } from '../../clients/forked/library.js';

const MAIN = join(import.meta.dirname, '../../clients/forked/main.js');
const RIGHT = {
  url: 'ws://127.0.0.1:20000', library: 'ws', out: tmpdir(), behaviour: 'echo', processes: 2, connections: 100, connect_rate_hz: 50, warmup_s: 0,
  ramp_s: 2, settle_s: 1, hold_s: 10, arrivals: { kind: 'poisson', rate_hz_per_connection: 2 }, payload: { type: 'text', bytes: 64 }, seed: 1, late_ms: 10, drain_s: 1,
};

test('a right configuration has no errors', () => {
  assert.deepEqual(findErrors(RIGHT), []);
});

test('all that is wrong is reported at once, each with its value', () => {
  const wrong = findErrors({ ...RIGHT, url: 'http://a', processes: 0, seed: 2 ** 32, arrivals: { kind: 'constant' }, payload: { type: 'tex', bytes: 0 } });
  assert.equal(wrong.length, 6);
  for (const part of ['url is "http://a"', 'processes is 0', 'seed is 4294967296', 'arrivals.period_ms is undefined', 'payload.type is "tex"', 'payload.bytes is 0']) {
    assert.ok(wrong.some((line) => line.startsWith(part)), part);
  }
});

test('arrivals of an unknown kind are refused, also when it is the name of something inherited', () => {
  for (const kind of [undefined, 'burst', 'toString']) assert.equal(findErrors({ ...RIGHT, arrivals: { kind } }).length, 1);
});

test('idle needs neither arrivals nor a payload, pingpong no payload', () => {
  assert.deepEqual(findErrors({ ...RIGHT, behaviour: 'idle', arrivals: undefined, payload: undefined }), []);
  assert.deepEqual(findErrors({ ...RIGHT, behaviour: 'pingpong', payload: undefined }), []);
});

test('a ramp that outlasts the load is refused', () => {
  assert.match(findErrors({ ...RIGHT, connect_rate_hz: 1 }).join(), /^connection 100 would be due at 99 s, after the end at 13 s/);
});

test('an unknown library setting is refused', () => {
  assert.equal(findErrors({ ...RIGHT, library_settings: { agent_socket: 5 } }).length, 1);
  assert.deepEqual(findErrors({ ...RIGHT, library_settings: { agent_sockets: 5 } }), []);
});

test('an unknown library is refused, and one that leads elsewhere', () => {
  for (const name of ['nosuch', '../../servers/ws']) assert.throws(() => readLibrary(name), { code: 64 });
});

test('the client ends with 64 and an error line when its configuration cannot be read', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '/nonexistent/config.json'], { encoding: 'utf8' });
  assert.equal(status, 64);
  assert.match(stderr, /^error: .+: .+; .+\n$/);
});
