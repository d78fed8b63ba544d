/**
 * `--generator swarm` on two engines: every point runs with both generators, with the same random draws, to the end.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FORM } from '../../harness/common/bundle.js';
import { parseHashes, sha256 } from '../../harness/common/code.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { listGenerators } from '../../harness/spec/generators.js';
import { ROOT } from '../../harness/common/places.js';
import { parseSetting } from '../../harness/common/setting.js';
import { Lab } from './lab.js';

const ENGINES = ['ws', 'socket.io'];
const OPTIONS = ['--generator', 'swarm'];
const lab = new Lab({ engines: ENGINES, repeats: 1 });
after(() => lab.remove());

/** @type {import('./lab.js').Ended} */
let ended;
before(async () => { ended = await lab.run(OPTIONS); });

/** @param {string} trial @returns {any} the client's summary */
const readSummary = (trial) => readJson(lab.inTrial(trial, 'raw/client/summary.json'));

test('every trial is carried out, each by the generator that it is planned with', () => {
  assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: '' }, ended.stdout);
  const plan = readTsv(join(lab.listBundles()[0], 'plan.tsv'));
  assert.equal(plan.length, 2 * ENGINES.length);
  for (const { trial, setting } of plan) {
    assert.equal(lab.readStatuses()[trial], 'done', trial);
    assert.equal(readSummary(trial).client, parseSetting(setting).generator ?? 'forked', trial);
  }
});

test('both offer the same messages', () => {
  for (const engine of ENGINES) {
    const [own, swarm] = [`b01-${engine}-steady`, `b01-${engine}-steady-generator-swarm`].map((trial) => readSummary(trial).window);
    assert.ok(own.due > 0);
    assert.equal(swarm.due, own.due, engine);
  }
});

test('swarm\'s version is recorded as its ready line tells it', () => {
  const { generators } = readJson(join(lab.listBundles()[0], 'spec.json'));
  assert.deepEqual(Object.keys(generators), ['swarm']);
  assert.equal(generators.swarm.version, readSummary('b01-ws-steady-generator-swarm').library_version);
});

test('the form of the bundle and the hash of the code are recorded, and the list of files that has this hash', () => {
  const [bundle] = lab.listBundles();
  const { form, environment: { suite } } = readJson(join(bundle, 'spec.json'));
  assert.equal(form, FORM);
  const list = readFileSync(join(bundle, 'code.sha256'), 'utf8');
  assert.equal(suite.code_hash, sha256(list));
  for (const name of ['harness/main.js', 'experiments/01-tiny/experiment.toml']) assert.ok(parseHashes(list).has(name), name);
});

test('the result has a row for each generator, and tells of each engine whether they agree', () => {
  for (const engine of ENGINES) {
    for (const setting of ['-', 'generator=swarm']) {
      assert.match(ended.stdout, new RegExp(`^${engine} +${setting} +today +\\d`, 'm'));
    }
    assert.match(readFileSync(join(lab.listBundles()[0], 'summary.txt'), 'utf8'), new RegExp(`^steady +${engine} +- +\\d .+(no interval|not run)`, 'm'));
  }
});

test('a run can be resumed with swarm, but not without it', async () => {
  const again = await lab.run(['--resume', ...OPTIONS]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  const without = await lab.run(['--resume']);
  assert.equal(without.code, 2);
  assert.match(without.stderr, /^error: --resume: .+: another spec than it began with: axes\.generator\..+ run without --resume\n$/);
});

test('a generator that is not known, or that does not speak an engine\'s dialect, is reported before anything starts', async () => {
  const servers = mkdtempSync(join(tmpdir(), 'smoke-servers-'));
  after(() => rmSync(servers, { recursive: true }));
  mkdirSync(join(servers, 'pigeon'));
  const toml = readFileSync(join(ROOT, 'servers/ws/engine.toml'), 'utf8').replace('name = "ws"', 'name = "pigeon"');
  writeFileSync(join(servers, 'pigeon/engine.toml'), toml.replace('dialect = "websocket"', 'dialect = "carrier-pigeon"'));
  const other = new Lab({ engines: ['pigeon'], repeats: 1, servers });
  after(() => other.remove());
  const odd = await other.run(OPTIONS);
  const reported = 'axes.engine: pigeon speaks carrier-pigeon, swarm does not (it speaks websocket, ';
  assert.ok(odd.stderr.split('\n').some((line) => line.includes(reported) && line.endsWith('); run without --generator swarm')), odd.stderr);
  const unknown = await other.run(['--generator', 'swam']);
  assert.equal(unknown.stderr, `error: --generator: "swam" is not a generator; use one of ${listGenerators().join(', ')}\n`);
  assert.deepEqual([odd.code, unknown.code, other.listBundles()], [2, 2, []]);
});
