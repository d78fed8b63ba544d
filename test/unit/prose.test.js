import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { fillParagraphs, wrapWords } from '../../harness/show/prose.js';

test('a line is broken between its words, and a word that is too long stands alone', () => {
  assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapWords('a-long-word two', 5), ['a-long-word', 'two']);
});

test('each paragraph is filled, its own breaks are not kept', () => {
  assert.equal(fillParagraphs('one\ntwo three\n\nfour five six\n', 9), 'one two\nthree\n\nfour five\nsix\n');
});

test('a table, a heading and a list stay as they were', () => {
  const markdown = '# one two three\n\n| one | two |\n| --- | --- |\n\n- one two\n- three four\n';
  assert.equal(fillParagraphs(markdown, 5), markdown);
});

/** @param {string} markdown @returns {string[]} lines of over 120 characters, save those of code, which are as a program prints them */
const findLong = (markdown) => markdown.replaceAll(/^```[^]*?^```/gm, '').split('\n').filter((line) => line.length > 120);

test('templates of what was found, and the manual of the dashboard, keep their lines within 120 characters', () => {
  const paths = globSync(['experiments/*/{findings,front}.md', 'docs/watch.md'], { cwd: ROOT });
  assert.ok(paths.length > 12, `${paths.length} files`);
  for (const path of paths) assert.deepEqual(findLong(readFileSync(join(ROOT, path), 'utf8')), [], path);
});

test('a long line is found, but none of a program\'s output', () => {
  const long = 'word '.repeat(30);
  assert.deepEqual(findLong(`${long}\n`), [long]);
  assert.deepEqual(findLong(`\`\`\`\n${long}\n\`\`\`\n`), []);
});
