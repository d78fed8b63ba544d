/**
 * Is a trial what it claims to be? Each rule is a function of the facts, with a bound from the manifest or a fixed one. A
 * flagged trial stays on disk and leaves the figures. A trial whose *server* lost connections is a result and is not flagged.
 */
import { join } from 'node:path';
import { disagreement, disagreementOfLive, disagreementOfServed, findSlowest } from './count-facts.js';
import { readFacts } from './facts.js';
import { foreignShare, unaccountedShare } from './machine-facts.js';
import { readSteps, severityOf } from './disturbed-steps.js';
import { renameRules } from '../../harness/common/bundle.js';
import { writeTsv } from '../../harness/common/files.js';

/** @typedef {import('./facts.js').Facts} Facts */
/** @typedef {{rule: string, severity: 'flag' | 'note', bound: string, usual?: number, value: (facts: Facts) => number, words: string,
 *   advice?: string, isOfMachine?: boolean, isOfTime?: boolean, where?: (facts: Facts) => string,
 *   applies?: (facts: Facts, bounds: Record<string, number>) => boolean}} Rule `usual`: the bound, unless a manifest has a reason
 *   for another; `advice`: what to do when it flags; `isOfMachine`: it concerns the machine, whatever is measured; `isOfTime`: it
 *   concerns when messages are sent and how this is measured, not counts of connections or bytes; `where`: the host of its value;
 *   `applies`: whether it applies to a trial (without it, to all) */

/** The value of a rule that does not apply: it passes. */
const NOT_APPLICABLE = 0;

/** Share of the machine, unless a manifest allows more. */
const FOREIGN_SHARE_MAX = 0.05;

/** The last steps of a sweep may exceed the server's capacity, so each step is judged by itself (disturbed-steps.js). */
const isNoSweep = (/** @type {Facts} */ { isSweep }) => !isSweep;

/** @param {Facts} facts @returns {import('./machine-facts.js').Machine[]} one per kernel of the trial */
const machinesOf = ({ machine_s, usage, machines }) => machines ?? [{ machine_s, usage }];

/** @param {import('./disturbed-steps.js').Steps} steps @returns {number} */
const countDisturbed = ({ disturbed }) => new Set(disturbed.filter(({ leaves }) => leaves === 'all').map(({ step }) => step)).size;

