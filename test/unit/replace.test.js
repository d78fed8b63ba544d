/** Which flagged trials are rerun, and how often. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openBundle } from '../../harness/common/bundle.js';
import { writeJson, writeTsv } from '../../harness/common/files.js';
import { PLAN_COLUMNS, asPlanned, estimateTrialS, makePlan } from '../../harness/plan/plan.js';
import { placeRepeated, replaceFlagged } from '../../harness/run/replace.js';
import { findExperiment, makeSpec } from '../../harness/spec/spec.js';

const folder = mkdtempSync(join(tmpdir(), 'replace-test-'));
after(() => rmSync(folder, { recursive: true }));
let made = 0;

/** @returns {string} a bundle of three trials: a tenth of its plan is less than one trial */
function makeBundle() {
  const spec = makeSpec(findExperiment('3'), 'quick', 1);
  const bundle = join(folder, String(++made));
  mkdirSync(join(bundle, 'trials'), { recursive: true });
  writeJson(join(bundle, 'spec.json'), { form: 2, ...spec, environment: {} });
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, makePlan(spec).slice(0, 3));
  return bundle;
}

/** @param {string} bundle @returns {import('../../harness/plan/plan.js').Planned} the last of its plan */
const lastOf = (bundle) => asPlanned(/** @type {any} */ (openBundle(bundle).plan.at(-1)));

/** @param {string} bundle @param {string} trial @param {string[]} flags */
function flag(bundle, trial, flags) {
  mkdirSync(join(bundle, 'trials', trial));
  writeTsv(join(bundle, 'trials', trial, 'validity.tsv'), ['rule', 'passed', 'severity'],
    flags.map((rule) => ({ rule, passed: 'no', severity: 'flag' })));
}

/**
 * @param {string} bundle @param {number} trials
 * @returns {number} time of so many of its trials and half of another, s
 */
const enoughFor = (bundle, trials) => (trials + 0.5) * estimateTrialS(openBundle(bundle).spec, lastOf(bundle));

test('a trial that the machine disturbed is run again until it stands, as long as there is patience', () => {
  const bundle = makeBundle();
  const patience_s = enoughFor(bundle, 2);
  const first = lastOf(bundle);
  flag(bundle, first.trial, ['steal', 'foreign-cpu']);
  const again = replaceFlagged(bundle, first, patience_s);
  assert.equal(again?.trial, `${first.trial}-again`);
  assert.deepEqual([again?.block, again?.engine], [first.block, first.engine]);
  flag(bundle, again.trial, ['steal']);
  const third = replaceFlagged(bundle, again, patience_s);
  assert.equal(third?.trial, `${first.trial}-again2`);
  assert.equal(lastOf(bundle).trial, third.trial);
  flag(bundle, third.trial, ['steal']);
  assert.equal(replaceFlagged(bundle, third, patience_s), undefined, 'two trials of patience, and a third');
  assert.equal(replaceFlagged(bundle, first, patience_s), undefined, 'it has its replacement');
});

test('what is run again comes behind its block, and of a duet directly after its pair', () => {
  const todo = /** @type {any[]} */ ([1, 1, 1, 2, 2].map((block) => ({ block })));
  assert.deepEqual([0, 2, 3, 4].map((index) => placeRepeated(todo, index, false)), [3, 3, 5, 5]);
  assert.equal(placeRepeated(todo, 1, true), 2);
});

test('without patience no more than a tenth of a plan is run again', () => {
  const bundle = makeBundle();
  flag(bundle, lastOf(bundle).trial, ['steal']);
  assert.equal(replaceFlagged(bundle, lastOf(bundle)), undefined);
});

test('a trial that its own load spoiled is not run again out of patience', () => {
  const bundle = makeBundle();
  flag(bundle, lastOf(bundle).trial, ['steal', 'generator-cpu']);
  assert.equal(replaceFlagged(bundle, lastOf(bundle), enoughFor(bundle, 9)), undefined);
});

test('a trial without a flag is not run again', () => {
  const bundle = makeBundle();
  flag(bundle, lastOf(bundle).trial, []);
  assert.equal(replaceFlagged(bundle, lastOf(bundle), enoughFor(bundle, 9)), undefined);
});
