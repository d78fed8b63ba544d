import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from '../../report/figures/layout.js';
import { SERIES } from '../../report/figures/looks.js';

/**
 * @param {[low: number, high: number][]} intervals of a series each, at 1 and at 9 @param {number} [at] one of these
 * @param {number} [to] end of the axis @returns {number[]} where they are drawn
 */
function placeIntervals(intervals, at = 1, to = undefined) {
  const series = intervals.map(([y_low, y_high], index) => (
    { look: SERIES[index], words: String(index), layers: ['upright', 'mark'], marks: [1, 9].map((x) => ({ x, y: (y_low + y_high) / 2, y_low, y_high })) }));
  const panel = { head: '', x: { title: '', to }, y: { title: '' }, height: 100, series };
  const [{ panel: placed }] = layOut(/** @type {any} */ ({ panels: [panel], columns: 1, key: [] }), { title: '', caption: [] }).panels;
  return placed.series.map(({ marks }) => marks[[1, 9].indexOf(at)].x);
}

test('where an interval would hide part of another, series stand beside each other; else each stands at its place', () => {
  assert.deepEqual(placeIntervals([[1, 2], [3, 4]]), [1, 1]);
  const [first, second, third] = placeIntervals([[1, 3], [2, 4], [5, 6]]);
  assert.ok(first < second && second < third, `${first}, ${second}, ${third}`);
  assert.equal(second.toFixed(9), '1.000000000');
});

test('what lies beyond the axis stays there, and is not drawn at its end', () => {
  assert.deepEqual(placeIntervals([[1, 3], [2, 4]], 9, 8), [9, 9]);
});
