/** `make rank` where trials are flagged: those of some engines, and all of them. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { unpack } from '../../harness/common/archive.js';
import { readTsv, writeTsv } from '../../harness/common/files.js';
import { rankEngines } from '../../harness/show/rank.js';

const SAMPLE = join(import.meta.dirname, '../../experiments/16-engines');

/** @param {(row: Record<string, string>) => boolean} isLeft in trials and steps; what is not is flagged @returns {string} a run */
function makeRun(isLeft) {
  const folder = mkdtempSync(join(tmpdir(), 'rank-test-'));
  after(() => rmSync(folder, { recursive: true }));
  unpack(join(SAMPLE, 'sample.tar.gz'), folder);
  const reduced = join(folder, 'reduced');
  cpSync(join(SAMPLE, 'expected', 'reduced'), reduced, { recursive: true });
  const write = (/** @type {string} */ name, /** @type {Record<string, string>[]} */ rows, /** @type {string[]} */ columns) =>
    writeTsv(join(reduced, `${name}.tsv`), columns, rows);
  const flagged = readTsv(join(reduced, 'trials.tsv')).filter((row) => !isLeft(row));
  for (const name of ['trials', 'steps']) {
    const rows = readTsv(join(reduced, `${name}.tsv`));
    write(name, rows.filter(isLeft), Object.keys(rows[0]));
  }
  write('flagged', flagged, Object.keys(flagged[0]));
  const trials = [...new Set(flagged.map(({ trial }) => trial))];
  write('dropped', trials.map((trial) => ({ trial, reason: 'foreign-cpu', value: '0.2', bound: '0.05' })), ['trial', 'reason', 'value', 'bound']);
  return folder;
}

test('an engine whose trials are all flagged is named below the ranks, and the others are ranked', () => {
  const told = rankEngines(makeRun(({ engine }) => engine !== 'gorilla'), '1000');
  assert.match(told, /^- +ws /m);
  assert.match(told, /\nNot ranked, since a rule flagged each of their trials \(reduced\/dropped\.tsv\): gorilla\.$/);
});

test('where every trial is flagged one line says so, why, and what to do', () => {
  const run = makeRun(() => false);
  assert.throws(() => rankEngines(run, '1000'), (/** @type {Error} */ { message }) => {
    assert.match(message, /: no trial of a sweep stands \(\d+ left out: foreign-cpu\), so nothing can be ranked; .+; run again$/);
    assert.ok(!message.includes('\n'));
    return true;
  });
});
