/** The table that `make bench-watch` writes, from invented measurements. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PART, tabulate } from '../../harness/check/watch-cost/bench.js';
import { replacePart } from '../../harness/common/marks.js';
import { ROOT } from '../../harness/common/places.js';

test('each who has its mean and interval, for each number of hosts', () => {
  const found = [1, 2, 3].flatMap((percent) => [1, 10].flatMap((hosts) => ['coordinator', 'each agent', 'make watch'].map((who) => (
    { hosts, who, percent: who === 'coordinator' ? percent * hosts : 0.5 }))));
  const [header, rule, one, ten] = tabulate(found).split('\n');
  assert.deepEqual([header, rule], ['| hosts | coordinator | each agent | make watch |', '| --- | --- | --- | --- |']);
  assert.equal(one, '| 1 | 2.00 [-0.48, 4.48] | 0.50 [0.50, 0.50] | 0.50 [0.50, 0.50] |');
  assert.match(ten, /^\| 10 \| 20\.00 \[/);
  assert.match(tabulate(found.slice(0, 3)), /^\| 1 \| 1\.00 \| 0\.50 \| 0\.50 \|$/m, 'no interval of one repeat');
});

test('it is written between the marks of docs/watch.md, and what stands around them stays', () => {
  const page = readFileSync(join(ROOT, 'docs', 'watch.md'), 'utf8');
  const once = replacePart(page, PART, 'first');
  const [before, after] = once.split('\n\nfirst\n\n');
  assert.ok(before.endsWith('<!-- by make bench-watch -->') && page.startsWith(before));
  assert.ok(after.startsWith('<!-- end of by make bench-watch -->') && page.endsWith(after));
  assert.equal(replacePart(replacePart(page, PART, 'other'), PART, 'first'), once);
});
