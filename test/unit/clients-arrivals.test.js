import assert from 'node:assert/strict';
import { test } from 'node:test';
import arrivals from '../../clients/forked/arrivals.cjs';
import random from '../../clients/common/random.cjs';

const { createArrivals } = arrivals;
const SEED = 20140822;
const LISTED = { kind: 'uniform-interval', max_ms: 5000 };
const POISSON = { kind: 'poisson', rate_hz_per_connection: 10 };

/**
 * @param {any} spec
 * @param {number} seed
 * @param {number} connection
 * @param {number} count
 */
function takeTimes(spec, seed, connection, count) {
  const source = createArrivals(spec, seed, connection, 0);
  const times = [source.first(0)];
  while (times.length < count) times.push(source.next(times[times.length - 1]));
  return times;
}

test('a generator draws numbers in [0, 1) whose mean is a half', () => {
  const draw = random.createGenerator(SEED, 0);
  const draws = Array.from({ length: 20000 }, draw);
  assert.ok(draws.every((u) => u >= 0 && u < 1));
  const mean = draws.reduce((sum, u) => sum + u) / draws.length;
  assert.ok(Math.abs(mean - 0.5) < 0.01, String(mean));
});

test('the generator is mulberry32, whose product is that of Math.imul', () => {
  let state = 0;
  const reference = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const spread = (/** @type {number} */ value) => {
    value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    return value ^ (value >>> 16);
  };
  state = spread(spread(SEED | 0) ^ (3 + 0x9e3779b9));
  const draw = random.createGenerator(SEED, 3);
  for (let i = 0; i < 100; i++) assert.equal(draw(), reference());
});

test('the same seed gives a connection the same times, another seed or connection others', () => {
  for (const spec of [LISTED, { kind: 'constant', period_ms: 100 }, POISSON]) {
    assert.deepEqual(takeTimes(spec, SEED, 17, 5), takeTimes(spec, SEED, 17, 5));
    assert.notDeepEqual(takeTimes(spec, SEED, 17, 5), takeTimes(spec, SEED, 18, 5));
    assert.notDeepEqual(takeTimes(spec, SEED, 17, 5), takeTimes(spec, SEED + 1, 17, 5));
  }
});

test('a connection has the same times whatever the number of processes', () => {
  const split = (/** @type {number} */ processes) => {
    /** @type {number[][]} */
    const byConnection = [];
    for (let index = 0; index < processes; index++) {
      for (let k = index; k < 30; k += processes) byConnection[k] = takeTimes(POISSON, SEED, k, 3);
    }
    return byConnection;
  };
  assert.deepEqual(split(1), split(4));
});

test('uniform-interval draws one interval of whole ms and first sends one interval after the start', () => {
  for (let k = 0; k < 200; k++) {
    const [first, second, third] = takeTimes(LISTED, SEED, k, 3);
    assert.equal(first % 1000, 0);
    assert.ok(first >= 1000 && first <= 5_000_000);
    assert.equal(second, 2 * first);
    assert.equal(third, 3 * first);
  }
});

test('an interval of 0 ms is the 1 ms to which the timer clamps it', () => {
  assert.deepEqual(takeTimes({ kind: 'uniform-interval', max_ms: 0.1 }, SEED, 0, 2), [1000, 2000]);
});

test('uniform-interval sends at the rate that its draws add up to', () => {
  const seconds = 60;
  let expected = 0;
  let sent = 0;
  for (let k = 0; k < 500; k++) {
    const interval_ms = Math.max(1, Math.round(random.createGenerator(SEED, k)() * 5000));
    expected += Math.floor((seconds * 1000 - 1) / interval_ms);
    const source = createArrivals(LISTED, SEED, k, 0);
    for (let time = source.first(0); time < seconds * 1e6; time = source.next(time)) sent++;
  }
  assert.equal(sent, expected);
});

test('constant begins at a phase within its first period and keeps the period', () => {
  const phases = Array.from({ length: 200 }, (_, k) => {
    const [first, second] = takeTimes({ kind: 'constant', period_ms: 2500 }, SEED, k, 2);
    assert.ok(first >= 0 && first < 2_500_000);
    assert.ok(Math.abs(second - first - 2_500_000) < 1e-3);
    return first;
  });
  assert.ok(Math.min(...phases) < 250_000 && Math.max(...phases) > 2_250_000, 'the phases spread over the period');
});

test('poisson gaps have the mean and the deviation of 1 / rate', () => {
  const times = takeTimes(POISSON, SEED, 0, 20000);
  const gaps = times.map((time, i) => time - (times[i - 1] ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  assert.ok(Math.abs(mean / 100_000 - 1) < 0.03, String(mean));
  assert.ok(Math.abs(deviation / 100_000 - 1) < 0.05, String(deviation));
});

test('the closed loop keeps no schedule', () => {
  assert.equal(createArrivals({ kind: 'closed' }, SEED, 0, 0).first(0), Infinity);
});

/** @param {{rate_hz_per_connection: number, grid_ms?: number}[]} steps @param {number} step_s @param {number} [connection] */
function climb(steps, step_s, connection = 0) {
  const start_us = 7e6;
  const source = createArrivals({ kind: 'staircase', from_s: 2, step_s, steps }, SEED, connection, start_us);
  const times = [];
  for (let time = source.first(start_us); time < Infinity; time = source.next(time)) times.push((time - start_us) / 1e6);
  return times;
}

test('each step of a staircase has its rate, and nothing falls due before the first, after the last or at a rate of 0', () => {
  const times = climb([{ rate_hz_per_connection: 100 }, { rate_hz_per_connection: 0 }, { rate_hz_per_connection: 400 }], 10);
  const count = (/** @type {number} */ from, /** @type {number} */ to) => times.filter((time) => time >= from && time < to).length;
  assert.ok(Math.abs(count(2, 12) / 1000 - 1) < 0.15, String(count(2, 12)));
  assert.equal(count(12, 22), 0);
  assert.ok(Math.abs(count(22, 32) / 4000 - 1) < 0.1, String(count(22, 32)));
  assert.equal(count(2, 32), times.length);
});

test('on a grid, messages fall due together and as often as without', () => {
  const times = climb([{ rate_hz_per_connection: 100, grid_ms: 50 }], 10);
  assert.ok(times.every((time) => Math.abs(time * 20 - Math.round(time * 20)) < 1e-6));
  assert.ok(Math.abs(times.length / 1000 - 1) < 0.15, String(times.length));
});

test('swarm has the same times on a staircase', () => {
  // The test in clients/swarm/src/arrivals/staircase.rs expects the same numbers
  const spec = { kind: 'staircase', from_s: 1, step_s: 1, steps: [{ rate_hz_per_connection: 2 }, { rate_hz_per_connection: 4, grid_ms: 10 }] };
  const source = createArrivals(spec, 20141121, 7, 0);
  const times = [];
  for (let time = source.first(0); time < Infinity; time = source.next(time)) times.push(time);
  assert.deepEqual(times, [1037927, 1598158, 1887801, 2010000, 2920000]);
});
