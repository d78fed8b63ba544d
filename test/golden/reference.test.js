/**
 * Multiples of a reference, on the sample of experiment 16. The reference's trial is a copy of the sweep of ws with
 * half of the server's CPU time, so ws costs twice the reference. All other numbers stay as they are.
 */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { analyse } from '../../analysis/analyse.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { Multiples } from '../../analysis/points/multiples.js';
import { PLAN_COLUMNS } from '../../harness/plan/plan.js';
import { findReference, listMeasured } from '../../harness/spec/reference.js';
import { copySample } from './bundles.js';

const EXPERIMENT = '16-engines';
const ENGINE = 'least';

/** @param {string} [reason] why the reference's trial is left out @returns {string} the bundle */
function copyWithReference(reason) {
  const bundle = copySample(EXPERIMENT);
  const plan = readTsv(join(bundle, 'plan.tsv'));
  const row = plan.find(({ engine, workload }) => engine === 'ws' && workload === 'sweep') ?? {};
  const twin = { ...row, trial: 'b02-least-rates-connections-400', engine: ENGINE, workload: 'rates', setting: 'connections=400', point: '99', order: '99' };
  const folder = join(bundle, 'trials', twin.trial);
  cpSync(join(bundle, 'trials', row.trial), folder, { recursive: true });
  const accounts = readTsv(join(folder, 'raw/accounts.tsv')).map((each) => (each.side === 'server' ? { ...each, cpu_ns: Number(each.cpu_ns) / 2 } : each));
  writeTsv(join(folder, 'raw/accounts.tsv'), Object.keys(accounts[0]), accounts);
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, [...plan, twin]);
  if (reason) writeFileSync(join(folder, 'status'), `${reason}\n`);
  const spec = readJson(join(bundle, 'spec.json'));
  const reference = { engine: ENGINE, points: [{ workload: ['rates'], serves: ['sweep'], connections: [400] }] };
  const engines = { ...spec.engines, [ENGINE]: { ...spec.engines.ws, dialect: 'tcp' } };
  const workloads = { ...spec.workloads, rates: { arrivals: spec.workloads.sweep.arrivals } };
  writeJson(join(bundle, 'spec.json'), { ...spec, reference, engines, workloads });
  return bundle;
}

/** @param {string} bundle @param {string} name @returns {Record<string, string>[]} */
const read = (bundle, name) => readTsv(join(bundle, 'reduced', `${name}.tsv`));

/** @param {Record<string, string>} row */
const isOfReference = ({ metric }) => /x_reference|_hz$/.test(metric) && metric.startsWith('server_cpu');

test('an engine that costs twice what the reference does has multiples of 2, and all other numbers stay as they are', async () => {
  const [bundle, plain] = [copyWithReference(), copySample(EXPERIMENT)];
  for (const each of [bundle, plain]) await analyse(each);
  const own = read(bundle, 'trials').filter(isOfReference).filter(({ engine, metric }) => engine === 'ws' && /x_reference/.test(metric));
  assert.deepEqual(own.map(({ metric }) => metric).filter((metric) => /_hz$|load|reference$/.test(metric)),
    ['server_cpu_x_reference', 'server_cpu_x_reference_at_load_80']);
  for (const { metric, value } of own.filter((row) => !/load_80/.test(row.metric))) assert.ok(Math.abs(Number(value) - 2) < 0.02, `${metric}: ${value}`);
  const curves = read(bundle, 'curves').filter(({ engine, side, role, us_per_message }) => engine === 'ws' && side === 'server' && role === 'server' && us_per_message !== '-');
  assert.equal(curves.length, 4);
  for (const row of curves) assert.ok(Math.abs(Number(row.x_reference) - 2) < 1e-4, JSON.stringify(row));
  const without = (/** @type {Record<string, string>[]} */ rows) => rows.filter((row) => !isOfReference(row));
  for (const name of ['trials', 'points']) assert.deepEqual(without(read(bundle, name)), read(plain, name), name);
  for (const name of ['compared', 'steps', 'dropped']) assert.deepEqual(read(bundle, name), read(plain, name), name);
  const ranks = read(bundle, 'ranks');
  assert.deepEqual(ranks.map((row) => ({ ...row, x_reference: '-' })), read(plain, 'ranks'), 'ranks');
  const held = ranks.filter(({ engine, x_reference }) => engine === 'ws' && x_reference !== '-');
  assert.ok(held.length > 0);
  for (const row of held) assert.ok(Math.abs(Number(row.x_reference) - 2) < 0.02, JSON.stringify(row));
  assert.ok(read(bundle, 'reference').length > 20);
});

