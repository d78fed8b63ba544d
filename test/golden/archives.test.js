/** What others can use of a run: an archive that they can verify, tables for their tools, and a page. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { ZipFile } from 'yazl';
import { unzip } from '../../harness/records/archives.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT, recordOf } from '../../harness/common/places.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { makePage } from '../../report/html/report.js';
import { packCaptures, unpackCaptures } from '../../harness/records/captures.js';
import { listRecorded, readSource } from '../../harness/records/sources.js';
import { keepBundle } from '../../report/record.js';
import { copySample, readDrawn, reduce } from './bundles.js';

const results = mkdtempSync(join(tmpdir(), 'archive-test-'));
after(() => rmSync(results, { recursive: true }));

/** One of its trials is flagged. */
const bundle = copySample('01-client-throughput');
reduce(bundle, 'mawk');
judgeBundle(bundle);
mkdirSync(join(bundle, 'figures'));

/** @param {string[]} argv @param {Record<string, string>} [more] @returns {import('node:child_process').SpawnSyncReturns<string>} */
const run = (argv, more = {}) => spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), ...argv],
  { cwd: results, encoding: 'utf8', env: { ...process.env, WSCALE_RESULTS: results, ...more } });

/** @param {...string} argv @returns {string} the file that was written */
function write(...argv) {
  const { status, stdout, stderr } = run(argv);
  assert.equal(status, 0, stderr);
  return join(results, stdout.trim().split(' ')[0]);
}

const archive = write('archive', bundle);
/** @param {string} folder @returns {string[]} the files below it */
const listFiles = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();

const unpacked = join(results, 'unpacked');
mkdirSync(unpacked);
await unzip(archive, unpacked);

test('an archive is the same bytes each time, wherever its maker is', () => {
  const before = readFileSync(archive);
  assert.equal(run(['archive', bundle], { TZ: 'Asia/Tokyo', LC_ALL: 'C' }).status, 0);
  assert.ok(readFileSync(archive).equals(before));
});

test('an archive describes each of its files, with a hash that sha256sum checks, and names authors, software and what was done', () => {
  execFileSync('sha256sum', ['--check', '--quiet', '--strict', 'sha256sums.txt'], { cwd: unpacked });
  const graph = readJson(join(unpacked, 'ro-crate-metadata.json'))['@graph'];
  const find = (/** @type {string} */ id) => graph.find((/** @type {any} */ entity) => entity['@id'] === id);
  const files = listFiles(unpacked).filter((name) => !/^(ro-crate-metadata\.json|sha256sums\.txt)$/.test(name));
  assert.deepEqual(find('./').hasPart.map((/** @type {any} */ part) => decodeURI(part['@id'])).sort(), files);
  for (const part of find('./').hasPart) assert.match(find(part['@id']).sha256, /^[0-9a-f]{64}$/, part['@id']);
  assert.equal(find(find('./').author[0]['@id']).name, 'The wscale authors');
  assert.equal(find('ro-crate-metadata.json').conformsTo['@id'], 'https://w3id.org/ro/crate/1.1');
  const action = find(find('./').mentions[0]['@id']);
  assert.equal(action['@type'], 'CreateAction');
  for (const { '@id': id } of [...action.object, ...action.result, ...action.instrument]) assert.ok(find(id), id);
});

test('an archive as it came is the same in every number, reduced anew from its captures', () => {
  const { status, stdout, stderr } = run(['verify', archive]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^hashes: all \d+ files are as listed$/m);
  assert.match(stdout, / \d{3,} numbers of \d+ files, from the captures: all the same\n.+: every number is the same \(\d{3,}\)$/m);
});

test('a result of record keeps the captures of one block, which give its numbers again, and captures of another run are found', async () => {
  const record = join(results, 'kept');
  await keepBundle(bundle, record);
  const same = run(['verify', record]);
  assert.equal(same.status, 0, same.stdout + same.stderr);
  assert.match(same.stdout, / \d{2,} numbers of \d+ trials of the first block.*, from the captures: all the same\n$/);
  const other = join(results, 'other');
  const [trial] = unpackCaptures(record, other);
  const intervals = join(other, 'trials', trial, 'raw/client/intervals.tsv');
  appendFileSync(intervals, `${readFileSync(intervals, 'utf8').trimEnd().split('\n').at(-1)}\n`);
  packCaptures(other, record);
  const changed = run(['verify', record]);
  assert.equal(changed.status, 1, changed.stdout + changed.stderr);
  assert.match(changed.stdout, new RegExp(`  ${trial}: its captures are not those of the run \\(raw\\.sha256\\)\n`));
});

