import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, shuffle } from '../../harness/common/random.js';

/** @param {number} seed @param {number} count */
function draw(seed, count) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
}

test('the same seed gives the same numbers, and another seed others', () => {
  assert.deepEqual(draw(1, 100), draw(1, 100));
  assert.notDeepEqual(draw(1, 100), draw(2, 100));
  assert.notDeepEqual(draw(0, 100), draw(4294967295, 100));
});

test('the numbers are in [0, 1) and evenly spread', () => {
  const tenths = Array(10).fill(0);
  for (const x of draw(3, 100_000)) {
    assert.ok(x >= 0 && x < 1, String(x));
    tenths[Math.floor(x * 10)]++;
  }
  // chi-squared with 9 degrees of freedom: 1 seed in 10,000 exceeds 33.7
  const chi = tenths.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  assert.ok(chi < 33.7, `chi-squared ${chi}`);
});

test('a shuffle keeps every item, leaves its argument alone, and follows the seed', () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  const shuffled = shuffle(items, seededRandom(5));
  assert.deepEqual(items, [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual([...shuffled].sort(), items);
  assert.deepEqual(shuffle(items, seededRandom(5)), shuffled);
  assert.deepEqual(shuffle([], seededRandom(5)), []);
});

test('a shuffle gives every order equally often', () => {
  const random = seededRandom(11);
  /** @type {Record<string, number>} */
  const counts = {};
  for (let draws = 0; draws < 60_000; draws++) {
    const order = shuffle(['a', 'b', 'c'], random).join('');
    counts[order] = (counts[order] ?? 0) + 1;
  }
  assert.equal(Object.keys(counts).length, 6);
  // chi-squared with 5 degrees of freedom: 1 seed in 10,000 exceeds 25.7
  const chi = Object.values(counts).reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  assert.ok(chi < 25.7, JSON.stringify(counts));
});
