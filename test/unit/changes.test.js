/** How a new result of record lists verdicts that differ from those of the previous one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../harness/common/places.js';
import { readRun } from '../../harness/records/sources.js';
import { listChanges } from '../../report/changes.js';

const RUN = readRun(recordOf('11-websocket-vs-tcp'));
const [FIRST] = RUN.claims.filter(({ verdict }) => verdict === 'reproduced');

/**
 * @param {Partial<import('../../analysis/claims/summary.js').ClaimVerdict>} claim
 * @param {object} [row] changes of all its rows @returns {any} the run with these changes
 */
const changed = (claim, row = {}) => {
  const isOf = (/** @type {{claim: string, era: string}} */ each) => each.claim === FIRST.claim && each.era === FIRST.era;
  return {
    ...RUN, claims: RUN.claims.map((each) => (isOf(each) ? { ...each, ...claim } : each)),
    verdicts: RUN.verdicts.map((each) => (isOf(each) ? { ...each, ...row } : each)),
  };
};

/** @param {any} before @returns {string | undefined} the first verdict that changed, and why */
const whyOf = (before) => listChanges(before, RUN).map(({ claim, was, is, why }) => `${claim} ${was} > ${is}: ${why}`)[0];

test('a verdict that stays is no change', () => {
  assert.deepEqual(listChanges(RUN, RUN), []);
});

test('a verdict that changed has its number before and now, and the reason', () => {
  const { claim, found } = FIRST;
  assert.equal(whyOf(changed({ verdict: 'inconclusive' })), `${claim} inconclusive > reproduced: measured anew`);
  assert.equal(whyOf(changed({ verdict: 'not run' })), `${claim} not run > reproduced: it was not run before`);
  assert.equal(whyOf(changed({ verdict: 'inconclusive' }, { criterion: '>9' })), `${claim} inconclusive > reproduced: its rows or its criterion are others`);
  assert.match(String(whyOf(changed({ verdict: 'inconclusive', found: `computed (by a law); ${found}` }))), /: found another way: .+, before .*computed/);
  const [row] = listChanges(changed({ verdict: 'inconclusive' }), RUN);
  assert.match(row.is_number, /^[\d.]+ \[[\d.]+, [\d.]+\]$/);
  assert.equal(row.of, RUN.spec.began.slice(0, 10));
});