test('a block that is too heavy for the tree keeps some of its trials, whose numbers are the same', async () => {
  const record = join(results, 'light');
  await keepBundle(bundle, record);
  const whole = unpackCaptures(record, join(results, 'whole'));
  packCaptures(bundle, record, 1);
  const some = unpackCaptures(record, join(results, 'some'));
  assert.ok(some.length < whole.length && some.every((trial) => whole.includes(trial)), `${some.join(' ')} of ${whole.join(' ')}`);
  const compared = readTsv(join(bundle, 'comparisons.tsv')).map(({ of, workload }) => `-${of}-${workload}`);
  assert.ok(some.every((trial) => compared.some((point) => trial.includes(point))), `${some.join(' ')}: what a claim compares comes first`);
  const { status, stdout, stderr } = run(['verify', record]);
  assert.equal(status, 0, stdout + stderr);
});

/** @returns {Record<string, string> | undefined} variables for a locale with a decimal comma; undefined without one */
function makeComma() {
  const made = spawnSync('localedef', ['-i', 'de_DE', '-f', 'UTF-8', join(results, 'de_DE.UTF-8')]);
  const env = { LOCPATH: results, LC_ALL: 'de_DE.UTF-8', TZ: 'Europe/Berlin' };
  const tried = spawnSync('mawk', ['BEGIN { print 1.5 }'], { encoding: 'utf8', env: { ...process.env, ...env } });
  return made.error === undefined && tried.stdout === '1,5\n' ? env : undefined;
}
const comma = makeComma();

test('an archive is the same in every number where a decimal point is a comma', { skip: comma ? false : 'this machine has no locale with a decimal comma' }, () => {
  const { status, stdout, stderr } = run(['verify', archive], comma);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /every number is the same/);
});

test('a figure is the same bytes in each format, whatever the locale and the time zone', () => {
  const read = () => listFiles(join(bundle, 'figures')).map((name) => readDrawn(join(bundle, 'figures', name)));
  const [there, here] = [{ TZ: 'Asia/Kathmandu', ...comma }, { TZ: 'UTC' }].map((env) => {
    const { status, stderr } = run(['figures', bundle], env);
    assert.equal(status, 0, stderr);
    return read();
  });
  assert.ok(here.length > 3);
  there.forEach((drawn, at) => assert.ok(drawn === here[at], `figure ${at} differs`));
  assert.equal(there.length, here.length);
});

/**
 * @param {string} name of a file @param {(text: string) => string} change
 * @param {boolean} isHashed are the hashes made again?
 * @returns {Promise<string>} what `verify` prints
 */
async function verifyEdited(name, change, isHashed) {
  const folder = mkdtempSync(join(results, 'edited-'));
  execFileSync('cp', ['-r', `${unpacked}/.`, folder]);
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  assert.notEqual(change(text), text);
  writeFileSync(path, change(text));
  if (isHashed) {
    const names = listFiles(folder).filter((each) => each !== 'sha256sums.txt');
    writeFileSync(join(folder, 'sha256sums.txt'), execFileSync('sha256sum', names, { cwd: folder }));
  }
  const zip = new ZipFile();
  for (const each of listFiles(folder)) zip.addFile(join(folder, each), each);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(`${folder}.zip`));
  const { status, stdout } = run(['verify', `${folder}.zip`]);
  assert.equal(status, 1, stdout);
  return stdout;
}

test('a number that was edited in a table is found, with or without its hash', async () => {
  const change = (/** @type {string} */ text) => text.replace(/\t([1-9])([0-9.]*)$/m, '\t9$1$2');
  assert.match(await verifyEdited('reduced/trials.tsv', change, false), /of which 1 are not as listed\n {2}reduced\/trials\.tsv changed/);
  assert.match(await verifyEdited('reduced/trials.tsv', change, true), /^hashes: all[^]+\n {2}reduced\/trials\.tsv:\d+: .+, was 9/);
});

test('a trial that was flagged by hand is found before what came of it', async () => {
  const { trial } = readTsv(join(bundle, 'reduced/trials.tsv'))[0];
  const change = (/** @type {string} */ text) => text.replace(/^(steal)\t[^\t]+\t([^\t]+)\tyes/m, '$1\t0.5\t$2\tno');
  const reported = await verifyEdited(`trials/${trial}/validity.tsv`, change, true);
  assert.match(reported, new RegExp(`DIFFER\\n {2}trials/${trial}/validity\\.tsv:\\d+: .+, was 0\\.5`));
});

