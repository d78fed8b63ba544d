import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeTsv } from '../../harness/common/files.js';
import { describeBounds, describeDropped } from '../../report/condition.js';
import { describeFlagged, listDisturbed, listDropped } from '../../report/flagged.js';
import { tabulateResult } from '../../report/summary.js';
import { RULES, adviseOn, listLoosened } from '../../analysis/trials/validity.js';

const reduced = mkdtempSync(join(tmpdir(), 'flagged-test-'));
after(() => rmSync(reduced, { recursive: true }));

const COLUMNS = ['engine', 'workload', 'setting', 'metric', 'n', 'mean', 'low', 'high'];
const row = (/** @type {string} */ engine, /** @type {string} */ mean) =>
  ({ engine, workload: 'listed', setting: '-', metric: 'server_cpu_s_per_1k', n: '2', mean, low: '-', high: '-' });
writeTsv(join(reduced, 'points.tsv'), COLUMNS, [row('a', '0.5')]);
writeTsv(join(reduced, 'flagged-points.tsv'), COLUMNS, [row('a', '9'), row('b', '0.25')]);

const SPEC = {
  axes: { engine: ['a', 'b', 'c'], workload: ['listed'] }, workloads: { listed: { arrivals: { kind: 'constant', period_ms: 1 } } }, load: {},
  engines: { a: { era: 'today' }, b: { era: 'today' }, c: { era: 'today' } },
};

test('the numbers of flagged trials are shown with a mark where no other trial of the point stands, and only there', () => {
  const { rows } = tabulateResult(reduced, SPEC);
  assert.deepEqual(rows, [
    ['listed', 'a', 'today', '2', '0.5'],
    ['listed', 'b', 'today', '2*', '0.25*'],
    ['listed', 'c', 'today', '0', '-'],
  ]);
});

const DROPPED = [
  { trial: 'b01-a', reason: 'foreign-cpu', value: '0.2', bound: '0.05' },
  { trial: 'b02-a', reason: 'foreign-cpu', value: '0.3', bound: '0.05' },
  { trial: 'b02-a', reason: 'late-sends', value: '0.02', bound: '0.01' },
  { trial: 'b03-a', reason: 'failed: no port', value: '-', bound: '-' },
];

const PLAN = ['b01-a', 'b02-a', 'b03-a', 'b01-b', 'b02-b', 'b03-b'].map((trial) => ({ trial }));

test('a flagged trial in whose place another stands is counted as run again, and no longer as flagged', () => {
  const again = (/** @type {string[]} */ ...trials) => [...PLAN, ...trials.map((trial) => ({ trial }))];
  const both = DROPPED.slice(0, 3);
  assert.equal(describeFlagged(again('b01-a-again', 'b02-a-again'), both), '', 'all of them stand');
  assert.match(describeFlagged(again('b01-a-again'), both), /^1 of 6 trials are flagged \(foreign-cpu 1, late-sends 1\)/);
  const twice = [...both, { ...DROPPED[0], trial: 'b01-a-again' }];
  assert.match(describeFlagged(again('b01-a-again'), twice), /^2 of 6 trials are flagged/, 'a second attempt that is flagged repairs nothing');
  assert.match(describeFlagged(again('b01-a-again', 'b01-a-again2'), twice), /^1 of 6 trials are flagged/);
  assert.equal(describeDropped(again('b01-a-again', 'b02-a-again'), both), '8 trials, none left out, 2 run again');
});

test('a trial that failed and then stood is told, however it was run once more', () => {
  const attempt = [{ ...DROPPED[3], trial: 'b03-a.attempt-1' }];
  assert.equal(describeDropped(PLAN, attempt), '6 trials, none left out, 1 run again');
  assert.equal(describeDropped(PLAN, [DROPPED[3], ...attempt]), '6 trials, 1 left out (failed: no port)', 'it failed again');
});

test('one line says how many trials are flagged, why, and what to do', () => {
  const reported = describeFlagged(PLAN, DROPPED);
  assert.match(reported, /^2 of 6 trials are flagged \(foreign-cpu 2, late-sends 1\): .+/);
  assert.match(reported, / no claim is judged by them; what to do: .+; then run again$/);
  assert.equal(reported.split('stop what else runs on this machine').length, 2, 'an advice that two rules give stands once');
  assert.equal(describeFlagged(PLAN, DROPPED.slice(3)), '', 'a trial that failed is not flagged');
});

test('what was left out is a line a reason, and the rest of many trials is counted', () => {
  const many = Array.from({ length: 5 }, (_, index) => ({ trial: `b0${index}`, reason: 'steal', value: '0.1', bound: '0.01' }));
  assert.deepEqual(listDropped([...many, DROPPED[3]]), [
    'left out: steal (bound 0.01): b00 0.1, b01 0.1, b02 0.1, and 2 more in reduced/dropped.tsv',
    'left out: failed: no port: b03-a',
  ]);
  assert.deepEqual(listDropped([]), []);
});

test('steps that left their trials are listed by rule, with their rates and what to do', () => {
  const step = { trial: 'b01-a', step: '3', total_rate_hz: '960', leaves: 'all', reason: 'late-sends', value: '0.3', bound: '0.01' };
  assert.deepEqual(listDisturbed([step, { ...step, step: '5', leaves: 'latency', reason: 'generator-cpu', value: '0.97', bound: '0.9' }]), [
    'left out of their trials: late-sends (bound 0.01): step 3 (960 msg/s) of b01-a 0.3; stop what else runs on this machine',
    'latencies left out: generator-cpu (bound 0.9): step 5 (960 msg/s) of b01-a 0.97; give the load more processes, or fewer connections',
  ]);
});

test('bounds that a manifest loosened are reported with the usual ones, tightened and usual ones are not', () => {
  const bounded = RULES.filter((rule) => rule.usual !== undefined);
  const usual = Object.fromEntries(bounded.map(({ bound, usual: value }) => [bound, Number(value)]));
  assert.equal(describeBounds({ validity: usual }), '');
  assert.equal(describeBounds({ validity: { ...usual, late_share_max: 0.001, top_error_max: 1 } }), '');
  const validity = { ...usual, late_share_max: 0.5, foreign_cpu_share_max: 1 };
  const reported = 'bounds of validity looser than usual: late-sends 0.5 for 0.01, foreign-cpu 1 for 0.05';
  assert.equal(describeBounds({ validity }), reported);
  assert.equal(listLoosened(validity).length, 2);
});

test('every rule that flags says what to do about it', () => {
  const flagging = RULES.filter(({ severity }) => severity === 'flag');
  for (const { rule } of flagging) assert.equal(adviseOn([rule]).length, 1, rule);
});
