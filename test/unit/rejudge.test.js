import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, readTsv, writeJson } from '../../harness/common/files.js';
import { expectedOf, sampleOf } from '../golden/places.js';

const folder = mkdtempSync(join(tmpdir(), 'rejudge-test-'));
process.env.WSCALE_EXPERIMENTS = join(folder, 'experiments'); // read when the modules are loaded
const { unpack } = await import('../../harness/common/archive.js');
const { packTables } = await import('../../harness/common/tables.js');
const { keepReduced, listChanges, rejudgeBundle } = await import('../../report/rejudge.js');
const EXPERIMENT = '03-engineio-vs-socketcluster';
const MANIFEST = join(folder, 'experiments', EXPERIMENT, 'experiment.toml');
cpSync(join(import.meta.dirname, 'manifests', 'sound.toml'), MANIFEST); // the manifest of the sample
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} name @param {{hasCaptures?: boolean}} [how] by default without captures, as in a record
 * @returns {string} a copy of the sample, with its tables and verdict
 */
function copyReduced(name, { hasCaptures = false } = {}) {
  const bundle = join(folder, name);
  unpack(sampleOf(EXPERIMENT), bundle);
  if (!hasCaptures) rmSync(join(bundle, 'trials'), { recursive: true });
  cpSync(join(expectedOf(EXPERIMENT), 'reduced'), join(bundle, 'reduced'), { recursive: true });
  cpSync(join(expectedOf(EXPERIMENT), 'verdict.json'), join(bundle, 'verdict.json'));
  return bundle;
}

/** @param {string} bundle @returns {Record<string, string>} its files by name */
const readAll = (bundle) => Object.fromEntries(['verdict.json', ...readdirSync(join(bundle, 'reduced')).map((name) => `reduced/${name}`)]
  .map((name) => [name, readFileSync(join(bundle, name), 'utf8')]));

const VERDICT = /** @type {import('../../analysis/claims/verdict.js').Verdict} */ ({
  claim: 'T4', era: '2014', workload: 'listed', setting: '-', metric: 'm', of: 'a', to: 'b', criterion: '>1', n: 6, mean: 2, low: 1.5, high: 2.5, p: 0.01, verdict: 'reproduced',
});

test('rows with another verdict, new rows and removed rows are reported', () => {
  const was = [VERDICT, { ...VERDICT, claim: 'T5' }, { ...VERDICT, claim: 'T6' }];
  const is = [VERDICT, { ...VERDICT, claim: 'T5', verdict: /** @type {const} */ ('inconclusive') }, { ...VERDICT, claim: 'T7' }];
  assert.deepEqual(listChanges(was, is, 'abc').map((change) => [change.revision, change.claim, change.before, change.after].join(' ')),
    ['abc T5 reproduced inconclusive', 'abc T7 - reproduced', 'abc T6 reproduced -']);
});

test('a reduced load is described as the run describes it, else as the manifest does', () => {
  const claims = [{ id: 'A1', above: 1, reduced: '1,000 connections' }, { id: 'A2', reduced: '5 s' }, { id: 'A3' }];
  const run = [{ id: 'A1', above: 2, reduced: '400 connections' }, { id: 'A2' }];
  assert.deepEqual(keepReduced(claims, run), [{ id: 'A1', above: 1, reduced: '400 connections' }, claims[1], claims[2]]);
});

test('the tables come out the same a second time, without the captures', async (context) => {
  const log = context.mock.method(console, 'log', () => {});
  const bundle = copyReduced('twice');
  await rejudgeBundle(bundle);
  const first = readAll(bundle);
  await rejudgeBundle(bundle);
  assert.deepEqual(readAll(bundle), first);
  assert.match(String(log.mock.calls[1].arguments[0]), /judged anew, every verdict as before$/);
  assert.ok(!existsSync(join(bundle, 'rejudged.tsv')));
  assert.ok(!existsSync(join(bundle, 'figures')));
});

test('how the numbers of a bundle were made stays noted, whatever is judged anew', async (context) => {
  context.mock.method(console, 'log', () => {});
  for (const [had, has] of [[2, 3], [3, 3], [4, 4]]) {
    const bundle = copyReduced(`form-${had}`);
    writeJson(join(bundle, 'spec.json'), { ...readJson(join(bundle, 'spec.json')), form: had });
    await rejudgeBundle(bundle);
    assert.equal(readJson(join(bundle, 'spec.json')).form, has);
  }
});

