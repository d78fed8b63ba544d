/** The generators of bench-swarm: raw-TCP limit, swarm, k6, openssl s_time. Each returns what it counted. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from '../../../harness/agent/clock.js';
import { sleep, within } from '../../../harness/common/timers.js';
import { TrialError } from '../../../harness/common/failure.js';
import { readJson, readTsv } from '../../../harness/common/files.js';
import { BINARIES } from './binaries.js';
import { CERTIFICATE } from './servers.js';
import { MESSAGE_B } from './plan.js';

/** Prefix of metrics for swarm's warnings about a run. */
export const WARNING = 'warning.';

/** @typedef {import('../../../harness/agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../../../harness/agent/host.js').Started} Started */
/** @typedef {import('./plan.js').Load} Load */
/** @typedef {import('./plan.js').Closed} Closed */
/** @typedef {Record<string, number>} Values by metric; `counted`: all answered messages, to compare with the server's count */

/**
 * @typedef {object} Place where and for how long
 * @property {LocalHost} host
 * @property {string} address of the server, host:port
 * @property {string} folder for the logs and records
 * @property {number} windowS whole seconds
 * @property {number} seed of the load
 * @property {AbortSignal} signal
 */

/** Warm-up of the limit, with all connections up. */
const LIMIT_WARMUP_MS = 500;
/** Time for k6's users to connect before the window. */
const K6_RAMP_MS = 1500;
/** Loads with more connections than this need time to settle. */
const MANY = 1000;
/** Connections a second. */
const CONNECT_RATE_HZ = 10_000;
/** Concurrent handshakes: many, because a busy event loop has little time for each. Bun's listener queues 512. */
const HANDSHAKES = 500;
const DRAIN_S = 1;
/** Time besides the window, to start, connect, settle and write records. */
const GRACE_S = 30;

/** @param {Place} place @param {string[]} argv @param {Record<string, string>} [env] @returns {Promise<Started>} */
function start({ host, folder }, argv, env) {
  return host.start({
    argv, env, cwd: folder, side: 'client', stdout: join(folder, 'client.out'), stderr: join(folder, 'client.err'),
  });
}

/** @param {Started} started @param {Place} place @param {string} who @throws {TrialError} unless it ends with 0 in time */
async function waitForEnd(started, { windowS, signal }, who) {
  const ended = await within(started.exited, (windowS + GRACE_S) * 1000, signal);
  if (!ended) started.signal('SIGKILL');
  if (ended?.code !== 0) throw new TrialError(`${who} ${ended ? started.describeEnd() : `did not end ${GRACE_S} s after its window`}`);
}

/** @param {Place} place @param {Closed} load @returns {Promise<Values>} */
export async function runLimit(place, { connections, outstanding, isSecured, isDeflated }) {
  const { address, folder, windowS } = place;
  const how = [...(isSecured ? ['--tls', join(folder, CERTIFICATE)] : []), ...(isDeflated ? ['--deflate'] : [])];
  const started = await start(place, [
    BINARIES.tcpLimit, '--connections', String(connections), '--outstanding', String(outstanding), '--bytes', String(MESSAGE_B),
    '--warmup', `${LIMIT_WARMUP_MS}ms`, '--duration', `${windowS}s`, ...how, address,
  ]);
  await waitForEnd(started, place, 'tcp-limit');
  const { rate_hz, cpu_s, seconds, counted } = JSON.parse(readFileSync(join(folder, 'client.out'), 'utf8'));
  return { rate_hz, client_cpu_cores: cpu_s / seconds, counted };
}

/**
 * Settling time of many connections, s. Handshakes over TLS or during compressed traffic take longer, most of all where those
 * that are up keep many messages outstanding.
 */
const SETTLE_S = { plain: 1, costly: 5, costliest: 15 };

/**
 * The phases of swarm before its window, whole seconds. Connections open during the ramp. Traffic of open ones slows the others
 * down, so thousands of connections also need time to settle.
 * @param {Load} load
 */
export function planPhases(load) {
  const isCostly = load.kind === 'closed' && (load.isSecured || load.isDeflated);
  const cost = !isCostly ? 'plain' : load.outstanding > 1 ? 'costliest' : 'costly';
  const settleS = load.connections > MANY ? SETTLE_S[cost] : 0;
  return { rampS: Math.ceil(load.connections / CONNECT_RATE_HZ), settleS };
}

