import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, listComparisons } from '../../harness/verdict.js';

/** @type {[string, string, number, number | null, number | null][]} verdict, criterion, trials, interval */
const JUDGEMENTS = [
  ['reproduced', '>1', 6, 1.01, 1.4],
  ['not reproduced', '>1', 6, 0.7, 0.99],
  ['inconclusive', '>1', 6, 0.9, 1.1],
  ['inconclusive', '>1', 6, 1, 1.1],
  ['inconclusive', '>1', 6, 0.9, 1],
  ['inconclusive', '>1', 5, null, null],
  ['not run', '>1', 0, null, null],
  ['reproduced', '<0.05', 6, 0.01, 0.049],
  ['not reproduced', '<0.05', 6, 0.051, 0.2],
  ['inconclusive', '<0.05', 6, 0.04, 0.06],
  ['inconclusive', '<0.05', 6, 0.01, 0.05],
  ['inconclusive', '<0.05', 6, 0.05, 0.06],
  ['inconclusive', '<0.05', 1, null, null],
  ['not run', '<0.05', 0, null, null],
  ['reproduced', '>-1', 6, -0.5, 0.5],
];

for (const [verdict, criterion, n, low, high] of JUDGEMENTS) {
  test(`${n} trials with the interval ${low} to ${high} against ${criterion} are ${verdict}`, () => {
    assert.equal(judge(criterion, n, low, high), verdict);
  });
}

/** @type {any} */
const SPEC = {
  axes: { engine: ['a', 'b', 'c', 'd'], workload: ['listed', 'described'] },
  claims: [
    { id: 'T4', metric: 'server_cpu_s_per_1k', above: 1, compare: [{ era: '2014', of: 'a', to: 'b' }, { era: 'today', of: 'c', to: 'd' }] },
    { id: 'T6', below: 0.05, compare: [{ era: '2014', of: 'a', metric: 'store_cpu_cores' }] },
    { id: 'T7', metric: 'due_hz', above: 0, compare: [{ era: '2014', of: 'a', metric: 'sent_hz' }] },
  ],
};

test('each comparison of a claim is listed once for each workload', () => {
  const listed = listComparisons(SPEC).map(({ claim, era, workload, of, to }) => [claim, era, workload, of, to].join(' '));
  assert.deepEqual(listed, [
    'T4 2014 listed a b', 'T4 2014 described a b', 'T4 today listed c d', 'T4 today described c d',
    'T6 2014 listed a -', 'T6 2014 described a -', 'T7 2014 listed a -', 'T7 2014 described a -',
  ]);
});

test('claims are judged by the generator of the sources, whatever else is run', () => {
  const listed = listComparisons({ ...SPEC, axes: { ...SPEC.axes, generator: ['forked', 'swarm'] } });
  assert.deepEqual(listed, listComparisons(SPEC));
  assert.deepEqual([...new Set(listed.map(({ setting }) => setting))], ['-']);
});

test('a comparison takes its own metric before the claim\'s, and the claim\'s criterion', () => {
  const listed = listComparisons(SPEC).filter(({ workload }) => workload === 'listed').map(({ metric, criterion }) => `${metric} ${criterion}`);
  assert.deepEqual(listed, ['server_cpu_s_per_1k >1', 'server_cpu_s_per_1k >1', 'store_cpu_cores <0.05', 'sent_hz >0']);
});
