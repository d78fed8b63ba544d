/** One trial: a server, a client, the capture between them, and what became of it. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Capture } from './capture.js';
import { monotonicUs, sleepUntil, within } from './clock.js';
import { TrialError } from './failure.js';
import { writeAtomically, writeJson } from './files.js';
import { generatorOf, readGenerator } from './generators.js';
import { ReadyLines, startClient, startServer, stopServer, waitUntilReady } from './parties.js';
import { judgeTrial } from './validity.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./plan.js').Planned} Planned */
/** @typedef {import('./host.js').LocalHost} LocalHost */
/** @typedef {import('./host.js').Started} Started */

/** Servers bind to loopback unless told otherwise. */
const ADDRESS = '127.0.0.1';
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
 * @throws {import('./failure.js').Interrupted}
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
  } finally {
    await host.killAll(['server', 'client', 'capture']);
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
  const port = await host.findFreePort(ADDRESS);
  const { processes, options } = spec.engines[planned.engine];
  const wish = { engine: planned.engine, address: ADDRESS, port, behaviour: spec.load.behaviour, processes, options };
  const config = clientConfig(spec, planned, `ws://${ADDRESS}:${port}`, join(raw, 'client'));
  writeJson(join(folder, 'trial.json'), { ...planned, server: wish, client: config });

  const server = await startServer(host, wish, raw, host.makeRunDir());
  const client = await startClient(host, generatorOf(planned.setting), config, raw);
  const lines = new ReadyLines(server);
  const [serverReady, clientReady] = await Promise.all([
    waitUntilReady(server, lines, 'the server', signal),
    waitUntilReady(client, new ReadyLines(client), 'the client', signal),
  ]);
  const capture = new Capture(host, raw);
  await capture.start([
    ...onSide('server', serverReady),
    ...onSide('client', clientReady),
  ]);
  await load(spec, server, client, capture, lines, signal);
  await stopServer(host, server, signal);
}

/** @param {string} side @param {import('./parties.js').Ready | undefined} ready @returns {import('./capture.js').Watched[]} */
function onSide(side, ready) {
  return (ready?.processes ?? []).map((process) => ({ ...process, side }));
}

/** @param {Spec} spec @param {Planned} planned @param {string} url @param {string} out */
function clientConfig({ load: { behaviour, client_processes, late_ms, drain_s, payload }, phases, workloads, engines }, planned, url, out) {
  const { warmup_s, connections, connect_rate_hz, ramp_s, settle_s, hold_s } = phases;
  const { library, dialect } = engines[planned.engine];
  const spoken = readGenerator(generatorOf(planned.setting)).dialects ? { dialect } : { library };
  return {
    url, ...spoken, out, behaviour, processes: client_processes, warmup_s, connections, connect_rate_hz, ramp_s, settle_s, hold_s,
    arrivals: workloads[planned.workload].arrivals, payload: payload ?? { type: 'text', bytes: 0 },
    seed: planned.seed, late_ms, drain_s,
  };
}

/**
 * @param {Spec} spec @param {Started} server @param {Started} client
 * @param {Capture} capture @param {ReadyLines} lines of the server @param {AbortSignal} signal
 */
async function load({ phases, load: { drain_s } }, server, client, capture, lines, signal) {
  const startUs = Math.round(monotonicUs() + LEAD_US + phases.warmup_s * 1e6);
  client.child.stdin?.write(`go ${startUs}\n`);
  const windowStartUs = startUs + (phases.ramp_s + phases.settle_s) * 1e6;
  const windowEndUs = windowStartUs + phases.hold_s * 1e6;
  const over = endEarly(server, client);
  const until = (/** @type {number} */ us) => Promise.race([sleepUntil(us, signal), over]);
  try {
    await until(startUs);
    capture.mark('start');
    for (const [mark, atUs] of /** @type {const} */ ([['window_start', windowStartUs], ['window_end', windowEndUs]])) {
      await until(atUs - LOOK_US);
      capture.announce(onSide('server', lines.readLast()));
      capture.refresh();
      await until(atUs);
      capture.mark(mark);
    }
    await finishClient(client, drain_s, signal);
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

/** Time for the client to write its records after the drain. */
const RECORDS_WITHIN_S = 30;

/** @param {Started} client @param {number} drainS @param {AbortSignal} signal */
async function finishClient(client, drainS, signal) {
  const limit = drainS + RECORDS_WITHIN_S;
  const exit = await within(client.exited, limit * 1000, signal);
  if (!exit) throw new TrialError(`the client did not end within ${limit} s of the window's end; read client.err beside it`);
  if (exit.code !== 0) throw new TrialError(`the client failed: it ${client.describeEnd()}`);
}
