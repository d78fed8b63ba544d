/** The behaviours `file` and `file-listed`, by the library `delivery`. Each engine has its own client library. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ADDRESS } from '../../harness/check/conformance-fixture.js';
import { installParts } from '../../harness/run/install.js';
import { listEngines, readEngine, readLibrary, usualGenerator } from '../../harness/spec/engines.js';
import { parseTsv } from '../../harness/common/files.js';
import { DIR } from '../../harness/common/protocol.js';
import { within } from '../../harness/common/timers.js';
import { Agent } from '../../harness/run/agent.js';
import { LEAD_US, startClient, startServer, stopServer, urlOf, waitUntilReady } from '../../harness/run/lifecycle.js';

/** @typedef {import('../../harness/spec/engines.js').Engine} Engine */

/** Pings of each connection in the window of 1 s. */
const PINGS = 10;
const PATIENCE_S = 30;
/** On Node 0.10 a large file costs each side more than 0.1 s of CPU time, and other tests may use the same cores. */
const DRAIN_S = 60;
/** servers/CONTRACT.md, "Exit codes". */
const EXIT_SETTINGS = 64;

/** @param {string} behaviour @returns {Engine[]} */
function enginesWith(behaviour) {
  return listEngines().map(readEngine).filter(({ behaviours }) => behaviours.includes(behaviour));
}

/**
 * Gives each test its own agent: stopServer kills all servers of an agent.
 * @param {(agent: Agent) => Promise<void>} check
 */
function withAgent(check) {
  return async () => {
    const agent = await Agent.start();
    try {
      await check(agent);
    } finally {
      await agent.close();
    }
  };
}

/** @param {Agent} agent @param {Engine} engine @param {string} behaviour @param {number | undefined} payload_b */
async function serve(agent, { name, dialect, roles, options = {} }, behaviour, payload_b) {
  const port = await agent.findFreePort(ADDRESS);
  const session = await agent.open(`size-${payload_b}`.replace('.', '-'));
  const server = await startServer(session, {
    engine: name, address: ADDRESS, port, behaviour, payload_b,
    processes: Object.fromEntries(Object.entries(roles).map(([role, limits]) => [role, limits.default])),
    options: Object.fromEntries(Object.entries(options).map(([option, known]) => [option, known.default])),
  });
  return { session, server, url: urlOf(dialect, ADDRESS, port) };
}

/**
 * Runs a client that pings for a ramp of 1 s, and then for a window of 1 s in which all connections are up.
 * @param {Agent} agent @param {Engine} engine @param {string} behaviour @param {number} size_b @param {number} connections
 * @returns {Promise<{summary: any, sent: number, files: number}>} `sent` and `files` are of the whole run
 */
async function transfer(agent, engine, behaviour, size_b, connections) {
  const { session, server, url } = await serve(agent, engine, behaviour, size_b);
  await waitUntilReady(server, 'the server', PATIENCE_S);
  const client = await startClient(session, usualGenerator(), {
    url, library: engine.client, out: `${DIR}/records`, behaviour, processes: 1, connections, connect_rate_hz: 1000, warmup_s: 0, ramp_s: 1, settle_s: 0,
    hold_s: 1, arrivals: { kind: 'constant', period_ms: 1000 / PINGS }, payload: { type: 'binary', bytes: size_b },
    seed: 1, late_ms: 50, drain_s: DRAIN_S,
  });
  await waitUntilReady(client, 'the client', PATIENCE_S);
  await session.ask('go', { pids: [client.pid], lead_us: LEAD_US });
  const exit = await within(client.exited, (DRAIN_S + PATIENCE_S) * 1000);
  assert.equal(exit?.code, 0, `the client ${client.describeEnd()}`);
  await stopServer(server);
  const intervals = parseTsv(await session.read('records/intervals.tsv'));
  const sum = (/** @type {string} */ column) => intervals.reduce((total, row) => total + Number(row[column]), 0);
  return { summary: JSON.parse(await session.read('records/summary.json')), sent: sum('sent'), files: sum('received_b') / size_b };
}

/** @param {any} summary @param {number} connections */
function assertAllAnswered({ window, errors }, connections) {
  const { sent, received, missing, wrong } = window;
  const asked = PINGS * connections;
  assert.deepEqual({ sent, received, missing, wrong, errors }, { sent: asked, received: asked, missing: 0, wrong: 0, errors: {} });
}

before(() => installParts(enginesWith('file').flatMap((engine) => [engine, readLibrary(String(engine.client))]), console.log));

// Two at a time, while other test files run: nothing is measured here.
describe('files by delivery', { concurrency: 2 }, () => {
  for (const engine of enginesWith('file')) {
    for (const [size_b, connections] of [[81, 3], [1000, 3], [500_000, 1]]) {
      it(`${engine.name} answers each ping with one whole file of ${size_b} B`, withAgent(async (agent) => {
        const { summary, sent, files } = await transfer(agent, engine, 'file', size_b, connections);
        assertAllAnswered(summary, connections);
        assert.equal(files, sent);
      }));
    }
    it(`${engine.name} refuses to start without a possible size of the file`, withAgent(async (agent) => {
      for (const payload_b of [undefined, -1, 1.5]) {
        const { server } = await serve(agent, engine, 'file', payload_b);
        const exit = await within(server.exited, PATIENCE_S * 1000);
        assert.equal(exit?.code, EXIT_SETTINGS, server.describeEnd());
        assert.match(server.describeEnd(), /error: .+: WSCALE_PAYLOAD_B is .+; .+/);
      }
    }));
  }
  for (const engine of enginesWith('file-listed')) {
    it(`${engine.name} answers ping k of a connection with k files, as listing A.4 has it`, withAgent(async (agent) => {
      const { summary, sent, files } = await transfer(agent, engine, 'file-listed', 81, 1);
      assertAllAnswered(summary, 1);
      // Only a lower bound: the client does not wait for the last ping's further files, and a ping that overtakes a
      // handshake adds a file to it.
      assert.ok(files > sent * (sent - 1) / 2, `${files} files for ${sent} pings`);
    }));
  }
});
