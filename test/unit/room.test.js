/** What hosts with 2 to 32 cores run of the same manifests. The numbers of cores are made up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseCores } from '../../harness/agent/cores.js';
import { listComparisons } from '../../analysis/claims/verdict.js';
import { makePlan } from '../../harness/plan/plan.js';
import { listPoints } from '../../harness/spec/points.js';
import { keepPossible } from '../../harness/spec/room.js';
import { makeSpec } from '../../harness/spec/spec.js';

/** @typedef {import('../../harness/spec/room.js').Room} Room */

/** @param {string} experiment @param {Room} room @param {'default' | 'paper'} [profile] */
const specOn = (experiment, room, profile = 'default') => makeSpec(experiment, profile, 1, undefined, room);

/**
 * @param {string} experiment @param {Room} room
 * @returns {string[]} its points, by engine, workload and setting
 */
const listOn = (experiment, room) => listPoints(specOn(experiment, room)).map(({ engine, workload, setting }) => `${engine} ${workload} ${setting}`);

/**
 * @param {string} experiment @param {number} from cores @param {number} to cores
 * @returns {string[]} points that only the host with `to` cores runs
 */
function listAdded(experiment, from, to) {
  const before = listOn(experiment, { cores: from });
  return listOn(experiment, { cores: to }).filter((point) => !before.includes(point));
}

test('a group is between its fewest and its most cores, and a core of the load\'s own counts where hosts have it', () => {
  const groups = [
    { connections: [1], cores_max: 3 }, { connections: [2], needs_cores: 4, cores_max: 8 }, { connections: [3], needs_cores: 9 },
  ];
  const kept = (/** @type {Room} */ room) => keepPossible(groups, room)?.flatMap(({ connections }) => connections);
  assert.deepEqual([2, 3, 4, 8, 9].map((cores) => kept({ cores })), [[1], [1], [2], [2], [3]]);
  assert.deepEqual([3, 8].map((cores) => kept({ cores, isSpread: true })), [[2], [3]]);
});

test('three clients with a core each need none of the server\'s host, where they have hosts of their own', () => {
  const groups = [{ client_processes: [3], needs_cores: 4, load_cores: 3 }];
  const isKept = (/** @type {Room} */ room) => keepPossible(groups, room)?.length === 1;
  assert.deepEqual([isKept({ cores: 3 }), isKept({ cores: 4 }), isKept({ cores: 2, isSpread: true })], [false, true, true]);
});

test('of mixes with one core per process a host runs those that fit its cores, with one left for the load', () => {
  const mixes = ['1+1+1', '4+4+1', '7+7+1', '15+15+1'];
  const group = { processes: mixes, cores: ['own'], needs_cores: 10 };
  const kept = (/** @type {Room} */ room) => keepPossible([group], room)?.[0]?.processes;
  assert.deepEqual([kept({ cores: 9 }), kept({ cores: 9, isSpread: true })], [undefined, mixes.slice(0, 2)]);
  assert.deepEqual([kept({ cores: 10 }), kept({ cores: 16 }), kept({ cores: 32 })], [mixes.slice(0, 2), mixes.slice(0, 3), mixes]);
  const shared = [{ processes: mixes, needs_cores: 10 }, { processes: mixes, cores: ['own'] }];
  assert.deepEqual(keepPossible(shared, { cores: 10 }), shared, 'processes that share cores, or that need none, are not counted');
  assert.deepEqual(keepPossible([{ ...group, processes: ['15+15+1'] }], { cores: 16 }), []);
});

