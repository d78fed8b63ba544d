/** How many processes a load needs, from a small table with answers computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../harness/common/places.js';
import { countBySurface, countProcesses, describeProcesses, findLoad, processesAsJson, readDeliveries } from '../../report/count-processes.js';

const ENGINES = { front: { processes: { balancer: 1, worker: 1, store: 1 } } };
/** @param {string} what @param {string} total_rate_hz @param {string} low @param {string} high */
const row = (what, total_rate_hz, low, high, extrapolated = 'no') =>
  ({ era: '2014', engine: 'front', kind: 'role', what, load: '0.7', n: low === '-' ? '2' : '4', total_rate_hz, low, high, extrapolated });
const TABLE = [row('balancer', '6000', '3500', '11000', 'yes'), row('worker', '5000', '-', '-'), { ...row('-', '9', '-', '-'), kind: 'mix' }];

test('a role needs the rate divided by the rate of one process, rounded up; the interval gives the least and the most', () => {
  const [balancer, worker, store] = countProcesses(TABLE, ENGINES, { total_rate_hz: 20000, load: 0.7 });
  assert.deepEqual(balancer, ['front', '2014', 'balancer', '4', '2', '6', '6000/s', '-', 'beyond what was measured']);
  assert.deepEqual(worker, ['front', '2014', 'worker', '4', '-', '-', '5000/s', '-', 'no interval: 2 trials']);
  assert.deepEqual(store.slice(2), ['store', '1', '-', '-', '-', '-', 'was not measured alone']);
});

test('one that was asked for no more may carry more, and a role that has no number at this load gets none', () => {
  const table = [{ ...TABLE[0], at_least: 'yes' }, { ...TABLE[1], load: '0.9' }];
  const [balancer, worker] = countProcesses(table, ENGINES, { total_rate_hz: 20000, load: 0.7 });
  assert.deepEqual(balancer.slice(3, 6), ['4', '-', '6']);
  assert.match(balancer[8], /one may carry more/);
  assert.deepEqual(worker.slice(2), ['worker', '-', '-', '-', '-', '-', 'not known at this load']);
});

test('a load between two of the table is counted at the lower one, and one below all is refused', () => {
  const table = [...TABLE, ...TABLE.map((each) => ({ ...each, load: '0.8' }))];
  assert.deepEqual([0.7, 0.75, 0.8, 1].map((load) => findLoad(table, load)), [0.7, 0.7, 0.8, 0.8]);
  assert.throws(() => findLoad(table, 0.65), { message: 'LOAD: 0.65 is below all loads of the table; use 0.7 or more' });
});

test('engines can be named, and one that no table has is refused', () => {
  const wanted = { total_rate_hz: 20000, load: 0.7, engines: ['gorilla', 'socketcluster-14'] };
  const named = JSON.parse(processesAsJson(undefined, wanted));
  assert.deepEqual([...new Set(named.map((/** @type {any} */ { engine }) => engine))].sort(), wanted.engines);
  assert.throws(() => describeProcesses(undefined, { ...wanted, engines: ['goril'] }), { message: /^ENGINES: "goril" is not in this run; did you mean gorilla\?/ });
  const severalRoles = () => describeProcesses(recordOf('16-engines'), { ...wanted, engines: ['socketcluster-14'] });
  assert.throws(severalRoles, { message: /^ENGINES: no process of socketcluster-14 was measured alone on a core; leave ENGINES out/ });
});

test('engines of one language can be asked for, and a server that is one process is told', () => {
  const wanted = { total_rate_hz: 100000, load: 0.7 };
  const said = describeProcesses(undefined, { ...wanted, language: 'go' });
  assert.match(said, /^gorilla +today +worker +[2-9] .* a single process here$/m);
  assert.match(said, /\nA single process here: .*$/);
  assert.doesNotMatch(said, /^ws /m);
  assert.doesNotMatch(describeProcesses(undefined, { ...wanted, engines: ['ws'] }), /single/);
  assert.throws(() => describeProcesses(undefined, { ...wanted, language: 'Perl' }), { message: /^LANGUAGE: no engine of Perl was .*; use one of Bun, C\+\+, / });
});

test('an engine in two records is counted once, by the cost surface', () => {
  /** @type {{engine: string, bundle: string}[]} */
  const rows = JSON.parse(processesAsJson(undefined, { total_rate_hz: 20000, load: 0.7 }));
  const bundlesOf = (/** @type {string} */ name) => [...new Set(rows.filter(({ engine }) => engine === name).map(({ bundle }) => bundle))];
  assert.deepEqual([bundlesOf('ws'), bundlesOf('socketcluster-14')], [['records/16-engines/default'], ['records/05-core-scaling/default']]);
  for (const { engine } of rows) assert.equal(bundlesOf(engine).length, 1, engine);
});

