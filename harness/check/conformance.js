/**
 * The conformance check: tests a server against servers/CONTRACT.md before anything is measured on it. Each check passes, fails with what
 * was observed, or is unsupported as declared in engine.toml.
 */
import { randomBytes } from 'node:crypto';
import { sleep } from '../common/timers.js';
import {
  ADDRESS, BROADCAST, Fixture, EXIT, MANY, PATIENCE_S, UPDATES, Unsupported, defaultsOf, expect, expectAllAnswered, expectBroadcast,
  expectEchoes, expectRefusal, expectTls, expectTwoWorkers, expectUpdates, withPortInUse, withTwoWorkers,
} from './conformance-fixture.js';
import { countCodeLines } from './code-lines.js';
import { expectMessageLimit, expectUnsentLimit } from './conformance-limits.js';
import { expectCleanOutput, expectDeclaredExtensions, expectEachSize } from './conformance-messages.js';
import { expectImpossibleRefused, expectMissingRefused, expectToldCounts } from './conformance-settings.js';
import { readVersion } from '../run/environment.js';
import { Absent, installParts } from '../run/install.js';
import { listLibraries, readEngine, readLibrary, readRuntime, usualGenerator } from '../spec/engines.js';
import { UserError } from '../common/failure.js';
import { parseTsv } from '../common/files.js';
import { generatorFor, readGenerator } from '../spec/generators.js';
import { Agent } from '../run/agent.js';
import { LEAD_US, STOP_WITHIN_S, stopServer, waitUntilReady } from '../run/lifecycle.js';

/** @typedef {import('../spec/engines.js').Engine} Engine */
/** @typedef {import('../run/session.js').RemoteProcess} RemoteProcess */
/** @typedef {import('../run/lifecycle.js').ServerConfig} ServerConfig */

/** Limit for a server's own code (servers/CONTRACT.md), unless it is rebuilt from parts. */
const CODE_LINES_MAX = 60;

