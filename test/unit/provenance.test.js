import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parseHashes, sha256 } from '../../harness/common/code.js';
import { UserError } from '../../harness/common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { recordOf } from '../../harness/common/places.js';
import { describeProvenance, findEdited, hashCaptures, keepHashes, noteRejudging, refuseBundle, refuseEnvironment, writeProvenance } from '../../harness/records/provenance.js';
import { withoutSettings } from '../../harness/common/setting.js';
import { keepBundle, keepDrawn, recordBundle } from '../../report/record.js';
import { listKept } from '../../harness/records/sources.js';

const folder = mkdtempSync(join(tmpdir(), 'provenance-test-'));
after(() => rmSync(folder, { recursive: true }));

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const EXPERIMENT = '03-engineio-vs-socketcluster';
const SUITE = { commit: COMMIT, code_hash: sha256('code'), changed: [] };

const TRIALS = ['b01-ws-steady', 'b02-ws-steady'];

/** @param {string} name @param {Record<string, any>} [suite] of its spec @returns {string} a complete run */
function makeRun(name, suite = SUITE) {
  const bundle = join(folder, name);
  mkdirSync(join(bundle, 'reduced'), { recursive: true });
  writeJson(join(bundle, 'spec.json'), { form: 2, experiment: EXPERIMENT, profile: 'default', began: '2026-11-22T10:00:00.000Z', environment: { suite } });
  writeTsv(join(bundle, 'plan.tsv'), ['order', 'trial', 'block'], TRIALS.map((trial, index) => ({ order: index + 1, trial, block: index + 1 })));
  writeJson(join(bundle, 'verdict.json'), { verdicts: [], claims: [] });
  for (const table of ['comparisons', ...['trials', 'points', 'compared', 'load', 'dropped', 'series'].map((each) => `reduced/${each}`)]) {
    writeTsv(join(bundle, `${table}.tsv`), ['trial', 'reason'], []);
  }
  for (const trial of TRIALS) {
    mkdirSync(join(bundle, 'trials', trial, 'raw', 'client'), { recursive: true });
    const inRaw = (/** @type {string} */ capture) => join(bundle, 'trials', trial, 'raw', capture);
    for (const capture of ['top.txt', 'client/intervals.tsv', 'client.json']) writeFileSync(inRaw(capture), `${trial} ${capture}`);
  }
  return bundle;
}

/**
 * @param {string} name @param {(bundle: string) => void} [before] called with the run before it is recorded
 * @returns {Promise<string>} a record outside the tree
 */
async function makeRecord(name, before = () => {}) {
  const bundle = makeRun(name);
  before(bundle);
  const record = join(folder, `${name}-record`);
  await keepBundle(bundle, record);
  return record;
}

test('a run is recorded only if its code is that of a commit; else it is refused, with the files or the reason, and what to do', () => {
  assert.equal(refuseEnvironment({ suite: SUITE }), '');
  assert.match(refuseEnvironment({ suite: SUITE, client_quota: 0.2 }), /^its load was held to 0\.2 of a core on purpose; /);
  assert.equal(refuseEnvironment({ suite: { ...SUITE, changed: ['harness/main.js', 'servers/ws/server.js'] } }),
    'code differs from commit 0123456789ab: harness/main.js, servers/ws/server.js; commit it, then run again');
  assert.equal(refuseEnvironment({ suite: { ...SUITE, commit: null, changed: null, why: 'git is not installed' } }),
    'the commit of the code is not known (git: git is not installed); run it from a checkout, with git');
  for (const old of [{ commit: COMMIT, changed: false }, undefined]) {
    assert.equal(refuseEnvironment({ suite: old }), 'the hash of the code that ran was not kept (form 1); run it again with this version');
  }
});

