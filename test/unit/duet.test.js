/** Duets: versions of an engine are neighbours, a flagged trial is repeated with its partner, and power is stated. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { describePower, findPower, judgePairs } from '../../analysis/compare/sameness.js';
import { computeShifts, findAlarms, findBounds } from '../../analysis/compare/shifts.js';
import { readServerWait } from '../../analysis/trials/machine-facts.js';
import { describeRates } from '../../harness/check/check-power.js';
import { openBundle } from '../../harness/common/bundle.js';
import { writeJson, writeTsv } from '../../harness/common/files.js';
import { seededRandom } from '../../harness/common/random.js';
import { PLAN_COLUMNS, asPlanned, makePlan } from '../../harness/plan/plan.js';
import { describeStanding, pairVersions, playDuet } from '../../harness/run/duet/duet.js';
import { repeatBeside } from '../../harness/run/replace.js';
import { makeSpec } from '../../harness/spec/spec.js';

const folder = mkdtempSync(join(tmpdir(), 'duet-test-'));
after(() => rmSync(folder, { recursive: true }));

const usual = makeSpec('03-engineio-vs-socketcluster', 'default', 7, undefined, { cores: 2 });
const point = usual.axes.workload[0];
const [A, B, C, D] = usual.axes.engine;
/** Two engines, each of two versions. */
const SPEC = {
  ...usual, reference: undefined, points: undefined, axes: { engine: [A, B, C, D], workload: [point] },
  phases: { ...usual.phases, repeats: 4 }, beside: [[A, B], [C, D]],
};

let made = 0;
/** @returns {string} a bundle in which no trial ran yet */
function makeBundle() {
  const bundle = join(folder, String(++made));
  mkdirSync(join(bundle, 'trials'), { recursive: true });
  writeJson(join(bundle, 'spec.json'), { form: 2, ...SPEC, environment: {} });
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, makePlan(/** @type {any} */ (SPEC)));
  return bundle;
}

/** @param {string} bundle @returns {import('../../harness/plan/plan.js').Planned[]} */
const planOf = (bundle) => openBundle(bundle).plan.map(asPlanned);

/** @param {string} bundle @param {string} trial @param {string[]} [flags] */
function finish(bundle, trial, flags = []) {
  mkdirSync(join(bundle, 'trials', trial));
  writeFileSync(join(bundle, 'trials', trial, 'status'), 'done\n');
  writeTsv(join(bundle, 'trials', trial, 'validity.tsv'), ['rule', 'passed', 'severity'], flags.map((rule) => ({ rule, passed: 'no', severity: 'flag' })));
}

test('versions that are compared are neighbours in each block, in random order; without a partner the plan is as before', () => {
  const plan = makePlan(/** @type {any} */ (SPEC));
  const couples = Array.from({ length: plan.length / 2 }, (_, index) => plan.slice(2 * index, 2 * index + 2).map(({ engine }) => engine));
  const names = new Set(couples.map((couple) => [...couple].sort().join(' ')));
  assert.deepEqual(names, new Set([[A, B].sort().join(' '), [C, D].sort().join(' ')]));
  assert.ok(new Set(couples.map((couple) => couple.join(' '))).size > 2, 'always in the same order');
  const alone = makePlan(/** @type {any} */ ({ ...SPEC, beside: undefined }));
  assert.deepEqual(makePlan(/** @type {any} */ ({ ...SPEC, beside: [[A], [B], [C], [D]] })), alone);
});

