/**
 * The conformance check: a server held against servers/CONTRACT.md before anything is measured on it. Each check passes,
 * fails with what was seen, or is unsupported by the server's own word (engine.toml).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { monotonicUs, sleep, within } from './clock.js';
import { installPart, listLibraries, readEngine, readLibrary, readVersion } from './engines.js';
import { TrialError, UserError } from './failure.js';
import { readJson } from './files.js';
import { DEFAULT_GENERATOR } from './generators.js';
import { LocalHost } from './host.js';
import { kill } from './marked.js';
import { ReadyLines, STOP_WITHIN_S, startClient, startServer, stopServer, waitUntilReady } from './parties.js';

/** @typedef {import('./engines.js').Engine} Engine */
/** @typedef {import('./host.js').Started} Started */
/** @typedef {import('./parties.js').ServerWish} ServerWish */

/** Not 127.0.0.1: a server that binds to all addresses, or to a fixed one, is found out. */
const ADDRESS = '127.0.0.2';
/** servers/CONTRACT.md, "Exit codes". */
const EXIT = { settings: 64, behaviour: 69, refused: 71 };
/** Seconds for a refusal, or for a replacement. */
const PATIENCE_S = 15;

class Unsupported extends Error {}

/** One engine under check. */
class Bench {
  /** @param {LocalHost} host @param {Engine} engine */
  constructor(host, engine) {
    this.host = host;
    this.engine = engine;
    this.folder = host.makeRunDir();
    this.starts = 0;
  }

  /** @param {Partial<ServerWish>} [wish] @returns {Promise<{server: Started, port: number, folder: string}>} not yet ready */
  async start(wish = {}) {
    const folder = join(this.folder, String(++this.starts));
    mkdirSync(folder);
    const port = wish.port ?? await this.host.findFreePort(ADDRESS);
    const { name, roles, options = {}, behaviours } = this.engine;
    const server = await startServer(this.host, {
      engine: name, address: ADDRESS, port, behaviour: behaviours[0],
      processes: Object.fromEntries(Object.entries(roles).map(([role, limits]) => [role, limits.default])),
      options: Object.fromEntries(Object.entries(options).map(([option, known]) => [option, known.default])),
      ...wish,
    }, folder, this.host.makeRunDir());
    return { server, port, folder };
  }

  /** @param {Partial<ServerWish>} [wish] */
  async startReady(wish) {
    const { server, port, folder } = await this.start(wish);
    const lines = new ReadyLines(server);
    const ready = await waitUntilReady(server, lines, 'the server', undefined, PATIENCE_S);
    return { server, port, folder, ready, lines };
  }

  /**
   * A small load by the engine's own client library.
   * @param {number} port @param {string} folder @param {Record<string, unknown>} load
   * @returns {Promise<Started>} the client, already going
   */
  async load(port, folder, load) {
    const out = join(folder, 'client');
    mkdirSync(out);
    const client = await startClient(this.host, DEFAULT_GENERATOR, {
      url: `ws://${ADDRESS}:${port}`, library: this.engine.client, out, processes: 1, connections: 4, connect_rate_hz: 50,
      warmup_s: 0, ramp_s: 1, settle_s: 0, hold_s: 1, arrivals: { kind: 'constant', period_ms: 100 }, payload: { type: 'text', bytes: 20 },
      seed: 1, late_ms: 50, drain_s: 2, ...load,
    }, folder);
    await waitUntilReady(client, new ReadyLines(client), 'the client', undefined, PATIENCE_S);
    client.child.stdin?.write(`go ${Math.round(monotonicUs() + 50_000)}\n`);
    return client;
  }

  /** @param {Record<string, unknown>} load with a behaviour @returns {Promise<any>} the client's summary */
  async exchange(load) {
    const behaviour = String(load.behaviour);
    if (!this.engine.behaviours.includes(behaviour)) throw new Unsupported(`no behaviour ${behaviour}`);
    const { server, port, folder } = await this.startReady({ behaviour });
    const client = await this.load(port, folder, load);
    const exit = await within(client.exited, PATIENCE_S * 1000);
    if (!exit || exit.code !== 0) throw new TrialError(`the client did not finish: it ${client.describeEnd()}`);
    await stopServer(this.host, server);
    return readJson(join(folder, 'client', 'summary.json'));
  }

