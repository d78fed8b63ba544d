/** What a clone weighs without its history: a figure in every format, or a table of every second, would be most of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** As `du` counts; an experiment is some half a MiB of it. */
const MOST_B = 14 * 2 ** 20;
const BLOCK_B = 4096;

const { status, stdout } = spawnSync('git', ['-C', ROOT, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const skip = status === 0 ? false : 'this is no checkout';

/** @param {number[]} sizes_b of files @returns {number} what they take on a disk, in whole blocks */
const weigh = (sizes_b) => sizes_b.reduce((sum, size_b) => sum + Math.ceil(size_b / BLOCK_B) * BLOCK_B, 0);

test('the files of the checkout are under 14 MiB in whole blocks', { skip }, () => {
  const sizes = stdout.split('\0').filter((name) => name && existsSync(join(ROOT, name)))
    .map((name) => ({ name, size_b: lstatSync(join(ROOT, name)).size })).sort((a, b) => b.size_b - a.size_b);
  const total_b = weigh(sizes.map(({ size_b }) => size_b));
  const largest = sizes.slice(0, 10).map(({ name, size_b }) => `${size_b} ${name}`).join('\n');
  assert.ok(total_b < MOST_B, `it weighs ${total_b} bytes; keep less of what can be made again. The largest files:\n${largest}`);
});

test('a file of a byte weighs a block, and many small ones may weigh too much', () => {
  assert.deepEqual([weigh([0]), weigh([1]), weigh([4096, 4097])], [0, 4096, 3 * 4096]);
  assert.ok(weigh(Array(3700).fill(1)) > MOST_B);
});