/** @type {Rule[]} */
export const RULES = [
  {
    rule: 'generator-cpu', severity: 'flag', isOfTime: true, bound: 'generator_cpu_max', usual: 0.9,
    advice: 'give the load more processes, or fewer connections',
    words: 'busiest load process, share of a core',
    value: ({ usage, window_s, threads }) =>
      Math.max(0, ...usage.filter(({ role }) => role === 'client').map(({ cpu_s }) => cpu_s / window_s)) / threads,
  },
  {
    rule: 'generator-warnings', severity: 'flag', bound: 'warnings_max',
    advice: 'read the warnings in raw/client/summary.json of the trial',
    words: 'reasons for doubt that the generator itself gives',
    applies: isNoSweep,
    value: ({ warnings }) => warnings,
  },
  {
    rule: 'late-sends', severity: 'flag', isOfTime: true, bound: 'late_share_max', usual: 0.01,
    advice: 'stop what else runs on this machine',
    // Late sends that waited for the server are a result, not a fault: left out, if the generator reports them
    words: 'share of sends later than late_ms',
    applies: isNoSweep,
    value: ({ window: { sent, late, late_remote = 0 } }) => (sent > 0 ? (late - late_remote) / sent : NOT_APPLICABLE),
  },
  {
    rule: 'offered-rate', severity: 'flag', isOfTime: true, bound: 'rate_error_max', usual: 0.01,
    advice: 'stop what else runs on this machine, or offer less',
    // One message is tolerated: it may be due just before the window's end and sent just after. Of twenty messages it is 5 %
    words: 'sent in the window against due in it on connections that the server did not lose, but for one, open load',
    applies: isNoSweep,
    value: ({ closed, sent, window: { due, unsent_remote } }) =>
      (closed || due === unsent_remote ? NOT_APPLICABLE : Math.max(0, Math.abs(sent - (due - unsent_remote)) - 1) / (due - unsent_remote)),
  },
  {
    rule: 'local-losses', severity: 'flag', bound: 'local_losses_max', usual: 0,
    advice: 'raise the limits that `./wscale doctor` names',
    words: 'connections that the client\'s own host refused or dropped',
    value: ({ connections }) => connections.failed_local + connections.dropped_local,
  },
  {
    rule: 'wrong-answers', severity: 'flag', bound: 'wrong_max', usual: 0,
    advice: 'hold the engine against its contract (make check-server)',
    // Includes unrequested messages, if the generator reports them: they cost the server as much as answers, but have no latency
    words: 'answers other than the one expected',
    value: ({ window: { wrong, duplicate = 0, out_of_order = 0, unasked = 0 } }) => wrong + duplicate + out_of_order + unasked,
  },
  {
    // J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research 9(3), 1961
    rule: 'littles-law', severity: 'flag', isOfTime: true, bound: 'littles_law_error_max', usual: 0.05,
    advice: 'stop what else runs on this machine',
    words: 'in flight against rate x latency, closed load',
    value: ({ closed, inRounds, outstanding, window, window_s }) =>
      (closed && !inRounds ? Math.abs((window.received / window_s) * (window.service_mean_us / 1e6) / outstanding - 1) : NOT_APPLICABLE),
  },
  {
    rule: 'steal', severity: 'flag', isOfMachine: true, bound: 'steal_share_max', usual: 0.01,
    advice: 'give it time (RESUME=1 PATIENCE=20), or take a host that has no other guests',
    words: 'share of the machine that the hypervisor took',
    value: (facts) => Math.max(...machinesOf(facts).map(({ machine_s }) => machine_s.steal / machine_s.total)),
  },
  {
    rule: 'clock-step', severity: 'flag', isOfTime: true, isOfMachine: true, bound: 'clock_step_ms_max', usual: 50,
    advice: 'let no one set the clock meanwhile',
    words: 'wall clock against monotonic clock, ms',
    value: ({ clock_step_ms }) => clock_step_ms,
  },
  {
    rule: 'foreign-cpu', severity: 'flag', isOfMachine: true, bound: 'foreign_cpu_share_max', usual: FOREIGN_SHARE_MAX,
    advice: 'stop what else runs on this machine',
    words: 'share of the machine used by what is not the trial\'s',
    value: (facts) => Math.max(...machinesOf(facts).map(({ machine_s, usage }) => foreignShare(machine_s, usage))),
  },
  {
    rule: 'foreign-cpu-ramp', severity: 'flag', isOfMachine: true, bound: 'foreign_cpu_ramp_share_max', usual: 0.05,
    advice: 'stop what else runs on this machine',
    words: 'the same before the window, where it is judged what becomes of connections',
    applies: (_facts, bounds) => 'foreign_cpu_ramp_share_max' in bounds,
    value: ({ ramp_foreign_share }) => ramp_foreign_share,
  },
  {
    rule: 'server-waited', severity: 'flag', isOfMachine: true, bound: 'server_wait_share_max',
    advice: 'stop what else runs on this machine',
    words: 'share of the window, at the least, for which another program had the core of the server, which was runnable',
    applies: ({ server_wait_share }, bounds) => server_wait_share !== undefined && 'server_wait_share_max' in bounds,
    value: ({ server_wait_share = 0 }) => server_wait_share,
  },
  {
    rule: 'accounts-agree', severity: 'flag', bound: 'unaccounted_share_max',
    advice: 'look for a process of the server or the load that another program started, such as a daemon, and stop what else runs',
    words: 'CPU that ran on the machine and no process of the trial accounts for, beyond a twentieth of a core, against that of server and load',
    // A manifest that allows more foreign CPU has a reason, and it holds here too. Old captures keep their judgement
    applies: ({ throttled_s }, { foreign_cpu_share_max }) => foreign_cpu_share_max <= FOREIGN_SHARE_MAX && Number.isFinite(throttled_s),
    value: (facts) => Math.max(...machinesOf(facts).map((machine) => unaccountedShare(machine, facts.window_s))),
  },
  {
    rule: 'cpu-throttled', severity: 'flag', bound: 'throttled_share_max',
    advice: 'lift the CPU quota of the control group that the run is in (docker --cpus, CPUQuota= of systemd), or offer less',
    words: 'CPU time that the quota of a control group held back from the run, share of the window',
    applies: ({ throttled_s }) => Number.isFinite(throttled_s),
    value: ({ throttled_s, window_s }) => throttled_s / window_s,
  },
  {
    rule: 'mark-on-time', severity: 'flag', isOfTime: true, bound: 'mark_late_share_max', usual: 0.03,
    advice: 'stop what else runs on this machine',
    words: 'accounts read off their time, share of the window',
    value: ({ mark_late_share }) => mark_late_share,
  },
  {
    rule: 'accounts-complete', severity: 'flag', bound: 'lost_processes_max',
    advice: 'look for what ended a process, in raw/ of the trial',
    words: 'server or load processes that began, ended or lost threads in the window',
    value: ({ lost, faults }) => Math.max(0, lost - 2 * faults), // the killed process and its replacement
  },
  {
    rule: 'frames-whole', severity: 'flag', bound: 'frame_b_max',
    advice: 'turn the offloads of the device off',
    words: 'largest captured frame, B: a larger one than Ethernet carries was never on a wire, offloads were on',
    applies: ({ frame_max_b }) => frame_max_b !== undefined,
    value: ({ frame_max_b }) => /** @type {number} */ (frame_max_b),
  },
  {
    rule: 'counts-agree', severity: 'flag', bound: 'counts_error_max',
    advice: 'look for a host that makes another load, in device.tsv of the trial\'s hosts',
    words: 'over several hosts: bytes each way, by the devices of the clients and by the server\'s',
    applies: ({ counts }) => counts !== undefined,
    value: ({ counts }) => {
      const { up_b, up_there_b, down_b, down_there_b, other_b } = /** @type {NonNullable<Facts['counts']>} */ (counts);
      return Math.max(disagreement(up_b, up_there_b, other_b), disagreement(down_b, down_there_b, other_b));
    },
  },
  {
    rule: 'server-counts', severity: 'flag', bound: 'counts_error_max',
    advice: 'hold raw/sockets.tsv of the trial against intervals.tsv of its hosts',
    words: 'over several hosts: messages that the clients count, by the bytes that the server\'s kernel counts on its sockets',
    applies: ({ served }) => served !== undefined,
    value: ({ served }) => (served ? disagreementOfServed(served) : NOT_APPLICABLE),
  },
  {
    rule: 'live-agrees', severity: 'flag', bound: 'counts_error_max',
    advice: 'hold raw/live.tsv of the trial against intervals.tsv of its hosts',
    words: 'over several hosts: what was shown while it ran, against the clients\' records',
    applies: ({ live }) => live !== undefined,
    value: ({ live }) => (live ? disagreementOfLive(live) : NOT_APPLICABLE),
  },
  {
    // One slow host among many has too few of all messages for late-sends and offered-rate to notice
    rule: 'slow-host', severity: 'flag', isOfTime: true, bound: 'slow_share_max',
    advice: 'take the host out of hosts.toml, or give it less to do',
    words: 'over several hosts: share of the messages of the slowest that it sent late, or not at all',
    applies: ({ senders, isSweep }) => senders !== undefined && !isSweep,
    value: ({ senders = [] }) => findSlowest(senders).share,
    where: ({ senders = [] }) => findSlowest(senders).name,
  },
  {
    rule: 'clocks-agree', severity: 'flag', isOfTime: true, bound: 'clock_share_max',
    advice: 'measure longer, or put the hosts nearer to each other',
    words: 'over several hosts: by how much the offset between their clocks may be wrong, as a share of the window',
    applies: ({ clock_bound_s }) => clock_bound_s !== undefined,
    value: ({ clock_bound_s, window_s }) => /** @type {number} */ (clock_bound_s) / window_s,
  },
  {
    rule: 'latency-beyond-clocks', severity: 'flag', isOfTime: true, bound: 'clock_latency_share_max',
    advice: 'put the hosts nearer to each other, or use one host',
    words: 'over several hosts: the same as a share of a latency that is the difference of two clocks',
    applies: ({ subtractsClocks }) => subtractsClocks === true,
    value: ({ subtractsClocks, clock_bound_s, window: { service_mean_us } }) =>
      (subtractsClocks ? (/** @type {number} */ (clock_bound_s) * 1e6) / service_mean_us : NOT_APPLICABLE),
  },
  {
    rule: 'steps-whole', severity: 'flag', bound: 'disturbed_share_max',
    advice: 'stop what else runs on the hosts of the load, and look at their way to the server',
    words: 'share of the steps of a sweep that were disturbed, and leave its curve and percentiles',
    applies: ({ steps }) => steps?.disturbed.some(({ leaves }) => leaves === 'all') === true,
    value: ({ steps }) => (steps ? countDisturbed(steps) / steps.loaded : NOT_APPLICABLE),
  },
  {
    // The window's costs are whole without them, so it is no flag. A trial without a loss has no such row, as in older bundles
    rule: 'accounts-complete-ramp', severity: 'note', bound: 'lost_processes_max',
    words: 'server or load processes that began, ended or lost threads before the window: costs over the whole load, and of opening connections, lack their CPU',
    applies: ({ lost_before }) => lost_before > 0,
    value: ({ lost_before }) => lost_before,
  },
  {
    rule: 'server-whole', severity: 'note', bound: 'replacements_max',
    words: 'how often the server replaced processes that had died: a result, not a fault',
    value: ({ replacements }) => replacements,
  },
  {
    rule: 'top-agrees', severity: 'note', bound: 'top_error_max', usual: 0.02,
    words: 'CPU by top against the kernel\'s accounts',
    value: ({ usage, top_cpu_s }) => {
      const exact = usage.filter(({ side }) => side !== 'capture').reduce((sum, { cpu_s }) => sum + cpu_s, 0);
      return Math.abs(top_cpu_s / exact - 1);
    },
  },
];

