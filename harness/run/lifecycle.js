/** Life cycle of servers, clients and companions, as their contracts define it: started, ready, stopped. */
import { basename, join, relative } from 'node:path';
import { readEngine, runtimePath } from '../spec/engines.js';
import { StartError, TrialError } from '../common/failure.js';
import { readCompanion, readGenerator } from '../spec/generators.js';
import { CLIENT_QUOTA, ROOT } from '../common/places.js';
import { DIR, MEMORY_DIR, RUN_DIR } from '../common/protocol.js';
import { READY_WITHIN_S, parseReady } from '../common/ready.js';
import { sleep, within } from '../common/timers.js';

/** @import { RemoteProcess, Session } from './session.js' */

/** From everything being ready to the first connection, on top of warm-up: time to start samplers, to inform several hosts, and for a
 * loaded machine to run each client before the start: one that reads "go T" after T fails the trial. */
export const LEAD_US = 1_000_000;

/** Seconds within which a server must stop (servers/CONTRACT.md). */
export const STOP_WITHIN_S = 5;

/**
 * @typedef {{engine: string, address: string, port: number, behaviour: string, processes: Record<string, number>,
 *   options: Record<string, string>, payload_b?: number, updates?: {period_ms: number, seed: number},
 *   env?: Record<string, string | undefined>}} ServerConfig `payload_b`: size of messages sent unprompted, for behaviours that need it;
 *   `updates`: the server's own events in the behaviour `updates`; `env` overrides the derived variables, undefined unsets one
 */

/** @param {import('../spec/engines.js').Installable} part @returns {{cwd: string, path: string}} relative to the suite */
export const placeOf = (part) => ({ cwd: relative(ROOT, part.folder), path: relative(ROOT, runtimePath(part)) });

/** @param {Session} session for one server at most: the server uses its private folder @param {ServerConfig} config */
export function startServer(session, config) {
  const engine = readEngine(config.engine);
  const env = { ...serverEnvironment(config), ...config.env };
  return session.start({ ...placeOf(engine), argv: engine.start, side: 'server', env, log: 'server' });
}

/** @param {ServerConfig} config @returns {Record<string, string>} as servers/CONTRACT.md defines it */
export function serverEnvironment({ address, port, behaviour, processes, options, payload_b, updates }) {
  const upper = (/** @type {string} */ name) => name.toUpperCase().replaceAll('-', '_');
  return {
    WSCALE_HOST: address,
    WSCALE_PORT: String(port),
    WSCALE_BEHAVIOUR: behaviour,
    WSCALE_RUN_DIR: RUN_DIR,
    WSCALE_MEMORY_DIR: MEMORY_DIR,
    ...(payload_b && { WSCALE_PAYLOAD_B: String(payload_b) }),
    ...(updates && { WSCALE_UPDATE_PERIOD_MS: String(updates.period_ms), WSCALE_SEED: String(updates.seed) }),
    ...Object.fromEntries(Object.entries(processes).map(([role, count]) => [`WSCALE_${upper(role)}S`, String(count)])),
    ...Object.fromEntries(Object.entries(options).map(([option, value]) => [`WSCALE_OPTION_${upper(option)}`, value])),
  };
}

/** Schemes of dialects that do not start with WebSocket: plain, and with TLS. @type {Record<string, [string, string]>} */
const SCHEMES = { tcp: ['tcp', 'tls'], http: ['http', 'https'] };

/** @param {string} dialect of the engine @param {string} address @param {number} port @param {boolean} [secure] with TLS */
export function urlOf(dialect, address, port, secure = false) {
  const [plain, encrypted] = SCHEMES[dialect] ?? ['ws', 'wss'];
  return `${secure ? encrypted : plain}://${address}:${port}`;
}

/** @param {Record<string, string>} options of the server @returns {boolean} whether it uses TLS */
export const isSecure = ({ tls = 'none' }) => tls !== 'none';

/**
 * @param {Session} session @param {string} name of the generator
 * @param {Record<string, unknown>} config as clients/CONTRACT.md has it, with a folder of the session for its records
 * @param {string} [folder] of the session, for logs and configuration
 */
export async function startClient(session, name, config, folder = '') {
  await session.ask('makeFolder', { name: String(config.out).replace(`${DIR}/`, '') });
  return startConfigured(session, readGenerator(name), config, join(folder, 'client'));
}

/**
 * @param {Session} session @param {import('../spec/engines.js').Installable & {start: string[]}} part its argument is the configuration
 * @param {object} config @param {string} log name of the files of its configuration and output, without endings
 */
async function startConfigured(session, part, config, log) {
  await session.ask('put', { name: `${log}.json`, text: `${JSON.stringify(config, null, 2)}\n` });
  const argv = [...part.start, `${DIR}/${log}.json`];
  return session.start({ ...placeOf(part), argv, side: 'client', stdin: 'pipe', quota: CLIENT_QUOTA, log });
}

/**
 * @param {RemoteProcess} started @param {string} who for the message @param {number} [withinS]
 * @returns {Promise<import('../common/ready.js').Ready>} @throws {TrialError} if it ends first, or takes too long
 */
