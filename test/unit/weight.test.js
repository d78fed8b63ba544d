/** The size of a clone without its history. Figures in every format, or tables by the second, would be most of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** All files. The record of an experiment takes about 0.7 MB, and all tests a sixth of the total. */
const MOST_B = 20e6;
/** Raw captures: records keep those of one block. */
const CAPTURES_MOST_B = 6e6;

const { status, stdout } = spawnSync('git', ['-C', ROOT, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const skip = status === 0 ? false : 'this is no checkout';

const names = stdout.split('\0').filter((name) => name && existsSync(join(ROOT, name)));

/** Screenshots of a measured browser, which a figure of its experiment shows. */
const MEASURED = /^records\/[^/]+\/[^/]+\/reduced\/(live|end)-[^/]+\.png$/;
/** Screenshots for the README. */
const SHOWN = /^docs\/pictures\/(live|report)\.png$/;

test('figures are in the tree as SVG and text: no picture of dots, but screenshots that were measured, and those that README shows', { skip }, () => {
  assert.deepEqual(names.filter((name) => /\.(png|pdf|jpe?g|gif|webp)$/i.test(name) && !MEASURED.test(name) && !SHOWN.test(name)), []);
});

/** @param {string[]} some @returns {number} */
const weigh = (some) => some.reduce((sum, name) => sum + lstatSync(join(ROOT, name)).size, 0);

test('the captures that records keep are under 6 MB', { skip }, () => {
  const total_b = weigh(names.filter((name) => /^records\/.*\/captures\.tar\.xz$/.test(name)));
  assert.ok(total_b < CAPTURES_MOST_B, `they weigh ${total_b} bytes`);
});

test('all Markdown is under 300 kB, and the changelog under 8', { skip }, () => {
  const total_b = weigh(names.filter((name) => name.endsWith('.md')));
  assert.ok(total_b < 300e3, `Markdown weighs ${total_b} bytes; where a sentence can go, let it go`);
  assert.ok(weigh(['CHANGELOG.md']) < 8e3);
});

test('the files of the checkout are under 20 MB', { skip }, () => {
  const sizes = names.map((name) => ({ name, size_b: lstatSync(join(ROOT, name)).size })).sort((a, b) => b.size_b - a.size_b);
  const total_b = weigh(names);
  const largest = sizes.slice(0, 10).map(({ name, size_b }) => `${size_b} ${name}`).join('\n');
  assert.ok(total_b < MOST_B, `it weighs ${total_b} bytes; keep less of what can be made again. The largest files:\n${largest}`);
});
