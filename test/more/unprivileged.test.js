/** Experiments by their own targets, from the manifest to the figures, by a user who is not root. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { coresHere } from '../../harness/common/cores.js';
import { readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { listNeeds } from '../../harness/run/install.js';
import { inspectManifest } from '../../harness/spec/manifest.js';
import { listExperiments, makeSpec } from '../../harness/spec/spec.js';

const MAIN = join(ROOT, 'harness/main.js');
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
const home = mkdtempSync(join(tmpdir(), 'unprivileged-test-'));
after(() => rmSync(home, { recursive: true, force: true }));
chmodSync(home, 0o777);
/** The tests themselves are run by make. @type {NodeJS.ProcessEnv} */
const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _more, ...outer } = process.env;
const env = { ...outer, HOME: home, TMPDIR: home, WSCALE_RESULTS: join(home, 'results') };

const readManifest = (/** @type {string} */ name) => inspectManifest(join(ROOT, 'experiments', name, 'experiment.toml'), 'experiment').value;
const experiment = listExperiments().find((name) => readManifest(name).network?.capture) ?? '';
const onLoopback = listExperiments().find((name) => !readManifest(name).network && !readManifest(name).load.companion) ?? '';

/** @param {string[]} argv @returns {boolean} */
const canNobody = (...argv) => spawnSync(NOBODY[0], [...NOBODY.slice(1), ...argv]).status === 0;

/** @returns {string | false} why it can't be tried here */
function findObstacle() {
  if (process.getuid?.() !== 0) return 'this user is not root, who alone can become another';
  if (!canNobody('test', '-r', MAIN)) return 'others may not read this checkout';
  return canNobody('unshare', '--user', '--map-root-user', '--net', 'true') ? false : 'this kernel gives users no namespaces';
}

/** @param {string} name of an experiment @returns {{stdout: string, bundle: string}} of its smoke run, by nobody */
function runAsNobody(name) {
  const folders = listNeeds(makeSpec(name, 'quick', 0, undefined, { cores: coresHere() })).filter((word) => /^(servers|clients)\//.test(word));
  const installed = spawnSync(process.execPath, [MAIN, 'install', folders.join(' ')], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(installed.status, 0, installed.stderr);
  const argv = [...NOBODY.slice(1), 'make', `experiment-${name}`, 'PROFILE=quick'];
  const { status, stdout, stderr } = spawnSync(NOBODY[0], argv, { cwd: ROOT, env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  const [stamp] = readdirSync(join(home, 'results', name));
  return { stdout, bundle: join(home, 'results', name, stamp) };
}

test('an experiment on loopback runs without root, by its own target', { skip: findObstacle() }, () => {
  const { bundle } = runAsNobody(onLoopback);
  assert.ok(readTsv(join(bundle, 'plan.tsv')).length > 0);
  for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) assert.match(readFileSync(join(bundle, 'trials', trial, 'status'), 'utf8'), /^done/, trial);
  assert.ok(existsSync(join(bundle, 'figures')));
});

test('an experiment between network namespaces runs, and captures packets, without root', { skip: findObstacle() }, () => {
  const { stdout, bundle } = runAsNobody(experiment);
  assert.match(stdout, /network namespaces joined by a veth pair/);
  for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) {
    const raw = join(bundle, 'trials', trial, 'raw/wire');
    assert.match(readFileSync(join(raw, 'dumpcap.err'), 'utf8'), /^Packets received\/dropped on interface .+: \d+\/0 \(/m, trial);
    assert.ok(readTsv(join(raw, 'packets.tsv')).length > 10, trial);
  }
  assert.ok(existsSync(join(bundle, 'figures')));
});
