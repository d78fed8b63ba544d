/** Loads the tested engines with swarm and with their own client library: at the same load both must count the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADDRESS } from '../../harness/check/conformance-fixture.js';
import { partsToCheck } from '../../harness/check/conformance.js';
import { installPresent } from '../../harness/run/install.js';
import { readEngine, readTestedEngines } from '../../harness/spec/engines.js';
import { parseTsv } from '../../harness/common/files.js';
import { DIR } from '../../harness/common/protocol.js';
import { readGenerator } from '../../harness/spec/generators.js';
import { Agent } from '../../harness/run/agent.js';
import { LEAD_US, startClient, startServer, stopServer, urlOf, waitUntilReady } from '../../harness/run/lifecycle.js';

/** Engines with a client library. The others answer no messages. */
const engines = readTestedEngines().filter(({ client }) => client);
/**
 * Each connection draws its interval once, so the six have very different rates. In settle_s all should connect, even
 * on a busy machine.
 */
const LOAD = {
  connections: 6, connect_rate_hz: 50, warmup_s: 0, ramp_s: 1, settle_s: 2, hold_s: 1, seed: 3, late_ms: 1000, drain_s: 3,
  arrivals: { kind: 'uniform-interval', max_ms: 200 }, payload: { type: 'text', bytes: 40 },
};

const own = ['swarm', 'goroutines'].map(readGenerator);
const absent = await installPresent([...own, ...engines.flatMap(partsToCheck)], console.log);
/**
 * @param {import('../../harness/spec/engines.js').Engine} engine
 * @returns {string | undefined} why this system can't build it
 */
const whyAbsent = (engine) => partsToCheck(engine).map(({ folder }) => absent.get(folder)).find(Boolean);

/** @typedef {import('../../harness/spec/engines.js').Engine} Engine */
/** @typedef {{summary: any, intervals: Record<string, string>[], connections: Record<string, string>[]}} Records */

/**
 * Runs all the generators against one server at the same time.
 * @param {Engine} engine @param {string[]} generators @param {Record<string, unknown>} load with a behaviour
 * @param {(ready: import('../../harness/common/ready.js').Ready) => void} [disturb] called within the window
 * @returns {Promise<Records[]>}
 */
async function run(engine, generators, load, disturb) {
  const agent = await Agent.start(); // for this run alone: stopServer kills all servers of its agent
  try {
    return await runOn(agent, engine, generators, load, disturb);
  } finally {
    await agent.close();
  }
}

/**
 * @param {Agent} agent @param {Engine} engine @param {string[]} generators @param {Record<string, unknown>} load
 * @param {(ready: import('../../harness/common/ready.js').Ready) => void} [disturb]
 * @returns {Promise<Records[]>}
 */
async function runOn(agent, engine, generators, load, disturb) {
  const session = await agent.open('run');
  const port = await agent.findFreePort(ADDRESS);
  const { name, roles, options = {}, dialect, client: library } = engine;
  const processes = Object.fromEntries(Object.entries(roles).map(([role, limits]) => [role, limits.default]));
  const chosen = Object.fromEntries(Object.entries(options).map(([option, known]) => [option, known.default]));
  const serverConfig = { engine: name, address: ADDRESS, port, behaviour: String(load.behaviour), processes, options: chosen };
  const server = await startServer(session, serverConfig);
  const ready = await waitUntilReady(server, 'the server');
  const all = await Promise.all(generators.map(async (generator) => {
    const records = `${generator}/records`;
    const config = { ...LOAD, url: urlOf(dialect, ADDRESS, port), out: `${DIR}/${records}`, processes: 1, ...load, ...(generator === 'swarm' ? { dialect } : { library }) };
    const client = await startClient(session, generator, config, generator);
    await waitUntilReady(client, generator);
    await session.ask('go', { pids: [client.pid], lead_us: LEAD_US });
    if (disturb) setTimeout(disturb, 1000 * (LEAD_US / 1e6 + LOAD.ramp_s + LOAD.settle_s + 0.25), ready);
    const { code } = await client.exited;
    assert.equal(code, 0, `${generator} ${client.describeEnd()}`);
    const read = (/** @type {string} */ file) => session.read(`${records}/${file}`);
    const connections = load.record_connections ? parseTsv(await read('connections.tsv')) : [];
    return { summary: JSON.parse(await read('summary.json')), intervals: parseTsv(await read('intervals.tsv')), connections };
  }));
  await stopServer(server);
  return all;
}

/** @param {Records} records @returns {string[]} messages due in each second, up to the end of the window */
const dueBySecond = ({ intervals }) => intervals.slice(0, LOAD.ramp_s + LOAD.settle_s + LOAD.hold_s).map((row) => row.due);

/** @param {Records} records of a load without faults */
function assertSound({ summary: { connections, window, errors, closed_by_peer: closed = {} } }, asked = LOAD.connections) {
  assert.deepEqual(errors, {});
  assert.deepEqual(closed, {});
  assert.equal(connections.opened, asked);
  assert.equal(connections.open_at_end, asked);
  const faults = ['missing', 'wrong', 'out_of_order', 'duplicate', 'unasked'].filter((fault) => (window[fault] ?? 0) !== 0);
  assert.deepEqual(faults, []);
}

/** @param {Records} swarm @param {Records} forked */
function assertAlike(swarm, forked) {
  // On a very busy machine a connection may open within the window: its messages due before that are not sent
  const counts = (/** @type {Records} */ { summary: { window: { due, sent, unsent_remote, received, missing, wrong } } }) =>
    ({ due, lost: due - sent - unsent_remote, unanswered: sent - received, missing, wrong });
  assertSound(swarm);
  assert.ok(swarm.summary.window.received > 20, 'a load that sends nothing shows nothing');
  assert.deepEqual(counts(swarm), counts(forked));
  assert.deepEqual(dueBySecond(swarm), dueBySecond(forked));
}

