import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { writeJson } from '../../harness/common/files.js';

const results = mkdtempSync(join(tmpdir(), 'bundle-test-'));
after(() => rmSync(results, { recursive: true }));
process.env.WSCALE_RESULTS = results; // read when the module is loaded
const { FORM, findNewestBundle, lockMachine, makeBundle, openBundle, readTrial } = await import('../../harness/common/bundle.js');

const lock = join(results, '.running');

/** @param {number} pid @returns {string} its start time, field 22 of proc(5)'s stat */
const startTime = (pid) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')[19];

/** @param {(pid: number) => void} use called while the process runs */
async function withProcess(use) {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('spawn', resolve));
  try {
    use(Number(child.pid));
  } finally {
    child.kill('SIGKILL');
  }
}

test('the machine is locked until it is unlocked', () => {
  const unlock = lockMachine();
  assert.ok(existsSync(lock));
  assert.throws(lockMachine, (error) => error instanceof UserError && error.message.includes(`process ${process.pid} is measuring`));
  unlock();
  lockMachine()();
  assert.ok(!existsSync(lock));
});

test('a lock of a live process refuses', () => withProcess((pid) => {
  writeFileSync(lock, `${pid} ${startTime(pid)}`);
  assert.throws(lockMachine, (error) => error instanceof UserError && /^.+: process \d+ is measuring; .+/.test(error.message));
  assert.equal(readFileSync(lock, 'utf8'), `${pid} ${startTime(pid)}`);
  rmSync(lock);
}));

test('a lock of another container is kept, for nobody here knows whether its run lives', () => {
  writeFileSync(lock, '999999999 1 elsewhere');
  const said = `process 999999999 of another container is measuring, or was killed; wait until it ends, or remove ${lock}`;
  assert.throws(lockMachine, (error) => error instanceof UserError && error.message.endsWith(said));
  assert.ok(existsSync(lock));
  rmSync(lock);
});

test('a lock of a process that is gone is passed over', async () => {
  let owner = '';
  await withProcess((pid) => { owner = `${pid} ${startTime(pid)}`; });
  while (existsSync(`/proc/${owner.split(' ')[0]}`)) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(lock, owner);
  lockMachine()();
});

test('a lock of a zombie process is ignored', async () => {
  // The child ends only once its parent is a sleep, which waits for no child; a shell might
  const child = 'while read -r name < /proc/$$/comm && [ "$name" != sleep ]; do sleep 0.01; done';
  const parent = spawn('sh', ['-c', `(${child}) & echo $!; exec sleep 300`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  const isZombie = () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  while (!isZombie()) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(lock, `${pid} ${startTime(pid)}`);
  lockMachine()();
  parent.kill('SIGKILL');
});

test('a lock whose pid belongs to another process by now is passed over', () => withProcess((pid) => {
  writeFileSync(lock, `${pid} ${Number(startTime(pid)) - 1}`);
  lockMachine()();
}));

test('a lock that holds nonsense is passed over', () => {
  for (const text of ['', '\n', 'x y', '-1 5', '0 0']) {
    writeFileSync(lock, text);
    lockMachine()();
  }
});

test('a bundle is never made over another', () => {
  const now = new Date('2026-02-03T04:05:06.789Z');
  const folder = makeBundle('01-x', 'quick', now);
  assert.equal(folder, join(results, '01-x', '20260203T040506Z-quick'));
  assert.ok(existsSync(join(folder, 'trials')));
  assert.throws(() => makeBundle('01-x', 'quick', now), UserError);
});

test('a run resumes the newest bundle of its profile that has a plan', () => {
  for (const [name, planned] of /** @type {[string, boolean][]} */ ([
    ['20260101T000000Z-quick', true], ['20260102T000000Z-quick', true], ['20260103T000000Z-quick', false], ['20260104T000000Z-paper', true],
  ])) {
    mkdirSync(join(results, '02-y', name), { recursive: true });
    if (planned) writeFileSync(join(results, '02-y', name, 'plan.tsv'), '');
  }
  assert.equal(findNewestBundle('02-y', 'quick'), join(results, '02-y', '20260102T000000Z-quick'));
  assert.throws(() => findNewestBundle('02-y', 'default'), UserError);
  assert.throws(() => findNewestBundle('03-z', 'quick'), UserError);
});

test('a folder that is no bundle is refused', () => {
  assert.throws(() => openBundle(results), (error) => error instanceof UserError && error.message.includes('holds no spec.json'));
});

/** @param {string} name @param {object} spec @returns {string} a bundle */
function writeBundle(name, spec) {
  const folder = join(results, '04-forms', name);
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'spec.json'), spec);
  writeFileSync(join(folder, 'plan.tsv'), 'trial\n');
  return folder;
}

test('a bundle of the present form is read, and so is an old one without a form', () => {
  assert.equal(openBundle(writeBundle('present', { form: FORM })).spec.form, FORM);
  assert.equal(openBundle(writeBundle('before', { seed: 7 })).spec.seed, 7);
});

test('what an older form calls beats and doubts is read as bursts and warnings', () => {
  const { spec } = openBundle(writeBundle('older', { form: 2, title: 'beats', workloads: { w: { arrivals: { kind: 'beats' } } }, validity: { doubts_max: 10 } }));
  assert.deepEqual([spec.title, spec.workloads.w.arrivals.kind, spec.validity], ['beats', 'bursts', { warnings_max: 10 }]);
});

test('a bundle of another form is refused, with the version that reads it', () => {
  const suite = { commit: '0123456789abcdef' };
  for (const form of [FORM + 1, 0, 1.5, '2', null]) {
    assert.throws(() => openBundle(writeBundle(`form-${form}`, { form, environment: { suite } })), (error) => error instanceof UserError
      && error.message.endsWith(`: its form is ${form}, and this version reads 1 to ${FORM}; read it with the version that wrote it: git checkout 0123456789abcdef`));
  }
  assert.throws(() => openBundle(writeBundle('nowhere', { form: FORM + 1, environment: { suite: { commit: null } } })), /with the version that wrote it$/);
});

test('a trial whose hosts have names that lead elsewhere is refused', () => {
  const trial = mkdtempSync(join(results, 'trial-'));
  writeJson(join(trial, 'trial.json'), { hosts: [{ name: 'h1' }] });
  assert.deepEqual(readTrial(trial), { hosts: [{ name: 'h1' }] });
  writeJson(join(trial, 'trial.json'), { hosts: [{ name: 'h1' }, { name: '../../x' }] });
  const said = 'trial.json: hosts: name is "../../x"; it was not written by this suite, or was changed since';
  assert.throws(() => readTrial(trial), (error) => error instanceof UserError && error.message.endsWith(said));
});
