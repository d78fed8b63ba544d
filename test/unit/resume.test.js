import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../harness/common/code.js';
import { UserError } from '../../harness/common/failure.js';
import { readJson, writeJson, writeTsv } from '../../harness/common/files.js';
import { CODE, checkResumable, noteChangedCode } from '../../harness/run/resume.js';

const folder = mkdtempSync(join(tmpdir(), 'resume-test-'));
after(() => rmSync(folder, { recursive: true }));

/** Hashes of two files when the run began. */
const CODE_THEN = `${sha256('a')}  harness/main.js\n${sha256('b')}  servers/ws/server.js\n`;
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SPEC = {
  form: 2, title: 'A title', experiment: '01-x', profile: 'quick', seed: 7, axes: { engine: ['ws'], workload: ['steady'] }, claims: [],
  points: [{ engine: ['ws'], payload_b: [81, 1000] }], load: { behaviour: 'echo' }, phases: { hold_s: 5 }, network: { kind: 'loopback', why: 'unshare: no' },
  engines: { ws: { title: 'ws 8', processes: { worker: 1 }, version: '8.23.0', runtime: 'v24.21.0', library_version: '8.23.0' } },
  generators: { swarm: { version: '0.1.0' } }, packages: { chromium: { version: '156' } },
  environment: {
    kernel: 'Linux 6.1', cpu: 'A', cores: 2, memory_mb: 24106, descriptors: { soft: '1024' }, tools: { top: '4.0.2', tshark: 'absent' },
    sysctl: { 'fs.file-max': '2466183', 'net.ipv4.tcp_congestion_control': 'bbr' }, suite: { commit: COMMIT, code_hash: sha256(CODE_THEN), changed: [] },
  },
};

let made = 0;

/** @param {(spec: any) => void} [alter] changes what was recorded @returns {string} a bundle that began with SPEC */
function makeBundle(alter = () => {}) {
  const bundle = join(folder, String(++made));
  mkdirSync(bundle);
  const spec = structuredClone(SPEC);
  alter(spec);
  writeJson(join(bundle, 'spec.json'), spec);
  writeFileSync(join(bundle, CODE), CODE_THEN);
  writeTsv(join(bundle, 'plan.tsv'), ['trial'], []);
  return bundle;
}

/** @param {(spec: any) => void} alter what is found now @param {string} [code] @returns {{spec: any, code: string}} */
function findNow(alter, code = CODE_THEN) {
  const spec = structuredClone(SPEC);
  spec.environment.suite.code_hash = sha256(code);
  alter(spec);
  return { spec, code };
}

/** @param {(spec: any) => void} alter @param {string[]} reported one per line, without the bundle and the advice */
function assertRefused(alter, reported) {
  assert.throws(() => checkResumable(makeBundle(), findNow(alter)), (error) => {
    assert.ok(error instanceof UserError);
    assert.deepEqual(error.problems.map((problem) => problem.replace(/^RESUME: .+?: another (.+); .+, or run without RESUME=1$/, '$1')), reported);
    return true;
  });
}

/** @param {(spec: any) => void} alter */
const assertResumed = (alter) => checkResumable(makeBundle(), findNow(alter));

test('a run is gone on with where all is as it was', () => assertResumed(() => {}));

test('RESUME compares the spec: another length or point is refused, other words are not', () => {
  assertRefused((spec) => { spec.phases.hold_s = 6; }, ['spec than it began with: phases.hold_s (then 5, now 6)']);
  assertRefused((spec) => { spec.points[0].payload_b[1] = 2000; }, ['spec than it began with: points.0.payload_b.1 (then 1000, now 2000)']);
  assertRefused((spec) => { spec.axes.generator = ['swarm']; }, ['spec than it began with: axes.generator.0 (then none, now swarm)']);
  assertRefused((spec) => { spec.engines.ws.processes.worker = 2; }, ['spec than it began with: engines.ws.processes.worker (then 1, now 2)']);
  assertResumed((spec) => Object.assign(spec, { title: 'Another', seed: 8, began: 'later', precision: undefined }));
  assertResumed((spec) => { spec.engines.ws.title = 'ws, version 8'; });
});

test('RESUME takes hosts at other addresses, and no other hosts', () => {
  const hosts = [{ name: 's', role: 'server', address: '10.0.0.4' }, { name: 'c', role: 'client', address: '10.0.0.5', addresses: ['10.0.0.6'] }];
  const begun = makeBundle((spec) => Object.assign(spec, { hosts }));
  const now = (/** @type {(all: any[]) => void} */ alter) => findNow((spec) => alter(spec.hosts = structuredClone(hosts)));
  checkResumable(begun, now((all) => Object.assign(all[1], { address: '10.0.0.7', addresses: ['10.0.0.9'] })));
  for (const [alter, told] of /** @type {[(all: any[]) => void, RegExp][]} */ ([
    [(all) => all.pop(), /hosts\.1\.name \(then c, now none\)/],
    [([, client]) => delete client.addresses, /hosts\.1\.addresses \(then 1, now 0\)/],
    [([server]) => Object.assign(server, { leave_cores: 1 }), /hosts\.0\.leave_cores \(then none, now 1\)/],
  ])) assert.throws(() => checkResumable(begun, now(alter)), told);
});

