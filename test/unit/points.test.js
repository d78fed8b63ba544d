import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseCores, splitForLink } from '../../harness/agent/cores.js';
import { listPoints, resolveConditions } from '../../harness/spec/points.js';
import { drawAddresses, parseMix, tellClient } from '../../harness/spec/settings.js';
import { tellClient as tellSteps } from '../../harness/spec/sweep.js';

const ENGINES = {
  sc: { era: '2014', processes: { balancer: 1, worker: 2, store: 1 }, options: { scheduling: 'none' } },
  ws: { era: 'today', processes: { worker: 1 }, options: {} },
};
/** @type {any} */
const SPEC = {
  profile: 'default',
  axes: { engine: ['sc', 'ws'], workload: ['listed', 'described', 'searched'] },
  load: { behaviour: 'pingpong', client_processes: 2, generator: 'swarm' },
  engines: ENGINES,
  workloads: {
    listed: { arrivals: { kind: 'uniform-interval', max_ms: 5000 } },
    described: { arrivals: { kind: 'constant', period_ms: 2500 } },
    searched: { arrivals: { kind: 'poisson', rate_hz_per_connection: 1 }, search: { connections: 48, ramp_s: 1, probe_s: 1, resolution: 0.1, p99_ms_max: 50, generator_cpu_max: 0.9, measured_share: 0.9 } },
  },
  phases: { repeats: 6, warmup_s: 0, connections: 100, connect_rate_hz: 40, settle_s: 1, hold_s: 2 },
};
/** @param {any} spec @param {string} engine @param {string} workload @param {string} setting */
const resolve = (spec, engine, workload, setting) => resolveConditions({ ...SPEC, ...spec }, { engine, workload, setting });

test('without groups the points are each engine under each workload, plain', () => {
  assert.equal(listPoints(SPEC).length, 6);
  assert.deepEqual([...new Set(listPoints(SPEC).map(({ setting }) => setting))], ['-']);
});

test('a group gives every combination of its lists, with keys in alphabetical order', () => {
  const points = [{ engine: ['sc'], workload: ['listed'], processes: ['1+1+1', '2+2+1'], cores: ['one', 'own'], repeats_max: 2 }];
  assert.deepEqual(listPoints({ ...SPEC, points }), ['one', 'own'].flatMap((cores) => ['1+1+1', '2+2+1'].map((mix) => ({ cores, mix })))
    .sort((a, b) => a.mix.localeCompare(b.mix)).map(({ cores, mix }) => ({ engine: 'sc', workload: 'listed', setting: `cores=${cores},processes=${mix}`, repeats_max: 2 })));
});

test('a workload\'s own warm-up, of one length or by engine, replaces the profile\'s', () => {
  const warmups = ['sc', 'ws'].map((engine) => [undefined, 1, { sc: 2 }].map((warmup_s) =>
    resolve({ workloads: { listed: { ...SPEC.workloads.listed, warmup_s } } }, engine, 'listed', '-').warmup_s));
  assert.deepEqual(warmups, [[0, 1, 2], [0, 1, 0]]);
});

test('a search without its own connections uses those of its point', () => {
  const { connections: _own, ramp_s: _ramp, ...search } = SPEC.workloads.searched.search;
  const workloads = { ...SPEC.workloads, searched: { ...SPEC.workloads.searched, search } };
  const of = (/** @type {string} */ setting) => resolve({ workloads }, 'ws', 'searched', setting);
  assert.deepEqual(['-', 'connections=400'].map(of).map(({ connections, connect_rate_hz, ramp_s }) => [connections, connect_rate_hz, ramp_s]),
    [[100, 40, 3], [400, 40, 10]]);
});

