import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../harness/spec/manifest.js';
import { ROOT } from '../../harness/common/places.js';
import { RULES, applyRule } from '../../analysis/trials/validity.js';

/** @typedef {import('../../analysis/trials/facts.js').Facts} Facts */

/** @type {{validity: Record<string, number>}} the bounds of experiment 3 */
const { validity } = readManifest(join(ROOT, 'experiments/03-engineio-vs-socketcluster/experiment.toml'), 'experiment');
/** @type {Record<string, number>} */
const BOUNDS = { ...validity, foreign_cpu_ramp_share_max: 0.05, server_wait_share_max: 0.025 };

/** @type {Facts} a trial of 10 s on a machine of two cores with nothing to flag: open load, 1,000 messages a second */
const SOUND = {
  window_s: 10,
  threads: 1,
  mark_late_share: 0.001,
  usage: [
    { pid: 1, side: 'server', role: 'worker', index: 1, cpu_s: 3 },
    { pid: 2, side: 'client', role: 'client', index: 1, cpu_s: 4 },
    { pid: 3, side: 'capture', role: 'top', index: 1, cpu_s: 1 },
  ],
  lost: 0,
  lost_before: 0,
  faults: 0,
  replacements: 0,
  machine_s: { busy: 8.2, steal: 0.1, total: 20 },
  clock_step_ms: 0.2,
  isSweep: false, frame_max_b: 1514,
  ramp_foreign_share: 0.01, throttled_s: 0,
  closed: false,
  inRounds: false,
  outstanding: 0,
  top_cpu_s: 7.05,
  sent: 9_990,
  window: { due: 10_000, unsent_remote: 0, sent: 9_990, received: 9_990, missing: 0, wrong: 0, late: 50, service_mean_us: 900 },
  connections: { failed_local: 0, dropped_local: 0 },
  warnings: 0,
  counts: { up_b: 1_000_000, up_there_b: 990_000, down_b: 2_000_000, down_there_b: 2_010_000, other_b: 5_000 },
  served: {
    claimed_b: 400_000, slack_b: 10_000, arrived_b: 500_000,
    hosts: [
      { up_b: 250_000, up: 5_000, down_b: 300_000, down: 5_000, slack: 125 },
      { up_b: 250_000, up: 4_990, down_b: 300_000, down: 4_990, slack: 125 },
    ],
  },
  live: [{ reported: 9_500, least: 9_000, most: 10_000 }],
  senders: [{ name: 'h2', due: 9_900, sent: 9_890, late: 45 }, { name: 'h3', due: 100, sent: 100, late: 5 }],
  clock_bound_s: 40e-6, subtractsClocks: true,
};

/** A closed load: 20 messages outstanding for 2 ms each, so 10,000 answered a second (Little's law). @type {Facts} */
const CLOSED = {
  ...SOUND, closed: true, outstanding: 20, window: { ...SOUND.window, sent: 100_000, received: 100_000, late: 0, service_mean_us: 2_000 },
};

/** @param {Partial<Facts['window']>} changes @returns {Facts} */
const windowWith = (changes) => ({ ...SOUND, window: { ...SOUND.window, ...changes } });

/** @param {string} side @param {string} role @param {number} cpu_s @returns {Facts} SOUND with one more process */
const processWith = (side, role, cpu_s) => ({ ...SOUND, usage: [...SOUND.usage, { pid: 9, side, role, index: 2, cpu_s }] });

/** @param {Partial<import('../../analysis/trials/count-facts.js').Served>} changes @returns {Facts} */
const servedWith = (changes) => ({ ...SOUND, served: { .../** @type {any} */ (SOUND.served), ...changes } });
const [ONE, OTHER] = /** @type {import('../../analysis/trials/count-facts.js').Served} */ (SOUND.served).hosts;

/** @param {number[]} disturbed steps of four @returns {Facts} a sweep */
const sweepWith = (disturbed) => ({ ...SOUND, isSweep: true,
  steps: { loaded: 4, disturbed: disturbed.map((step) => ({ step, leaves: /** @type {const} */ ('all'), rule: 'late-sends', value: 0.5, bound: 0.01, words: '' })) } });

