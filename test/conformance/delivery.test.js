/** The behaviours `file` and `file-listed`: files by the library `delivery`, each engine with its own client library. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { monotonicUs, within } from '../../harness/agent/clock.js';
import { ADDRESS } from '../../harness/check/conformance-bench.js';
import { installParts, listEngines, readEngine, readLibrary } from '../../harness/spec/engines.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { usualGenerator } from '../../harness/spec/engines.js';
import { LocalHost } from '../../harness/agent/host.js';
import { startClient, startServer, stopServer, urlOf } from '../../harness/run/parties.js';
import { ReadyLines, waitUntilReady } from '../../harness/agent/ready.js';

/** @typedef {import('../../harness/spec/engines.js').Engine} Engine */

/** Of each connection in the window of 1 s. */
const PINGS = 10;
const PATIENCE_S = 30;
/** On Node 0.10 a large file costs each side more than 0.1 s of CPU, and others may run on the same cores. */
const DRAIN_S = 60;
/** servers/CONTRACT.md, "Exit codes". */
const EXIT_SETTINGS = 64;

/** @param {string} behaviour @returns {Engine[]} */
function enginesWith(behaviour) {
  return listEngines().map(readEngine).filter(({ behaviours }) => behaviours.includes(behaviour));
}

/**
 * A host of its own for each test: to stop a server is to end all servers of its host.
 * @param {(host: LocalHost) => Promise<void>} check
 */
function onHost(check) {
  return async () => {
    const host = new LocalHost();
    try {
      await check(host);
    } finally {
      await host.close();
    }
  };
}

/** @param {LocalHost} host @param {Engine} engine @param {string} behaviour @param {number | undefined} payload_b @param {string} folder */
async function serve(host, { name, dialect, roles, options = {} }, behaviour, payload_b, folder) {
  const port = await host.findFreePort(ADDRESS);
  const server = await startServer(host, {
    engine: name, address: ADDRESS, port, behaviour, payload_b,
    processes: Object.fromEntries(Object.entries(roles).map(([role, limits]) => [role, limits.default])),
    options: Object.fromEntries(Object.entries(options).map(([option, known]) => [option, known.default])),
  }, folder, host.makeRunDir());
  return { server, url: urlOf(dialect, ADDRESS, port) };
}

/**
 * Pings for a second, and then for the second of the window, when all connections are up.
 * @param {LocalHost} host @param {Engine} engine @param {string} behaviour @param {number} size_b @param {number} connections
 * @returns {Promise<{summary: any, sent: number, files: number}>} both of the whole run
 */
async function transfer(host, engine, behaviour, size_b, connections) {
  const folder = host.makeRunDir();
  const out = join(folder, 'client');
  mkdirSync(out);
  const { server, url } = await serve(host, engine, behaviour, size_b, folder);
  await waitUntilReady(server, new ReadyLines(server), 'the server', undefined, PATIENCE_S);
  const client = await startClient(host, usualGenerator(), {
    url, library: engine.client, out, behaviour, processes: 1, connections, connect_rate_hz: 1000, warmup_s: 0, ramp_s: 1, settle_s: 0,
    hold_s: 1, arrivals: { kind: 'constant', period_ms: 1000 / PINGS }, payload: { type: 'binary', bytes: size_b },
    seed: 1, late_ms: 50, drain_s: DRAIN_S,
  }, folder);
  await waitUntilReady(client, new ReadyLines(client), 'the client', undefined, PATIENCE_S);
  client.child.stdin?.write(`go ${Math.round(monotonicUs() + 50_000)}\n`);
  const exit = await within(client.exited, (DRAIN_S + PATIENCE_S) * 1000);
  assert.equal(exit?.code, 0, `the client ${client.describeEnd()}`);
  await stopServer(host, server);
  const sum = (/** @type {string} */ column) => readTsv(join(out, 'intervals.tsv')).reduce((total, row) => total + Number(row[column]), 0);
  return { summary: readJson(join(out, 'summary.json')), sent: sum('sent'), files: sum('received_b') / size_b };
}

/** @param {any} summary @param {number} connections */
function assertAllAnswered({ window, errors }, connections) {
  const { sent, received, missing, wrong } = window;
  const asked = PINGS * connections;
  assert.deepEqual({ sent, received, missing, wrong, errors }, { sent: asked, received: asked, missing: 0, wrong: 0, errors: {} });
}

before(() => installParts(enginesWith('file').flatMap((engine) => [engine, readLibrary(String(engine.client))]), console.log));

// Two at a time, beside other files of tests: nothing is measured here.
describe('files by delivery', { concurrency: 2 }, () => {
  for (const engine of enginesWith('file')) {
    for (const [size_b, connections] of [[81, 3], [1000, 3], [500_000, 1]]) {
      it(`${engine.name} answers each ping with one whole file of ${size_b} B`, onHost(async (host) => {
        const { summary, sent, files } = await transfer(host, engine, 'file', size_b, connections);
        assertAllAnswered(summary, connections);
        assert.equal(files, sent);
      }));
    }
    it(`${engine.name} refuses to start without a possible size of the file`, onHost(async (host) => {
      for (const payload_b of [undefined, -1, 1.5]) {
        const { server } = await serve(host, engine, 'file', payload_b, host.makeRunDir());
        const exit = await within(server.exited, PATIENCE_S * 1000);
        assert.equal(exit?.code, EXIT_SETTINGS, server.describeEnd());
        assert.match(server.describeEnd(), /error: .+: WSCALE_PAYLOAD_B is .+; .+/);
      }
    }));
  }
  for (const engine of enginesWith('file-listed')) {
    it(`${engine.name} answers ping k of a connection with k files, as listing A.4 has it`, onHost(async (host) => {
      const { summary, sent, files } = await transfer(host, engine, 'file-listed', 81, 1);
      assertAllAnswered(summary, 1);
      // The client does not wait for the last ping's further files; and a ping that overtakes a handshake adds one to it.
      assert.ok(files > sent * (sent - 1) / 2, `${files} files for ${sent} pings`);
    }));
  }
});