test('RESUME compares the network: a link that is another one is refused, another reason for loopback is not', () => {
  assertRefused((spec) => { spec.network = { kind: 'veth' }; }, ['network than it began with: kind (then loopback, now veth)']);
  assertRefused((spec) => { delete spec.network; }, ['network than it began with: kind (then loopback, now none)']);
  assertResumed((spec) => { spec.network.why = 'unshare: operation not permitted'; });
});

test('RESUME compares the machine: kernel, cores, memory, tools and settings; a boot or a limit that suffices is no difference', () => {
  assertRefused(({ environment }) => Object.assign(environment, { kernel: 'Linux 6.2', cores: 4 }),
    ['machine than it began with: kernel (then Linux 6.1, now Linux 6.2), cores (then 2, now 4)']);
  assertRefused(({ environment }) => { environment.memory_mb = 16000; }, ['machine than it began with: memory_mb (then 24106, now 16000)']);
  assertRefused(({ environment }) => { environment.tools.top = '4.0.4'; }, ['machine than it began with: tools.top (then 4.0.2, now 4.0.4)']);
  assertRefused(({ environment }) => { environment.sysctl['net.ipv4.tcp_congestion_control'] = 'cubic'; },
    ['machine than it began with: sysctl.net.ipv4.tcp_congestion_control (then bbr, now cubic)']);
  assertResumed(({ environment }) => {
    environment.memory_mb = 24105;
    environment.sysctl['fs.file-max'] = '2466001';
    environment.tools.tshark = '4.0.17';
    environment.descriptors.soft = '4096';
  });
});

test('RESUME compares each of several hosts as it compares one', () => {
  const facts = { kernel: 'Linux 6.1', memory_mb: 24106, descriptors: { soft: '1024' }, tools: { tshark: 'absent' } };
  const onHosts = (/** @type {object} */ h2) => (/** @type {any} */ spec) => {
    spec.environment.hosts = { h1: facts, h2: { ...facts, ...h2 } };
  };
  const resume = (/** @type {object} */ now) => checkResumable(makeBundle(onHosts({})), findNow(onHosts(now)));
  resume({ memory_mb: 24104, descriptors: { soft: '4096' }, tools: { tshark: '4.0.17' } });
  assert.throws(() => resume({ kernel: 'Linux 6.2' }), /another machine than it began with: hosts\.h2\.kernel \(then Linux 6\.1, now Linux 6\.2\);/);
});

test('RESUME compares versions of engines, runtimes, libraries, generators and of what else the load runs', () => {
  assertRefused(({ packages }) => { packages.chromium.version = '157'; }, ['versions than it began with: chromium.version (then 156, now 157)']);
  assertRefused(({ engines, generators }) => {
    Object.assign(engines.ws, { version: '8.24.0', runtime: 'v24.22.0', library_version: '8.24.0' });
    generators.swarm.version = '0.2.0';
  }, ['versions than it began with: ws.version (then 8.23.0, now 8.24.0), ws.runtime (then v24.21.0, now v24.22.0), '
    + 'ws.library_version (then 8.23.0, now 8.24.0), swarm.version (then 0.1.0, now 0.2.0)']);
});

test('RESUME compares the code by its hash and names the files; a commit that changes none is no difference', () => {
  const code = `${sha256('c')}  harness/main.js\n${sha256('d')}  servers/faye/server.js\n`;
  const reported = 'another code than it began with: harness/main.js (changed), servers/faye/server.js (new), servers/ws/server.js (gone)';
  assert.throws(() => checkResumable(makeBundle(), findNow(() => {}, code)), ({ message }) =>
    message.endsWith(`: ${reported}; git checkout ${COMMIT}, or run without RESUME=1`));
  const wasChanged = makeBundle(({ environment: { suite } }) => { suite.changed = ['harness/main.js']; });
  assert.throws(() => checkResumable(wasChanged, findNow(() => {}, code)), /\(gone\); put it back, or run without RESUME=1$/);
  assertResumed(({ environment: { suite } }) => Object.assign(suite, { commit: 'another', changed: ['x'] }));
});

test('RESUME with another seed is refused, with its own it is not', () => {
  const other = { ...findNow(() => {}), seed: 8 };
  assert.throws(() => checkResumable(makeBundle(), other), /another seed than it began with: then 7, now 8; go on without SEED, .+/);
  checkResumable(makeBundle(), { ...findNow(() => {}), seed: 7 });
});

test('each part that is another one has a line of its own', () => {
  assertRefused((spec) => {
    spec.network.kind = 'veth';
    spec.environment.cpu = 'B';
  }, ['network than it began with: kind (then loopback, now veth)', 'machine than it began with: cpu (then A, now B)']);
});

test('code that was changed while it ran is noted in spec.json; where none was, nothing is', () => {
  const bundle = makeBundle();
  const readChanged = () => readJson(join(bundle, 'spec.json')).environment.suite.changed;
  assert.deepEqual(noteChangedCode(bundle, CODE_THEN), []);
  assert.deepEqual(readChanged(), []);
  assert.deepEqual(noteChangedCode(bundle, CODE_THEN.replace(sha256('b'), sha256('c'))), ['servers/ws/server.js']);
  assert.deepEqual(noteChangedCode(bundle, CODE_THEN), []);
  assert.deepEqual(readChanged(), ['servers/ws/server.js']);
});