  async clean() {
    await this.host.killAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @param {boolean} holds @param {string} otherwise */
function expect(holds, otherwise) {
  if (!holds) throw new TrialError(otherwise);
}

/** @param {any} summary @param {number} [asked] */
function expectAllAnswered({ window, connections }, asked = 4) {
  expect(connections.opened === asked, `${connections.opened} of ${asked} connections opened`);
  expect(window.sent > 0, 'nothing was sent');
  expect(window.received === window.sent && window.missing === 0, `${window.sent} sent, ${window.received} answered, ${window.missing} missing`);
  expect(window.wrong === 0, `${window.wrong} answers differ in bytes or type`);
}

/** @param {Bench} bench @param {Partial<ServerWish>} wish @param {number} code */
async function expectRefusal(bench, wish, code) {
  const { server } = await bench.start(wish);
  const exit = await within(server.exited, PATIENCE_S * 1000);
  expect(exit !== undefined, `still runs after ${PATIENCE_S} s`);
  expect(exit?.code === code, `${server.describeEnd()}; exit code ${code} was expected`);
  const last = readFileSync(server.launch.stderr, 'utf8').trimEnd().split('\n').pop() ?? '';
  expect(/^error: .+: .+; .+/.test(last), `its last line is not "error: <where>: <what>; <next step>" but "${last}"`);
  expect(!readFileSync(server.launch.stdout, 'utf8').includes('ready {'), 'it said ready before');
}

/** @type {[string, (bench: Bench) => Promise<void>][]} */
const CHECKS = [
  ['is ready with every process, in its roles', async (bench) => {
    const { server, ready } = await bench.startReady();
    expect(ready.version === readVersion(bench.engine), `version "${ready.version}" is not the installed ${readVersion(bench.engine)}`);
    for (const [role, { default: count }] of Object.entries(bench.engine.roles)) {
      const found = ready.processes.filter((process) => process.role === role);
      expect(found.length === count, `${found.length} of ${count} ${role} in the ready line`);
      found.forEach(({ pid }) => expect(existsSync(`/proc/${pid}`), `${role} ${pid} does not run`));
    }
    await stopServer(bench.host, server);
  }],
  ['binds to the address it was given and no other', async (bench) => {
    const { server, port } = await bench.startReady();
    const addresses = readListeners(port);
    expect(addresses.join() === '0200007F', `port ${port} listens on ${addresses.join(', ') || 'nothing'} (hex), not on ${ADDRESS} alone`);
    await stopServer(bench.host, server);
  }],
  ['echoes text', async (bench) => expectAllAnswered(await bench.exchange({ behaviour: 'echo' }))],
  ['echoes binary', async (bench) => {
    if (!bench.engine.binary || !readLibrary(bench.engine.client).binary) throw new Unsupported('the dialect carries no binary');
    expectAllAnswered(await bench.exchange({ behaviour: 'echo', payload: { type: 'binary', bytes: 200 } }));
  }],
  ['answers ping with the count of pings', async (bench) => expectAllAnswered(await bench.exchange({ behaviour: 'pingpong' }))],
  ['keeps idle connections', async (bench) => {
    const { connections } = await bench.exchange({ behaviour: 'idle', hold_s: 2 });
    expect(connections.open_at_end === 4, `${connections.open_at_end} of 4 connections were open at the end`);
  }],
  ['refuses a port in use', async (bench) => {
    const port = await bench.host.findFreePort(ADDRESS);
    const squatter = createServer();
    await new Promise((resolve) => squatter.listen({ host: ADDRESS, port }, () => resolve(undefined)));
    try {
      await expectRefusal(bench, { port }, EXIT.refused);
    } finally {
      squatter.close();
    }
  }],
  ['refuses a behaviour that does not exist', (bench) =>
    expectRefusal(bench, { behaviour: `b${randomBytes(4).toString('hex')}` }, EXIT.behaviour)],
  ['refuses an impossible port', (bench) => expectRefusal(bench, { port: 70000 }, EXIT.settings)],
  ['refuses a setting that is missing', (bench) => expectRefusal(bench, { address: '' }, EXIT.settings)],
  ['stops under load', async (bench) => {
    const { server, port, folder } = await bench.startReady({ behaviour: 'echo' });
    await bench.load(port, folder, { behaviour: 'echo', hold_s: 5, arrivals: { kind: 'closed', outstanding: 1 } });
    await sleep(1000);
    await stopServer(bench.host, server);
  }],
  ['dies as a whole when its first process is killed', async (bench) => {
    const { server } = await bench.startReady();
    server.signal('SIGKILL');
    for (let waitedMs = 0; waitedMs < STOP_WITHIN_S * 1000 && bench.host.list().some(({ side }) => side === 'server'); waitedMs += 100) await sleep(100);
    const left = await bench.host.killAll(['server']);
    expect(left === 0, `${left} process(es) still ran after ${STOP_WITHIN_S} s`);
  }],
  ['replaces processes that die', async (bench) => {
    const { server, ready, lines } = await bench.startReady();
    let { processes } = ready;
    const roles = new Set(processes.filter(({ pid }) => pid !== server.pid).map(({ role }) => role));
    if (roles.size === 0) throw new Unsupported('one process');
    for (const role of roles) {
      const victim = processes.find((process) => process.role === role && process.pid !== server.pid);
      kill(Number(victim?.pid), 'SIGKILL');
      const again = await waitUntilReady(server, lines, `after the death of a ${role} the server`, undefined, PATIENCE_S);
      expect(again.processes.every(({ pid }) => pid !== victim?.pid), `the ready line still names the dead ${role}`);
      expect(again.processes.length === processes.length, `${again.processes.length} of ${processes.length} processes after the death of a ${role}`);
      processes = again.processes;
    }
    await stopServer(bench.host, server);
  }],
];

/** @param {number} port @returns {string[]} addresses in hex, as /proc/net/tcp has them */
function readListeners(port) {
  const LISTEN = '0A';
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6'].filter((path) => existsSync(path)).flatMap((path) =>
    readFileSync(path, 'latin1').split('\n').slice(1).map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTEN)
      .map(([, local]) => local.slice(0, -suffix.length)));
}

