import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const experiments = mkdtempSync(join(tmpdir(), 'claims-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the modules are loaded
const { listClaimTables, readClaims } = await import('../../harness/common/claim-tables.js');
const { readTsv, writeTsv } = await import('../../harness/common/files.js');
const { CLAIMS } = await import('../../harness/common/places.js');
const { listClaims } = await import('../../report/claims-table.js');

test('the claims are those of the sources, then those in the folders of experiments', () => {
  const columns = ['claim', 'source', 'section', 'words', 'published', 'criterion'];
  const own = { claim: 'X1', source: 'a paper', section: '2', words: 'it is faster', published: 'twice', criterion: 'above 1' };
  const ofSources = readTsv(CLAIMS);
  mkdirSync(join(experiments, '99-own'));
  mkdirSync(join(experiments, '98-none'));
  writeTsv(join(experiments, '99-own', 'claims.tsv'), columns, [own]);
  assert.ok(ofSources.length > 30);
  assert.deepEqual(Object.keys(ofSources[0]), columns);
  assert.deepEqual(readClaims().slice(ofSources.length), [own]);
  assert.deepEqual(listClaimTables().map(({ name }) => name), ['claims.tsv', '99-own/claims.tsv']);
});

test('claims.tsv is made of claims.md: write it anew with make thesis-results', () => {
  assert.deepEqual(readTsv(CLAIMS), listClaims(readFileSync(CLAIMS.replace(/tsv$/, 'md'), 'utf8')));
});

test('a claim has the source of its letter, and "-" where its source has no sections', () => {
  const markdown = '| letter | source |\n| --- | --- |\n| T | a thesis |\n\n## T\n\n| id | claim | published | criterion |\n| --- | --- | --- | --- |\n| T7a | `a` is slower | 2 | above 1 |\n';
  assert.deepEqual(listClaims(markdown), [{ claim: 'T7a', source: 'a thesis', section: '-', words: '`a` is slower', published: '2', criterion: 'above 1' }]);
});

test('every problem of a table of claims is told, with its line', () => {
  const path = join(experiments, '99-own', 'claims.tsv');
  const header = 'claim\tsource\tsection\twords\tpublished\tcriterion\n';
  const problemsOf = (/** @type {string} */ text) => {
    writeFileSync(path, text);
    try {
      readClaims();
      return [];
    } catch (error) {
      return /** @type {any} */ (error).problems;
    }
  };
  assert.deepEqual(problemsOf(`${header}X1\ta\t2\tw\tp\tc\n`), []);
  assert.deepEqual(problemsOf(`${header}__proto__\ta\t2\tw\tp\tc\nX2\ta\t2\tw\tp\nX3\ta\t2\t \t\u001b[2J\tc\nT1\ta\t2\tw\tp\tc\n`), [
    'experiments/99-own/claims.tsv:2: claim: "__proto__" is not an id (A to Z, then digits, such as "T1"); correct it',
    'experiments/99-own/claims.tsv:3: has 5 cells between tabs, not 6; write claim, source, section, words, published, criterion',
    'experiments/99-own/claims.tsv:4: words: " " is not a text of one line; write one',
    'experiments/99-own/claims.tsv:4: published: "\\u001b[2J" is not a text of one line; write one',
    'experiments/*/claims.tsv: "T1" is the id of two claims; give one of them another',
  ]);
  assert.match(problemsOf('id\twords\n')[0], /^experiments\/99-own\/claims\.tsv:1: "id\\twords" is not its header; write claim, source, /);
});
