/**
 * `make reproduce PROFILE=quick`: every experiment at its smallest, from the manifest to the verdict and the figures.
 * It takes longer than any other test. Files run in the order of their paths, so its name makes it the first of
 * test/more.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { prepareFigures } from '../../report/figures.js';
import { coresHere } from '../../harness/common/cores.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { listPoints } from '../../harness/spec/points.js';
import { listExperiments, makeSpec } from '../../harness/spec/spec.js';
import { listComparisons } from '../../analysis/claims/verdict.js';

const MAIN = join(ROOT, 'harness/main.js');
const FORMATS = ['svg', 'png', 'pdf', 'txt'];
const results = mkdtempSync(join(tmpdir(), 'smoke-test-'));
after(() => rmSync(results, { recursive: true }));

let [stdout, stderr, folder] = ['', '', ''];
/** @type {{pid: number | undefined, code: number | null}} */
const ended = { pid: undefined, code: null };

before(async () => {
  const run = spawn(process.execPath, [MAIN, 'reproduce', '--profile', 'quick'], { cwd: ROOT, env: { ...process.env, WSCALE_RESULTS: results } });
  run.stdout.on('data', (data) => { stdout += data; });
  run.stderr.on('data', (data) => { stderr += data; });
  ended.pid = run.pid;
  ended.code = await new Promise((resolve) => run.on('close', resolve));
  folder = join(results, 'reproduce', readdirSync(join(results, 'reproduce'))[0]);
});

test('it ends with 0 and no word on standard error', () => {
  assert.deepEqual({ code: ended.code, stderr }, { code: 0, stderr: '' });
});

for (const experiment of listExperiments()) {
  const spec = makeSpec(experiment, 'quick', 0, undefined, { cores: coresHere() });
  const bundleOf = () => join(folder, experiment);

  test(`${experiment}: every trial of the plan was carried out, with its captures`, () => {
    const plan = readTsv(join(bundleOf(), 'plan.tsv'));
    assert.ok(plan.length >= listPoints(spec).length);
    for (const { trial } of plan) {
      const trialFolder = join(bundleOf(), 'trials', trial);
      assert.equal(readFileSync(join(trialFolder, 'status'), 'utf8'), 'done\n', trial);
      for (const name of ['top.txt', 'pidstat.txt', 'sar.txt', 'accounts.tsv', 'client/latency.hlog', 'client/summary.json']) {
        assert.ok(statSync(join(trialFolder, 'raw', name)).size > 0, `${trial} ${name}`);
      }
    }
  });

  test(`${experiment}: each point has numbers, of flagged trials where no other stands, and what was left out is said`, () => {
    // `reference`: trials of plain TCP, which are points of no engine
    const has = ['points', 'flagged-points', 'reference'].flatMap((table) => readTsv(join(bundleOf(), `reduced/${table}.tsv`)));
    const stands = new Set(has.map(({ engine, workload, setting }) => [engine, workload, setting].join()));
    const dropped = readTsv(join(bundleOf(), 'reduced/dropped.tsv'));
    for (const { reason } of dropped) assert.ok(readFileSync(join(bundleOf(), 'summary.txt'), 'utf8').includes(`left out: ${reason}`), reason);
    for (const { trial, engine, workload, setting } of readTsv(join(bundleOf(), 'plan.tsv'))) {
      if (!stands.has([engine, workload, setting].join())) assert.ok(dropped.some((row) => row.trial === trial), trial);
    }
  });

  test(`${experiment}: the verdict holds every comparison of every claim`, () => {
    const { verdicts } = readJson(join(bundleOf(), 'verdict.json'));
    const name = (/** @type {any} */ row) => [row.claim, row.era, row.workload, row.setting, row.metric, row.of, row.to].join(' ');
    const found = verdicts.map(name);
    for (const row of listComparisons(spec)) assert.ok(found.includes(name(row)), name(row));
  });

  test(`${experiment}: its figures are there in every format`, async () => {
    const figures = (await prepareFigures(bundleOf())).filter(({ chart }) => chart.panels.length > 0);
    const drawn = figures.map(({ name }) => FORMATS.map((format) => `${name}.${format}`)).flat();
    // A figure without data is only a text: on a busy machine all trials may be flagged
    const isPicture = (/** @type {string} */ name) => !name.endsWith('.txt');
    assert.deepEqual(readdirSync(join(bundleOf(), 'figures')).filter(isPicture).sort(), drawn.filter(isPicture).sort());
    if (readTsv(join(bundleOf(), 'reduced/dropped.tsv')).length === 0) assert.ok(figures.length > 0);
    for (const { name } of figures) {
      for (const format of FORMATS) assert.ok(statSync(join(bundleOf(), 'figures', `${name}.${format}`)).size > 0, `${name} ${format}`);
    }
  });
}

test('the first output that README shows has the columns that its command prints', (t) => {
  const columnsOf = (/** @type {string} */ path) => /^engine +era .+$/m.exec(readFileSync(path, 'utf8'))?.[0].trim().split(/ {2,}/);
  const printed = columnsOf(join(folder, '03-engineio-vs-socketcluster', 'summary.txt'));
  if (!printed) return t.skip('this machine was so busy that no trial stands');
  assert.deepEqual(columnsOf(join(ROOT, 'README.md')), printed);
});

test('figures drawn again, without a server, are the same bytes', (t) => {
  const bundle = listExperiments().map((experiment) => join(folder, experiment)).find((path) => readdirSync(join(path, 'figures')).length > 0);
  if (!bundle) return t.skip('this machine was so busy that no trial of any experiment stands');
  const names = readdirSync(join(bundle, 'figures')).sort();
  const drawn = names.map((name) => readFileSync(join(bundle, 'figures', name)));
  const again = spawnSync(process.execPath, [MAIN, 'figures', bundle], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(again.status, 0, again.stderr);
  names.forEach((name, index) => assert.ok(readFileSync(join(bundle, 'figures', name)).equals(drawn[index]), name));
});

test('it ends with the verdicts of all claims', () => {
  assert.match(stdout, /\d+ not run/);
});

test('nothing of it is left: no control group, no private folder', () => {
  const groups = `wscale-${ended.pid}-*`; // only those of this run: other tests make some at the same time
  const left = spawnSync('sh', ['-c', `ls -d /sys/fs/cgroup/cpu/${groups} /sys/fs/cgroup/${groups} 2>/dev/null`], { encoding: 'utf8' }).stdout;
  assert.equal(left, '');
});
