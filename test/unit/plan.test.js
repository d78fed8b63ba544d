import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPlanned, makePlan } from '../../harness/plan/plan.js';

/** @param {number} seed @returns {any} */
const specWith = (seed) => ({
  seed,
  axes: { engine: ['a', 'b', 'c'], workload: ['listed', 'described'] },
  engines: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { era: name === 'a' ? '2014' : 'today', processes: { worker: 1 }, options: {} }])),
  load: { behaviour: 'pingpong', client_processes: 2 },
  workloads: { listed: { arrivals: {} }, described: { arrivals: {} } },
  phases: { repeats: 20, warmup_s: 1, connections: 30, connect_rate_hz: 10, ramp_s: 3, settle_s: 1, hold_s: 5 },
});
const plan = makePlan(specWith(7));
const blocks = Map.groupBy(plan, ({ block }) => block);

test('each block holds each point once', () => {
  assert.equal(blocks.size, 20);
  const points = ['a described', 'a listed', 'b described', 'b listed', 'c described', 'c listed'];
  for (const trials of blocks.values()) {
    assert.deepEqual(trials.map(({ engine, workload }) => `${engine} ${workload}`).sort(), points);
  }
});

test('trials are numbered in the order of running, block after block, each with a name of its own', () => {
  assert.deepEqual(plan.map(({ order }) => order), plan.map((_, index) => index + 1));
  assert.deepEqual(plan.map(({ block }) => block), plan.map((_, index) => Math.floor(index / 6) + 1));
  assert.equal(new Set(plan.map(({ trial }) => trial)).size, plan.length);
});

test('blocks differ in their order', () => {
  const orders = new Set([...blocks.values()].map((trials) => trials.map(({ point }) => point).join()));
  assert.ok(orders.size > 10, `${orders.size} orders in 20 blocks`);
});

test('the same seed gives the same plan, another seed another order', () => {
  assert.deepEqual(makePlan(specWith(7)), plan);
  const order = (/** @type {number} */ seed) => makePlan(specWith(seed)).map(({ trial }) => trial);
  assert.notDeepEqual(order(8), order(7));
});

test('the engines of a block share the seed of the load, and no two blocks do', () => {
  const seeds = [...blocks.values()].map((trials) => new Set(trials.map(({ seed }) => seed)));
  for (const own of seeds) assert.equal(own.size, 1);
  assert.equal(new Set(seeds.flatMap((own) => [...own])).size, 20);
  for (const { seed } of plan) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32, String(seed));
});

test('with two generators each point is planned with both, in the same block and with the same seed, each with a name of its own', () => {
  const both = makePlan({ ...specWith(7), axes: { ...specWith(7).axes, generator: ['forked', 'swarm'] } });
  assert.equal(both.length, 2 * plan.length);
  assert.equal(new Set(both.map(({ trial }) => trial)).size, both.length);
  for (const { block, engine, workload, seed, trial } of both.filter(({ setting }) => setting === '-')) {
    const twin = both.find((other) => other.block === block && other.engine === engine && other.workload === workload && other.setting === 'generator=swarm');
    assert.deepEqual([twin?.seed, twin?.trial], [seed, `${trial}-generator-swarm`]);
  }
  const others = [...Map.groupBy(both, ({ block }) => block).values()].map((trials) => trials.map(({ setting }) => setting).join());
  assert.ok(new Set(others).size > 10, 'the generators are shuffled among each other');
});

test('without another generator nothing sets a point apart but its engine and workload', () => {
  assert.deepEqual([...new Set(plan.map(({ setting }) => setting))], ['-']);
  assert.equal(plan[0].trial, `b01-${plan[0].engine}-${plan[0].workload}`);
});

test('the window is the last hold_s seconds, and era and point are those of the manifest', () => {
  for (const { from_s, to_s, engine, era, workload, point } of plan) {
    assert.deepEqual([from_s, to_s, era], [4, 9, engine === 'a' ? '2014' : 'today']);
    assert.equal(point, ['a', 'b', 'c'].indexOf(engine) * 2 + ['listed', 'described'].indexOf(workload) + 1);
  }
});

test('a row of the plan has its numbers, and none of the columns of its settings', () => {
  const row = { trial: 'b01-a', era: 'today', engine: 'a', workload: 'w', setting: 'cores=own', block: '1', from_s: '2', 'setting.cores': 'own' };
  assert.deepEqual(asPlanned(row), { trial: 'b01-a', era: 'today', engine: 'a', workload: 'w', setting: 'cores=own', block: 1, from_s: 2 });
});
