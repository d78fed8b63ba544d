/** `make experiment-3 PROFILE=quick`, from the manifest to the verdict, with every engine and both eras. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listScripts } from '../../harness/figures.js';
import { readJson, readTsv } from '../../harness/files.js';
import { ROOT } from '../../harness/places.js';
import { makeSpec } from '../../harness/spec.js';
import { listComparisons } from '../../harness/verdict.js';

const NAME = '03-engineio-vs-socketcluster';
const MAIN = join(ROOT, 'harness/main.js');
const spec = makeSpec(NAME, 'quick', 0);
const results = mkdtempSync(join(tmpdir(), 'smoke-test-'));
after(() => rmSync(results, { recursive: true }));

let [stdout, stderr, bundle] = ['', '', ''];
/** @type {number | null} */
let code = null;

before(async () => {
  const run = spawn(process.execPath, [MAIN, 'run', '3', '--profile', 'quick'], { cwd: ROOT, env: { ...process.env, WSCALE_RESULTS: results } });
  run.stdout.on('data', (data) => { stdout += data; });
  run.stderr.on('data', (data) => { stderr += data; });
  code = await new Promise((resolve) => run.on('close', resolve));
  bundle = join(results, NAME, readdirSync(join(results, NAME))[0]);
});

test('it ends with 0 and no word on standard error', () => {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout);
});

test('every trial of the plan was carried out, with its captures', () => {
  const plan = readTsv(join(bundle, 'plan.tsv'));
  assert.ok(plan.length >= spec.axes.engine.length * spec.axes.workload.length);
  for (const { trial } of plan) {
    const folder = join(bundle, 'trials', trial);
    assert.equal(readFileSync(join(folder, 'status'), 'utf8'), 'done\n', trial);
    for (const name of ['top.txt', 'pidstat.txt', 'sar.txt', 'accounts.tsv', 'client/latency.hlog', 'client/summary.json']) {
      assert.ok(statSync(join(folder, 'raw', name)).size > 0, `${trial} ${name}`);
    }
  }
});

test('it prints a row of the result for each engine and workload', () => {
  for (const workload of spec.axes.workload) {
    for (const engine of spec.axes.engine) {
      const row = stdout.split('\n').find((line) => new RegExp(`^${workload} +${engine.replaceAll('.', '\\.')} +(2014|today) +\\d`).test(line));
      assert.ok(row, `${workload} ${engine}: ${stdout}`);
    }
  }
});

test('it says what was left out, or has a number in each row', () => {
  const stands = new Set(readTsv(join(bundle, 'reduced/points.tsv')).filter(({ metric }) => metric === 'server_cpu_s_per_1k').map(({ engine, workload }) => `${engine} ${workload}`));
  for (const workload of spec.axes.workload) {
    for (const engine of spec.axes.engine.filter((name) => !stands.has(`${name} ${workload}`))) {
      assert.match(stdout, new RegExp(`left out: b01-${engine.replaceAll('.', '\\.')}-${workload}: .+`));
    }
  }
});

test('the verdict holds every comparison of every claim', () => {
  const { verdicts } = readJson(join(bundle, 'verdict.json'));
  const listed = listComparisons(spec);
  assert.deepEqual(verdicts.map((/** @type {any} */ row) => [row.claim, row.era, row.workload, row.metric, row.of, row.to].join(' ')),
    listed.map((row) => [row.claim, row.era, row.workload, row.metric, row.of, row.to].join(' ')));
  assert.deepEqual([...new Set(listed.map(({ claim }) => claim))], ['T4', 'T5', 'T6']);
  for (const { claim } of listed) assert.match(stdout, new RegExp(`^${claim} (2014|today), `, 'm'));
});

test('it tells what the capture cost', () => {
  assert.match(stdout, /^the capture itself used at most [\d.e-]+ of a core/m);
});

test('the figures it names are there in every format, and drawn again they are the same bytes', () => {
  const named = [...stdout.matchAll(/^figure +(.+\.png)$/gm)].map(([, path]) => join(ROOT, path));
  assert.equal(named.length, listScripts(spec).length);
  const files = named.flatMap((path) => ['svg', 'png', 'pdf', 'txt'].map((format) => path.replace(/png$/, format)));
  const drawn = files.map((path) => readFileSync(path));
  for (const bytes of drawn) assert.ok(bytes.length > 0);
  const again = spawnSync(process.execPath, [MAIN, 'figures', bundle], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(again.status, 0, again.stderr);
  files.forEach((path, index) => assert.ok(readFileSync(path).equals(drawn[index]), path));
});
