/**
 * Disturbed steps of a sweep are told from steps that the server could not answer, by client seconds and CPU accounts.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { Tables } from '../../analysis/trials/bundle.js';
import { readSteps } from '../../analysis/trials/disturbed-steps.js';

/**
 * @typedef {{due?: number, sent?: number, received?: number, late?: number, dropped?: number}} Second counts that
 *   differ from an undisturbed second
 */

const RATES = [0, 250, 1000, 2400, 4600];
const BEGIN_S = 4;
const STEP_S = 2;
const COLUMNS = ['t_s', 'connected', 'failed', 'dropped', 'due', 'sent', 'received', 'wrong', 'sent_b', 'received_b', 'late'];

/**
 * @param {Record<number, Second>} changed by t_s
 * @returns {Record<string, unknown>[]} seconds of a sweep like that of experiment 3, and one second of drain
 */
const secondsOf = (changed) => Array.from({ length: BEGIN_S + STEP_S * RATES.length + 1 }, (_, t_s) => {
  const hz = RATES[Math.floor((t_s - BEGIN_S) / STEP_S)] ?? 0;
  const counts = { due: hz, sent: hz, received: hz, late: 0, wrong: 0, sent_b: 0, received_b: 0 };
  return { t_s, connected: 600, failed: 0, dropped: 0, ...counts, ...changed[t_s] };
});

/**
 * @param {Record<number, number>} busy used share of a core, by step @param {string} side
 * @returns {Record<string, unknown>[]}
 */
const accountsOf = (busy, side) => RATES.flatMap((_, index) => {
  const step = index + 1;
  const ends = { from: `step_${step}_from`, to: step === RATES.length ? 'window_end' : `step_${step}_to` };
  return [{ mark: ends.from, t_us: 0, cpu_ns: 0 }, { mark: ends.to, t_us: 1e6, cpu_ns: 1e9 * (busy[step] ?? 0.2) }]
    .map((row) => ({ ...row, pid: side, side, role: 'any', index: 1, wait_ns: 0 }));
});

/** @typedef {Record<number, number>} Use used share of a core, by step */
/**
 * @param {Record<number, Second>} changed
 * @param {{busy?: Use, load?: Use, hosts?: Record<string, Record<number, Second>>}} [more] `busy`: of the
 *   server; `load`: of the client
 * @returns {string[]} "step rule" of each disturbed step
 */
