import { test } from 'node:test';
import assert from 'node:assert/strict';
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
