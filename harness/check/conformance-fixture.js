/** The fixture of the conformance check: starts one engine, loads it, and compares results with expectations. */
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { TrialError } from '../common/failure.js';
import { DIR } from '../common/protocol.js';
import { within } from '../common/timers.js';
import { generatorFor } from '../spec/generators.js';
import { LEAD_US, isSecure, startClient, startServer, stopServer, urlOf, waitUntilReady } from '../run/lifecycle.js';
import { shakeHands } from './handshake.js';

/** @typedef {import('../spec/engines.js').Engine} Engine */
/** @typedef {import('../run/session.js').Session} Session */
/** @typedef {import('../run/session.js').RemoteProcess} RemoteProcess */
/** @typedef {import('../run/lifecycle.js').ServerConfig} ServerConfig */

/** Not 127.0.0.1, to catch a server that binds to all addresses or to a fixed one. Each process has its own: checks can run at once. */
export const ADDRESS = ['127', 64 + (process.pid >> 16), (process.pid >> 8) & 255, process.pid & 255].join('.');
/** For a port free on all addresses: another listener there would be mistaken for the server. */
export const ANY_ADDRESS = '0.0.0.0';
/** Seconds to wait for a refusal, or for a replacement. */
export const PATIENCE_S = 15;

/** The behaviour, and the generator of the same name. */
export const UPDATES = 'updates';
export const BROADCAST = 'broadcast';
/** Gives about a hundred updates per second. */
const UPDATE_PERIOD_MS = 10;

/** servers/CONTRACT.md, "Exit codes". */
export const EXIT = { settings: 64, behaviour: 69, refused: 71 };

/** 4000 messages over 4 connections, to catch servers that lose one in a thousand. The drain ends once all are answered. */
export const MANY = { hold_s: 2, arrivals: { kind: 'constant', period_ms: 2 }, drain_s: 8 };

/** The server does not support it, as engine.toml says. */
export class Unsupported extends Error {}

export class Fixture {
  /** @param {import('../run/agent.js').Agent} agent @param {Engine} engine @param {number} [patience_s] to wait for each process */
  constructor(agent, engine, patience_s = PATIENCE_S) {
    this.agent = agent;
    this.engine = engine;
    this.patience_s = patience_s;
    /** @type {Session[]} one per start */
    this.sessions = [];
  }

  /** Its server is not yet ready. @param {Partial<ServerConfig>} [given] */
  async start(given = {}) {
    const session = await this.agent.open(`start-${this.sessions.length + 1}`);
    this.sessions.push(session);
    const port = given.port ?? await this.agent.findFreePort(ANY_ADDRESS);
    const { name, options, roles, behaviours } = this.engine;
    const behaviour = given.behaviour ?? behaviours[0];
    const chosen = given.options ?? defaultsOf(options);
    const certificate = isSecure(chosen) ? await session.ask('certify', { address: ADDRESS }) : undefined;
    const server = await startServer(session, {
      engine: name, address: ADDRESS, port, behaviour,
      processes: defaultsOf(roles), options: chosen,
      ...(behaviour === UPDATES && { updates: { period_ms: UPDATE_PERIOD_MS, seed: 1 } }),
      ...given,
    });
    return { server, port, session, ca: certificate?.pem };
  }

  /** @param {Partial<ServerConfig>} [given] */
  async startReady(given) {
    const started = await this.start(given);
    return { ...started, ready: await waitUntilReady(started.server, 'the server', this.patience_s) };
  }

  /**
   * A small load by the engine's own client library, or by clients that wait for updates.
   * @param {number} port @param {Session} session @param {Record<string, unknown>} load @param {string} [folder] for its records
   * @returns {Promise<RemoteProcess>} the client, already going
   */
  async load(port, session, load, folder = 'client') {
    const { dialect, client: library } = this.engine;
    if (dialect === 'websocket' && load.behaviour !== UPDATES) { // updates would begin with this first client
      // Warms up the server: its first handshake loads much of its code, which on the JVM and a loaded machine can outlast a small load.
      // Errors are ignored here; the load that follows shows them.
      (await shakeHands(ADDRESS, port, PATIENCE_S * 1000).catch(() => undefined))?.destroy();
    }
    const client = await startClient(session, generatorFor(String(load.behaviour)), {
      url: urlOf(dialect, ADDRESS, port), library, dialect, out: `${DIR}/${folder}`, processes: 1, connections: 4, connect_rate_hz: 50,
      warmup_s: 0, ramp_s: 1, settle_s: 0, hold_s: 1, arrivals: { kind: 'constant', period_ms: 100 }, payload: { type: 'text', bytes: 20 },
      seed: 1, late_ms: 50, drain_s: 2, ...load,
    }, folder);
    await waitUntilReady(client, 'the client', this.patience_s);
    await session.ask('go', { pids: [client.pid], lead_us: LEAD_US });
    return client;
  }

