/** Servers, clients and companions as their contracts have them: started, ready, gone. */
import { basename, join, relative } from 'node:path';
import { readEngine, runtimePath } from '../spec/engines.js';
import { TrialError } from '../common/failure.js';
import { readGenerator } from '../spec/generators.js';
import { CLIENT_QUOTA, ROOT } from '../common/places.js';
import { DIR, MEMORY_DIR, RUN_DIR } from '../common/protocol.js';
import { READY_WITHIN_S, parseReady } from '../common/ready.js';
import { sleep, within } from '../common/timers.js';

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./remote-process.js').RemoteProcess} RemoteProcess */

/** Seconds that a server may take to stop (servers/CONTRACT.md). */
export const STOP_WITHIN_S = 5;

/**
 * @typedef {object} ServerConfig
 * @property {string} engine
 * @property {string} address
 * @property {number} port
 * @property {string} behaviour
 * @property {Record<string, number>} processes
 * @property {Record<string, string>} options
 * @property {number} [payload_b] size of what the server sends by itself, where the behaviour needs one
 * @property {{period_ms: number, seed: number}} [updates] its own events, in the behaviour `updates`
 * @property {Record<string, string | undefined>} [env] in the place of what follows from the rest; undefined: not set
 */

/** @param {import('../spec/engines.js').Installable} part @returns {{cwd: string, path: string}} the same in the suite of any host */
export const placeOf = (part) => ({ cwd: relative(ROOT, part.folder), path: relative(ROOT, runtimePath(part)) });

/**
 * @param {Session} session of one server at most: its private folder is the server's
 * @param {ServerConfig} config
 * @param {{inside?: 'server'}} [how] at its end of the network
 * @returns {Promise<RemoteProcess>}
 */
export function startServer(session, config, how) {
  const engine = readEngine(config.engine);
  const env = { ...serverEnvironment(config), ...config.env };
  return session.start({ ...how, ...placeOf(engine), argv: engine.start, side: 'server', env, log: 'server' });
}

/** @param {ServerConfig} config @returns {Record<string, string>} as servers/CONTRACT.md has it */
export function serverEnvironment({ address, port, behaviour, processes, options, payload_b, updates }) {
  /** @param {string} name */
  const upper = (name) => name.toUpperCase().replaceAll('-', '_');
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

/** @param {Record<string, string>} options of the server @returns {boolean} does it speak TLS? */
export const isSecure = ({ tls = 'none' }) => tls !== 'none';

/**
 * @param {Session} session
 * @param {string} name of the generator
 * @param {Record<string, unknown>} config as clients/CONTRACT.md has it, with a folder of the session for its records
 * @param {{inside?: 'client', folder?: string}} [how] at its end of the network; a folder of the session for its logs and its configuration
 * @returns {Promise<RemoteProcess>}
 */
export async function startClient(session, name, config, { inside, folder = '' } = {}) {
  await session.ask('makeFolder', { name: String(config.out).replace(`${DIR}/`, '') });
  const generator = readGenerator(name);
  return startConfigured(session, generator, config, { inside, log: join(folder, 'client') });
}

/**
 * @param {Session} session
 * @param {import('../spec/engines.js').Installable & {start: string[]}} part whose one argument is a configuration
 * @param {object} config @param {{inside?: 'client', log: string}} how
 */
export async function startConfigured(session, part, config, how) {
  await session.putJson(`${how.log}.json`, config);
  const argv = [...part.start, `${DIR}/${how.log}.json`];
  return session.start({ ...how, ...placeOf(part), argv, side: 'client', stdin: 'pipe', quota: CLIENT_QUOTA });
}

/**
 * @param {RemoteProcess} started
 * @param {string} who for the message
 * @param {number} [withinS]
 * @returns {Promise<import('../common/ready.js').Ready>}
 * @throws {TrialError} when it ends first, or takes too long
 */
export async function waitUntilReady(started, who, withinS = READY_WITHIN_S) {
  return parseReady(await waitForLine(started, 'ready', `${who} was`, 'ready', withinS));
}

/**
 * @param {RemoteProcess} started @param {string} word that the line begins with @param {string} who for the message, with its verb
 * @param {string} what it is to be, or to do @param {number} withinS
 * @returns {Promise<string>} what follows the word
 * @throws {TrialError} when it ends first, or takes too long
 */
export async function waitForLine(started, word, who, what, withinS) {
  const { line } = await started.session.ask('wait', { pid: started.pid, word, within_s: withinS });
  if (line !== undefined) return line;
  if (started.exit) throw new TrialError(`${who} never ${what}; it ${started.describeEnd()}`);
  throw new TrialError(`${who} not ${what} within ${withinS} s; read ${basename(started.log)}.err beside it`);
}

/** What a runtime starts beside itself ends when it sees its pipe end, a moment after it. */
const ENDS_AFTER = { looks: 20, ms: 10 };

/** @param {RemoteProcess} server that has ended */
async function waitForHelpers({ session: { agent } }) {
  for (let look = 0; look < ENDS_AFTER.looks; look++) {
    if (!(await agent.list()).some(({ side }) => side === 'server')) return;
    await sleep(ENDS_AFTER.ms);
  }
}

/**
 * @param {RemoteProcess} server
 * @throws {TrialError} when it does not end as the contract has it
 */
export async function stopServer(server) {
  if (server.exit) throw new TrialError(`the server ended during the trial: it ${server.describeEnd()}`);
  await server.signal('SIGTERM');
  const stopped = await within(server.exited, STOP_WITHIN_S * 1000, server.session.signal);
  if (stopped) await waitForHelpers(server);
  const left = await server.session.agent.kill(['server']);
  if (!stopped) throw new TrialError(`the server did not stop within ${STOP_WITHIN_S} s of SIGTERM`);
  if (stopped.code !== 0) throw new TrialError(`the server did not stop cleanly: it ${server.describeEnd()}`);
  if (left > 0) throw new TrialError(`the server left ${left} process(es) behind`);
}

/** Time for a client to write its records after the drain, and for a companion to look a last time. */
const RECORDS_WITHIN_S = 30;

/**
 * @param {RemoteProcess} started a client, or a companion
 * @param {string} who for the message
 * @param {number} drainS what it still has to do before it writes
 * @throws {TrialError} when it takes longer, or fails
 */
export async function finishClient(started, who, drainS) {
  const limit = drainS + RECORDS_WITHIN_S;
  const exit = await within(started.exited, limit * 1000, started.session.signal);
  if (!exit) throw new TrialError(`${who} did not end within ${limit} s of the window's end; read ${basename(started.log)}.err beside it`);
  if (exit.code !== 0) throw new TrialError(`${who} failed: it ${started.describeEnd()}`);
}
