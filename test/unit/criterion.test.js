/** The text of a criterion, and where an interval lies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCriterion, nameCriterion, parseCriterion, placeInterval, violatedBounds } from '../../analysis/points/criterion.js';

/** @type {{claim: object, text: string, words: string, inside: [number, number], across: [number, number], outside: [number, number]}[]} */
const CASES = [
  { claim: { above: 1 }, text: '>1', words: 'above 1', inside: [1.1, 2], across: [1, 2], outside: [0.5, 0.9] },
  { claim: { below: 0.05 }, text: '<0.05', words: 'below 0.05', inside: [0, 0.04], across: [0.01, 0.05], outside: [0.06, 1] },
  { claim: { between: [0.4, 0.6] }, text: '0.4..0.6', words: '0.4 to 0.6', inside: [0.41, 0.59], across: [0.5, 0.7], outside: [0.61, 0.7] },
  { claim: { reaches: 1 }, text: 'reaches 1', words: 'reaches 1', inside: [1, 1], across: [0.5, 1], outside: [0.5, 0.9] },
  { claim: { holds: [0, 0.1] }, text: 'holds 0 within 0.1', words: 'holds 0 within 0.1', inside: [-0.1, 0.1], across: [-0.2, 0.1], outside: [0.01, 0.02] },
];

for (const { claim, text, words, ...ends } of CASES) {
  test(`"${text}" is what a claim asks, in words "${words}", and an interval lies inside, across or outside`, () => {
    assert.equal(formatCriterion(/** @type {any} */ (claim)), text);
    assert.equal(nameCriterion(text), words);
    for (const [place, [low, high]] of Object.entries(ends)) assert.equal(placeInterval(parseCriterion(text), low, high), place);
  });
}

test('an interval without an end lies inside a range that has none there', () => {
  const ends = /** @type {[string, number, number][]} */ (
    [['>1', 2, Infinity], ['<1', -Infinity, 0.5], ['>1', -Infinity, 2], ['0.4..0.6', 0.5, Infinity]]);
  const places = ends.map(([text, low, high]) => placeInterval(parseCriterion(text), low, high));
  assert.deepEqual(places, ['inside', 'inside', 'across', 'across']);
});

test('a mean on a bound or beyond it violates that bound alone', () => {
  assert.deepEqual([0.3, 0.4, 0.5, 0.6].map((mean) => violatedBounds(parseCriterion('0.4..0.6'), mean)), [[0.4], [0.4], [], [0.6]]);
  assert.deepEqual([violatedBounds(parseCriterion('>1'), 1), violatedBounds(parseCriterion('<1'), 1), violatedBounds(parseCriterion('<1'), 0.9)], [[1], [1], []]);
});
