/** One trial: a server, a client, the capture between them, and what became of it. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Capture } from '../agent/capture.js';
import { isSecure, makeCertificate } from '../agent/certificate.js';
import { monotonicUs, sleepUntil } from '../agent/clock.js';
import { clientConfig, writeClientMetrics } from './client-config.js';
import { startCompanion } from './companion.js';
import { Cores } from '../agent/cores.js';
import { TrialError } from '../common/failure.js';
import { faultAt, strike } from '../agent/fault.js';
import { writeAtomically, writeJson } from '../common/files.js';
import { Network } from '../agent/network.js';
import { finishClient, startClient, startServer, stopServer, urlOf } from './parties.js';
import { ReadyLines, waitUntilReady } from '../agent/ready.js';
import { resolveConditions } from '../spec/points.js';
import { saturate } from './saturate.js';
import { listMarks, listSteps, staircaseOf, writeSteps } from '../spec/sweep.js';
import { judgeTrial } from '../judge/validity.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('../plan/plan.js').Planned} Planned */
/** @typedef {import('../agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../agent/host.js').Started} Started */

/** From both parties being ready to the first connection, beside the warm-up: the samplers start in it. */
const LEAD_US = 250_000;
/** How long before a mark to look for processes that no one announced. */
const LOOK_US = 100_000;

/** @param {string} bundle @param {string} trial @returns {string} its folder */
export function trialFolder(bundle, trial) {
  return join(bundle, 'trials', trial);
}

/** @param {string} bundle @param {string} trial @returns {string} planned, running, done or `failed: why` */
export function readStatus(bundle, trial) {
  const path = join(trialFolder(bundle, trial), 'status');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'planned';
}

/**
 * Carry out one trial. Whatever happens in it, nothing of it runs afterwards.
 * @param {LocalHost} host
 * @param {Spec} spec
 * @param {Planned} planned
 * @param {string} bundle
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its status
 * @throws {import('../common/failure.js').Interrupted}
 */
export async function runTrial(host, spec, planned, bundle, signal) {
  const folder = trialFolder(bundle, planned.trial);
  let result = 'done';
  try {
    makeTrialFolder(bundle, planned.trial);
    writeAtomically(join(folder, 'status'), 'running\n');
    await measure(host, spec, planned, folder, signal);
    judgeTrial(folder, spec);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    result = `failed: ${describe(error)}`;
  }
  return conclude(join(folder, 'status'), result);
}

/**
 * Write what became of a trial. A full disk has no room for another file, but for a longer word in one that is there.
 * @param {string} path @param {string} result
 * @returns {string} the result, which is not "done" when it could not be written
 */
function conclude(path, result) {
  try {
    writeAtomically(path, `${result}\n`);
    return result;
  } catch (error) {
    const failed = result === 'done' ? `failed: ${describe(error)}` : result;
    if (existsSync(path)) writeFileSync(path, `${failed}\n`, { flag: 'r+' });
    return failed;
  }
}