  /** @param {Record<string, unknown>} load with a behaviour @returns {Promise<any>} the client's summary */
  async exchange(load) {
    const behaviour = String(load.behaviour);
    if (!this.engine.behaviours.includes(behaviour)) throw new Unsupported(`no behaviour ${behaviour}`);
    const { server, port, session } = await this.startReady({ behaviour });
    const summary = await this.finish(await this.load(port, session, load));
    await stopServer(server);
    return summary;
  }

  /** @param {RemoteProcess} client @param {string} [folder] as given to `load` @returns {Promise<any>} its summary */
  async finish(client, folder = 'client') {
    const exit = await within(client.exited, PATIENCE_S * 1000);
    if (!exit || exit.code !== 0) throw new TrialError(`the client did not finish: it ${client.describeEnd()}`);
    return JSON.parse(await client.session.read(`${folder}/summary.json`));
  }

  async clean() {
    await this.agent.kill();
    for (const session of this.sessions) await session.close();
  }
}

/** @param {boolean} holds @param {string} otherwise */
export function expect(holds, otherwise) {
  if (!holds) throw new TrialError(otherwise);
}

/** @param {any} summary */
export function expectAllAnswered({ window, connections, errors = {} }) {
  const why = Object.keys(errors).map((error) => ` (${error})`).join('');
  expect(connections.opened === 4, `${connections.opened} of 4 connections opened${why}`);
  expect(window.sent > 0, 'nothing was sent');
  expect(window.received === window.sent && window.missing === 0, `${window.sent} sent, ${window.received} answered, ${window.missing} missing`);
  expect(window.wrong === 0 && !window.unasked, `${window.wrong} answers differ in bytes or type, ${window.unasked ?? 0} messages answer nothing`);
}

/** @param {Fixture} fixture @param {Partial<ServerConfig>} given @param {number} code @param {string} [when] for the message */
export async function expectRefusal(fixture, given, code, when = '') {
  const { server, session } = await fixture.start(given);
  const isReady = async () => (await session.read('server.out')).includes('ready {');
  for (let waitedMs = 0; !server.exit && !await isReady() && waitedMs < PATIENCE_S * 1000; waitedMs += 20) await within(server.exited, 20);
  expect(!await isReady(), `${when}it said ready; exit code ${code} was expected`);
  expect(server.exit !== undefined, `${when}still runs after ${PATIENCE_S} s; exit code ${code} was expected`);
  expect(server.exit?.code === code, `${when}${server.describeEnd()}; exit code ${code} was expected`);
  const lines = (await session.read('server.err')).trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  expect(/^error: .+: .+; .+/.test(last), `${when}its last line is not "error: <where>: <what>; <next step>" but "${last}"`);
  expect(lines.filter((line) => line.startsWith('error: ')).length === 1, `${when}it gave its reason more than once: "${lines[0]}"`);
}

/** @param {Fixture} fixture @param {(port: number) => Promise<void>} use */
export async function withPortInUse(fixture, use) {
  const port = await fixture.agent.findFreePort(ANY_ADDRESS);
  const squatter = createServer();
  await new Promise((resolve) => squatter.listen({ host: ADDRESS, port }, () => resolve(undefined)));
  try {
    await use(port);
  } finally {
    squatter.close();
  }
}