/**
 * @param {string} name of an engine
 * @returns {Promise<{check: string, outcome: 'passed' | 'failed' | 'unsupported', why: string}[]>}
 */
export async function checkServer(name) {
  const engine = readEngine(name);
  if (!listLibraries().includes(engine.client)) throw new UserError(`servers/${name}/engine.toml: client: "${engine.client}" is no folder of clients/forked; use one of ${listLibraries().join(', ')}`);
  installPart(engine, console.log);
  installPart(readLibrary(engine.client), console.log);
  const host = new LocalHost();
  try {
    const results = [];
    for (const [check, run] of CHECKS) results.push({ check, ...await carryOut(host, engine, run) });
    return results;
  } finally {
    await host.close();
  }
}

/** @param {LocalHost} host @param {Engine} engine @param {(bench: Bench) => Promise<void>} run */
async function carryOut(host, engine, run) {
  const bench = new Bench(host, engine);
  try {
    await run(bench);
    return { outcome: /** @type {const} */ ('passed'), why: '' };
  } catch (error) {
    const outcome = error instanceof Unsupported ? /** @type {const} */ ('unsupported') : /** @type {const} */ ('failed');
    return { outcome, why: /** @type {Error} */ (error).message };
  } finally {
    await bench.clean();
  }
}

/** @param {string[]} names @returns {Promise<number>} exit code: 1 when a check failed */
export async function checkServers(names) {
  const counts = { passed: 0, failed: 0, unsupported: 0 };
  for (const name of names) {
    console.log(name);
    for (const { check, outcome, why } of await checkServer(name)) {
      counts[outcome]++;
      console.log(`  ${outcome.padEnd(11)}  ${check}${why ? `: ${why}` : ''}`);
    }
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.unsupported} unsupported`);
  return counts.failed ? 1 : 0;
}
