/** Yardsticks: the program's output, when a run measures, the report, and when absolute costs are comparable. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pickKernelParameters } from '../../harness/agent/facts.js';
import { parseCharges } from '../../harness/agent/yardstick.js';
import { describeCharges } from '../../harness/check/doctor-yardstick.js';
import { TrialError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import {
  METRICS, describeApart, describeMoved, describeYardsticks, findApart, readYardsticks, writeYardsticks,
} from '../../harness/common/yardstick.js';
import { estimateExperimentS, estimateYardsticksS, yardstickLengthS } from '../../harness/plan/plan.js';
import { Yardsticks } from '../../harness/run/yardsticks.js';
import { makeSpec } from '../../harness/spec/spec.js';

const folder = mkdtempSync(join(tmpdir(), 'yardstick-test-'));
after(() => rmSync(folder, { recursive: true }));
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

const CHARGES = {
  wake_cpu_us: 12, switch_same_core_us: 2, switch_two_cores_us: 15, echo_low_cpu_us: 60, echo_high_cpu_us: 9,
  arithmetic_ns: 1.1, steal_share: 0, took_s: 1,
};
let made = 0;
/** @param {object[]} changes to CHARGES, by yardstick @param {string[]} [hosts] @returns {string} a bundle */
function makeBundle(changes, hosts = ['local']) {
  const bundle = join(folder, String(++made));
  mkdirSync(bundle);
  const rows = changes.flatMap((change, index) => hosts.map((host) => (
    { block: index + 1, position: /** @type {const} */ ('between'), start: '2026-11-26T20:00:00Z', host, ...CHARGES, ...change })));
  writeYardsticks(bundle, rows);
  return bundle;
}

test('the program tells every metric, and ends in the time that it is given', { skip: hasCompiler ? false : 'there is no C compiler' }, () => {
  const program = join(folder, 'program');
  execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-pthread', '-o', program, join(ROOT, 'harness/yardstick/yardstick.c')]);
  const told = JSON.parse(execFileSync(program, ['0.2'], { encoding: 'utf8' }));
  assert.deepEqual(Object.keys(told), METRICS.map(({ metric }) => metric));
  const costs = Object.entries(told).filter(([metric, value]) => /_(us|ns)$/.test(metric) && value !== null);
  assert.ok(costs.every(([, value]) => value > 0), JSON.stringify(told));
  const onOne = JSON.parse(execFileSync('taskset', ['-c', '0', program, '0.2'], { encoding: 'utf8' }));
  assert.equal(onOne.switch_two_cores_us, null); // taskset leaves one core
  for (const wrong of [[], ['0'], ['1000'], ['x'], ['1', '2']]) assert.equal(spawnSync(program, wrong).status, 64, wrong.join(' '));
});

test('output of the program that is no JSON does not end the run', () => {
  assert.deepEqual(parseCharges('{"wake_cpu_us":12,"switch_two_cores_us":null}'), { charges: { wake_cpu_us: 12, switch_two_cores_us: null } });
  assert.deepEqual(parseCharges('{"arithmetic_ns":-nan}'), { absent: 'it told what is no JSON: "{\\"arithmetic_ns\\":-nan}"' });
});

test('a price that moved by more than the factor is told, and one that moved by less is not', () => {
  const [still, moved] = [1.2, 1.3].map((factor) => makeBundle([{}, {}, { wake_cpu_us: 12 * factor }, { wake_cpu_us: 12 * factor }]));
  assert.deepEqual(describeMoved(still), []);
  assert.match(describeMoved(moved).join(), new RegExp('^THE MACHINE CHANGED DURING THIS RUN: waking by 1.3;'));
  assert.deepEqual(describeMoved(makeBundle([{}, { wake_cpu_us: 24 }])), []); // two are too few to judge
  // One outlier of 20 may be chance
  assert.deepEqual(describeMoved(makeBundle([{ wake_cpu_us: 24 }, ...Array(19).fill({})])), []);
  // Metrics that are not judged
  const others = { switch_two_cores_us: 40, steal_share: 0.5 };
  assert.deepEqual(describeMoved(makeBundle([{}, {}, others, others])), []);
});

test('one line tells what was charged, and its range', () => {
  assert.deepEqual(describeYardsticks(makeBundle([{ wake_cpu_us: 10 }, {}, { wake_cpu_us: 12.4 }])), [
    'waking cost 12 us, 10 to 12.4 over the run; a TCP echo at 1,000 a second 60 us, 60 to 60; a TCP echo at full rate 9 us, 9 to 9; '
    + 'a multiplication 1.1 ns, 1.1 to 1.1 (3 yardsticks)',
  ]);
  assert.match(describeYardsticks(makeBundle([{}], ['a', 'b'])).join('\n'), /^a: waking cost 12 us; .* \(1 yardstick\)\nb: waking/);
});

test('an old run without yardsticks is read without an error', () => {
  const older = join(folder, 'older');
  mkdirSync(older);
  const told = [readYardsticks, describeYardsticks, describeMoved].map((read) => read(older));
  assert.deepEqual([...told, describeApart(older, makeBundle([{}]))], [[], [], [], []]);
});