/** @param {number} port @param {string} path @returns {Promise<{status: number, type: string, text: string}>} */
async function get(port, path) {
  const response = await fetch(`http://${ADDRESS}:${port}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

/** @param {number} port @returns {Promise<number>} the worker's own count of pings */
async function getCount(port) {
  const { status, text } = await get(port, '/count');
  expect(status === 200 && /^\d+$/.test(text), `GET /count is answered ${status} "${text.slice(0, 80)}", not 200 and an integer`);
  return Number(text);
}

/** @param {number} port with the page, and the files of its scripts */
async function expectPage(port) {
  const page = await get(port, '/');
  expect(page.status === 200 && page.type.startsWith('text/html'), `GET / is answered ${page.status} ${page.type}, not 200 text/html`);
  const scripts = [...page.text.matchAll(/(?:src=|from )["'](\/[^"']+)["']/g)].map(([, path]) => path);
  expect(scripts.length > 0, 'the page of GET / loads no client library');
  for (const path of scripts) {
    const { status } = await get(port, path);
    expect(status === 200, `GET ${path}, which the page loads, is answered ${status}`);
  }
}

/** @param {Engine} engine @returns {string} the behaviour to load it with */
const behaviourOfLoad = ({ behaviours }) => (behaviours.includes('echo') ? 'echo' : behaviours[0]);

/** @param {Fixture} fixture @param {Partial<ServerConfig>} [given] @returns {Promise<RemoteProcess>} a server after a second of load */
async function startLoaded(fixture, given) {
  const { options } = fixture.engine;
  const behaviour = behaviourOfLoad(fixture.engine);
  const { server, port, session } = await fixture.startReady({ behaviour, ...given });
  await fixture.load(port, session, { behaviour, transport: options?.transport?.default, hold_s: 5, arrivals: { kind: 'closed', outstanding: 1 } });
  await sleep(LEAD_US / 1000 + 1000);
  return server;
}

/** @param {Fixture} fixture @param {number} pid @returns {Promise<boolean>} whether it is a process of the server, by the agent's list */
const isOwn = async (fixture, pid) => (await fixture.agent.list()).some((found) => found.pid === pid && found.side === 'server');

/** @param {Fixture} fixture @param {number} pid named by the server; a process of others is not killed */
async function killOwn(fixture, pid) {
  expect(await isOwn(fixture, pid), `process ${pid} of the ready line is no process of the server`);
  await fixture.agent.signal(pid, 'SIGKILL');
}

/** @param {Fixture} fixture @param {RemoteProcess} server its first process is killed */
async function expectDeath(fixture, server) {
  await server.signal('SIGKILL');
  const isServing = async () => (await fixture.agent.list()).some(({ side }) => side === 'server');
  for (let waitedMs = 0; waitedMs < STOP_WITHIN_S * 1000 && await isServing(); waitedMs += 100) await sleep(100);
  const left = await fixture.agent.kill(['server']);
  expect(left === 0, `${left} process(es) still ran after ${STOP_WITHIN_S} s`);
}

/** A check may return a note about a server that passes. @type {[string, (fixture: Fixture) => Promise<string | void>][]} */
const CHECKS = [
  ['has at most sixty lines of code', async ({ engine }) => {
    const count = countCodeLines(engine.folder, readRuntime(engine.runtime).comment);
    if (engine.rebuilt) return `${count}, since ${engine.rebuilt} are rebuilt`;
    expect(count <= CODE_LINES_MAX, `${count} lines in its folder, without blank ones and comments; leave to the contract library what it can do`);
    return undefined;
  }],
  ['is ready with every process, in its roles, and stops on SIGINT', async (fixture) => {
    const { server, port, ready } = await fixture.startReady();
    expect(ready.engine === fixture.engine.name, `the ready line names the engine "${ready.engine}"`);
    expect(ready.port === port, `the ready line names port ${ready.port}, not ${port}`);
    expect(ready.version === readVersion(fixture.engine), `version "${ready.version}" is not the installed ${readVersion(fixture.engine)}`);
    for (const [role, { default: count }] of Object.entries(fixture.engine.roles)) {
      const found = ready.processes.filter((process) => process.role === role);
      expect(found.length === count, `${found.length} of ${count} ${role} in the ready line`);
    }
    for (const { role, pid } of ready.processes) expect(await isOwn(fixture, pid), `${role} ${pid} of the ready line is no process of the server`);
    await stopServer(server, 'SIGINT');
  }],
  ['binds to the address it was given and no other', async (fixture) => {
    const { server, port } = await fixture.startReady();
    const addresses = await fixture.agent.ask('listeners', { port });
    expect(addresses.join() === asHex(ADDRESS), `port ${port} listens on ${addresses.join(', ') || 'nothing'} (hex), not on ${ADDRESS} alone`);
    await stopServer(server);
  }],
  ['echoes text', async (fixture) => expectAllAnswered(await fixture.exchange({ ...MANY, behaviour: 'echo' }))],
  ['echoes binary', async (fixture) => {
    if (!fixture.engine.binary || (fixture.engine.client && !readLibrary(fixture.engine.client).binary)) throw new Unsupported('the dialect carries no binary');
    expectAllAnswered(await fixture.exchange({ ...MANY, behaviour: 'echo', payload: { type: 'binary', bytes: 200 } }));
  }],
  ['echoes each size from 0 B to 1 MB', expectEachSize],
  ['agrees to no extension that it does not declare', expectDeclaredExtensions],
  ['ends a connection whose message is longer than its limit', expectMessageLimit],
  ['holds no more than its limit of what a client does not read', expectUnsentLimit],
  ['prints nothing but ready lines on standard output', expectCleanOutput],
  ['answers ping with the count of pings', async (fixture) => expectAllAnswered(await fixture.exchange({ ...MANY, behaviour: 'pingpong' }))],
  ['keeps idle connections', async (fixture) => {
    const { connections } = await fixture.exchange({ behaviour: 'idle', hold_s: 2 });
    expect(connections.open_at_end === 4, `${connections.open_at_end} of 4 connections were open at the end`);
  }],
  ['refuses a port in use', (fixture) => withPortInUse(fixture, (port) => expectRefusal(fixture, { port }, EXIT.refused))],
  ['refuses a behaviour that does not exist', (fixture) =>
    expectRefusal(fixture, { behaviour: `b${randomBytes(4).toString('hex')}` }, EXIT.behaviour)],
  ['refuses each setting that is missing', expectMissingRefused],
  ['refuses each setting that is impossible', expectImpossibleRefused],
  ['starts as many processes of each role as it is told', expectToldCounts],
  ['stops under load', async (fixture) => stopServer(await startLoaded(fixture))],
  ['dies as a whole when its first process is killed', async (fixture) => expectDeath(fixture, (await fixture.startReady()).server)],
  ['replaces processes that die', async (fixture) => {
    const { server, ready } = await fixture.startReady();
    let { processes } = ready;
    const own = (await fixture.agent.list()).map(({ pid }) => pid);
    const others = processes.filter(({ pid }) => pid !== server.pid && own.includes(pid));
    const roles = new Set(others.map(({ role }) => role));
    if (roles.size === 0) throw new Unsupported('one process');
    for (const role of roles) {
      const victim = processes.find((process) => process.role === role && process.pid !== server.pid);
      await killOwn(fixture, Number(victim?.pid));
      const again = await waitUntilReady(server, `after the death of a ${role} the server`, PATIENCE_S);
      expect(again.processes.every(({ pid }) => pid !== victim?.pid), `the ready line still names the dead ${role}`);
      expect(again.processes.length === processes.length, `${again.processes.length} of ${processes.length} processes after the death of a ${role}`);
      processes = again.processes;
    }
    await stopServer(server);
  }],
  ['serves with two workers, and again when one has died', async (fixture) => {
    const { server, port, session, ready } = await fixture.startReady({ behaviour: 'echo', processes: withTwoWorkers(fixture.engine) });
    const [victim] = expectTwoWorkers(ready);
    await expectEchoes(fixture, port, session, 'before');
    await killOwn(fixture, victim.pid);
    const again = expectTwoWorkers(await waitUntilReady(server, 'after the death of a worker the server', PATIENCE_S));
    expect(again.every(({ pid }) => pid !== victim.pid), 'the ready line still names the dead worker');
    await expectEchoes(fixture, port, session, 'after');
    await stopServer(server);
  }],
  ['refuses a port in use once, with two workers', async (fixture) => {
    const processes = withTwoWorkers(fixture.engine);
    await withPortInUse(fixture, (port) => expectRefusal(fixture, { port, processes }, EXIT.refused));
  }],
  ['stops under load, and dies as a whole, with two workers', async (fixture) => {
    const given = { processes: withTwoWorkers(fixture.engine) };
    await stopServer(await startLoaded(fixture, given));
    await expectDeath(fixture, await startLoaded(fixture, given));
  }],
  ['broadcasts what one sends to all, the sender too', expectBroadcast],
  ['delivers every update, in order, once, by each transport', expectUpdates],
  ['speaks TLS of both versions, with the key that it is given', async (fixture) => {
    const { options } = fixture.engine;
    if (!options?.tls) throw new Unsupported('no option tls');
    const { server, port, ca } = await fixture.startReady({ options: { ...defaultsOf(options), tls: '1.3' } });
    for (const version of /** @type {const} */ (['1.2', '1.3'])) await expectTls(port, String(ca), version);
    await stopServer(server);
  }],
  ['serves the page of its pings, and their count', async (fixture) => {
    if (!fixture.engine.behaviours.includes('pages')) throw new Unsupported('no behaviour pages');
    const { server, port, session } = await fixture.startReady({ behaviour: 'pages' });
    await expectPage(port);
    expect(await getCount(port) === 0, 'the count is not 0 before the first ping');
    await fixture.finish(await fixture.load(port, session, { behaviour: 'pingpong', connections: 1, arrivals: { kind: 'constant', period_ms: 500 } }));
    const sent = parseTsv(await session.read('client/intervals.tsv')).reduce((sum, row) => sum + Number(row.sent), 0);
    const count = await getCount(port);
    expect(sent > 0 && count === sent, `GET /count is ${count} after ${sent} pings`);
    await stopServer(server);
  }],
];

/** @param {string} address @returns {string} as in /proc/net/tcp */
const asHex = (address) => address.split('.').reverse().map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, '0')).join('');

/** @typedef {{outcome: 'passed' | 'failed' | 'unsupported', why: string}} Outcome */

/** @param {string} name of an engine @returns {Promise<(Outcome & {check: string})[]>} */
export async function checkServer(name) {
  const engine = readEngine(name);
  if (engine.client && !listLibraries().includes(engine.client)) throw new UserError(`servers/${name}/engine.toml: client: "${engine.client}" is no folder of clients/${usualGenerator()}; use one of ${listLibraries().join(', ')}`);
  await installParts(partsToCheck(engine), console.log);
  const agent = await Agent.start();
  try {
    const results = [];
    for (const [check, run] of CHECKS) results.push({ check, ...await carryOut(agent, engine, run) });
    return results;
  } finally {
    await agent.close();
  }
}

/** @param {Engine} engine @returns {import('../spec/engines.js').Installable[]} parts needed for its check */
export function partsToCheck(engine) {
  const { client, behaviours } = engine;
  const loaded = [UPDATES, BROADCAST, behaviourOfLoad(engine)].filter((each) => behaviours.includes(each)).map(generatorFor);
  const generators = [...new Set(loaded)].filter((name) => name !== usualGenerator()).map(readGenerator);
  return [engine, ...(client ? [readLibrary(client)] : []), ...generators];
}

/** @param {Agent} agent @param {Engine} engine @param {(fixture: Fixture) => Promise<string | void>} run @returns {Promise<Outcome>} */
async function carryOut(agent, engine, run) {
  const fixture = new Fixture(agent, engine);
  try {
    return { outcome: 'passed', why: await run(fixture) ?? '' };
  } catch (error) {
    return { outcome: error instanceof Unsupported ? 'unsupported' : 'failed', why: /** @type {Error} */ (error).message };
  } finally {
    await fixture.clean();
  }
}

/** @param {string[]} names @returns {Promise<number>} exit code: 1 if a check failed */
export async function checkServers(names) {
  const counts = { passed: 0, failed: 0, unsupported: 0 };
  for (const name of names) {
    console.log(name);
    const results = await checkServer(name).catch((error) => {
      if (names.length === 1 || !(error instanceof Absent)) throw error; // among several, engines this system can't build are left out
      console.log(`  left out: ${error.message}`);
      return [];
    });
    for (const { check, outcome, why } of results) {
      counts[outcome]++;
      console.log(`  ${outcome.padEnd(11)}  ${check}${why ? `: ${why}` : ''}`);
    }
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.unsupported} unsupported`);
  return counts.failed ? 1 : 0;
}
