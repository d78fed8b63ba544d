import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveCores, splitForLink } from '../../harness/cores.js';
import { listPoints, parseMix, resolveConditions } from '../../harness/points.js';

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
    searched: { arrivals: { kind: 'poisson', rate_hz: 1 }, search: { connections: 48, ramp_s: 1, probe_s: 1, resolution: 0.1, behind_share_max: 0.03, measured_share: 0.9 } },
  },
  phases: { repeats: 6, warmup_s: 0, connections: 100, connect_rate_hz: 40, settle_s: 1, hold_s: 2 },
};
/** @param {any} spec @param {string} engine @param {string} workload @param {string} setting */
const resolve = (spec, engine, workload, setting) => resolveConditions({ ...SPEC, ...spec }, { engine, workload, setting });

test('without groups the points are each engine under each workload, plain', () => {
  assert.equal(listPoints(SPEC).length, 6);
  assert.deepEqual([...new Set(listPoints(SPEC).map(({ setting }) => setting))], ['-']);
});

test('a group is every combination of its lists, its keys in the order of the alphabet', () => {
  const points = [{ engine: ['sc'], workload: ['listed'], processes: ['1+1+1', '2+2+1'], cores: ['one', 'own'], repeats_max: 2 }];
  assert.deepEqual(listPoints({ ...SPEC, points }), ['one', 'own'].flatMap((cores) => ['1+1+1', '2+2+1'].map((mix) => ({ cores, mix })))
    .sort((a, b) => a.mix.localeCompare(b.mix)).map(({ cores, mix }) => ({ engine: 'sc', workload: 'listed', setting: `cores=${cores},processes=${mix}`, repeats_max: 2 })));
});

test('a group whose trials are few has all of them in the profile paper', () => {
  const points = [{ engine: ['sc'], workload: ['listed'], repeats_max: 2 }];
  assert.deepEqual(['default', 'paper'].map((profile) => listPoints({ ...SPEC, points, profile })[0].repeats_max), [2, undefined]);
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

test('where cores are emulated the load is scaled by their share, and where they are real it is not', () => {
  const cores = { placement: 'own', share: 0.1, mode: 'emulated' };
  const scaled = resolve({ cores }, 'sc', 'listed', '-');
  assert.deepEqual([scaled.placement, scaled.connections, scaled.connect_rate_hz, scaled.ramp_s], ['own-emulated', 10, 4, 3]);
  const whole = resolve({ cores: { ...cores, mode: 'real' } }, 'sc', 'listed', 'cores=one');
  assert.deepEqual([whole.placement, whole.connections], ['one-real', 100]);
  assert.equal(resolve({}, 'sc', 'listed', '-').placement, 'shared');
});

test('a search has connections of its own, that are never scaled', () => {
  const { connections, ramp_s } = resolve({ cores: { placement: 'own', share: 0.1, mode: 'emulated' } }, 'ws', 'searched', '-');
  assert.deepEqual({ connections, ramp_s }, { connections: 48, ramp_s: 1 });
});

test('cores are real where the machine has one for each process of the server and each of the client, else emulated', () => {
  const spec = { ...SPEC, points: [{ engine: ['sc'], workload: ['listed'] }], cores: { placement: 'own', share: 0.1 } };
  assert.deepEqual([5, 6].map((available) => resolveCores(spec, available)?.mode), ['emulated', 'real']); // 1 + 2 + 1 and 2 clients
  assert.equal(resolveCores({ ...spec, cores: undefined }, 2), undefined);
});

test('emulated cores that would leave no core to the load are refused, with what would fit', () => {
  const spec = { ...SPEC, points: [{ engine: ['sc'], workload: ['listed'] }], cores: { placement: 'own', share: 0.5 } };
  assert.throws(() => resolveCores(spec, 2), { message: 'cores.share: 4 processes of 0.5 of a core leave no core of 2 to the load; lower it to 0.25' });
});

test('a link has the last core; server and client share what is left, or part it', () => {
  assert.deepEqual(splitForLink([0]), { server: [0], client: [0] });
  assert.deepEqual(splitForLink([0, 1]), { server: [0], client: [0] });
  assert.deepEqual(splitForLink([0, 1, 2, 3]), { server: [0, 1], client: [2] });
});