export const waitUntilReady = async (started, who, withinS = READY_WITHIN_S) =>
  parseReady(await waitForLine(started, 'ready', `${who} was`, 'ready', withinS));

/**
 * @param {RemoteProcess} started @param {string} word at the start of the line @param {string} who for the message, with its verb
 * @param {string} what for the message: the expected state or action @param {number} withinS @returns {Promise<string>} text after the word
 * @throws {TrialError} if it ends first, or takes too long
 */
export async function waitForLine(started, word, who, what, withinS) {
  const { line } = await started.session.ask('wait', { pid: started.pid, word, within_s: withinS });
  if (line !== undefined) return line;
  if (started.exit) throw new TrialError(`${who} never ${what}; it ${started.describeEnd()}`);
  throw new TrialError(`${who} not ${what} within ${withinS} s; read ${basename(started.log)}.err beside it`);
}

const ENDS_AFTER = { looks: 20, ms: 10 }; // a runtime's helper processes end shortly after it, when their pipe closes

/** @param {RemoteProcess} server that has ended */
async function waitForHelpers({ session: { agent } }) {
  for (let look = 0; look < ENDS_AFTER.looks; look++) {
    if (!(await agent.list()).some(({ side }) => side === 'server')) return;
    await sleep(ENDS_AFTER.ms);
  }
}

/** @param {string} who @param {RemoteProcess} started that has ended too early @returns {TrialError} */
export const endedEarly = (who, started) => new TrialError(`${who} ended during the trial: it ${started.describeEnd()}`);

const TOLD_WITHIN_MS = 500; // its agent tells of an end in a message of its own, which may come after the failure of a client

/**
 * Whatever fails after the end of a server, such as its clients, fails because of it.
 * @param {RemoteProcess} server @param {unknown} error of a phase while it should run @returns {Promise<unknown>} the error to report
 */
export async function findCause(server, error) {
  if (!(error instanceof TrialError)) return error;
  const exit = await within(server.exited, TOLD_WITHIN_MS, server.session.signal).catch(() => undefined); // aborted: the error stays
  const hasEnded = exit && (exit.code !== null || exit.signal !== null); // else its agent was lost
  return hasEnded ? endedEarly('the server', server) : error;
}

/**
 * @param {import('../common/ready.js').Ready} ready @param {ServerConfig} config
 * @throws {StartError} if it lacks processes that were asked for: what it does not name is neither placed nor counted
 */
export function checkReady({ processes }, config) {
  if (processes.length === 0) throw new StartError('its ready line names no process');
  for (const [role, count] of Object.entries(config.processes)) {
    const found = processes.filter((each) => each.role === role).length;
    if (found !== count) throw new StartError(`its ready line names ${found} processes of the role ${role}, and was asked for ${count}`);
  }
}

/**
 * @param {RemoteProcess} server @param {'SIGTERM' | 'SIGINT'} [signal]
 * @throws {TrialError} if it does not end as the contract demands
 */
export async function stopServer(server, signal = 'SIGTERM') {
  if (server.exit) throw endedEarly('the server', server);
  await server.signal(signal);
  const stopped = await within(server.exited, STOP_WITHIN_S * 1000, server.session.signal);
  if (stopped) await waitForHelpers(server);
  const left = await server.session.agent.kill(['server']);
  if (!stopped) throw new TrialError(`the server did not stop within ${STOP_WITHIN_S} s of ${signal}`);
  const isInterrupted = stopped.signal === 'SIGINT'; // Erlang cannot catch it
  if (stopped.code !== 0 && !isInterrupted) throw new TrialError(`the server did not stop cleanly: it ${server.describeEnd()}`);
  if (left > 0) throw new TrialError(`the server left ${left} process(es) behind`);
}

/** Settings of the load passed to a companion, which times itself by them. */
const COMPANION_KEYS = ['ramp_s', 'settle_s', 'hold_s', 'drain_s', 'seed'];

/**
 * Start a program that runs beside the load but makes none, such as a browser that shows a worker's page. It gets ready and is told `go`
 * like a client, and its records are in a folder of its name.
 * @param {Session} session @param {string} name of a program of clients/ with a companion.toml
 * @param {Record<string, any>} config the client's, with the `url` for the companion to open
 */
export async function startCompanion(session, name, config) {
  await session.ask('makeFolder', { name });
  const settings = { url: config.url, out: `${DIR}/${name}`, ...Object.fromEntries(COMPANION_KEYS.map((key) => [key, config[key]])) };
  return startConfigured(session, readCompanion(name), settings, name);
}

const RECORDS_WITHIN_S = 30; // for a client to write its records after the drain, and for a companion to take its last reading

/**
 * @param {RemoteProcess} started a client, or a companion @param {string} who for the message
 * @param {number} drainS drain time before it writes its records @throws {TrialError} if it takes longer, or fails
 */
export async function finishClient(started, who, drainS) {
  const limit = drainS + RECORDS_WITHIN_S;
  const exit = await within(started.exited, limit * 1000, started.session.signal);
  if (!exit) throw new TrialError(`${who} did not end within ${limit} s of the window's end; read ${basename(started.log)}.err beside it`);
  if (exit.code !== 0) throw new TrialError(`${who} failed: it ${started.describeEnd()}`);
}