test('a table of claims that the experiment no longer writes decides nothing, and goes', async (context) => {
  context.mock.method(console, 'log', () => {});
  const [bundle, own] = [copyReduced('stale'), copyReduced('fresh')];
  const compared = readFileSync(join(bundle, 'reduced', 'compared.tsv'), 'utf8').split('\n');
  writeFileSync(join(bundle, 'reduced', 'judged.tsv'), `${compared.slice(0, 2).join('\n')}\n`);
  for (const each of [bundle, own]) await rejudgeBundle(each);
  assert.ok(!existsSync(join(bundle, 'reduced', 'judged.tsv')));
  assert.deepEqual(readJson(join(bundle, 'verdict.json')).verdicts, readJson(join(own, 'verdict.json')).verdicts);
});

test('tables that were packed are packed again, the same bytes', async (context) => {
  context.mock.method(console, 'log', () => {});
  const bundle = copyReduced('packed');
  await rejudgeBundle(bundle);
  writeFileSync(join(bundle, 'reduced', 'large.tsv'), 'row\n'.repeat(20_000));
  packTables(bundle);
  const before = readFileSync(join(bundle, 'large-tables.tar.xz'));
  await rejudgeBundle(bundle);
  assert.ok(readFileSync(join(bundle, 'large-tables.tar.xz')).equals(before));
});

test('an old bundle is judged by today\'s manifest; a claim on a metric that it lacks was not run', async (context) => {
  context.mock.method(console, 'log', () => {});
  const bundle = copyReduced('old');
  writeJson(join(bundle, 'spec.json'), { ...readJson(join(bundle, 'spec.json')), claims: [] });
  const { verdicts, ...verdict } = readJson(join(bundle, 'verdict.json'));
  writeJson(join(bundle, 'verdict.json'), { ...verdict, verdicts: verdicts.filter((/** @type {{claim: string}} */ row) => row.claim !== 'T4') });
  const path = join(bundle, 'reduced', 'trials.tsv');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*\tclient_cpu_s_per_1k\t.*\n/gm, ''));
  await rejudgeBundle(bundle);
  assert.deepEqual(readTsv(join(bundle, 'rejudged.tsv')).map((row) => [row.claim, row.before, row.after].join(': ')), [
    'T4: -: inconclusive', 'T5: inconclusive: not run',
  ]);
  assert.deepEqual(readJson(join(bundle, 'spec.json')).claims.map((/** @type {{id: string}} */ { id }) => id), ['T4', 'T5', 'T6']);
});

test('changed rules are applied to a bundle with captures, and newly flagged trials are reported; the old rules restore all', async (context) => {
  const log = context.mock.method(console, 'log', () => {});
  const warn = context.mock.method(console, 'error', () => {});
  const bundle = copyReduced('reflagged', { hasCaptures: true });
  const [head, line] = readFileSync(join(bundle, 'plan.tsv'), 'utf8').split('\n');
  const trial = line.split('\t')[1];
  writeFileSync(join(bundle, 'plan.tsv'), `${head}\n${line}\n`); // one trial is enough
  const readNumbers = () => readTsv(join(bundle, 'reduced', 'trials.tsv')).filter((row) => row.trial === trial);
  const [numbers, sound] = [readNumbers(), readFileSync(MANIFEST, 'utf8')];
  writeFileSync(MANIFEST, sound.replace(/^generator_cpu_max = .*$/m, 'generator_cpu_max = 0.000001'));
  try {
    await rejudgeBundle(bundle);
  } finally {
    writeFileSync(MANIFEST, sound);
  }
  const [{ before: earlier, after: later }] = readTsv(join(bundle, 'reflagged.tsv'));
  assert.ok(!earlier.includes('generator-cpu') && later.includes('generator-cpu'), `${earlier}: ${later}`);
  assert.ok(numbers.length > 0 && readNumbers().length === 0);
  assert.match(log.mock.calls.map(({ arguments: [text] }) => text).join('\n'), /trials that other rules flag than before:\ntrial +before +after\n/);
  await rejudgeBundle(bundle);
  assert.deepEqual(readNumbers(), numbers);
  assert.equal(readTsv(join(bundle, 'reflagged.tsv')).length, 2);
  rmSync(join(bundle, 'trials', trial, 'raw', 'client', 'summary.json'));
  await rejudgeBundle(bundle);
  assert.match(String(warn.mock.calls.at(-1)?.arguments[0]), new RegExp(`today's rules can't read the captures of ${trial}: .+; it stays as it was judged$`));
  assert.deepEqual(readNumbers(), numbers);
});

test('a bundle that was not reduced is refused, by the name of what it lacks', async () => {
  const bundle = copyReduced('bare');
  rmSync(join(bundle, 'reduced', 'trials.tsv'));
  await assert.rejects(rejudgeBundle(bundle), /bare: reduced\/trials\.tsv is missing: .+; go on with RESUME=1/);
});
