import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareText } from '../../harness/check/same-numbers.js';
import { countVerdicts, describeClaims, placeCriterion } from '../../report/html/claim-answers.js';
import { squeeze, toAddress } from '../../report/html/experiments.js';
import { makeScale, placeEstimate } from '../../report/html/scale.js';

test('a scale shows all of its values, by logarithms where they are far apart and above 0', () => {
  const near = makeScale([1, 2]);
  assert.equal(near.toPercent(1.5), 50);
  const far = makeScale([0.01, 1, 100]);
  assert.equal(far.toPercent(1), 50);
  assert.ok(far.toPercent(0.01) > 0 && far.toPercent(100) < 100);
  assert.equal(far.toPercent(-1), 0, 'what has no logarithm lies at the left end');
  const below = makeScale([-100, 0, 100]);
  assert.equal(below.toPercent(0), 50);
});

test('a scale of one value, of none, and of what is not known has a middle all the same', () => {
  assert.equal(makeScale([7, 7]).toPercent(7), 50);
  for (const values of [[], [null], [NaN]]) assert.ok(Number.isFinite(makeScale(values).toPercent(0.5)));
});

test('where a criterion holds is shaded on its side', () => {
  const scale = makeScale([0, 2]);
  assert.deepEqual(placeCriterion('>1', scale), { left: 50, width: 50, marks: [{ at: 50, text: '1' }] });
  assert.deepEqual(placeCriterion('<1', scale), { left: 0, width: 50, marks: [{ at: 50, text: '1' }] });
  assert.equal(placeCriterion('reaches 1', scale).width, 50);
  const { left, width, marks } = placeCriterion('0.5..1.5', scale);
  assert.deepEqual([left + width, marks.map(({ text }) => text)], [scale.toPercent(1.5), ['0.5', '1.5']]);
  assert.deepEqual(placeCriterion('holds 1 within 0.1', scale), { left: 50, width: 0, marks: [{ at: 50, text: '1' }] });
});

test('an estimate lies where its numbers do; without an interval it is a point, without a mean it is nothing', () => {
  const scale = makeScale([0, 2]);
  const [left, right] = [0, 2].map(scale.toPercent);
  assert.deepEqual(placeEstimate({ mean: 1, low: 0, high: 2 }, scale), { mean: 50, left, width: right - left });
  assert.deepEqual(placeEstimate({ mean: 1, low: null, high: null }, scale), { mean: 50, left: 50, width: 0 });
  assert.equal(placeEstimate({ mean: null, low: null, high: null }, scale), undefined);
});

const ROW = { claim: 'T4', workload: 'listed', setting: '-', metric: 'cost', of: 'a', to: 'b', criterion: '>1', n: 6, mean: 2, low: 1.5, high: 2.5, p: 0.01 };
const judged = (/** @type {string} */ era, /** @type {string} */ verdict) => ({ claim: 'T4', era, verdict, must_hold: 'all', rows: 1, words: { [verdict]: 1 } });
const source = (/** @type {string} */ verdict) => /** @type {any} */ ({ name: 'x', from: 'x', runs: [{
  experiment: '03-x', claims: [judged('2014', verdict), judged('today', 'reproduced')], verdicts: [{ ...ROW, era: '2014', verdict }, { ...ROW, era: 'today', verdict: 'reproduced' }],
}] });

test('claims that were judged are described by era, and those that no run judges are left out', () => {
  const claims = describeClaims([source('inconclusive')]);
  assert.deepEqual(claims.map(({ id, eras }) => [id, eras.length]), [['T4', 2]]);
  const [{ sides: [side] }] = claims[0].eras;
  assert.equal(side.badge.word, 'inconclusive');
  assert.equal(side.groups[0].rows[0].value, '2 [1.5, 2.5]');
  assert.deepEqual(countVerdicts(claims, 0).map(({ word, count }) => [word, count]), [['reproduced', 1], ['inconclusive', 1]]);
});

test('of two sources it is reported where they differ', () => {
  const [{ eras }] = describeClaims([source('inconclusive'), source('reproduced')]);
  assert.deepEqual(eras.map((/** @type {any} */ { differs }) => differs), [true, false]);
});

test('a table is squeezed to each of its words once', () => {
  assert.deepEqual(squeeze([{ a: 'x', b: 'y', c: '1' }, { a: 'x', b: 'x', c: '2' }], ['a', 'b']), { names: ['a', 'b'], columns: [[0, 0], [1, 0]], words: ['x', 'y'] });
});

test('an SVG becomes an address that an attribute can hold', () => {
  const address = toAddress('<?xml version="1.0"?>\n<svg fill="#fff">\n<text>50 % &amp; more</text>\n</svg>');
  assert.equal(address, "data:image/svg+xml;charset=utf-8,<svg fill='%23fff'><text>50 %25 %26amp; more</text></svg>");
  assert.ok(decodeURIComponent(address.split(',')[1]).includes('50 % &amp; more'));
});

test('two texts are compared cell by cell, and what differs is reported with how far', () => {
  const table = 'name\tvalue\na\t1.5\nb\t-\n';
  assert.deepEqual(compareText('t.tsv', table, table), { numbers: 1, differing: [] });
  assert.deepEqual(compareText('t.tsv', table, table.replace('1.5', '1.503')).differing, ['t.tsv:2: 1.503, was 1.5 (0.20 %)']);
  assert.deepEqual(compareText('t.tsv', table, 'name\tvalue\n').differing, ['t.tsv: 1 lines, there were 3']);
  assert.deepEqual(compareText('t.tsv', table, undefined).differing, ['t.tsv: is not made any more']);
  assert.deepEqual(compareText('t.tsv', undefined, table).differing, ['t.tsv: is new']);
  assert.deepEqual(compareText('t.tsv', table, 'name\terror\tvalue\na\t7\t1.5\nb\t7\t-\n').differing, [], 'a column that came later');
  const json = JSON.stringify({ verdicts: [{ p: 0.01 }] }, null, 2);
  assert.deepEqual(compareText('v.json', json, JSON.stringify({ verdicts: [{ p: 0.01, error: 2 }] }, null, 2)).differing, []);
  assert.deepEqual(compareText('v.json', json, json.replace('0.01', '0.02')).differing, ['v.json:4: "p": 0.02, was "p": 0.01']);
  assert.equal(compareText('v.json', 'not JSON', json).differing.length, 1);
});
