/** What of a figure's data is drawn, and what its text tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from '../../report/figures/layout.js';
import { writeSeries } from '../../report/figures/lines.js';

test('on a logarithmic axis an interval that begins at 0 or below is drawn from the edge', () => {
  const mark = { x: 10, y: 8, x_low: -5, x_high: 100 };
  const look = { colour: '#000000', mark: 7, dash: 1 };
  const drawWhisker = (/** @type {boolean} */ isLog) => {
    const labels = [{ lines: ['a'], at: 8, height: 16, indent: 0, isHeading: false }];
    const panel = { head: '', height: 16, x: { title: 'x', isLog }, y: { title: '' }, labels, series: [{ look, words: '', layers: ['across'], marks: [mark] }] };
    const [placed] = layOut(/** @type {any} */ ({ panels: [panel], key: [], caption: [], text: [] }), { title: 'A', caption: [] }).panels.slice(-1);
    return { low: placed.panel.series[0].marks[0].x_low, from: placed.x.from };
  };
  const { low, from } = drawWhisker(true);
  assert.ok(from > 0 && low === from);
  assert.equal(drawWhisker(false).low, -5);
});

test('the text of a figure thins out each series by itself, and says so', () => {
  const look = { colour: '#000000', mark: 7, dash: 1 };
  const seriesOf = (/** @type {string} */ words, /** @type {number[]} */ places) =>
    ({ look, words, layers: /** @type {any[]} */ (['mark']), marks: places.map((x) => ({ x, y: x })) });
  const text = writeSeries('', 'x', [seriesOf('many', Array.from({ length: 40 }, (_, at) => at)), seriesOf('few', [7, 21, 39])]);
  const few = text.filter((line) => /^(7|21|39) /.test(line)).map((line) => line.trim().split(/ +/)[2]);
  assert.deepEqual(few, ['7.00', '21.0', '39.0']);
  assert.equal(text.at(-1), '(some of the values that are drawn)');
  assert.equal(writeSeries('', 'x', [seriesOf('few', [1, 2])]).length, 4);
});
