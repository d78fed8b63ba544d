import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digits, formatInterval, formatTable, summariseVerdicts } from '../../harness/report.js';
import { formatDuration } from '../../harness/progress.js';

test('numbers are shown with three significant digits', () => {
  assert.deepEqual([0.061234, 2.406, 12345, 0, 1].map(digits), ['0.0612', '2.41', '12300', '0', '1']);
  assert.equal(digits(null), '-');
});

test('an interval is shown with its median, and said to be lacking where it is', () => {
  assert.equal(formatInterval({ median: 2.4061, low: 2.33, high: 2.5249 }), '2.41 [2.33, 2.52]');
  assert.equal(formatInterval({ median: 2.4061, low: null, high: null }), '2.41 [no interval]');
  assert.equal(formatInterval({ median: null, low: null, high: null }), '-');
});

test('columns are as wide as their widest cell, without blanks at the ends of lines', () => {
  assert.equal(formatTable(['a', 'long'], [['wide', '1'], ['b', '']]), 'a     long\nwide  1\nb');
});

test('durations are told in the two largest units', () => {
  assert.deepEqual([0, 59.4, 59.6, 3599, 3600, 86_399, -5].map(formatDuration),
    ['0 s', '59 s', '1 min 00 s', '59 min 59 s', '1 h 00 min', '23 h 59 min', '0 s']);
});

test('verdicts are summed up in words, by claim, era and baseline', () => {
  const row = { claim: 'T4', era: '2014', workload: 'listed', metric: 'm', of: 'a', to: 'b', criterion: '>1', n: 6, low: 1.5, high: 2.5 };
  assert.deepEqual(summariseVerdicts([
    { ...row, median: 2, verdict: 'reproduced' },
    { ...row, workload: 'described', median: 1.04567, verdict: 'inconclusive' },
    { ...row, era: 'today', median: null, verdict: 'not run' },
    { ...row, claim: 'T6', to: '-', criterion: '<0.05', median: 0.01, verdict: 'reproduced' },
  ]), [
    'T4 2014, a / b: 1.05 to 2 (criterion >1), reproduced 1 of 2, inconclusive 1 of 2',
    'T4 today, a / b: nothing (criterion >1), not run 1 of 1',
    'T6 2014, a m: 0.01 (criterion <0.05), reproduced 1 of 1',
  ]);
});
