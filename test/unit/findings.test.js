/** Findings, written by hand for a record, are short, and each number in them is in its tables. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkNumbers, listNumbers, listUnheld } from '../../report/finding-numbers.js';
import { listSentences, readFindings } from '../../report/findings.js';
import { writeTsv } from '../../harness/common/files.js';
import { figuresOf, recordOf } from '../../harness/common/places.js';
import { listRecorded, readJudging } from '../../harness/records/sources.js';

for (const experiment of listRecorded()) {
  test(`findings of ${experiment}: of claims that it judges, at most three sentences each, and figures that there are`, () => {
    const { claims, words: _words, ...others } = readFindings(experiment);
    const judged = readJudging(experiment).claims.map(({ claim }) => claim);
    assert.deepEqual(Object.keys(claims).sort(), [...new Set(judged)].sort());
    const isThere = (/** @type {string} */ figure) => /** @type {const} */ (['default', 'paper']).some((profile) =>
      ['svg', 'txt'].some((ending) => existsSync(join(figuresOf(recordOf(experiment, profile)), `${figure}.${ending}`))));
    const missing = Object.entries({ ...claims, ...others }).filter(([, { figure }]) => figure && !isThere(figure));
    assert.deepEqual(missing, []);
  });

  test(`cards of ${experiment}: a figure where something was measured, and words for each metric`, () => {
    const { claims, words = {} } = readFindings(experiment);
    const { verdicts } = readJudging(experiment);
    const measured = new Set(verdicts.filter(({ n }) => n > 0).map(({ claim }) => claim));
    assert.deepEqual([...measured].filter((claim) => !claims[claim].figure), []);
    const metrics = new Set(verdicts.flatMap(({ metric, to_metric = metric }) => [metric, to_metric]));
    assert.deepEqual([...metrics].filter((metric) => metric !== '-' && !(metric in words)), []);
  });

  test(`findings of ${experiment}: every number is in a row, figure or table that belongs to it`, () => {
    assert.deepEqual(checkNumbers(readJudging(experiment), readFindings(experiment)), []);
  });
}

test('a number is found in words, and none in a name, a version, code or a link', () => {
  const text = 'ws 8.23.0 of T4 took 1,024 B and 12.5 % (2.43 [2.30, 2.57]), `x=9`, [figure 3](a/7.svg), -0.5 and 2+2+1.';
  assert.deepEqual(listNumbers(text), ['1,024', '12.5', '2.43', '2.30', '2.57', '3', '-0.5']);
});

test('a number may come from the rows of its claim, the load, or a source that it names, but from no other row or table', () => {
  const reduced = mkdtempSync(join(tmpdir(), 'numbers-test-'));
  writeTsv(join(reduced, 'points.tsv'), ['metric', 'mean'], [{ metric: 'rate', mean: 6061.82 }, { metric: 'other', mean: 7.77 }]);
  writeTsv(join(reduced, 'knees.tsv'), ['at'], [{ at: 8.88 }]);
  const row = { claim: 'T4', era: '2014', of: 'a', to: '-', n: 6, mean: 2.4321, low: 2.1, high: 2.8 };
  const spec = { phases: { connections: 600 }, engines: {}, environment: { cores: 2 } };
  const run = /** @type {any} */ ({ experiment: 'none', reduced, verdicts: [row, { ...row, claim: 'T5', mean: 9.991 }], spec });
  const unheld = (/** @type {string} */ text, /** @type {string[]} */ from) => listUnheld(run, 'T4', { text, from });
  assert.deepEqual(unheld('2.43 [2.1, 2.8] of 600 connections, 243 % in 6 trials.', []), []);
  assert.deepEqual(unheld('6,060 a second or 6.06 thousand, and 8.88.', ['rate', 'knees']), []);
  assert.deepEqual(unheld('8.88.', ['knees at=8.88']), []);
  assert.deepEqual(unheld('2,432 [2,100, 2,800] ms.', []), []);
  assert.deepEqual(unheld('8.88.', ['knees at=9']), ['8.88']);
  assert.deepEqual(unheld('243 ms, 2,430 s, 2.43 thousand; 2.1 to 2,800 ms is held.', []), ['243', '2,430', '2.43']);
  assert.deepEqual(unheld('2.44, not 7.77, 9.99, 6,060 nor 8.88.', []), ['2.44', '7.77', '9.99', '6,060', '8.88']);
  rmSync(reduced, { recursive: true });
});

test('sentences are counted by their ends, not by the points of numbers and names', () => {
  assert.equal(listSentences('It took 2.43 s with engine.io 6.6. The other took `b`. Why? Nobody knows.').length, 4);
});