test('a flagged trial is repeated with its partner, directly after both, and one that stands is not', () => {
  const bundle = makeBundle();
  const [first, second, third, fourth] = planOf(bundle);
  finish(bundle, first.trial, ['steal']);
  assert.deepEqual(repeatBeside(bundle, first), [], 'its partner is still to come');
  finish(bundle, second.trial);
  const again = repeatBeside(bundle, second);
  assert.deepEqual(again.map(({ trial }) => trial), [`${first.trial}-again`, `${second.trial}-again`]);
  const plan = planOf(bundle);
  assert.deepEqual(plan.slice(0, 5).map(({ trial }) => trial), [first, second, ...again, third].map(({ trial }) => trial));
  assert.deepEqual(plan.map(({ order }) => order), plan.map((_, index) => index + 1));
  assert.deepEqual(repeatBeside(bundle, second), [], 'they are there already');
  again.forEach(({ trial }) => finish(bundle, trial, ['foreign-cpu']));
  assert.deepEqual(repeatBeside(bundle, again[1]).map(({ trial }) => trial), [`${first.trial}-again2`, `${second.trial}-again2`]);
  [third, fourth].forEach(({ trial }) => finish(bundle, trial));
  assert.deepEqual(repeatBeside(bundle, fourth), []);
  const fifth = planOf(bundle).slice(8, 10); // 4 trials were repeated, and 6 would be more than 30 % of 16
  fifth.forEach(({ trial }) => finish(bundle, trial, ['steal']));
  assert.deepEqual(repeatBeside(bundle, fifth[1]), []);
});

test('pairs are of trials that ran beside each other', () => {
  const bundle = join(folder, 'pairs');
  mkdirSync(join(bundle, 'reduced'), { recursive: true });
  const rows = [['a', 1, '', 1], ['b', 1, '', 1.1], ['b', 2, '', 9], ['a', 2, '-again', 2], ['b', 2, '-again', 2.4], ['a', 3, '', 7], ['b', 3, '-again', 8]];
  writeTsv(join(bundle, 'reduced', 'trials.tsv'), ['trial', 'block', 'engine', 'workload', 'setting', 'metric', 'value'], rows.map(([version, block, round, value]) => (
    { trial: `b${block}-ws-${version}-poisson${round}`, block, engine: `ws-${version}`, workload: 'poisson', setting: '-', metric: 'server_cpu_s_per_1k', value })));
  assert.deepEqual(pairVersions(bundle, 'a', 'b').map(({ block, log }) => [block, Math.exp(log).toFixed(2)]), [['1', '1.10'], ['2', '1.20']]);
});

test('fewer pairs than were planned are told, and all of them are not', () => {
  const pairs = ['1', '2', '3'].map((block) => ({ engine: 'ws', point: 'ws', block, log: 0 }));
  assert.equal(describeStanding(pairs, ['ws'], 3, []), '');
  const dropped = ['steal', 'foreign-cpu', 'steal'].map((reason, index) => ({ trial: `b0${index < 2 ? 4 : 5}-ws-a-poisson`, reason }));
  assert.equal(describeStanding(pairs, ['ws', 'gws'], 4, dropped),
    'fewer pairs stand than were planned: 3 of 4 blocks of ws, 0 of 4 blocks of gws (2 trials left out: steal 2, foreign-cpu 1)');
});

const random = seededRandom(5);
const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** @param {number} shift @param {number} blocks */
const draw = (shift, blocks) => Array.from({ length: blocks }, (_, block) =>
  ({ engine: 'ws', point: 'ws', block: String(block), log: shift + 0.13 * gauss() }));

test('a difference that a run says it would have found is found in four of five runs, one that it would not in one of five', () => {
  const judged = Array.from({ length: 400 }, () => computeShifts(draw(0, 20)));
  const powers = judged.map((shifts) => findPower(shifts[0], Number(findBounds(shifts, 0.04).get(shifts[0]))));
  for (const [name, expected] of /** @type {const} */ ([['found', 0.8], ['missed', 0.2]])) {
    // the median of what the runs say
    const size = Math.log1p(powers.map((power) => power[name]).sort((a, b) => a - b)[200]);
    const alarms = Array.from({ length: 1000 }, () => findAlarms(computeShifts(draw(size, 20)), 0.04));
    const share = alarms.filter(({ length }) => length).length / alarms.length;
    assert.ok(Math.abs(share - expected) < 0.06, `${name}: ${share}`);
  }
});