/** Advice for rules that flag only steps (disturbed-steps.js). @type {Record<string, string>} */
const STEP_ADVICE = {
  'answers-stopped': 'look at the way from the load to the server, and at what else runs on both hosts',
  'cold-connections': 'measure it anew: a sweep loads its connections before its first step now',
};

/** Bounds that are not a matter of choice; of these, a manifest may set only warnings_max. */
/** @type {Record<string, number>} */
const FIXED_BOUNDS = {
  unaccounted_share_max: 0.25, throttled_share_max: 0.01, warnings_max: 0, lost_processes_max: 0, replacements_max: 0, frame_b_max: 1514,
  disturbed_share_max: 0.5, counts_error_max: 0.05, slow_share_max: 0.1, clock_share_max: 0.01, clock_latency_share_max: 0.05,
};

const VALIDITY_COLUMNS = ['rule', 'value', 'bound', 'passed', 'severity', 'words'];

/**
 * @param {Rule} rule @param {Facts} facts @param {Record<string, number>} bounds
 * @returns {{rule: string, value: string, bound: number, passed: 'yes' | 'no', severity: string, words: string}}
 */
export function applyRule({ rule, severity, bound, value, words, where }, facts, bounds) {
  const limit = bounds[bound] ?? FIXED_BOUNDS[bound]; // a manifest may set only warnings_max of the fixed ones
  const found = value(facts);
  const passed = found <= limit; // NaN does not pass
  return { rule, value: Number.isFinite(found) ? String(Number(found.toPrecision(4))) : 'unknown', bound: limit, passed: passed ? 'yes' : 'no', severity, words: where ? `${words}: ${where(facts)}` : words };
}