/** @param {import('./plan.js').Open} load @returns {(string | number)[]} */
function listOpenArguments({ rate_hz, arrivals, coalesce_us }) {
  return ['--rate', rate_hz, '--arrivals', arrivals, ...(coalesce_us === undefined ? [] : ['--coalesce', `${coalesce_us}us`])];
}

/** @param {Place} place @param {'tcp' | 'ws' | 'wss'} scheme @param {Load} load @returns {string[]} the arguments of swarm */
function swarmArguments({ address, folder, windowS, seed }, scheme, load) {
  const how = {
    closed: () => ['--size', MESSAGE_B, '--outstanding', /** @type {Closed} */ (load).outstanding],
    open: () => ['--size', MESSAGE_B, ...listOpenArguments(/** @type {import('./plan.js').Open} */ (load))],
    idle: () => ['--behaviour', 'idle'],
    handshakes: () => ['--size', MESSAGE_B],
  };
  return [
    `${scheme}://${address}`, '--connections', load.connections, ...how[load.kind](), '--threads', 1,
    '--connect-rate', CONNECT_RATE_HZ, '--max-connecting', HANDSHAKES, '--warmup', '0s', '--settle', `${planPhases(load).settleS}s`,
    '--duration', `${windowS}s`, '--drain', `${DRAIN_S}s`, '--seed', seed, '--out', join(folder, 'raw', 'client'), '--quiet',
    ...(scheme === 'wss' ? ['--ca', join(folder, CERTIFICATE)] : []),
    ...(load.kind === 'closed' && load.isDeflated ? ['--deflate'] : []),
  ].map(String);
}

/**
 * @param {Place} place @param {'tcp' | 'ws' | 'wss'} scheme @param {Load} load @param {string} [program] another build of swarm
 * @returns {Promise<Values>}
 */
export async function runSwarm(place, scheme, load, program = BINARIES.swarm) {
  const out = join(place.folder, 'raw', 'client');
  mkdirSync(out, { recursive: true });
  const startedUs = monotonicUs();
  const { rampS, settleS } = planPhases(load);
  const started = await start(place, [program, ...swarmArguments(place, scheme, load)]);
  const memory = load.kind === 'idle' ? await watchMemory(started, startedUs, rampS + settleS + place.windowS / 2, place) : {};
  await waitForEnd(started, place, 'swarm');
  return { ...memory, ...readSummary(out, load) };
}

/** @param {string} out @param {Load} load @returns {Values} @throws {TrialError} on lost connections, or missing or wrong answers */
function readSummary(out, load) {
  const { window, totals, connections, processes, hold_s, warnings } = readJson(join(out, 'summary.json'));
  if (connections.open_at_end !== load.connections) {
    throw new TrialError(`swarm held ${connections.open_at_end} of ${load.connections} connections at the end`);
  }
  const { rampS, settleS } = planPhases(load);
  const { connected } = readTsv(join(out, 'intervals.tsv'))[rampS + settleS - 1];
  if (Number(connected) !== load.connections) throw new TrialError(`swarm had ${connected} of ${load.connections} connections up when the window began`);
  if (totals.missing + totals.wrong > 0) throw new TrialError(`swarm counted ${totals.missing} answers missing, ${totals.wrong} wrong`);
  const cpuS = processes.reduce((/** @type {number} */ sum, /** @type {any} */ { window_cpu_s }) => sum + window_cpu_s, 0);
  return {
    rate_hz: window.received / hold_s,
    client_cpu_cores: cpuS / hold_s,
    counted: totals.received,
    ...(load.kind === 'open' ? { late_pct: (100 * window.late) / window.sent } : {}),
    ...Object.fromEntries(warnings.map((/** @type {{rule: string}} */ { rule }) => [`${WARNING}${rule}`, 1])),
  };
}

/**
 * Resident memory in the middle of the window, and the peak until the process ends.
 * @param {Started} started @param {number} startedUs @param {number} middleS since the start @param {Place} place
 * @returns {Promise<Values>}
 */
