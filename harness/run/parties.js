/** The two parties of a trial, a server and a client, as their contracts have them: started, ready, gone. */
import { basename, join } from 'node:path';
import { readEngine, runtimePath } from '../spec/engines.js';
import { TrialError } from '../common/failure.js';
import { writeJson } from '../common/files.js';
import { readGenerator } from '../spec/generators.js';
import { within } from '../agent/clock.js';

/** @typedef {import('../agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../agent/host.js').Started} Started */

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
 * @property {Record<string, string | undefined>} [env] in the place of what follows from the rest; undefined: not set
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
    env: { ...serverEnvironment(wish, runDir), ...wish.env },
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