/** @param {unknown} error @returns {string} one line; a fault of the suite's own with its place */
function describe(error) {
  const { message, stack = '', syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  if (error instanceof TrialError || syscall) return message.replaceAll(/\s+/g, ' ');
  return `${message} (${stack.split('\n')[1]?.trim() ?? 'no stack'})`.replaceAll(/\s+/g, ' ');
}

/** What an attempt left behind is kept beside the new one. @param {string} bundle @param {string} trial */
function makeTrialFolder(bundle, trial) {
  const folder = trialFolder(bundle, trial);
  if (existsSync(folder)) {
    const attempts = readdirSync(join(bundle, 'trials')).filter((name) => name.startsWith(`${trial}.attempt-`)).length;
    renameSync(folder, `${folder}.attempt-${attempts + 1}`);
  }
  mkdirSync(join(folder, 'raw', 'client'), { recursive: true });
}

/** @param {LocalHost} host @param {Spec} spec @param {Planned} planned @param {string} folder @param {AbortSignal} signal */
async function measure(host, spec, planned, folder, signal) {
  const raw = join(folder, 'raw');
  const conditions = resolveConditions(spec, planned);
  const { behaviour, processes, options, payload, placement, arrivals } = conditions;
  const updates = behaviour === 'updates' ? { period_ms: arrivals.period_ms ?? 0, seed: planned.seed } : undefined;
  const cores = new Cores(placement);
  try {
    const network = await Network.open(host, spec.network, conditions.link, raw, signal);
    const port = await network.findPort();
    const { address } = network;
    const wish = { engine: planned.engine, address, port, behaviour, processes, options, payload_b: payload.bytes, updates };
    const runDir = host.makeRunDir();
    const ca = isSecure(options) ? makeCertificate(runDir, address) : undefined;
    const server = await startServer(host, wish, raw, runDir, network.inside.server);
    const lines = new ReadyLines(server);
    const serverReady = await waitUntilReady(server, lines, 'the server', signal);
    cores.placeServer(serverReady.processes, host.list().filter(({ side }) => side === 'server').map(({ pid }) => pid));
    const url = urlOf(spec.engines[planned.engine].dialect, address, port, isSecure(options));
    const rate_hz = conditions.search && await saturate({ host, spec, planned, conditions, cores, network, url, raw, signal });
    const config = clientConfig({ spec, planned, conditions, url, out: join(raw, 'client'), rate_hz, ca, keylog: ca && network.keylog });
    writeJson(join(folder, 'trial.json'), { ...planned, ...(spec.network && { network: spec.network.kind }), server: wish, client: config, placement });
    await network.startCapture(port, signal);
    await measureLoad({ host, spec, planned, conditions, cores, network, raw, signal, server, serverReady, lines, config });
    await network.close(port);
    writeClientMetrics(config.out, planned.to_s, conditions.fault ? faultAt(planned) : undefined);
    await stopServer(host, server, signal);
  } finally {
    await host.killAll(['server', 'client', 'capture']);
  }
}

/**
 * @typedef {object} Running what a trial is made of
 * @property {LocalHost} host
 * @property {Spec} spec
 * @property {Planned} planned
 * @property {import('../spec/points.js').Conditions} conditions
 * @property {Cores} cores
 * @property {Network} network
 * @property {string} raw
 * @property {AbortSignal} signal
 */

/**
 * @param {Running & {server: Started, serverReady: import('../agent/ready.js').Ready, lines: ReadyLines,
 *   config: Record<string, any>}} running
 */
async function measureLoad({ host, spec, planned, conditions, cores, network, raw, signal, server, serverReady, lines, config }) {
  const client = await startClient(host, conditions.generator, config, raw, network.inside.client);
  const companion = spec.load.companion && await startCompanion(host, spec.load.companion, { ...config, url: config.url.replace('ws:', 'http:') }, raw);
  const clientReady = await waitUntilReady(client, new ReadyLines(client), 'the client', signal);
  const companionReady = companion ? await waitUntilReady(companion, new ReadyLines(companion), `the companion ${spec.load.companion}`, signal) : undefined;
  cores.placeClient([...clientReady.processes, ...(companionReady?.processes ?? [])]);
  const capture = new Capture(host, raw);
  await capture.start([
    ...onSide('server', serverReady),
    ...onSide('client', clientReady),
    ...onSide('companion', companionReady),
    ...network.link.map((process) => ({ ...process, side: 'link' })),
  ]);
  cores.placeSamplers(capture.samplers); // they are not to take the server's place on its core
  const parties = [server, client, ...(companion ? [companion] : [])];
  await load({ spec, planned, conditions, cores, network, parties, capture, lines, raw, signal });
}

/** @param {string} side @param {import('../agent/ready.js').Ready | undefined} ready @returns {import('../agent/capture.js').Watched[]} */
function onSide(side, ready) {
  return (ready?.processes ?? []).map((process) => ({ ...process, side }));
}

/**
 * @param {Omit<Running, 'host'> & {parties: Started[], capture: Capture, lines: ReadyLines}} running `lines` are the server's; the
 *   parties are the server, then those that make load
 */
async function load({ spec, planned, conditions, cores, network, parties, capture, lines, raw, signal }) {
  const { warmup_s } = conditions;
  const [server, client, ...companions] = parties;
  const startUs = Math.round(monotonicUs() + LEAD_US + warmup_s * 1e6);
  for (const party of [client, ...companions]) party.child.stdin?.write(`go ${startUs}\n`);
  const over = endEarly(server, client);
  const until = (/** @type {number} */ us) => Promise.race([sleepUntil(us, signal), over]);
  const staircase = staircaseOf(conditions.arrivals);
  const steps = staircase ? listSteps(staircase, planned.from_s) : [];
  if (staircase) writeSteps(join(raw, 'steps.tsv'), steps);
  /** @type {[string, number][]} */
  const marks = [['window_start', planned.from_s], ...listMarks(steps), ['window_end', planned.to_s]];
  const announce = () => {
    const ready = lines.readLast();
    if (ready) cores.placeServer(ready.processes);
    capture.announce(onSide('server', ready));
  };
  try {
    capture.refresh();
    await until(startUs);
    capture.mark('start');
    cores.placeLink(network.link);
    network.slowDown();
    for (const [mark, at_s] of marks) {
      const atUs = startUs + at_s * 1e6;
      if (mark === 'window_end' && conditions.fault) await strike({ capture, raw, startUs, planned, until, announce });
      await until(atUs - LOOK_US);
      if (mark === 'window_start') network.checkCongestion();
      announce();
      capture.refresh();
      await until(atUs);
      capture.mark(mark);
      network.mark(mark);
    }
    await finishClient(client, 'the client', spec.load.drain_s, signal);
    for (const companion of companions) await finishClient(companion, `the companion ${spec.load.companion}`, spec.load.drain_s, signal);
  } catch (error) {
    capture.abort();
    throw error;
  }
  await capture.stop(startUs);
}

/** @param {Started} server @param {Started} client @returns {Promise<never>} rejects when one ends before its time */
function endEarly(server, client) {
  const over = Promise.race([
    server.exited.then(() => { throw new TrialError(`the server ended during the trial: it ${server.describeEnd()}`); }),
    client.exited.then(() => { throw new TrialError(`the client ended during the trial: it ${client.describeEnd()}`); }),
  ]);
  over.catch(() => {}); // it may reject after the last one who waits for it has gone
  return over;
}