/** Facts that pass and facts that fail, by rule. @type {Record<string, {passes: Facts[], fails: Facts[]}>} */
const CASES = {
  'generator-cpu': {
    passes: [SOUND, processWith('client', 'client', 9), processWith('client', 'recorder', 9.9), processWith('server', 'worker', 10)],
    fails: [processWith('client', 'client', 9.1)],
  },
  'generator-warnings': { passes: [SOUND], fails: [{ ...SOUND, warnings: 1 }] },
  'late-sends': {
    passes: [
      SOUND, windowWith({ sent: 0, late: 0 }), windowWith({ sent: 10_000, late: 100 }),
      windowWith({ late: 5_000, late_remote: 4_950 }), // a send that waited for the server is a result
    ],
    fails: [windowWith({ late: 101 }), windowWith({ late: 5_000, late_remote: 4_850 })],
  },
  'offered-rate': {
    passes: [
      { ...SOUND, sent: 9_901 }, { ...SOUND, sent: 10_099 }, { ...windowWith({ due: 0 }), sent: 0 }, { ...SOUND, sent: 1, closed: true },
      { ...windowWith({ unsent_remote: 5_000 }), sent: 5_000 }, // messages not sent because of the server are a result
      { ...windowWith({ due: 20 }), sent: 19 }, // one message at the window's edge
    ],
    fails: [{ ...windowWith({ due: 20 }), sent: 18 }, { ...SOUND, sent: 9_890 }, { ...SOUND, sent: 10_110 }, { ...SOUND, sent: 0 }],
  },
  'local-losses': {
    passes: [SOUND],
    fails: [{ failed_local: 1, dropped_local: 0 }, { failed_local: 0, dropped_local: 1 }].map((connections) => ({ ...SOUND, connections })),
  },
  'wrong-answers': {
    passes: [SOUND, windowWith({ duplicate: 0, out_of_order: 0 })],
    fails: [windowWith({ wrong: 1 }), windowWith({ duplicate: 1, out_of_order: 0 }), windowWith({ duplicate: 0, out_of_order: 1 }),
      windowWith({ unasked: 1 })],
  },
  'littles-law': {
    passes: [CLOSED, SOUND, { ...CLOSED, outstanding: 20.9 }, { ...CLOSED, outstanding: 0, inRounds: true }],
    fails: [{ ...CLOSED, outstanding: 22 }, { ...CLOSED, outstanding: 19 }, { ...CLOSED, outstanding: 0 }],
  },
  steal: { passes: [SOUND], fails: [{ ...SOUND, machine_s: { ...SOUND.machine_s, steal: 0.21 } }] },
  'clock-step': { passes: [SOUND], fails: [{ ...SOUND, clock_step_ms: 51 }] },
  'foreign-cpu': {
    passes: [SOUND, { ...SOUND, machine_s: { ...SOUND.machine_s, busy: 8.9 } }],
    fails: [
      { ...SOUND, machine_s: { ...SOUND.machine_s, busy: 9.1 } },
      // on one of two hosts
      { ...SOUND, machines: [SOUND, { machine_s: { busy: 1.1, steal: 0, total: 20 }, usage: [] }] },
    ],
  },
  'foreign-cpu-ramp': { passes: [SOUND], fails: [{ ...SOUND, ramp_foreign_share: 0.06 }] },
  'server-waited': { passes: [SOUND, { ...SOUND, server_wait_share: 0.01 }], fails: [{ ...SOUND, server_wait_share: 0.035 }] },
  'accounts-agree': {
    passes: [SOUND, { ...SOUND, usage: SOUND.usage.slice(2), machine_s: { ...SOUND.machine_s, busy: 1.4 } }], // idle
    // 64 cores, of which 0.3 are used by no known process
    fails: [{ ...SOUND, machine_s: { busy: 11, steal: 0, total: 640 } }],
  },
  'cpu-throttled': { passes: [SOUND, { ...SOUND, throttled_s: 0.1 }], fails: [{ ...SOUND, throttled_s: 0.2 }] },
  'mark-on-time': { passes: [SOUND], fails: [{ ...SOUND, mark_late_share: 0.031 }] },
  'accounts-complete': { passes: [SOUND, { ...SOUND, lost_before: 1 }], fails: [{ ...SOUND, lost: 1 }] },
  'frames-whole': { passes: [SOUND], fails: [{ ...SOUND, frame_max_b: 1515 }] },
  'counts-agree': {
    passes: [SOUND, { ...SOUND, counts: { up_b: 0, up_there_b: 5_000, down_b: 0, down_there_b: 0, other_b: 5_000 } }],
    fails: [
      { ...SOUND, counts: { up_b: 900_000, up_there_b: 1_000_000, down_b: 1, down_there_b: 1, other_b: 5_000 } },
      { ...SOUND, counts: { up_b: 1, up_there_b: 1, down_b: 200_000, down_there_b: 100_000, other_b: 5_000 } },
    ],
  },
  'server-counts': {
    passes: [
      SOUND, servedWith({ hosts: [ONE, { up_b: 0, up: 0, down_b: 0, down: 0, slack: 0 }] }),
      servedWith({ claimed_b: 0, hosts: [{ ...ONE, up: 0, down: 0 }] }), // a load that sends no messages
    ],
    fails: [
      servedWith({ hosts: [ONE, { ...OTHER, up: 2 * OTHER.up }] }), // one host counts its messages twice
      servedWith({ hosts: [ONE, { ...OTHER, down: 0 }] }), // or not at all
      servedWith({ claimed_b: 800_000 }), // all hosts count more than arrived
    ],
  },
  'live-agrees': {
    passes: [SOUND, { ...SOUND, live: [{ reported: 0, least: 0, most: 0 }, { reported: 10_400, least: 9_000, most: 10_000 }] }],
    fails: [{ reported: 10_600, least: 9_000, most: 10_000 }, { reported: 8_000, least: 9_000, most: 10_000 }].map((each) => (
      { ...SOUND, live: [...SOUND.live ?? [], each] })),
  },
  'slow-host': {
    passes: [SOUND, { ...SOUND, senders: [{ name: 'h2', due: 0, sent: 0, late: 0 }, { name: 'h3', due: 100, sent: 95, late: 5 }] }],
    fails: [{ due: 100, sent: 100, late: 11 }, { due: 100, sent: 80, late: 0 }].map((slow) => (
      { ...SOUND, senders: [...SOUND.senders ?? [], { name: 'h4', ...slow }] })),
  },
  'clocks-agree': { passes: [SOUND], fails: [{ ...SOUND, clock_bound_s: 0.11, subtractsClocks: false }] },
  'latency-beyond-clocks': {
    passes: [SOUND, { ...SOUND, clock_bound_s: 50e-6, subtractsClocks: false }], fails: [{ ...SOUND, clock_bound_s: 50e-6 }],
  },
  'steps-whole': { passes: [sweepWith([]), sweepWith([2]), sweepWith([2, 2, 3])], fails: [sweepWith([1, 2, 4])] },
  'accounts-complete-ramp': { passes: [SOUND, { ...SOUND, lost: 1 }], fails: [{ ...SOUND, lost_before: 1 }] },
  'server-whole': { passes: [SOUND], fails: [{ ...SOUND, replacements: 1 }] },
  'top-agrees': { passes: [SOUND], fails: [{ ...SOUND, top_cpu_s: 7.2 }, { ...SOUND, top_cpu_s: 6.8 }] },
};