test('absolute costs of two runs are compared where the machine charged the same, and not where it charged another price', () => {
  const a = makeBundle([{}, {}]);
  assert.deepEqual(describeApart(a, makeBundle([{ wake_cpu_us: 14, echo_low_cpu_us: 50 }])), []);
  const dearer = makeBundle([{ wake_cpu_us: 24 }]);
  assert.deepEqual(findApart(a, dearer), [{ words: 'waking', ratio: 2 }]);
  assert.match(describeApart(dearer, a).join(), /^ABSOLUTE COSTS CAN'T BE COMPARED: waking cost 0\.5 times as much in B as in A,/);
});

test('the doctor shows this machine above others, and what one core can not have as absent', () => {
  const written = Object.fromEntries(Object.entries(CHARGES).map(([key, value]) => [key, String(value)]));
  const other = { machine: 'another', date: '2026-01-01', ...written };
  const [, header, here, there] = describeCharges({ ...CHARGES, switch_two_cores_us: null }, 'here', [other]).split('\n');
  assert.match(header, /^machine +date +wake_cpu_us +switch_same_core_us/);
  assert.match(here, /^here +now +12 +2 +absent +60 +9 +1\.1 +0\.0 %$/);
  assert.match(there, /^another +2026-01-01 +12 +2 +15 /);
});

test('a yardstick takes a second, three where a block lasts a minute, and the plan counts them', () => {
  const [quick, long] = /** @type {const} */ (['quick', 'default']).map((profile) => makeSpec('03-engineio-vs-socketcluster', profile, 1, undefined, { cores: 2 }));
  assert.deepEqual([yardstickLengthS(quick), yardstickLengthS(long)], [1, 3]);
  assert.equal(estimateYardsticksS(quick, 0), 0);
  assert.ok(estimateYardsticksS(long) < 0.05 * estimateExperimentS(long));
});

/**
 * @param {string} bundle @param {() => Promise<object>} answer @param {AbortSignal} [signal]
 * @returns {{yardsticks: Yardsticks, told: string[]}}
 */
function makeYardsticks(bundle, answer, signal = new AbortController().signal) {
  const told = /** @type {string[]} */ ([]);
  const agent = { name: '', ask: answer };
  const fleet = { members: [{ agent: /** @type {any} */ (agent), folder: '' }] };
  return { yardsticks: new Yardsticks(fleet, 1, bundle, signal, (line) => told.push(line)), told };
}

/** @param {string} bundle */
const listPositions = (bundle) => readYardsticks(bundle).map(({ position, block }) => `${position} ${block}`);

test('a run measures before its first trial, between blocks and after the last, and one that is gone on with repeats none', async () => {
  const bundle = makeBundle([]);
  const { yardsticks } = makeYardsticks(bundle, async () => ({ charges: CHARGES }));
  for (const block of [1, 1, 2, 2, 3, 1]) await yardsticks.beforeTrial({ block }); // the last is a rerun
  await yardsticks.afterLast(1);
  assert.deepEqual(listPositions(bundle), ['before 1', 'between 2', 'between 3', 'after 1']);
  const { yardsticks: later } = makeYardsticks(bundle, async () => ({ charges: CHARGES }));
  for (const block of [2, 3, 4]) await later.beforeTrial({ block });
  await later.afterLast(4);
  assert.deepEqual(listPositions(bundle).slice(4), ['resumed 2', 'between 4', 'after 4']);
});

test('a run without a yardstick says so once, and goes on; one that is interrupted ends', async () => {
  const bundle = makeBundle([]);
  const { yardsticks, told } = makeYardsticks(bundle, async () => ({ absent: 'the C compiler could not be run' }));
  for (const block of [1, 2]) await yardsticks.beforeTrial({ block });
  assert.deepEqual([told, readYardsticks(bundle)], [['no yardstick: the C compiler could not be run'], []]);
  const gone = makeYardsticks(bundle, () => Promise.reject(new TrialError('the agent has ended')));
  await gone.yardsticks.beforeTrial({ block: 1 });
  assert.deepEqual(gone.told, ['no yardstick: the agent has ended']);
  const controller = new AbortController();
  const { yardsticks: waiting } = makeYardsticks(bundle, () => new Promise(() => {}), controller.signal);
  const measured = waiting.beforeTrial({ block: 1 });
  controller.abort(new Error('Ctrl-C'));
  await assert.rejects(measured, /Ctrl-C|abort/);
});

test('parameters of the kernel that distinguish hosts are kept, but none that names a disk or a program', () => {
  assert.equal(pickKernelParameters('BOOT_IMAGE=/vmlinuz root=UUID=1 quiet nosmt rdinit=/x haltpoll.guest_halt_poll_ns=0 -- --key secret'), 'quiet nosmt haltpoll.guest_halt_poll_ns=0');
  assert.equal(pickKernelParameters(undefined), undefined);
});
