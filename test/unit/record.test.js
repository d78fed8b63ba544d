import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { readClaims } from '../../harness/common/claim-tables.js';
import { readJson } from '../../harness/common/files.js';
import { ROOT, figuresOf, recordOf, resultsOf } from '../../harness/common/places.js';
import { prepareFigures } from '../../report/figures.js';
import { isFigureKept } from '../../report/record.js';
import { WORDS } from '../../analysis/claims/verdict.js';
import { makeResults, makeThesisResults } from '../../report/results.js';
import { isKept, listKept, listRecorded, readSource } from '../../harness/records/sources.js';

const claims = readClaims();
const hasNoGit = spawnSync('git', ['-C', ROOT, 'rev-parse']).status === 0 ? false : 'this is no checkout';
const recorded = listRecorded();
const committed = join(ROOT, 'thesis-results.md');

test('every published claim has one row in the results, with a verdict', () => {
  assert.ok(claims.length > 40);
  const text = makeThesisResults();
  const rows = text.split('\n').filter((line) => /^\| [A-Z]+\d+[a-z]? \| .*\|$/.test(line));
  assert.deepEqual(rows.map((row) => row.split(' ')[1]), claims.map(({ claim }) => claim));
  const verdict = `(|not run|\\*\\*(${WORDS.join('|')})\\*\\*[^|]*)`;
  const cells = new RegExp(` \\| [^|]+ \\| ${verdict} \\| ${verdict} \\| (\\[\\d+\\])? ?\\|$`);
  for (const row of rows) assert.match(row, cells);
  for (const [, number] of rows.join('\n').matchAll(/\[(\d+)\] \|$/gm)) assert.match(text, new RegExp(`^\\[${number}\\]: records/${number.padStart(2, '0')}-`, 'm'));
});

test('the index of verdicts is under 20 kB, and every link of it leads to a file', () => {
  const text = makeThesisResults();
  assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)} bytes`);
  for (const [, path] of text.matchAll(/\](?:\(|: )([^)#\s]+)/g)) assert.ok(existsSync(join(ROOT, path)), path);
});

test('the results of each experiment are under 8 kB', () => {
  for (const experiment of recorded) assert.ok(Buffer.byteLength(makeResults(experiment)) < 8000, experiment);
});

test('claims are numbered once each, and every cell of the table is filled', () => {
  assert.equal(new Set(claims.map(({ claim }) => claim)).size, claims.length);
  for (const row of claims) assert.ok(Object.values(row).every((cell) => cell), JSON.stringify(row));
});

const skip = existsSync(committed) ? false : 'there is no result of record yet';
test('thesis-results.md is what is generated from the results of record', { skip }, () => {
  assert.ok(readFileSync(committed, 'utf8') === makeThesisResults(), 'thesis-results.md is of other claims or records; run: make thesis-results');
});

test('a report of all records has the verdicts of thesis-results.md', { skip }, () => {
  const judged = readSource('record').runs.flatMap((run) => run.claims);
  const counts = WORDS.map((word) => [judged.filter(({ verdict }) => verdict === word).length, word]).filter(([count]) => count);
  assert.match(makeThesisResults(), new RegExp(`^${judged.length} verdicts: ${counts.map((pair) => pair.join(' ')).join(', ')}\\.`, 'm'));
});

test('every row of record that is open says what would decide it, and no other does', () => {
  /** @type {import('../../analysis/claims/verdict.js').Verdict[]} */
  const rows = recorded.flatMap((name) => readJson(join(recordOf(name), 'verdict.json')).verdicts);
  for (const row of rows) {
    const isOpen = ['inconclusive', 'needs more cores'].includes(row.verdict);
    assert.equal(Boolean(row.decided_by), isOpen, `${row.claim} ${row.metric} ${row.of}: ${row.verdict}, ${row.decided_by}`);
  }
});

test('of each figure of record the tree has the SVG and the text, of a table the text, and no other figure', async () => {
  for (const { experiment, profile } of listKept()) {
    const figures = (await prepareFigures(recordOf(experiment, profile))).filter(({ name }) => isFigureKept({ experiment, profile }, name));
    const wanted = figures.flatMap(({ name, chart }) => [...(chart.panels.length ? [`${name}.svg`] : []), `${name}.txt`]);
    const ignored = /\.(png|pdf)$/; // `make figures` makes them, git ignores them
    const kept = globSync('*', { cwd: figuresOf(recordOf(experiment, profile)) }).filter((name) => !ignored.test(name));
    assert.deepEqual(kept.sort(), wanted.sort(), `${experiment}, ${profile}`);
  }
});

test('no table of a result of record is large; `wscale rejudge` packs those of one that are', () => {
  for (const { experiment, profile } of listKept()) {
    const folder = join(recordOf(experiment, profile), 'reduced');
    assert.deepEqual(readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 32 * 1024), [], `${experiment}, ${profile}`);
  }
});

test('what is kept of a run of `paper` stands beside the record that is judged', () => {
  const [experiment] = recorded;
  const record = join(ROOT, 'records', experiment, 'default');
  const paper = join(ROOT, 'records', experiment, 'paper');
  assert.deepEqual([recordOf(experiment), recordOf(experiment, 'default'), recordOf(experiment, 'paper')], [record, record, paper]);
  assert.deepEqual([isKept({ experiment, profile: 'default' }, record), isKept({ experiment, profile: 'paper' }, record)], [true, false]);
  assert.ok(isKept({ experiment, profile: 'paper' }, paper));
});

test('an experiment\'s folder holds what was written by hand, and nothing that is generated', { skip: hasNoGit }, () => {
  const listed = spawnSync('git', ['-C', ROOT, 'ls-files', 'experiments'], { encoding: 'utf8' }).stdout.trim().split('\n');
  const names = listed.filter((name) => existsSync(join(ROOT, name)));
  assert.deepEqual(names.filter((name) => !/^experiments\/(claims\.(md|tsv)|[^/]+\/[^/]+\.(toml|js|gp|md|tsv))$/.test(name)), []);
  assert.deepEqual(names.filter((name) => /\/(RESULTS\.md|verdict\.json|plan\.tsv)$/.test(name)), []);
});

for (const experiment of recorded) {
  test(`RESULTS.md of ${experiment} is what is generated from its result of record, and leads to files`, () => {
    const text = readFileSync(resultsOf(experiment), 'utf8');
    assert.equal(text, makeResults(experiment));
    for (const [, path] of text.matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)) assert.ok(existsSync(resolve(resultsOf(experiment), '..', path)), path);
  });
}