async function watchMemory(started, startedUs, middleS, { signal }) {
  let held;
  let peak = 0;
  const givenUpUs = startedUs + (2 * middleS + GRACE_S) * 1e6;
  while (!started.exit && monotonicUs() < givenUpUs) {
    const status = readStatus(started.pid);
    if (held === undefined && monotonicUs() - startedUs > middleS * 1e6) held = status.VmRSS;
    peak = Math.max(peak, status.VmHWM);
    await sleep(20, signal);
  }
  if (held === undefined) throw new TrialError(`swarm ended before the middle of its window: it ${started.describeEnd()}`);
  return { rss_b: held, rss_peak_b: peak };
}

/** @param {number} pid @returns {Record<string, number>} sizes in /proc/<pid>/status, bytes; 0 if the process is gone */
function readStatus(pid) {
  const sizes = { VmRSS: 0, VmHWM: 0 };
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'latin1').matchAll(/^(VmRSS|VmHWM):\s+(\d+) kB$/gm);
    return { ...sizes, ...Object.fromEntries([...lines].map(([, name, size]) => [name, Number(size) * 1024])) };
  } catch {
    return sizes;
  }
}

/** Faster than possible: all connections are due at once. */
const AT_ONCE_HZ = 1_000_000;

/** @param {Place} place @param {import('./plan.js').Handshakes} load @returns {Promise<Values>} of swarm with one handshake at a time */
export async function runHandshakes(place, { connections }) {
  const { address, folder, windowS } = place;
  const out = join(folder, 'raw', 'client');
  mkdirSync(out, { recursive: true });
  const started = await start(place, [
    BINARIES.swarm, `tls://${address}`, '--ca', join(folder, CERTIFICATE), '--tls-version', '1.3', '--behaviour', 'idle', '--connections', connections,
    '--connect-rate', AT_ONCE_HZ, '--max-connecting', 1, '--settle', '0s', '--duration', `${windowS}s`, '--out', out, '--quiet',
  ].map(String));
  await waitForEnd(started, place, 'swarm');
  const up = readTsv(join(out, 'intervals.tsv')).map(({ connected }) => Number(connected));
  const [first, last] = [up[0], up[windowS]]; // at the end of the ramp's second, and of the window
  if (last >= connections) throw new TrialError(`swarm had all ${connections} connections up before its window was over; measure fewer --seconds`);
  return { rate_hz: (last - first) / windowS, counted: 0 };
}

/** @param {Place} place @returns {Promise<Values>} */
export async function runOpensslTime(place) {
  const { address, folder, windowS } = place;
  const fromUs = monotonicUs();
  const started = await start(place, [
    'openssl', 's_time', '-connect', address, '-new', '-tls1_3', '-time', String(windowS), '-CAfile', join(folder, CERTIFICATE), '-verify', '1',
  ]);
  await waitForEnd(started, place, 'openssl s_time');
  const seconds = (monotonicUs() - fromUs) / 1e6; // openssl's own "real seconds" are whole, and rounded up
  const [, count] = /(\d+) connections in \d+ real seconds/.exec(readFileSync(join(folder, 'client.out'), 'utf8')) ?? [];
  if (!(Number(count) > 0)) throw new TrialError('openssl s_time made no connection; read client.out');
  return { rate_hz: Number(count) / seconds, counted: 0 };
}

/** @param {Place} place @param {Closed} load @returns {Promise<Values>} */
export async function runK6(place, { connections }) {
  const { address, folder, windowS } = place;
  const summary = join(folder, 'k6.json');
  const settings = { URL: `ws://${address}`, BYTES: MESSAGE_B, CONNECTIONS: connections, RAMP_MS: K6_RAMP_MS, WINDOW_MS: windowS * 1000, SUMMARY: summary };
  const started = await start(place, [
    BINARIES.k6, 'run', '--quiet', '--no-usage-report', '--address', '', // no REST API, and no port for it
    ...Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    join(import.meta.dirname, 'peers', 'k6-echo.js'),
  ]);
  await waitForEnd(started, place, 'k6');
  const { held, received, received_in_all } = readJson(summary);
  if (held !== connections) throw new TrialError(`k6 held ${held} of ${connections} connections through the window`);
  return { rate_hz: received / windowS, counted: received_in_all };
}
