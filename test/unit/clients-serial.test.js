import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic_us } from '../../clients/common/start.js';
import { Tally } from '../../clients/common/tally.js';
import { findSerialErrors } from '../../clients/serial/config.js';
import { Rounds, countEchoes, shuffle } from '../../clients/serial/rounds.js';
import { resolveConditions } from '../../harness/spec/points.js';
import { checkClaims, checkNames, checkRounds } from '../../harness/spec/spec-checks.js';

/** @type {any} */
const RIGHT = {
  url: 'tls://10.213.0.1:20000', library: 'node-net', out: tmpdir(), behaviour: 'echo', processes: 1, connections: 1, connect_rate_hz: 1, warmup_s: 0,
  ramp_s: 0, settle_s: 0, hold_s: 1, arrivals: { kind: 'closed', outstanding: 1 }, payload: { type: 'binary', bytes: 1 }, seed: 1, late_ms: 10, drain_s: 1,
  sizes_b: [1, 1000, 1000000],
};

test('a right configuration of rounds has no errors', () => {
  assert.deepEqual(findSerialErrors(RIGHT), []);
});

test('rounds are refused on several connections, without sizes, and with a value of TCP_NODELAY or reading that does not exist', () => {
  assert.equal(findSerialErrors({ ...RIGHT, hold_s: 5, connections: 2 }).length, 1);
  assert.equal(findSerialErrors({ ...RIGHT, sizes_b: [] }).length, 1);
  assert.equal(findSerialErrors({ ...RIGHT, sizes_b: [0] }).length, 1);
  assert.equal(findSerialErrors({ ...RIGHT, nodelay: 'yes' }).length, 1);
  assert.equal(findSerialErrors({ ...RIGHT, reading: 'all' }).length, 1);
});

test('a round holds twenty small echoes and one large one', () => {
  assert.deepEqual([1, 10_000, 100_000, 10_000_000].map(countEchoes), [20, 20, 2, 1]);
});

test('an order is a draw: each item once, and the same from the same numbers', () => {
  const draws = () => { let k = 0; return () => [0.9, 0.1, 0.5][k++ % 3]; };
  assert.deepEqual(shuffle([1, 2, 3, 4], draws()).sort(), [1, 2, 3, 4]);
  assert.deepEqual(shuffle([1, 2, 3, 4], draws()), shuffle([1, 2, 3, 4], draws()));
});

test('rounds connect, echo each size and close, and every time told is filed', async () => {
  const start_us = monotonic_us() + 20_000;
  const tally = new Tally(RIGHT, start_us);
  /** @type {string[]} */
  const asked = [];
  const library = {
    async ask(/** @type {string} */ command) {
      asked.push(command);
      await sleep(5);
      const [word, , count] = command.split(' ');
      return word === 'close' ? [] : Array.from({ length: Number(count ?? 1) }, () => '2000');
    },
  };
  const rounds = new Rounds(RIGHT, library, tally, start_us);
  await rounds.run();
  const { connections, window } = tally.summarise();
  const echoes = rounds.samples.filter(({ quantity }) => quantity === 'echo');
  assert.deepEqual(new Set(echoes.map(({ size_b }) => size_b)), new Set(RIGHT.sizes_b));
  assert.ok(rounds.samples.every(({ us }) => us === 2));
  assert.equal(asked.at(-1), 'close');
  assert.equal(asked.filter((command) => command === 'connect').length, asked.filter((command) => command === 'close').length);
  assert.equal(/** @type {any} */ (window).received, echoes.length);
  assert.equal(/** @type {any} */ (connections).open_at_end, 0);
});

/** @type {any} */
const SPEC = {
  axes: { engine: ['ws'], workload: ['rounds'] }, load: { behaviour: 'echo', generator: 'serial', client_processes: 1 },
  workloads: { rounds: { arrivals: RIGHT.arrivals, sizes_b: [1] } }, phases: { connections: 1, connect_rate_hz: 1, settle_s: 0, hold_s: 1 },
  engines: { ws: { processes: { worker: 1 }, options: {} } }, claims: [],
};

test('sizes of rounds are refused under another generator, and the serial one without them', () => {
  /** @param {any} spec */
  const find = (spec) => {
    /** @type {string[]} */
    const problems = [];
    checkRounds(spec, problems);
    return problems.length;
  };
  assert.equal(find(SPEC), 0);
  assert.equal(find({ ...SPEC, load: { ...SPEC.load, generator: 'forked' } }), 1);
  assert.equal(find({ ...SPEC, workloads: { rounds: { arrivals: RIGHT.arrivals } } }), 1);
  assert.equal(find({ ...SPEC, phases: { ...SPEC.phases, connections: 2 } }), 1);
});

test('an engine of either era is held against bytes over TCP, but not against another engine of another era', () => {
  /** @param {string} dialect of the baseline engine */
  const find = (dialect) => {
    /** @type {string[]} */
    const problems = [];
    const engines = { new: { era: 'today', dialect: 'websocket' }, old: { era: '2014', dialect } };
    const claims = [{ id: 'B3', metric: 'connect_us', above: 1, compare: [{ era: 'today', of: 'new', to: 'old' }] }];
    checkClaims(/** @type {any} */ ({ claims, engines, axes: { engine: ['new', 'old'] } }), problems);
    return problems.length;
  };
  assert.equal(find('tcp'), 0);
  assert.equal(find('websocket'), 1);
});

test('a workload may say how long an engine of the experiment warms up, and of no other; the others take the profile\'s time', () => {
  const workloads = { rounds: { ...SPEC.workloads.rounds, warmup_s: { ws: 0.5 } } };
  const spec = { ...SPEC, phases: { ...SPEC.phases, warmup_s: 8 }, workloads };
  const point = { engine: 'ws', workload: 'rounds', setting: '-' };
  assert.deepEqual([spec, { ...spec, workloads: SPEC.workloads }].map((each) => resolveConditions(each, point).warmup_s), [0.5, 8]);
  /** @param {any} manifest @returns {string[]} */
  const find = (manifest) => {
    /** @type {string[]} */
    const problems = [];
    checkNames(manifest, problems);
    return problems;
  };
  assert.deepEqual(find(spec), []);
  const [problem] = find({ ...spec, workloads: { rounds: { warmup_s: { java: 2 } } } });
  assert.match(problem, /^workloads\.rounds\.warmup_s\.java: not an engine of this experiment/);
});