test('the profile paper ignores repeats_max of a group, unless the group says so', () => {
  const limits = [undefined, true].flatMap((repeats_max_in_paper) => ['default', 'paper'].map((profile) =>
    listPoints({ ...SPEC, points: [{ engine: ['sc'], workload: ['listed'], repeats_max: 2, repeats_max_in_paper }], profile })[0].repeats_max));
  assert.deepEqual(limits, [2, undefined, 2, 2]);
});

test('a group of other profiles is left out, and taken where no profile is named', () => {
  const points = [{ engine: ['sc'], workload: ['listed'], profiles: ['paper'] }, { engine: ['ws'], workload: ['listed'] }];
  assert.deepEqual(listPoints({ ...SPEC, points }).map(({ engine }) => engine), ['ws']);
  assert.deepEqual(listPoints({ ...SPEC, points, profile: undefined }).map(({ engine }) => engine), ['sc', 'ws']);
});

test('the experiment\'s own generator is no setting, another one is', () => {
  const axes = { ...SPEC.axes, generator: ['swarm', 'forked'] };
  const points = [{ engine: ['ws'], workload: ['listed'] }];
  assert.deepEqual(listPoints({ ...SPEC, axes, points }).map(({ setting }) => setting), ['-', 'generator=forked']);
  assert.deepEqual(['-', 'generator=forked'].map((setting) => resolve({}, 'ws', 'listed', setting).generator), ['swarm', 'forked']);
});

test('a mix is a number a role, in the order of the roles', () => {
  assert.deepEqual(parseMix({ balancer: 1, worker: 1, store: 1 }, '9+21+2'), { balancer: 9, worker: 21, store: 2 });
});

test('a setting stands in the place of what the manifest says for all', () => {
  const { processes, options, client_processes, payload, behaviour, fault } = resolve({}, 'sc', 'listed', 'behaviour=file,client_processes=3,fault=kill-worker,payload_b=81,processes=4+3+1,scheduling=rr');
  assert.deepEqual({ processes, options, client_processes, payload, behaviour, fault }, {
    processes: { balancer: 4, worker: 3, store: 1 }, options: { scheduling: 'rr' }, client_processes: 3, payload: { type: 'text', bytes: 81 }, behaviour: 'file', fault: 'kill-worker',
  });
});

test('another period keeps the kind of arrivals: the listing draws from 0 to twice its mean', () => {
  assert.deepEqual(resolve({}, 'ws', 'listed', 'period_ms=3000').arrivals, { kind: 'uniform-interval', max_ms: 6000 });
  assert.deepEqual(resolve({}, 'ws', 'described', 'period_ms=3000').arrivals, { kind: 'constant', period_ms: 3000 });
});

test('connections may be those of each client process, and the ramp stays as long', () => {
  const load = { ...SPEC.load, per_client: true };
  const found = [1, 3].map((count) => resolve({ load }, 'ws', 'listed', `client_processes=${count}`)).map(({ connections, connect_rate_hz, ramp_s }) => [connections, connect_rate_hz, ramp_s]);
  assert.deepEqual(found, [[100, 40, 3], [300, 120, 3]]);
});

test('a setting can ask for other connections at another rate, and the ramp follows', () => {
  const { connections, ramp_s } = resolve({}, 'ws', 'listed', 'connect_rate_hz=500,connections=25000');
  assert.deepEqual({ connections, ramp_s }, { connections: 25000, ramp_s: 50 });
});

test('a setting says where processes run, in the place of what the manifest says', () => {
  const cores = { placement: 'own' };
  assert.deepEqual(['-', 'cores=one'].map((setting) => resolve({ cores }, 'sc', 'listed', setting).placement), ['own', 'one']);
  assert.equal(resolve({}, 'sc', 'listed', '-').placement, 'shared');
});

test('a search has connections of its own', () => {
  const { connections, ramp_s } = resolve({}, 'ws', 'searched', '-');
  assert.deepEqual({ connections, ramp_s }, { connections: 48, ramp_s: 1 });
});

/** @param {number} count @returns {number[]} */
const first = (count) => Array.from({ length: count }, (_, index) => index);

