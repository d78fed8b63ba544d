/** What is known of a claim that rests on shares of a saturation which the load did not reach. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, writeJson, writeTsv } from '../../harness/common/files.js';
import { makeSideOf } from '../../harness/judge/shares.js';
import { judgeBundle } from '../../harness/judge/verdict.js';
import { describeMean, tabulateResult } from '../../harness/show/report.js';

const LEAST = (/** @type {string} */ engine, mean = '1') => ({ engine, workload: 'sweep', setting: '-', metric: 'saturation_at_least', n: '3', mean, low: '-', high: '-' });
const ROW = {
  claim: 'C5', era: 'today', workload: 'sweep', setting: '-', metric: 'messages_per_cpu_s_at_80', of: 'a', to: 'b', to_setting: '-', to_metric: 'messages_per_cpu_s_at_80',
  criterion: '>1', n: '3', mean: '1.5', low: '1.4', high: '1.6', scale: 'log', degrees: '2',
};

/** @param {Record<string, string>[]} rows @param {Record<string, string>[]} points @returns {any} verdict.json */
function judge(rows, points) {
  const bundle = mkdtempSync(join(tmpdir(), 'shares-test-'));
  after(() => rmSync(bundle, { recursive: true }));
  mkdirSync(join(bundle, 'reduced'));
  writeJson(join(bundle, 'spec.json'), { experiment: '90', profile: 'default', seed: 1, claims: [{ id: 'C5' }] });
  writeTsv(join(bundle, 'reduced', 'compared.tsv'), Object.keys(ROW), rows);
  writeTsv(join(bundle, 'reduced', 'points.tsv'), Object.keys(LEAST('a')), points);
  judgeBundle(bundle);
  return readJson(join(bundle, 'verdict.json'));
}

const UNDER = { ...ROW, mean: '0.7', low: '0.6', high: '0.8' };
const words = (/** @type {Record<string, string>} */ row, /** @type {string[]} */ ...least) => {
  const { claims: [claim], verdicts: [own] } = judge([row], [...least.map((engine) => LEAST(engine)), LEAST('c', '0')]);
  assert.equal(claim.verdict, own.verdict);
  return own.verdict;
};

test('a ratio over what is known both ways is judged by both ends of its interval', () => {
  assert.deepEqual([words(ROW), words(UNDER)], ['reproduced', 'not reproduced']);
});

test('at a share of what it answers at least, an engine is shown to carry more than another, and never to carry less', () => {
  assert.deepEqual([words(ROW, 'a'), words(UNDER, 'a')], ['reproduced', 'inconclusive']);
});

test('over such an engine one is shown to carry less, and never to carry more', () => {
  assert.deepEqual([words(ROW, 'b'), words(UNDER, 'b')], ['inconclusive', 'not reproduced']);
});

test('between two such engines nothing is decided, and what would decide it is no number of trials', () => {
  assert.deepEqual([words(ROW, 'a', 'b'), words(UNDER, 'a', 'b')], ['inconclusive', 'inconclusive']);
  const { verdicts: [own] } = judge([ROW], [LEAST('a'), LEAST('b')]);
  assert.deepEqual([own.bounds, own.decided_by, own.p], ['neither', 'a load of more than its core made', 1]);
});

test('a latency at such a share is known to neither side, and what is at no share is not touched', () => {
  const sideOf = makeSideOf([LEAST('a')]);
  assert.equal(sideOf({ ...ROW, metric: 'latency_p50_ms_at_80', to_metric: 'latency_p50_ms_at_80' }), 'neither');
  assert.equal(sideOf({ ...ROW, metric: 'server_cpu_s_per_1k', to_metric: 'server_cpu_s_per_1k' }), undefined);
  assert.equal(sideOf({ ...ROW, workload: 'other' }), undefined);
});

test('the printed result says at least before a saturation that the load did not reach, and its claims before a ratio that rests on one', () => {
  const reduced = mkdtempSync(join(tmpdir(), 'shares-test-'));
  after(() => rmSync(reduced, { recursive: true }));
  const found = (/** @type {string} */ engine) => ({ ...LEAST(engine), metric: 'saturation_hz', mean: '70000' });
  writeTsv(join(reduced, 'points.tsv'), Object.keys(LEAST('a')), [found('a'), LEAST('a', '0.333'), found('b'), LEAST('b', '0')]);
  const engines = { a: { era: 'today' }, b: { era: 'today' } };
  const spec = { axes: { engine: ['a', 'b'], workload: ['sweep'] }, workloads: { sweep: { arrivals: { kind: 'constant', period_ms: 1 } } }, load: {}, engines };
  assert.deepEqual(tabulateResult(reduced, spec).rows.map((row) => row.at(-1)), ['at least 70000', '70000']);
  const ratio = { mean: 1.5, low: 1.4, high: 1.6 };
  assert.deepEqual([describeMean(ratio), describeMean({ ...ratio, bounds: 'at least' })], ['1.5 [1.4, 1.6]', 'at least 1.5 [1.4, 1.6]']);
});
