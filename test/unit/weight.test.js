/** What a clone weighs without its history: a figure in every format, or a table of every second, would be most of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** Of the files themselves; an experiment is some half a MB of it. */
const MOST_B = 12e6;

const { status, stdout } = spawnSync('git', ['-C', ROOT, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const skip = status === 0 ? false : 'this is no checkout';

test('the files of the checkout are under 12 MB', { skip }, () => {
  const sizes = stdout.split('\0').filter((name) => name && existsSync(join(ROOT, name)))
    .map((name) => ({ name, size_b: lstatSync(join(ROOT, name)).size })).sort((a, b) => b.size_b - a.size_b);
  const total_b = sizes.reduce((sum, { size_b }) => sum + size_b, 0);
  const largest = sizes.slice(0, 10).map(({ name, size_b }) => `${size_b} ${name}`).join('\n');
  assert.ok(total_b < MOST_B, `it weighs ${total_b} bytes; keep less of what can be made again. The largest files:\n${largest}`);
});
