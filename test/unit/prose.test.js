import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { fillParagraphs, wrapWords } from '../../harness/common/prose.js';

test('a line is broken between its words, and a word that is too long stands alone', () => {
  assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapWords('a-long-word two', 5), ['a-long-word', 'two']);
});

test('each paragraph is filled, its own breaks are not kept', () => {
  assert.equal(fillParagraphs('one\ntwo three\n\nfour five six\n', 9), 'one two\nthree\n\nfour five\nsix\n');
});

test('each item of a list is filled, its lines below its first word', () => {
  assert.equal(fillParagraphs('one two three:\n- four five six\n  seven\n- eight\n', 11), 'one two\nthree:\n- four five\n  six seven\n- eight\n');
  assert.equal(fillParagraphs('1. one two three\n', 10), '1. one two\n   three\n');
});

test('no line is broken before a mark that would begin an item, a heading or a quotation', () => {
  assert.equal(fillParagraphs('eight - nine # ten 3. four > five\n', 8), 'eight -\nnine #\nten 3.\nfour >\nfive\n');
});

test('a table, a heading and code stay as they were', () => {
  const markdown = '# one two three\n\n| one | two |\n| --- | --- |\n\n```sh\none two three\n```\n';
  assert.equal(fillParagraphs(markdown, 5), markdown);
});

/**
 * @param {string} markdown
 * @returns {string[]} lines over 120 characters that could be broken, outside code, tables and headings
 */
function findLong(markdown) {
  const lines = markdown.replaceAll(/^ *```[^]*?^ *```/gm, '').split('\n');
  return lines.filter((line) => line.length > 120 && !/^[|#]/.test(line) && wrapWords(line.trim(), 120).length > 1);
}

/** Folders with Markdown that we did not write: it was installed, built or measured. */
const NOT_OURS = new Set(['node_modules', 'target', 'venv', 'results', 'bin']);

test('committed Markdown keeps its lines within 120 characters', () => {
  const paths = globSync('**/*.md', { cwd: ROOT, exclude: (path) => NOT_OURS.has(basename(path)) });
  assert.ok(paths.length > 60, `${paths.length} files`);
  const long = paths.flatMap((path) => findLong(readFileSync(join(ROOT, path), 'utf8')).map((line) => `${path}: ${line}`));
  assert.deepEqual(long, []);
});

test('a long line is found, but none of a program\'s output, of a table, or of one long word', () => {
  const long = 'word '.repeat(30);
  assert.deepEqual(findLong(`${long}\n`), [long]);
  assert.deepEqual(findLong(`\`\`\`\n${long}\n\`\`\`\n| ${long} |\n# ${long}\n${'https://a.b/'.padEnd(130, 'c')}\n`), []);
});