test('an engine with too few undisturbed steps has no number, and the others keep theirs', () => {
  const whyFar = (/** @type {any} */ { payload_b }) => (payload_b > 8192 ? 'not known at this size' : undefined);
  const carries = { whyFar, ratesFor: () => ({ rates: [900, 1000, 1100], isWithin: true, isAtLeast: false }), laws: new Map([['1', () => 0]]) };
  const surfaces = /** @type {any[]} */ ([{ engine: 'none', era: 'today', laws: new Map() }, { engine: 'some', era: 'today', ...carries }]);
  const engines = Object.fromEntries(surfaces.map(({ engine }) => [engine, { processes: { worker: 1 } }]));
  const design = /** @type {any} */ ({ surfaces, usual: { connections: 1000, payload_b: 128 } });
  const [none, some] = countBySurface(design, engines, { total_rate_hz: 1900, load: 0.8 });
  assert.deepEqual(none, ['none', 'today', 'worker', '-', '-', '-', '-', '-', 'too few of its steps stand']);
  assert.equal(some[3], '2');
  const [, far] = countBySurface(design, engines, { total_rate_hz: 1900, load: 0.8, payload_b: 1e6 });
  assert.deepEqual(far.slice(3), ['-', '-', '-', '-', '-', 'not known at this size']);
});

test('a message to a room costs an echo and a delivery to each further member, of the same block where there is one', () => {
  const ratesFor = (/** @type {number} */ load, /** @type {any} */ _at, /** @type {(block: string) => number} */ more_us) =>
    ({ rates: ['1', '2', '3'].map((block) => (load * 1e6) / (20 + more_us(block))), isWithin: true, isAtLeast: false });
  const surfaces = ['told', 'untold'].map((engine) => ({ engine, era: 'today', whyFar: () => undefined, ratesFor, laws: new Map([['1', () => 0]]) }));
  const engines = { told: { processes: { worker: 1 } }, untold: { processes: { worker: 1 } } };
  const design = /** @type {any} */ ({ surfaces, usual: { connections: 1000, payload_b: 128 } });
  const deliveries = new Map([['told', new Map([['1', 8], ['2', 12.5]])]]); // of the third block the geometric mean, 10
  const wanted = { total_rate_hz: 2000, load: 0.7, members: 50 };
  const [told, untold] = countBySurface(design, engines, wanted, { deliveries });
  assert.deepEqual(told.slice(3, 7), ['2', '1', '3', '1372/s']); // 0.7 s / (20 + 49 x 8, 12.5 or 10 us)
  assert.deepEqual(untold.slice(3), ['-', '-', '-', '-', '-', 'its broadcasts were not measured']);
  const [crowded] = countBySurface(design, engines, { ...wanted, connections: 60 }, { deliveries });
  assert.equal(crowded.at(-1), 'too few connections each for a room, with 30 connections each');
  assert.equal(countBySurface(design, engines, { ...wanted, members: undefined }, { deliveries })[1][6], '35000/s');
});

test('a delivery is CPU of the server over deliveries, in trials that broadcast alone', () => {
  const spec = {
    engines: { ws: { processes: { worker: 1 }, options: {} } }, load: { behaviour: 'echo', client_processes: 1 },
    workloads: { fanout: { arrivals: { kind: 'constant', period_ms: 100 } } },
    phases: { connections: 1000, connect_rate_hz: 1000, settle_s: 0, hold_s: 1, warmup_s: 0 },
  };
  const trial = { engine: 'ws', workload: 'fanout', block: '1', metric: 'server_cpu_s_per_1k', value: '0.008' };
  const found = readDeliveries([{ ...trial, setting: 'behaviour=broadcast' }, { ...trial, setting: 'behaviour=echo', value: '9' }], spec);
  assert.deepEqual([...found.get('ws') ?? []].map(([block, us]) => [block, Math.round(us * 1e9) / 1e9]), [['1', 8]]);
});

test('the latency is that of the load of one process', () => {
  const surface = { engine: 'some', era: 'today', whyFar: () => undefined, laws: new Map([['1', () => 0]]), ratesFor: () => ({ rates: [900, 1000, 1100], isWithin: true, isAtLeast: false }) };
  const design = /** @type {any} */ ({ surfaces: [surface], usual: { connections: 1000, payload_b: 128 }, workload: 'sweep', setting: '-' });
  const latencyOf = (/** @type {any} */ { engine, total_rate_hz, connections }) =>
    (engine === 'some' && total_rate_hz === '950' && connections === '1000' ? { total_rate_hz: 1000, connections: 1000, payload_b: 128, p99_ms: 2.5 } : undefined);
  const [counted] = countBySurface(design, { some: { processes: { worker: 1 } } }, { total_rate_hz: 1900, load: 0.8 }, { latencyOf });
  assert.deepEqual(counted.slice(3, 8), ['2', '2', '3', '997/s', '2.5 (1000/s)']);
});