test('on two cores nothing is run that takes more, and experiment 8 has an eighth of its clients for the one of its server', () => {
  for (const experiment of ['04-context-switching', '05-core-scaling', '07-concurrent-connections', '08-socketcluster-throughput', '09-socketcluster-concurrency']) {
    for (const profile of /** @type {const} */ (['default', 'paper'])) {
      const [two, here] = [{ cores: 2 }, { cores: 3 }].map((room) => makePlan(specOn(experiment, room, profile)));
      assert.deepEqual(two, here, `${experiment}, ${profile}`);
    }
  }
  assert.deepEqual(listOn('08-socketcluster-throughput', { cores: 2 }).filter((point) => point.includes(' readme ')),
    ['socketcluster-2014 readme connections=13,processes=1+1+1', 'socketcluster-14 readme connections=13,processes=1+1']);
  const rows = listComparisons(specOn('08-socketcluster-throughput', { cores: 2 })).filter(({ claim }) => claim === 'R1');
  const settings = [...new Set(rows.map(({ setting }) => setting))];
  assert.deepEqual(settings, ['connections=13,processes=1+1+1', 'connections=13,processes=1+1'], 'by which the claim is judged, and by no other');
});

test('on sixteen cores experiment 5 runs its mixes for real, up to seven balancers and seven workers', () => {
  const mixes = listAdded('05-core-scaling', 2, 16).map((point) => /(\S+) saturated cores=own(?:,processes=(\S+))?/.exec(point)?.slice(1, 3));
  assert.ok(mixes.length > 8 && mixes.every(Boolean), JSON.stringify(mixes));
  const of = (/** @type {string} */ engine) => mixes.filter((each) => each?.[0] === engine).map((each) => each?.[1]);
  assert.deepEqual(of('socketcluster-2014').slice(-3), ['2+4+1', '6+6+1', '7+7+1']);
  assert.deepEqual(of('socketcluster-14').slice(-2), ['8+1', '14+1']);
  assert.ok(listAdded('05-core-scaling', 16, 32).some((point) => point.endsWith('processes=15+15+1')));
});

test('on four cores experiment 5 runs the smallest mixes for real', () => {
  const mixes = listAdded('05-core-scaling', 2, 4).map((point) => point.replace(' saturated cores=own', ''));
  assert.deepEqual(mixes, ['socketcluster-2014,processes=1+1+1', 'socketcluster-14,processes=1+1', 'socketcluster-14,processes=2+1', 'engine.io-2014', 'engine.io']);
});

test('on sixteen cores experiment 8 has all clients of its source, and judges its claim by them', () => {
  const spec = specOn('08-socketcluster-throughput', { cores: 16 });
  assert.deepEqual(listAdded('08-socketcluster-throughput', 2, 16), ['socketcluster-2014 readme connections=100,processes=5+5+2', 'socketcluster-14 readme connections=100,processes=5+2']);
  assert.ok(!listPoints(spec).some(({ setting }) => setting.includes('connections=13')), 'in the place of the eighth');
  assert.ok(spec.claims.find(({ id }) => id === 'R1')?.compare.some(({ at }) => at?.startsWith('connections=100')));
  assert.ok(listOn('08-socketcluster-throughput', { cores: 8, isSpread: true }).includes('socketcluster-14 readme connections=100,processes=5+2'));
});

test('on sixteen cores experiments 7 and 9 hold their connections at the period of their sources', () => {
  for (const experiment of ['07-concurrent-connections', '09-socketcluster-concurrency']) {
    const added = listAdded(experiment, 2, 16);
    assert.ok(added.length >= 2 && added.every((point) => /connections=(25000|42000)/.test(point) && !point.includes('period_ms')), added.join('; '));
  }
});

test('on sixteen cores each process of experiment 4 has one that neither another nor the load shares', () => {
  const serving = ['balancer', 'worker', 'store'].map((role, index) => ({ pid: index + 1, role, index: 1 }));
  assert.deepEqual([...chooseCores('own', serving, Array.from({ length: 16 }, (_, core) => core)).values()], [[0], [1], [2]]);
  const added = ['one', 'own'].map((cores) => `socketcluster-2014 described connect_rate_hz=220,cores=${cores}`);
  assert.deepEqual(listAdded('04-context-switching', 2, 16), added, 'and those of T7b, which wants a core for each process');
});
