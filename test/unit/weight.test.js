/** What a clone weighs without its history: a figure in every format, or a table of every second, would be most of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** Of the files themselves; an experiment is some half a MB of it, and the tests a sixth of all. */
const MOST_B = 20e6;
/** Of the raw captures of one block of each result of record. */
const CAPTURES_MOST_B = 6e6;

const { status, stdout } = spawnSync('git', ['-C', ROOT, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const skip = status === 0 ? false : 'this is no checkout';

const names = stdout.split('\0').filter((name) => name && existsSync(join(ROOT, name)));

/** What a browser showed, of which the figure of that experiment is made. */
const MEASURED = /^records\/[^/]+\/[^/]+\/reduced\/(live|end)-[^/]+\.png$/;
/** Of pages, taken by a browser. */
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

test('the files of the checkout are under 20 MB', { skip }, () => {
  const sizes = names.map((name) => ({ name, size_b: lstatSync(join(ROOT, name)).size })).sort((a, b) => b.size_b - a.size_b);
  const total_b = weigh(names);
  const largest = sizes.slice(0, 10).map(({ name, size_b }) => `${size_b} ${name}`).join('\n');
  assert.ok(total_b < MOST_B, `it weighs ${total_b} bytes; keep less of what can be made again. The largest files:\n${largest}`);
});