test('what was not seen is told with what would have been, and what was seen is not', () => {
  const alike = judgePairs(draw(0, 20));
  const [line, note] = describePower(alike.shifts, alike.alarms);
  assert.match(line, /^everything: no difference seen; one of 1\d % would have been, one of [3-6](\.5)? % not$/);
  assert.match(note, /in 80 of 100 such runs, by the spread of this one; "not": in 20 of 100 or fewer/);
  const apart = judgePairs(draw(0.3, 20));
  assert.deepEqual([apart.alarms.length, describePower(apart.shifts, apart.alarms)], [1, []]);
});

/**
 * @param {number[]} waits of each thread, in a window of 2 s @param {number[]} threads CPU time of each, s
 * @param {number} [ended_s] CPU time of a thread that ended in the window
 */
function waitOf(waits, threads, ended_s = 0) {
  const total = threads.reduce((sum, each) => sum + each, 0);
  const mark = (/** @type {string} */ name, /** @type {number} */ share) => ({
    accounts: { mark: name, t_us: String(2e6 * share), pid: '7', side: 'server', role: 'worker', index: '1', rss_kb: '1', cpu_ns: String((total * share + ended_s * (1 - share)) * 1e9),
      wait_ns: '0', ticks: '0', voluntary: '0', involuntary: '0' },
    threads: threads.map((cpu_s, tid) => ({ mark: name, pid: '7', tid: String(tid), cpu_ns: String(cpu_s * share * 1e9),
      ...(waits.length && { wait_ns: String(waits[tid] * share * 1e9) }) })),
  });
  const marks = [mark('window_start', 0), mark('window_end', 1)];
  return readServerWait(marks.map(({ accounts }) => accounts), marks.flatMap((each) => each.threads));
}

test('how long a server waited for its core is told of one whose work is one thread\'s', () => {
  assert.equal(waitOf([0.2, 0.3], [0.5, 0.1])?.toFixed(3), '0.050', 'less the time in which its own helper had the core');
  assert.equal(waitOf([0.08, 0.3], [0.5, 0.1]), 0, 'it waited for its helper alone');
  assert.equal(waitOf([0.2, 0.3], [0.5, 0.2]), 0, 'or may have: what a helper used is subtracted, whenever that was');
  assert.equal(waitOf([0.005, 0], [0.5], 0.2)?.toFixed(4), '0.0025', 'a helper that ended takes its account along, and is no wait');
  assert.equal(waitOf([0.2, 0.2, 0.2], [0.2, 0.2, 0.2]), undefined);
  assert.equal(waitOf([], [0.5, 0.1]), undefined, 'of older captures');
});

test('rates of the page are of differences that were there, and of a duet of one engine too', () => {
  const versions = ['ws-twin', 'ws-burn5', 'ws-burn10', 'ws-burn20', 'engine.io-twin', 'engine.io-burn5', 'socket.io-twin', 'socket.io-burn5'];
  const centres = [0, 0.03, 0.131, 0.255, 0, 0.07, 0, 0.1];
  const pool = Object.fromEntries(versions.map((name, index) => {
    const logs = draw(centres[index], 18).map(({ log }) => log);
    const mean = logs.reduce((sum, each) => sum + each, 0) / 18;
    const own = logs.map((log) => log - mean + centres[index]);
    return [name, { name, engine: name.replace(/-\w+$/, ''), isSame: name.endsWith('twin'), blocks: own.map((_, block) => String(block)), logs: own }];
  }));
  const rows = describeRates(pool, 1, 20).split('\n').map((line) => line.split(' | ').slice(0, 2).join(' | ').replace(/^\| /, ''));
  assert.deepEqual(rows.slice(2), [
    'nothing (A against A) | any alarm', '3 %, 7 %, 11 % in every engine | everything', '3 % in ws alone | ws', '14 % in ws alone | ws', '29 % in ws alone | ws',
    'nothing, in a duet of ws alone | any alarm', '3 % in a duet of ws alone | ws', '14 % in a duet of ws alone | ws', '29 % in a duet of ws alone | ws',
  ]);
});

test('an engine that is named twice is refused', async () => {
  await assert.rejects(playDuet('servers', 'servers', { engines: ['ws', 'ws=gorilla'] }), /ENGINES: "ws" is there twice; compare it with one other at a time/);
});
