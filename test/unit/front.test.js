/** What a stranger reads first: findings of record, each a sentence, a number with its interval, and a figure. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { renderItem } from '../../report/front.js';
import { listRecorded } from '../../harness/records/sources.js';

/** @param {string} item @returns {string[]} what it lacks */
function findLacking(item) {
  const parts = { 'a sentence of what was found': /^\*\*[^*]+\.\*\*/, 'a number with its interval': /\d \[\d[\d.]*, \d[\d.]*\]/, 'a link': /\]\(experiments\// };
  const [, figure] = /!\[[^\]]+\]\((records\/[^)]+\.svg)\)$/.exec(item) ?? [];
  const isThere = figure !== undefined && existsSync(join(ROOT, figure));
  return [...Object.entries(parts).filter(([, pattern]) => !pattern.test(item)).map(([what]) => what), ...(isThere ? [] : ['a figure'])];
}

test('the README shows three findings at most, each a sentence with a number, its interval and a figure', () => {
  const items = listRecorded().map(renderItem).filter(Boolean);
  assert.ok(items.length <= 3, `${items.length} findings`);
  for (const item of items) assert.deepEqual(findLacking(item), [], item);
});

test('a finding that lacks its interval or its figure is found', () => {
  const link = '([experiment 1](experiments/01/README.md))';
  assert.deepEqual(findLacking(`**It is so.** It takes 2.1 [1.9, 2.3] s.\n${link}\n\n![what](records/03-engineio-vs-socketcluster/default/figures/mix.svg)`), []);
  assert.deepEqual(findLacking(`**It is so.** It takes 2.1 s.\n${link}\n\n![what](records/none.svg)`), ['a number with its interval', 'a figure']);
});

test('no line of the README is longer than 120 characters, its tables included', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n');
  assert.deepEqual(lines.filter((line) => line.length > 120), []);
});