test('make record refuses a run whose code is no commit\'s, and leaves the record as it was', async () => {
  const record = join(recordOf(EXPERIMENT), 'spec.json');
  const before = readFileSync(record, 'utf8');
  const suite = { ...SUITE, changed: ['harness/main.js'] };
  const bundle = makeRun('dirty', suite);
  await assert.rejects(recordBundle(bundle), new UserError(`${bundle}: ${refuseEnvironment({ suite })}`));
  assert.equal(readFileSync(record, 'utf8'), before);
});

test('a run that was judged anew by code of no commit is refused, until a commit judged it', () => {
  const bundle = makeRun('judged');
  noteRejudging(bundle, 'uncommitted');
  assert.match(refuseBundle(bundle), /^it was judged anew by code that is no commit's; commit it, then .+/);
  noteRejudging(bundle, 'abc');
  assert.equal(refuseBundle(bundle), '');
});

test('a record holds commit, hash of the code and of the captures, and not the captures themselves', async () => {
  const record = await makeRecord('whole');
  const raw = readFileSync(join(record, 'raw.sha256'), 'utf8');
  assert.deepEqual(readJson(join(record, 'provenance.json')), {
    commit: COMMIT, code_hash: SUITE.code_hash, raw_hash: sha256(raw), rejudged: [],
  });
  assert.deepEqual([...parseHashes(raw).keys()], TRIALS.map((trial) => `trials/${trial}`));
  assert.ok(!existsSync(join(record, 'trials')));
  assert.ok(existsSync(join(record, 'reduced', 'points.tsv')));
});

test('the hash of a trial\'s captures is what find and sha256sum say, and another byte makes another one', async () => {
  const bundle = makeRun('hashed');
  const [[trial, hash], ...others] = await hashCaptures(bundle);
  const command = 'cd raw && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum';
  assert.equal(execFileSync('sh', ['-c', command], { cwd: join(bundle, trial), encoding: 'utf8' }), `${hash}  -\n`);
  appendFileSync(join(bundle, trial, 'raw', 'client', 'intervals.tsv'), '0');
  const after_ = await hashCaptures(bundle);
  assert.notEqual(after_.get(trial), hash);
  assert.deepEqual([...after_].slice(1), others);
});

test('a run without the captures of a trial can\'t be recorded', async () => {
  const bundle = makeRun('pruned');
  rmSync(join(bundle, 'trials'), { recursive: true });
  await assert.rejects(hashCaptures(bundle), /pruned\/trials\/b01-.+\/raw: is missing, .+; give the bundle with them$/);
});

test('what was judged anew before it was recorded stays noted, and what is judged anew afterwards is added', async () => {
  const CHANGE = { revision: 'abc', claim: 'T4', era: '2014', before: 'inconclusive', after: 'reproduced' };
  const record = await makeRecord('rejudged', (bundle) => {
    noteRejudging(bundle, 'abc');
    writeTsv(join(bundle, 'rejudged.tsv'), Object.keys(CHANGE), [CHANGE]);
  });
  noteRejudging(record, 'def');
  noteRejudging(record, 'def');
  const { rejudged, commit } = readJson(join(record, 'provenance.json'));
  assert.deepEqual({ rejudged, commit }, { rejudged: ['abc', 'def'], commit: COMMIT });
  assert.equal(describeProvenance(record).at(-1), 'Judged anew, last by commit def; 1 row (T4 of 2014) got another verdict since the run');
});

test('provenance is reported', async () => {
  const record = await makeRecord('reported');
  assert.deepEqual(describeProvenance(record), ['Run on 2026-11-22 from commit 0123456789ab']);
});

test('a file of a record that was edited by hand, taken away or added is reported; a record that was left alone is not', async () => {
  const record = await makeRecord('edited');
  assert.deepEqual(findEdited(record), []);
  writeFileSync(join(record, 'plan.tsv'), readFileSync(join(record, 'plan.tsv'), 'utf8').split('\n').slice(1).join('\n'));
  assert.deepEqual(findEdited(record), ['plan.tsv']);
  assert.equal(describeProvenance(record)[1], 'Edited since it was recorded: plan.tsv');
  appendFileSync(join(record, 'reduced', 'points.tsv'), '\n');
  rmSync(join(record, 'verdict.json'));
  writeFileSync(join(record, 'reduced', 'more.tsv'), 'a\n');
  assert.deepEqual(findEdited(record), ['plan.tsv', 'reduced/more.tsv', 'reduced/points.tsv', 'verdict.json']);
  mkdirSync(join(record, 'figures'));
  writeFileSync(join(record, 'figures', 'a.svg'), 'drawn'); // by make figures
  keepHashes(record);
  assert.deepEqual(findEdited(record), []);
});

test('no record of this tree was edited since it was recorded', () => {
  const records = listKept().map(({ experiment, profile }) => recordOf(experiment, profile));
  const all = dirname(dirname(records[0]));
  const further = globSync('*/{runs,machines}/*/record.sha256', { cwd: all }).map((path) => join(all, dirname(path)));
  assert.ok(further.length >= 4, 'further runs, and runs of other machines');
  assert.deepEqual([...records, ...further].filter((path) => findEdited(path).length), []);
});

test('a note of a rejudging makes no provenance of a record that had none', () => {
  const old = join(folder, 'noted');
  mkdirSync(old);
  noteRejudging(old, 'abc');
  assert.deepEqual(readJson(join(old, 'provenance.json')), { rejudged: ['abc'] });
  assert.deepEqual(findEdited(old), []);
});

test('provenance is written of the bundle, not of what lies in the record', async () => {
  const bundle = makeRun('source');
  const record = join(folder, 'source-record');
  mkdirSync(record);
  writeJson(join(record, 'provenance.json'), { commit: 'another', rejudged: ['another'] });
  await writeProvenance(bundle, record);
  assert.deepEqual(readJson(join(record, 'provenance.json')).rejudged, []);
});

test('of the samples of the machine a record keeps those that a figure draws', () => {
  const bundle = makeRun('sampled');
  const spec = readJson(join(bundle, 'spec.json'));
  writeJson(join(bundle, 'spec.json'), { ...spec, experiment: '07-concurrent-connections', axes: {}, engines: {}, workloads: {} });
  const columns = ['engine', 'workload', 'setting', 'side', 'process', 'quantity', 't_s', 'median'];
  const row = { engine: 'socketcluster-2014', workload: 'described', setting: 'scheduling=none', side: 'host', process: 'core 0', quantity: 'cpu_pct', t_s: '1', median: '31' };
  const path = join(bundle, 'reduced/system.tsv');
  writeTsv(path, columns, [row, { ...row, side: 'server' }, { ...row, engine: 'socketcluster-14' }, { ...row, setting: 'scheduling=rr' }]);
  keepDrawn(bundle);
  assert.deepEqual(readTsv(path).map(({ engine, setting, side, median }) => [engine, setting, side, median]), [['socketcluster-2014', 'scheduling=none', 'host', '31']]);
  writeTsv(path, columns, [{ ...row, side: 'server' }]);
  keepDrawn(bundle);
  assert.equal(existsSync(path), false);
});

test('of the samples of threads a record keeps those of a panel that draws load over time', () => {
  const bundle = makeRun('threads');
  const spec = readJson(join(bundle, 'spec.json'));
  writeJson(join(bundle, 'spec.json'), { ...spec, experiment: '07-concurrent-connections', axes: {}, engines: {}, workloads: {} });
  const row = { engine: 'socketcluster-2014', workload: 'described', setting: 'connections=25000,processes=9+21+1', thread: 'main' };
  const path = join(bundle, 'reduced/threads.tsv');
  writeTsv(path, Object.keys(row), [row, { ...row, setting: 'connections=2500,processes=9+21+1' }, { ...row, workload: 'other' }]);
  keepDrawn(bundle);
  assert.deepEqual(readTsv(path).map(withoutSettings), [row]);
});