describe('swarm', { concurrency: 2 }, () => {
  for (const engine of engines.filter(whyAbsent)) it(`counts what the forked client counts, on ${engine.name}`, { skip: whyAbsent(engine) });
  for (const engine of engines.filter((each) => !whyAbsent(each))) {
    const has = (/** @type {string} */ behaviour) => engine.behaviours.includes(behaviour);
    const kinds = [['pingpong', 'text'], ['echo', 'text'], ...(engine.binary ? [['echo', 'binary']] : [])];
    for (const [behaviour, type] of kinds.filter(([name]) => has(name))) {
      it(`counts what the forked client counts, on ${engine.name}, ${behaviour}, ${type}`, async () => {
        const load = { behaviour, payload: { ...LOAD.payload, type } };
        const [swarm, forked] = await run(engine, ['swarm', 'forked'], load);
        assertAlike(swarm, forked);
      });
    }
    if (engine.roles.worker?.max > 1) {
      it(`counts what the forked client counts, on two workers of ${engine.name}`, async () => {
        const worker = { ...engine.roles.worker, default: 2 };
        const [swarm, forked] = await run({ ...engine, roles: { ...engine.roles, worker } }, ['swarm', 'forked'], { behaviour: 'echo' });
        assertAlike(swarm, forked);
      });
    }
    if (has('idle')) {
      it(`idles on ${engine.name}`, async () => {
        const [records] = await run(engine, ['swarm'], { behaviour: 'idle', hold_s: 2 });
        assertSound(records);
        assert.equal(records.summary.totals.sent, 0);
      });
    }
    it(`has each of several connections send several messages at once, on ${engine.name}`, async () => {
      const [records] = await run(engine, ['swarm'], { behaviour: 'echo', arrivals: { kind: 'closed', outstanding: 8 } });
      assertSound(records);
      assert.ok(records.summary.window.received > 100);
    });
    if (has('broadcast')) {
      it(`reaches every connection by broadcast, on ${engine.name}`, async () => {
        const [{ summary }] = await run(engine, ['swarm'], { behaviour: 'broadcast', payload: { type: 'text', bytes: 40 }, arrivals: { kind: 'constant', period_ms: 20 }, drain_s: 1 });
        assert.equal(summary.window.reach, 1);
        assert.equal(summary.window.received, summary.window.sent * LOAD.connections);
        assert.deepEqual([summary.window.missing, summary.window.wrong, summary.window.out_of_order], [0, 0, 0]);
      });
    }
    if (has('json-ping')) {
      it(`exchanges JSON with timestamps, on ${engine.name}`, async () => {
        const [records] = await run(engine, ['swarm'], { behaviour: 'json-ping' });
        assertSound(records);
        assert.ok(records.summary.window.received > 20);
      });
    }
  }

  it('splits a load over processes and threads without losing or doubling any of it', async () => {
    const engine = readEngine('ws');
    const [one] = await run(engine, ['swarm'], { behaviour: 'echo' });
    const [several] = await run(engine, ['swarm'], { behaviour: 'echo', processes: 2, threads: 2 });
    assertSound(several);
    assert.deepEqual(dueBySecond(several), dueBySecond(one));
    assert.deepEqual(several.summary.processes.map((/** @type {any} */ { role }) => role), ['recorder', 'client', 'client']);
  });

  for (const name of ['socketcluster-2014', 'socketcluster-14']) {
    it(`comes back when the worker is killed and replaced, on ${name}`, async () => {
      const engine = readEngine(name);
      const load = { behaviour: 'pingpong', hold_s: 8, reconnect: { delay_ms: 200, jitter_ms: 200 }, record_connections: true };
      const [{ summary: { connections, window }, intervals, connections: rows }] = await run(engine, ['swarm'], load, ({ processes }) => {
        for (const { pid } of processes.filter(({ role }) => role === 'worker')) process.kill(pid, 'SIGKILL');
      });
      const all = LOAD.connections;
      assert.deepEqual([connections.dropped_remote, connections.reconnected, connections.gone_at_end], [all, all, 0]);
      assert.deepEqual([connections.open_at_end, connections.opened, connections.failed_remote], [all, 2 * all, 0]);
      assert.equal(intervals.at(-1)?.connected, String(all));
      assert.ok(connections.reconnect_max_us >= 200_000 && window.unsent_remote > 0 && window.wrong === 0);
      for (const key of ['due', 'sent', 'received']) assert.equal(rows.reduce((sum, row) => sum + Number(row[key]), 0), window[key]);
    });
  }

  for (const [behaviour, arrivals, processes] of /** @type {const} */ ([
    ['json-ping', { kind: 'constant', period_ms: 100 }, 1], ['json-ping', { kind: 'bursts', period_ms: 200, messages: 3 }, 2], ['echo', { kind: 'poisson', rate_hz_per_connection: 10 }, 2],
  ])) {
    it(`offers what goroutines do, which lose none of it either: ${behaviour}, ${arrivals.kind}, ${processes} process(es)`, async () => {
      const [swarm, goroutines] = await run(readEngine('ws'), ['swarm', 'goroutines'], { behaviour, arrivals, processes });
      for (const records of [swarm, goroutines]) assertSound(records);
      assert.deepEqual(dueBySecond(goroutines), dueBySecond(swarm));
      assert.equal(goroutines.summary.processes.length, processes);
    });
  }

  it('connects from the addresses that it is given', async () => {
    const [records] = await run(readEngine('ws'), ['swarm'], { behaviour: 'echo', local_addresses: ['127.0.0.3', '127.0.0.4'] });
    assertSound(records);
  });
});
