/** The two parties of a trial, a server and a client, as their contracts have them: started, ready, gone. */
import { openSync, readSync, closeSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readEngine, runtimePath } from './engines.js';
import { TrialError } from './failure.js';
import { writeJson } from './files.js';
import { readGenerator } from './generators.js';
import { sleep, within } from './clock.js';

/** @typedef {import('./host.js').LocalHost} LocalHost */
/** @typedef {import('./host.js').Started} Started */
/** @typedef {{pid: number, role: string, index: number}} Announced */
/** @typedef {{version?: string, processes: Announced[]}} Ready */

/** Seconds that a party may take to be ready: Node 0.10 with dozens of processes on two cores takes some. */
const READY_WITHIN_S = 60;
/** Seconds that a server may take to stop (servers/CONTRACT.md). */
export const STOP_WITHIN_S = 5;

/**
 * @typedef {object} ServerWish
 * @property {string} engine
 * @property {string} address
 * @property {number} port
 * @property {string} behaviour
 * @property {Record<string, number>} processes
 * @property {Record<string, string>} options
 * @property {number} [payload_b] size of what the server sends by itself, where the behaviour needs one
 * @property {{period_ms: number, seed: number}} [updates] its own events, in the behaviour `updates`
 */

/**
 * @param {LocalHost} host
 * @param {ServerWish} wish
 * @param {string} folder for its two logs
 * @param {string} runDir
 * @param {string[]} [inside] see Launch
 * @returns {Promise<Started>}
 */
export function startServer(host, wish, folder, runDir, inside) {
  const engine = readEngine(wish.engine);
  return host.start({
    argv: engine.start,
    inside,
    cwd: engine.folder,
    side: 'server',
    path: runtimePath(engine),
    env: serverEnvironment(wish, runDir),
    stdout: join(folder, 'server.out'),
    stderr: join(folder, 'server.err'),
  });
}

/** @param {ServerWish} wish @param {string} runDir @returns {Record<string, string>} */
function serverEnvironment({ address, port, behaviour, processes, options, payload_b, updates }, runDir) {
  /** @param {string} name */
  const upper = (name) => name.toUpperCase().replaceAll('-', '_');
  return {
    WSCALE_HOST: address,
    WSCALE_PORT: String(port),
    WSCALE_BEHAVIOUR: behaviour,
    WSCALE_RUN_DIR: runDir,
    ...(payload_b && { WSCALE_PAYLOAD_B: String(payload_b) }),
    ...(updates && { WSCALE_UPDATE_PERIOD_MS: String(updates.period_ms), WSCALE_SEED: String(updates.seed) }),
    ...Object.fromEntries(Object.entries(processes).map(([role, count]) => [`WSCALE_${upper(role)}S`, String(count)])),
    ...Object.fromEntries(Object.entries(options).map(([option, value]) => [`WSCALE_OPTION_${upper(option)}`, value])),
  };
}

/** Schemes of dialects that do not begin with WebSocket, plain and by TLS. @type {Record<string, [string, string]>} */
const SCHEMES = { tcp: ['tcp', 'tls'], http: ['http', 'https'] };

/**
 * @param {string} dialect of the engine @param {string} address @param {number} port @param {boolean} [secure] by TLS
 * @returns {string} where its clients connect
 */
export function urlOf(dialect, address, port, secure = false) {
  const [plain, encrypted] = SCHEMES[dialect] ?? ['ws', 'wss'];
  return `${secure ? encrypted : plain}://${address}:${port}`;
}

/**
 * @param {LocalHost} host
 * @param {string} name of the generator
 * @param {Record<string, unknown>} config as clients/CONTRACT.md has it
 * @param {string} folder for its logs and its configuration
 * @param {string[]} [inside] see Launch
 * @returns {Promise<Started>}
 */
export async function startClient(host, name, config, folder, inside) {
  const generator = readGenerator(name);
  const path = join(folder, 'client.json');
  writeJson(path, config);
  return host.start({
    argv: [...generator.start, path],
    inside,
    cwd: generator.folder,
    side: 'client',
    path: runtimePath(generator),
    stdout: join(folder, 'client.out'),
    stderr: join(folder, 'client.err'),
    stdin: 'pipe',
  });
}

/** Reads the lines of a party's standard output that begin with a word, as they come. */
export class WordLines {
  /** @param {Started} started @param {string} word */
  constructor(started, word) {
    this.path = started.launch.stdout;
    this.prefix = `${word} `;
    this.offset = 0;
    this.rest = '';
  }