const SERVING = ['balancer', 'worker', 'worker', 'store'].map((role, index) => ({ pid: index + 1, role, index: 1 }));

for (const [placement, available, places] of /** @type {const} */ ([
  ['apart', 3, [[0, 1], [0, 1], [0, 1], [0, 1]]],
  ['one', 3, [[0], [0], [0], [0]]],
  ['own', 4, [[0], [1], [2], [3]]],
  ['own', 3, [[0], [1], [2], [0]]], // too few cores: processes take them in turn
  ['alone-worker', 4, [[2, 3], [0], [1], [2, 3]]],
  ['alone-worker', 2, [[1], [0], [1], [1]]], // no core is left: the other roles share the last
])) {
  test(`${placement} on ${available} cores, and on others than the first`, () => {
    assert.deepEqual([...chooseCores(placement, SERVING, first(available)).values()], places);
    const others = first(available).map((core) => 3 * core + 5);
    assert.deepEqual([...chooseCores(placement, SERVING, others).values()], places.map((cores) => cores.map((core) => 3 * core + 5)));
  });
}

test('a sweep is as long as its steps', () => {
  const arrivals = { kind: 'staircase', step_s: 3, lead_s: 1, steps: [{ total_rate_hz: 0 }, { total_rate_hz: 500 }] };
  const workloads = { ...SPEC.workloads, listed: { arrivals } };
  assert.equal(resolve({ workloads }, 'ws', 'listed', '-').hold_s, 6);
});

test('the load of a sweep\'s first step begins in the time to settle, if that is as long as a step', () => {
  const staircase = { kind: /** @type {const} */ ('staircase'), step_s: 1, lead_s: 0, steps: [{ total_rate_hz: 40 }, { total_rate_hz: 20, batch: 2 }] };
  const [one, other] = [{ rate_hz_per_connection: 10 }, { rate_hz_per_connection: 5, grid_ms: 100 }];
  assert.deepEqual(tellSteps(staircase, 4, 3, 1), { kind: 'staircase', from_s: 3, step_s: 1, steps: [one, one, other] });
  assert.deepEqual(tellSteps(staircase, 4, 3, 2.5), { kind: 'staircase', from_s: 4.5, step_s: 1, steps: [one, one, other] });
  assert.deepEqual(tellSteps(staircase, 4, 3, 0), { kind: 'staircase', from_s: 3, step_s: 1, steps: [one, other] });
});

test('clients have one address, or as many as the setting says', () => {
  const given = /** @type {Record<string, string>[]} */ ([{}, { client_addresses: '100' }]);
  assert.deepEqual(given.map((setting) => /** @type {any} */ (tellClient(setting, {}, 7)).local_addresses?.length), [undefined, 100]);
});

test('the client gets the engine\'s options by name, or by the registry\'s name, and settings with their defaults', () => {
  assert.deepEqual(tellClient({ poll_period_ms: '250' }, { transports: 'upgrade', reading: 'whole' }, 7),
    { transport: 'upgrade', reading: 'whole', poll_period_ms: 250, headers: 'chromium' });
});

test('addresses of clients are of loopback, each once, and the same for a seed', () => {
  const drawn = drawAddresses(500, 7);
  assert.equal(new Set(drawn).size, 500);
  for (const address of drawn) assert.match(address, /^127(\.\d{1,3}){3}$/);
  assert.deepEqual(drawAddresses(500, 7), drawn);
  assert.notDeepEqual(drawAddresses(500, 8), drawn);
});

test('a link has the last core; server and client share what is left, or part it', () => {
  assert.deepEqual(splitForLink([0]), { server: [0], client: [0] });
  assert.deepEqual(splitForLink([0, 1]), { server: [0], client: [0] });
  assert.deepEqual(splitForLink([0, 1, 2, 3]), { server: [0, 1], client: [2] });
});
