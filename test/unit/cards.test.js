/** What a card says beside its verdict. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeNumber, findNeed } from '../../report/cards.js';

/** @param {string[]} needs @returns {any[]} inconclusive rows that need so much */
const rowsOf = (...needs) => needs.map((decided_by) => ({ verdict: 'inconclusive', decided_by }));

test('where all rows must hold, a claim needs what the row needs that needs the most', () => {
  const [few, many, most] = ['4 trials', '12 trials', 'more than 100 trials: the one is 0.9 to 1.1 times the other'];
  const needOf = (/** @type {any[]} */ rows) => findNeed({ must_hold: 'all' }, rows[0], rows);
  assert.equal(needOf(rowsOf(few, many)), `to decide all rows: ${many}`);
  assert.equal(needOf(rowsOf(few, most)), 'to decide all rows: more than 100 trials', 'without the numbers of a row that is not shown');
  assert.equal(needOf(rowsOf(most, few)), 'to decide it: more than 100 trials', 'nor with those that stand beside it');
  const none = 'some trials reach it, some do not: more do not decide it';
  assert.equal(needOf(rowsOf(many, none)), `to decide all rows: ${none}`);
  assert.equal(needOf([...rowsOf(few), { verdict: 'reproduced' }]), `to decide it: ${few}`);
});

test('where one of several rows is enough, a claim needs what the shown row needs', () => {
  const rows = rowsOf('4 trials', '12 trials');
  assert.equal(findNeed({ must_hold: 'any' }, rows[0], rows), 'to decide it: 4 trials');
});

test('a number has its interval, with its level if that is not 95 %, or the range of the trials', () => {
  const tell = (/** @type {any} */ cells) => describeNumber({ criterion: '>1', n: 6, mean: 2.351, low: 2.1, high: 2.6, ...cells });
  assert.equal(tell({}), '2.35 [2.1, 2.6]');
  assert.equal(tell({ level: 0.975 }), '2.35 [2.1, 2.6] at 97.5 %');
  assert.equal(tell({ scale: 'range' }), '2.35 (all trials: 2.1 to 2.6)');
  assert.equal(tell({ n: 1, low: null, high: null }), '2.35 (one trial)');
  assert.equal(tell({ mean: null }), '-');
});

test('a number that rounds to its criterion, but is not it, has the digits that tell them apart', () => {
  const tell = (/** @type {number} */ low) => describeNumber(/** @type {any} */ ({ criterion: 'reaches 1', n: 3, mean: 1, low, high: 1, scale: 'range' }));
  assert.equal(tell(1), '1 (all trials: 1 to 1)');
  assert.equal(tell(0.99962), '1 (all trials: 0.9996 to 1)');
});