test('an archive of a result of record says that it holds no captures, and its verification what was not checked', async () => {
  const [experiment] = listRecorded();
  const made = run(['archive', recordOf(experiment)]);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^note: without captures: a result of record has those of one block at most .+ give a run: FROM=results\/…$/m);
  const path = join(results, 'archives', `${experiment}-default.zip`);
  const { status, stdout, stderr } = run(['verify', path]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^NOT checked: whether the numbers of single trials are those of the captures; 1 of 1 runs came without captures$/m);
  const folder = mkdtempSync(join(results, 'record-'));
  await unzip(path, folder);
  const { description } = readJson(join(folder, 'ro-crate-metadata.json'))['@graph'].find((/** @type {any} */ { '@id': id }) => id === './');
  assert.match(description, new RegExp(`WITHOUT the captures of ${experiment}`));
});

test('what is no archive is refused with what to give', () => {
  const empty = join(results, 'empty.zip');
  writeFileSync(empty, 'x');
  for (const [path, words] of [
    [join(results, 'none.zip'), /does not exist; give what `.\/wscale archive` wrote/], [empty, /is not a zip file, or is cut off; give what/],
  ]) {
    const { status, stderr } = run(['verify', String(path)]);
    assert.equal(status, 2);
    assert.match(stderr, /** @type {RegExp} */ (words));
  }
});

test('as CSV every number of every trial is a line, and flagged trials say so', () => {
  const lines = readFileSync(write('export', bundle), 'utf8').trim().split('\n');
  const [trials, left] = ['trials', 'flagged'].map((name) => readTsv(join(bundle, `reduced/${name}.tsv`)));
  assert.ok(left.length > 10);
  assert.equal(lines.length, 1 + trials.length + left.length);
  assert.equal(lines.filter((line) => line.endsWith(',no')).length, left.length);
  assert.equal(lines[0], 'experiment,profile,trial,block,era,engine,workload,setting,metric,value,valid');
  for (const line of lines) assert.equal(line.replaceAll(/"[^"]*"/g, '').split(',').length, 11, line);
});

test('as JSON and as Bencher\'s metric format the means are those of the tables', () => {
  const points = readTsv(join(bundle, 'reduced/points.tsv'));
  const { runs: [reported] } = readJson(write('export', bundle, '--format', 'json'));
  assert.deepEqual(reported.points.map((/** @type {any} */ { mean }) => mean), points.map(({ mean }) => Number(mean)));
  const benchmarks = readJson(write('export', bundle, '--format', 'bencher'));
  const { engine, workload, setting, metric, mean } = points[0];
  assert.deepEqual(benchmarks[`${reported.experiment}/${engine}/${workload}/${setting}`][metric], { value: Number(mean) }, 'one trial has no limits');
  assert.match(run(['export', bundle, '--format', 'xml']).stderr, /--format: "xml" is not known; use one of csv, json, bencher/);
});

test('a page shows each verdict and each trial that was left out, and marks numbers of flagged trials', async () => {
  writeFileSync(join(bundle, 'figures/a.svg'), '<svg xmlns="http://www.w3.org/2000/svg"><title>100 % of a &lt; b</title><desc></desc><text>100 % of a &lt; b</text></svg>');
  writeFileSync(join(bundle, 'figures/b.txt'), 'Ranks\n\n1  a < b\n'); // a figure that is a table, without a picture
  const html = await makePage([readSource(bundle)]);
  assert.match(html, /<summary>Ranks<\/summary>.*<pre>Ranks\n\n1 {2}a &lt; b\n/);
  assert.match(html, /alt="100 % of a &lt; b" src="data:image\/svg\+xml;charset=utf-8,<svg [^"]+100 %25 of a %26lt; b/);
  const { claims } = readJson(join(bundle, 'verdict.json'));
  assert.equal(html.split('class="verdict"').length - 1, claims.length);
  const [{ trial, reason, value, bound }] = readTsv(join(bundle, 'reduced/dropped.tsv'));
  assert.ok(html.includes(`<tr><td>${trial}</td><td>${reason}</td><td>${value}</td><td>${bound}</td></tr>`));
  assert.match(html, new RegExp(`trials are flagged \\(${reason} 1\\)`));
  assert.match(html, /<td>1\*<\/td>/, 'the number of a flagged trial, marked, where no other stands');
});

test('what is no run is refused, and a run of which nothing was judged, too', () => {
  assert.match(run(['report', results]).stderr, /holds no spec\.json, so it is not a bundle/);
  const begun = copySample();
  assert.match(run(['report', begun]).stderr, /verdict\.json is missing: the run did not end; go on with --resume/);
  assert.ok(!existsSync(join(results, 'reports')));
  appendFileSync(join(results, 'plan.tsv'), 'order\texperiment\tseed\n1\tx\t1\n');
  assert.match(run(['archive', results]).stderr, /none of its experiments ended/);
});
