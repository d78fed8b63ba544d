import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCpuList } from '../../clients/swarm/bench/cpus.js';
import { LOADS, PAIRED, planRuns } from '../../clients/swarm/bench/plan.js';
import { describeMedian, makeTables } from '../../clients/swarm/bench/report.js';
import { listOtherRows, listRowValues, listShareRows } from '../../clients/swarm/bench/rows.js';

test('every repeat has every load once, its generators next to each other, and an order of its own', () => {
  const plan = planRuns(3, 7, { peers: true });
  const orders = [1, 2, 3].map((repeat) => {
    const loads = plan.filter((run) => run.repeat === repeat).map(({ load }) => load);
    return loads.filter((load, index) => load !== loads[index - 1]);
  });
  for (const order of orders) assert.deepEqual([...order].sort(), Object.keys(LOADS).sort());
  assert.notDeepEqual(orders[0], orders[1]);
  assert.deepEqual(plan, planRuns(3, 7, { peers: true }));
});

test('the paired load has three times as many pairs of swarm and its limit, except where it is measured alone', () => {
  const pairs = (/** @type {string[] | undefined} */ loads) => planRuns(7, 1, { peers: false }, loads)
    .filter(({ load, generator }) => load === PAIRED && generator !== 'tcp' && generator !== 'uws')
    .map(({ repeat, generator }) => `${generator} ${repeat}`);
  assert.deepEqual([pairs(undefined), pairs([PAIRED])].map((all) => new Set(all).size), [2 * 21, 2 * 7]);
});

test('k6 is measured where it is asked for, at one outstanding', () => {
  const loads = planRuns(1, 1, { peers: true }).filter(({ generator }) => generator === 'k6').map(({ load }) => load);
  assert.deepEqual(loads.sort(), ['k1-c100', 'k1-c1000']);
  assert.ok(planRuns(1, 1, { peers: false }).every(({ generator }) => generator !== 'k6'));
});

test('another build of swarm takes turns with this one alone, and nothing is required of the ratio', () => {
  const beside = { peers: false, baseline: '/other/swarm' };
  assert.deepEqual(planRuns(1, 1, beside, ['k1-c100']).map(({ generator }) => generator).sort(), ['baseline', 'ws']);
  const [, ws] = listShareRows(beside).filter(({ of }) => of.startsWith('k1-c100/'));
  assert.deepEqual([ws.of, ws.to, ws.requirement], ['k1-c100/ws/rate_hz', 'k1-c100/baseline/rate_hz', undefined]);
});

test('a share is taken within a repeat, and a repeat that lacks one of the two has none', () => {
  const run = (/** @type {number} */ repeat, /** @type {'limit' | 'ws'} */ generator, /** @type {number} */ rate_hz) =>
    ({ repeat, load: 'k1-c100', generator, values: { rate_hz } });
  const rows = listShareRows({ peers: false }).filter(({ of }) => of === 'k1-c100/ws/rate_hz');
  const values = listRowValues(rows, [run(1, 'limit', 200), run(1, 'ws', 190), run(2, 'limit', 100), run(2, 'ws', 99), run(3, 'ws', 7)]);
  assert.deepEqual(values.map(({ repeat, value }) => [repeat, value]), [[1, 0.95], [2, 0.99]]);
});

test('the bytes of a connection are those beyond a process with one', () => {
  const run = (/** @type {string} */ load, /** @type {number} */ rss_b) => ({ repeat: 1, load, generator: /** @type {const} */ ('ws'), values: { rss_b } });
  const rows = listOtherRows({ peers: false }).filter(({ of }) => of.endsWith('connection_b'));
  assert.deepEqual(listRowValues(rows, [run('idle-one', 1e6), run('idle-many', 1e6 + 14_999 * 800)]).map(({ value }) => value), [800]);
});

test('the median decides what is required, and the report says where the interval holds the bound', () => {
  const results = (/** @type {[string, number, number, number][]} */ shares) => {
    const intervals = new Map(shares.map(([row, low, median, high]) => [row, { n: 7, median, low, high, coverage: 0.984 }]));
    return makeTables(intervals, { peers: false })[0].lines.filter((line) => line[4]).slice(0, 2).map((line) => line[4].split(': ')[1]);
  };
  const [tcp, ws] = ['k1-c100/tcp/rate_hz/limit', 'k1-c100/ws/rate_hz/limit'];
  assert.deepEqual(results([[tcp, 0.95, 0.95, 0.95], [ws, 0.9, 0.9499, 0.9499]]), ['met', 'MISSED']);
  assert.deepEqual(results([[tcp, 0.94, 0.96, 1], [ws, 0.9, 0.94, 0.96]]), ['met by the median', 'MISSED by the median']);
  assert.deepEqual(results([]), ['not measured', 'not measured']);
});

test('lists of CPUs are read as the kernel writes them', () => {
  assert.deepEqual(parseCpuList('0-2,5,7-8\n'), [0, 1, 2, 5, 7, 8]);
  assert.deepEqual(parseCpuList('3'), [3]);
});

/**
 * The rank for a 95 % interval of the median, in exact integers: each value lies above or below the median with equal
 * probability.
 * @param {number} n values
 */
function rankOf(n) {
  const ways = [1n];
  for (let k = 1; k <= n; k++) ways.push((ways[k - 1] * BigInt(n - k + 1)) / BigInt(k));
  let rank = 0;
  for (let below = 0n; rank <= n; rank++) {
    below += ways[rank];
    if (2n * below * 20n > 2n ** BigInt(n)) return rank; // more than one in twenty
  }
  return rank;
}

test('an interval lies between the order statistics that exact arithmetic gives', () => {
  const counts = [6, 9, 12, 20, 40];
  const rising = (/** @type {number} */ n) => Array.from({ length: n }, (_, index) => index + 1);
  assert.deepEqual(counts.map((n) => describeMedian(rising(n)).low), counts.map(rankOf));
  assert.deepEqual([5, 6, 9, 12, 20].map(rankOf), [0, 1, 2, 3, 6]); // as in tables of the sign test
});

test('an interval names what it covers, also where it is but a range', () => {
  const falling = (/** @type {number} */ n) => Array.from({ length: n }, (_, index) => n - index);
  const tell = (/** @type {number} */ n) => Object.entries(describeMedian(falling(n))).map(([name, value]) => (name === 'coverage' ? value.toFixed(3) : value));
  assert.deepEqual([1, 5, 7, 9].map(tell), [[1, 1, 1, 1, '0.000'], [5, 3, 1, 5, '0.938'], [7, 4, 1, 7, '0.984'], [9, 5, 2, 8, '0.961']]);
});