/** @param {string} rule @param {Facts} facts */
function apply(rule, facts) {
  const found = RULES.find((each) => each.rule === rule);
  assert.ok(found);
  return applyRule(found, facts, BOUNDS);
}

test('every rule has facts that pass and facts that fail', () => {
  assert.deepEqual(Object.keys(CASES), RULES.map(({ rule }) => rule));
  for (const { passes, fails } of Object.values(CASES)) assert.ok(passes.length > 0 && fails.length > 0);
});

for (const [rule, { passes, fails }] of Object.entries(CASES)) {
  test(`${rule} passes what is sound`, () => {
    for (const facts of passes) assert.equal(apply(rule, facts).passed, 'yes', JSON.stringify(apply(rule, facts)));
  });
  test(`${rule} finds what is not`, () => {
    for (const facts of fails) assert.equal(apply(rule, facts).passed, 'no', JSON.stringify(apply(rule, facts)));
  });
}

test('what fails one rule fails no other, except where the cause is the same', () => {
  const alike = new Set(['generator-cpu foreign-cpu', 'generator-cpu top-agrees', 'offered-rate late-sends', 'foreign-cpu top-agrees', 'foreign-cpu accounts-agree']);
  for (const [rule, { fails }] of Object.entries(CASES)) {
    for (const other of RULES.map((each) => each.rule).filter((each) => each !== rule && !alike.has(`${rule} ${each}`))) {
      for (const facts of fails) assert.equal(apply(other, facts).passed, 'yes', `${other} flags what is planted for ${rule}`);
    }
  }
});

test('a host that is too slow is named', () => {
  const [slow] = CASES['slow-host'].fails;
  assert.match(apply('slow-host', slow).words, /: h4$/);
  assert.match(apply('slow-host', { ...SOUND, senders: [] }).words, /: none$/);
});

test('a value that is not a number passes no rule, and is shown as unknown', () => {
  const rule = { rule: 'x', severity: /** @type {const} */ ('flag'), bound: 'late_share_max', words: '', value: () => NaN };
  const { passed, value } = applyRule(rule, SOUND, BOUNDS);
  assert.deepEqual({ passed, value }, { passed: 'no', value: 'unknown' });
});

test('a value equal to its bound passes', () => {
  const rule = { rule: 'x', severity: /** @type {const} */ ('flag'), bound: 'late_share_max', words: '', value: () => BOUNDS.late_share_max };
  assert.equal(applyRule(rule, SOUND, BOUNDS).passed, 'yes');
});

test('a rule without a bound in the manifest passes nothing', () => {
  const rule = { rule: 'x', severity: /** @type {const} */ ('flag'), bound: 'forgotten_max', words: '', value: () => 0 };
  assert.equal(applyRule(rule, SOUND, BOUNDS).passed, 'no');
});

test('every bound of the manifest is used by a rule', () => {
  const used = new Set(RULES.map(({ bound }) => bound));
  assert.deepEqual(Object.keys(BOUNDS).filter((bound) => !used.has(bound)), []);
});

test('a rule for few trials is not asked of the others', () => {
  const [ramp, frames, accounts] = ['foreign-cpu-ramp', 'frames-whole', 'accounts-agree'].map((name) => RULES.find(({ rule }) => rule === name)?.applies);
  assert.deepEqual([ramp?.(SOUND, BOUNDS), ramp?.(SOUND, validity)], [true, false]);
  assert.deepEqual([accounts?.(SOUND, BOUNDS), accounts?.(SOUND, { foreign_cpu_share_max: 0.1 })], [true, false]);
  assert.deepEqual([frames?.(SOUND, BOUNDS), frames?.({ ...SOUND, frame_max_b: undefined }, BOUNDS)], [true, false]);
});
