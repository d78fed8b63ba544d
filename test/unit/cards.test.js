/** What a card says beside its verdict. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNeed } from '../../report/cards.js';

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