/** Write validity.tsv of a trial. @param {string} folder @param {import('../../harness/spec/spec.js').Spec} spec */
export function judgeTrial(folder, spec) {
  const steps = readSteps(folder, spec.validity);
  const facts = { ...readFacts(folder), steps };
  const rules = RULES.filter(({ applies }) => !applies || applies(facts, spec.validity));
  const rows = rules.map((rule) => applyRule(rule, facts, spec.validity));
  writeTsv(join(folder, 'validity.tsv'), VALIDITY_COLUMNS, [...rows, ...(steps?.disturbed ?? []).map(describeDisturbed)]);
}

/** @param {import('./disturbed-steps.js').Disturbed} disturbed @returns {Record<string, unknown>} a row for the step, not the trial */
const describeDisturbed = ({ step, leaves, rule, value, bound, words }) =>
  ({ rule, value: String(Number(value.toPrecision(4))), bound, passed: 'no', severity: severityOf({ step, leaves }), words: `of step ${step}: ${words}` });

/**
 * @param {Record<string, number>} bounds of a manifest
 * @returns {{rule: string, bound: number, usual: number}[]} rules with a looser bound than usual
 */
export function listLoosened(bounds) {
  return RULES.flatMap(({ rule, severity, bound, usual }) =>
    (severity === 'flag' && usual !== undefined && bounds[bound] > usual ? [{ rule, bound: bounds[bound], usual }] : []));
}

/** @param {string} name @returns {Rule | undefined} undefined for another reason than a rule */
export const findRule = (name) => RULES.find(({ rule }) => rule === renameRules(name));

/** @param {string} name of a rule @returns {boolean} does it concern the machine, whatever is measured? */
export const isOfMachine = (name) => findRule(name)?.isOfMachine === true;

/** @param {string} name of a rule @returns {boolean} does it concern times only, not counts of connections or bytes? */
export const isOfTime = (name) => findRule(name)?.isOfTime === true;

/**
 * @param {string[]} rules that flagged trials, the most frequent first
 * @returns {string[]} advice, without duplicates; if a quota throttles the run, other programs are not the cause
 */
export function adviseOn(rules) {
  const advice = rules.flatMap((name) => findRule(name)?.advice ?? STEP_ADVICE[name] ?? []);
  const isThrottled = rules.includes('cpu-throttled');
  return [...new Set(advice.filter((each) => !isThrottled || !each.startsWith('stop what else runs')))];
}
