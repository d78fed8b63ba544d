/** Every link of a document leads to a file, and to a heading in it. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** Markdown that we did not write: installed, built or measured. */
const NOT_OURS = new Set(['node_modules', 'target', 'venv', 'results', 'bin']);
/** A link in a sentence, or in the list at the end. */
const LINK = /\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm;

/** @param {string} text Markdown @returns {string} without code */
const proseOf = (text) => text.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** @param {string} text Markdown @returns {string[]} the anchors of its headings, as GitHub makes them */
const listAnchors = (text) => [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
  heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));

/** @param {string} path of a document, below the suite's folder @returns {string[]} its links without a target */
function findBroken(path) {
  const links = [...proseOf(readFileSync(join(ROOT, path), 'utf8')).matchAll(LINK)].map(([, inline, listed]) => inline ?? listed);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file, anchor] = link.split('#');
    const target = file ? join(ROOT, path, '..', file) : join(ROOT, path);
    return !existsSync(target) || (anchor !== undefined && target.endsWith('.md') && !listAnchors(readFileSync(target, 'utf8')).includes(anchor));
  });
}

test('every file and every heading that a document links is there', () => {
  const paths = globSync('**/*.md', { cwd: ROOT, exclude: (path) => NOT_OURS.has(basename(path)) });
  assert.ok(paths.length > 60, `${paths.length} files`);
  assert.deepEqual(paths.flatMap((path) => findBroken(path).map((link) => `${path}: ${link}`)), []);
});

test('a heading has the anchor that GitHub gives it, and code has none', () => {
  assert.deepEqual(listAnchors('# A `b`: [c](d), e\n\n```\n# f\n```\n'), ['a-b-c-e']);
});
