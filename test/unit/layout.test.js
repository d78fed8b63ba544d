import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const LAYOUT = 'plots/layout.gp';

/** @param {string} script @returns {string[]} where it asks whether a picture or a text is drawn */
const findQuestions = (script) => script.replaceAll(/(?<=^|\s)#.*$/gm, '').match(/\bis_text\b|\bformat (?:eq|ne)\b|\bset term\w*/g) ?? [];

test('only the layout knows whether a picture or a text is drawn', () => {
  const scripts = globSync(['plots/*.gp', 'experiments/*/*.gp'], { cwd: ROOT });
  assert.ok(scripts.length > 60, `${scripts.length} scripts`);
  const asking = scripts.filter((path) => findQuestions(readFileSync(join(ROOT, path), 'utf8')).length > 0);
  assert.deepEqual(asking, [LAYOUT]);
});

test('a script that asks what is drawn is found, a comment that speaks of it is not', () => {
  assert.deepEqual(findQuestions('left = is_text ? 7 : 58'), ['is_text']);
  assert.deepEqual(findQuestions('if (format eq "svg") { set terminal svg }'), ['format eq', 'set terminal']);
  assert.deepEqual(findQuestions('left = wide(7, 58)   # is_text'), []);
});