function find(changed, { busy = {}, load = {}, hosts = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'steps-test-'));
  try {
    const names = Object.keys(hosts);
    writeTrial(join(folder, 'raw'), changed, [...accountsOf(busy, 'server'), ...accountsOf(load, 'client')]);
    for (const name of names) writeIntervals(join(folder, 'raw', 'hosts', name), hosts[name]);
    writeJson(join(folder, 'trial.json'), { from_s: BEGIN_S, client: { threads: 1 }, ...(names.length && { hosts: names.map((name) => ({ name, connections: 300 })) }) });
    const { disturbed = [] } = readSteps(folder, { late_share_max: 0.01 }) ?? {};
    return disturbed.map(({ step, leaves, rule }) => `${step} ${rule}${leaves === 'all' ? '' : `, ${leaves}`}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} raw @param {Record<number, Second>} changed @param {Record<string, unknown>[]} accounts */
function writeTrial(raw, changed, accounts) {
  writeIntervals(raw, changed);
  const endOf = (/** @type {number} */ step) => BEGIN_S + STEP_S * step;
  const steps = RATES.map((total_rate_hz, index) => ({ step: index + 1, total_rate_hz, from_s: endOf(index) + 1, to_s: endOf(index + 1) }));
  writeTsv(join(raw, 'steps.tsv'), ['step', 'total_rate_hz', 'from_s', 'to_s'], steps);
  writeTsv(join(raw, 'accounts.tsv'), ['mark', 't_us', 'pid', 'side', 'role', 'index', 'cpu_ns', 'wait_ns'], accounts);
}

/** @param {string} folder @param {Record<number, Second>} changed */
function writeIntervals(folder, changed) {
  mkdirSync(join(folder, 'client'), { recursive: true });
  writeTsv(join(folder, 'client', 'intervals.tsv'), COLUMNS, secondsOf(changed));
}

test('a sweep that nothing disturbed has no step that is flagged', () => assert.deepEqual(find({}), []));

test('a client that was frozen for three seconds flags the steps whose messages it sent late', () => {
  const frozen = { sent: 0, received: 0 };
  const late = { 9: { ...frozen, late: 950 }, 10: { ...frozen, late: 2400 }, 11: { ...frozen, late: 2390 } };
  assert.deepEqual(find({ ...late, 12: { sent: 10_400, received: 10_400, late: 15 } }), ['3 late-sends', '4 late-sends']);
});

test('a hundredth of a step that went out late is not flagged, nor is one message of few', () => {
  assert.deepEqual(find({ 8: { late: 10 }, 9: { late: 10 } }), []);
  assert.deepEqual(find({ 8: { late: 20 }, 9: { late: 2 } }), ['3 late-sends']);
  assert.deepEqual(find({ 6: { late: 1 } }), []);
});

test('a step that is more than the load can make on its core loses its latencies alone', () => {
  assert.deepEqual(find({ 13: { late: 900 } }, { load: { 5: 0.95 } }), ['5 generator-cpu, latency']);
  assert.deepEqual(find({ 13: { late: 900 } }, { load: { 5: 0.85 } }), ['5 late-sends']);
  assert.deepEqual(find({}, { load: { 5: 0.95 } }), []);
});

test('a link that was down flags the steps in which no answers came, and the one in which all of them came at once', () => {
  const found = find({ 9: { received: 400 }, 10: { received: 0 }, 11: { received: 0 }, 12: { received: 7000 }, 13: { received: 7600 } });
  assert.deepEqual(found, ['3 answers-stopped', '4 answers-stopped', '5 answers-stopped']);
});

test('a link that was down to the end flags the step, though nothing ever came', () => {
  assert.deepEqual(find({ 13: { received: 0 }, 14: { received: 0 } }), ['5 answers-stopped']);
});

test('a saturated server answers fewer messages, and the backlog later: this is a result, and no step is flagged', () => {
  const owed = { 10: { received: 1000 }, 11: { received: 1000 }, 12: { received: 1000 }, 13: { received: 1000 }, 14: { received: 9000 } };
  assert.deepEqual(find(owed, { busy: { 4: 0.99, 5: 1 } }), []);
  assert.deepEqual(find(owed), ['4 answers-stopped', '5 answers-stopped'], 'of a server that had nothing to do they are');
});

test('a server that takes a second over every answer is slow, and not disturbed', () => {
  const before = { 6: { received: 0 }, 8: { received: 250 }, 10: { received: 1000 }, 12: { received: 2400 }, 14: { received: 4600 } };
  assert.deepEqual(find(before), []);
});

test('a server that lost its connections is a result', () => {
  assert.deepEqual(find({ 10: { received: 0, dropped: 600 }, 11: { received: 0 }, 12: { received: 5000 } }), []);
});

test('of several hosts one that was frozen flags the step', () => {
  const found = find({ 8: { late: 5 } }, { hosts: { near: {}, far: { 8: { due: 20, sent: 0, late: 15 }, 9: { due: 20 } } } });
  assert.deepEqual(found, ['3 slow-host']);
});

test('a trial without a sweep has no steps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steps-test-'));
  writeFileSync(join(folder, 'trial.json'), '{"from_s": 1}');
  assert.equal(readSteps(folder, {}), undefined);
  rmSync(folder, { recursive: true });
});

test('a trial whose sweep asked for shares gives its column to the table, also if it is not the first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steps-test-'));
  const tables = new Tables();
  tables.add('steps', ['step'], { trial: 'a' }, [{ step: 1 }]);
  tables.add('steps', ['step', 'share'], { trial: 'b' }, [{ step: 1, share: 0.8 }]);
  tables.write(folder, 'steps');
  assert.deepEqual(readTsv(join(folder, 'steps.tsv')).map(({ trial, share }) => [trial, share]), [['a', '-'], ['b', '0.8']]);
  rmSync(folder, { recursive: true });
});