test('a sweep of form 3 loses its first step, with its captures and again without them', async () => {
  const bundle = copySample(EXPERIMENT);
  const spec = readJson(join(bundle, 'spec.json'));
  await analyse(bundle);
  const all = read(bundle, 'steps');
  writeJson(join(bundle, 'spec.json'), { ...spec, form: 3 });
  for (const hasCaptures of [true, false]) {
    await analyse(bundle, hasCaptures);
    const kept = read(bundle, 'steps');
    assert.deepEqual([all, kept].map((rows) => Math.min(...rows.filter(({ workload }) => workload === 'sweep').map(({ step }) => Number(step)))), [1, 2]);
    const lost = read(bundle, 'disturbed').filter(({ reason }) => reason === 'cold-connections');
    assert.deepEqual(lost.map(({ trial, step }) => `${trial} ${step}`).sort(), ['b02-gorilla-sweep 1', 'b02-ws-sweep 1']);
    const costsAt = (/** @type {string} */ rate) => read(bundle, 'curves').filter(({ total_rate_hz }) => total_rate_hz === rate).length;
    assert.equal(costsAt(all.find(({ workload }) => workload === 'sweep')?.total_rate_hz ?? ''), 0);
  }
});

test('without the captures the same multiples are derived again', async () => {
  const bundle = copyWithReference();
  await analyse(bundle);
  const before = read(bundle, 'trials');
  await analyse(bundle, false);
  assert.deepEqual(read(bundle, 'trials'), before);
});

test('where the reference\'s trial did not stand there is no multiple, and a table says why', async () => {
  const bundle = copyWithReference('failed: the server ended');
  await analyse(bundle);
  assert.deepEqual([...read(bundle, 'trials'), ...read(bundle, 'points')].filter(isOfReference), []);
  assert.deepEqual(read(bundle, 'without-reference').map(({ trial, why }) => [trial, why]), ['gorilla', 'ws'].map((engine) =>
    [`b02-${engine}-sweep`, "the reference's trial of the block does not stand: failed: the server ended"]));
});

const spec = /** @type {any} */ ({
  axes: { engine: ['a', 'b'], workload: ['w', 'v'] }, points: [{ repeats_max: 2 }], load: { behaviour: 'pingpong', client_processes: 1 },
  engines: Object.fromEntries(['a', 'b', ENGINE].map((name) => [name, { processes: { worker: 1 }, options: {} }])),
  workloads: { w: { arrivals: {} }, v: { arrivals: {} } },
  phases: { connections: 10, connect_rate_hz: 10, settle_s: 1, hold_s: 1, warmup_s: 0 },
  reference: { engine: ENGINE, points: [{ workload: ['w'], behaviour: ['echo'], payload_b: [40] }, { workload: ['v'], connections: [99] }] },
});

const ROW = {
  trial: 't', block: '1', era: 'today', engine: 'a', workload: 'w', setting: '-', side: 'server', role: 'server', batch: '1', backlog_s: '0',
};
/** @param {number} hz @param {number} us CPU time of a message @param {object} [others] */
const stepOf = (hz, us, others) => /** @type {any} */ (
  { ...ROW, total_rate_hz: String(hz), received_hz: String(hz), cpu_cores: String((hz * us) / 1e6), share: '-', ...others });

test('between two rates of the reference its cost lies on the line of logarithms, and beyond them there is none', () => {
  const measured = { engine: ENGINE, workload: 'w', setting: 'behaviour=echo,payload_b=40' };
  const steps = [[100, 40], [10_000, 10]].map(([hz, us]) => stepOf(hz, us, measured));
  const multiples = new Multiples(spec, { trials: [{ ...steps[0], metric: 'server_cpu_s_per_1k', value: '1' }], steps, dropped: [] });
  assert.ok(Math.abs(Number(multiples.ofStep(stepOf(1000, 60))) - 3) < 1e-9);
  assert.equal(multiples.ofStep(stepOf(100, 60)), 1.5);
  for (const step of [stepOf(99, 60), stepOf(10_001, 60), stepOf(1000, 60, { batch: '10' }), stepOf(1000, 60, { backlog_s: '1' })]) assert.equal(multiples.ofStep(step), undefined);
  const trials = [{ ...ROW, metric: 'received_hz', value: '1000' }];
  const { metrics, without } = multiples.compute(trials, [stepOf(1000, 60), stepOf(100, 80), stepOf(50, 90)]);
  assert.deepEqual(metrics.map(({ metric, value }) => [metric, value]), [
    ['server_cpu_x_reference', '2.83333'], ['server_cpu_us_at_1000_hz', '60'], ['server_cpu_x_reference_at_1000_hz', '3'],
    ['server_cpu_us_at_100_hz', '80'], ['server_cpu_x_reference_at_100_hz', '2'],
  ]);
  assert.deepEqual(without, []);
  assert.deepEqual(multiples.compute(trials, [stepOf(50, 90)]).without.map(({ why }) => why), ['the reference was not measured at its rate']);
});

test('the reference is measured under each load that an engine has, in as many blocks, and under no other load', () => {
  assert.deepEqual(listMeasured(spec).filter(({ engine }) => engine === ENGINE),
    [{ engine: ENGINE, workload: 'w', setting: 'behaviour=echo,payload_b=40', repeats_max: 2 }]);
  assert.equal(findReference(spec, { engine: 'a', workload: 'w', setting: '-' })?.workload, 'w');
  assert.equal(findReference(spec, { engine: 'a', workload: 'v', setting: '-' }), undefined);
  assert.equal(findReference(spec, { engine: 'a', workload: 'v', setting: 'connections=99' })?.workload, 'v');
});