  /** @returns {string | undefined} of the last one that came since the last call, what follows the word */
  readLast() {
    const lines = (this.rest + this.#readNew()).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.filter((line) => line.startsWith(this.prefix)).pop()?.slice(this.prefix.length);
  }

  #readNew() {
    if (!existsSync(this.path)) return '';
    const descriptor = openSync(this.path, 'r');
    const bytes = Buffer.alloc(65536);
    const count = readSync(descriptor, bytes, 0, bytes.length, this.offset);
    closeSync(descriptor);
    this.offset += count;
    return bytes.toString('latin1', 0, count);
  }
}

/** Reads the `ready` lines of a party's standard output as they come. */
export class ReadyLines {
  /** @param {Started} started */
  constructor(started) {
    this.lines = new WordLines(started, 'ready');
  }

  /** @returns {Ready | undefined} the last one that came since the last call */
  readLast() {
    const last = this.lines.readLast();
    return last === undefined ? undefined : parseReady(last);
  }
}

/** @param {string} told what follows the word @returns {Ready} @throws {TrialError} */
function parseReady(told) {
  try {
    const ready = JSON.parse(told);
    if (Array.isArray(ready.processes)) return ready;
  } catch {
    // said below
  }
  throw new TrialError(`its ready line is not as the contract has it: ready ${told.slice(0, 200)}`);
}

/**
 * @param {Started} started
 * @param {ReadyLines} lines
 * @param {string} who for the message
 * @param {AbortSignal} [signal]
 * @param {number} [withinS]
 * @returns {Promise<Ready>}
 * @throws {TrialError} when it ends first, or takes too long
 */
export function waitUntilReady(started, lines, who, signal, withinS = READY_WITHIN_S) {
  return waitForLine(started, lines, `${who} was`, 'ready', signal, withinS);
}

/**
 * @template T
 * @param {Started} started
 * @param {{readLast: () => T | undefined}} lines
 * @param {string} who for the message, with its verb
 * @param {string} what it is to be, or to do
 * @param {AbortSignal | undefined} signal
 * @param {number} withinS
 * @returns {Promise<T>}
 * @throws {TrialError} when it ends first, or takes too long
 */
export async function waitForLine(started, lines, who, what, signal, withinS) {
  for (let waitedMs = 0; waitedMs < withinS * 1000; waitedMs += 10) {
    const line = lines.readLast();
    if (line !== undefined) return line;
    if (started.exit) throw new TrialError(`${who} never ${what}; it ${started.describeEnd()}`);
    await sleep(10, signal);
  }
  throw new TrialError(`${who} not ${what} within ${withinS} s; read ${basename(started.launch.stderr)} beside it`);
}

/**
 * @param {LocalHost} host @param {Started} server @param {AbortSignal} [signal]
 * @throws {TrialError} when it does not end as the contract has it
 */
export async function stopServer(host, server, signal) {
  if (server.exit) throw new TrialError(`the server ended during the trial: it ${server.describeEnd()}`);
  server.signal('SIGTERM');
  const stopped = await within(server.exited, STOP_WITHIN_S * 1000, signal);
  const left = await host.killAll(['server']);
  if (!stopped) throw new TrialError(`the server did not stop within ${STOP_WITHIN_S} s of SIGTERM`);
  if (stopped.code !== 0) throw new TrialError(`the server did not stop cleanly: it ${server.describeEnd()}`);
  if (left > 0) throw new TrialError(`the server left ${left} process(es) behind`);
}

/** Time for a client to write its records after the drain, and for a companion to look a last time. */
const RECORDS_WITHIN_S = 30;

/**
 * @param {Started} party a client, or a companion
 * @param {string} who for the message
 * @param {number} drainS what it still has to do before it writes
 * @param {AbortSignal} [signal]
 * @throws {TrialError} when it takes longer, or fails
 */
export async function finishClient(party, who, drainS, signal) {
  const limit = drainS + RECORDS_WITHIN_S;
  const exit = await within(party.exited, limit * 1000, signal);
  if (!exit) throw new TrialError(`${who} did not end within ${limit} s of the window's end; read ${basename(party.launch.stderr)} beside it`);
  if (exit.code !== 0) throw new TrialError(`${who} failed: it ${party.describeEnd()}`);
}