/** A TLS handshake of one version, trusting the server. @param {number} port @param {string} ca in PEM @param {'1.2' | '1.3'} version */
export async function expectTls(port, ca, version) {
  const wanted = /** @type {import('node:tls').SecureVersion} */ (`TLSv${version}`);
  const socket = connect({ host: ADDRESS, port, ca, minVersion: wanted, maxVersion: wanted });
  try {
    const spoken = await new Promise((resolve, reject) => { socket.on('secureConnect', () => resolve(socket.getProtocol())).on('error', reject); });
    expect(spoken === wanted, `it speaks ${spoken}, not ${wanted}`);
  } catch (error) {
    throw new TrialError(`no handshake by TLS ${version}: ${/** @type {Error} */ (error).message}`);
  } finally {
    socket.destroy();
  }
}

/** @param {Record<string, {default: any}>} [declared] roles or options of an engine @returns {Record<string, any>} */
export const defaultsOf = (declared = {}) => Object.fromEntries(Object.entries(declared).map(([name, known]) => [name, known.default]));

/** @param {Engine} engine @returns {Record<string, number>} */
export function withTwoWorkers(engine) {
  if (!(engine.roles.worker?.max > 1)) throw new Unsupported('one worker at most');
  return { ...defaultsOf(engine.roles), worker: 2 };
}

/**
 * Echoes on four connections, then the end of their client. On a loaded machine a new worker takes time to open them.
 * @param {Fixture} fixture @param {number} port @param {Session} session @param {string} folder for its records
 */
export async function expectEchoes(fixture, port, session, folder) {
  expectAllAnswered(await fixture.finish(await fixture.load(port, session, { behaviour: 'echo', settle_s: 5 }, folder), folder));
}

/** @param {import('../common/ready.js').Ready} ready @throws {TrialError} unless there are two */
export function expectTwoWorkers({ processes }) {
  const workers = processes.filter(({ role }) => role === 'worker');
  expect(workers.length === 2, `${workers.length} of 2 worker in the ready line`);
  expect(new Set(workers.map(({ pid }) => pid)).size === 2, 'both workers have the same pid');
  return workers;
}

/** Each message of one connection reaches all four, including itself: text, and binary if supported. @param {Fixture} fixture */
export async function expectBroadcast(fixture) {
  for (const type of fixture.engine.binary ? ['text', 'binary'] : ['text']) {
    const { window, connections } = await fixture.exchange({ ...MANY, behaviour: BROADCAST, settle_s: 1, payload: { type, bytes: 100 } });
    expect(connections.opened === 4, `${connections.opened} of 4 connections opened`);
    expect(window.sent > 0, 'nothing was sent');
    expect(window.received === window.expected, `${type}: ${window.received} messages arrived of ${window.expected}, ${window.sent} to each of 4 connections`);
    const otherwise = window.wrong + (window.unasked ?? 0);
    expect(otherwise === 0 && !window.duplicate, `${type}: ${otherwise} of those that arrived differ in bytes or type, ${window.duplicate} came twice`);
  }
}

/** @param {Engine} engine @returns {Record<string, string>[]} its options, once for each of its transports */
function listTransports({ options = {} }) {
  const option = ['transport', 'transports'].find((name) => name in options);
  return option ? options[option].values.map((value) => ({ ...defaultsOf(options), [option]: value })) : [defaultsOf(options)];
}

/** Each update reaches four clients once and in order, by each transport of the engine. @param {Fixture} fixture */
export async function expectUpdates(fixture) {
  if (!fixture.engine.behaviours.includes(UPDATES)) throw new Unsupported(`no behaviour ${UPDATES}`);
  for (const options of listTransports(fixture.engine)) {
    const transport = options.transport ?? options.transports;
    const { server, port, session } = await fixture.startReady({ behaviour: UPDATES, options });
    const load = { behaviour: UPDATES, transport, poll_period_ms: 100, arrivals: { kind: UPDATES, period_ms: UPDATE_PERIOD_MS } };
    const { window, connections, errors } = await fixture.finish(await fixture.load(port, session, load));
    const by = transport ? `by ${transport} ` : '';
    expect(connections.open_at_end === 4, `${by}${connections.open_at_end} of 4 connections were open at the end: ${Object.keys(errors).join(', ')}`);
    expect(window.received > 0, `${by}no update arrived`);
    expect(window.missing === 0 && window.wrong === 0, `${by}${window.missing} of ${window.received + window.missing} updates are missing, ${window.wrong - window.missing} came out of turn`);
    await stopServer(server);
  }
}
