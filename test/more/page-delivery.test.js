/** Pages of both stacks in a real browser: several at once, one that never comes, and a browser that is killed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Bench } from '../../harness/check/conformance-bench.js';
import { parseTsv } from '../../harness/common/files.js';
import { within } from '../../harness/common/timers.js';
import { Agent } from '../../harness/run/agent.js';
import { stopServer } from '../../harness/run/parties.js';
import { installParts, listEngines, readEngine } from '../../harness/spec/engines.js';
import { generatorFor, readGenerator } from '../../harness/spec/generators.js';

const BEHAVIOUR = 'page-delivery';
/** Other tests load the machine meanwhile. */
const PATIENCE_MS = 600_000;
const engines = listEngines().map(readEngine).filter(({ behaviours }) => behaviours.includes(BEHAVIOUR));

/** @type {Agent} */
let agent;
/** @type {Bench[]} */
const benches = [];
before(async () => {
  await installParts([...engines, readGenerator(generatorFor(BEHAVIOUR))], console.log);
  agent = await Agent.start();
});
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.clean();
});
after(() => agent.close());

/** @param {typeof engines[number]} engine @param {Record<string, unknown>} load @returns a server, and a client that loads its pages */
async function start(engine, load) {
  const bench = new Bench(agent, engine);
  benches.push(bench);
  const { server, port, station } = await bench.startReady({ behaviour: BEHAVIOUR });
  const client = await bench.load(port, station, { behaviour: BEHAVIOUR, arrivals: { kind: 'closed', outstanding: 1 }, drain_s: PATIENCE_MS / 1000, ...load });
  return { server, client, station };
}

for (const engine of engines) {
  test(`four pages at once get each their own data from ${engine.name}, and none before it is there`, async () => {
    const loads = [{ scenario: 'timeouts', x: [100, 200, 300, 400], workflows: ['server', 'ajax', 'stream'] }];
    const { server, client, station } = await start(engine, { connections: 4, loads });
    const exit = await within(client.exited, PATIENCE_MS);
    assert.equal(exit?.code, 0, await station.read('client/client.err')); // it checks each page, and each result that was pushed
    const rows = parseTsv(await station.read('client/loads.tsv'));
    assert.equal(rows.length, 12);
    for (const { x, total_ms, bound_ms, workflow } of rows) assert.ok(Number(total_ms) + Number(bound_ms) >= Number(x), `${workflow} ${x}: ${total_ms}`);
    await stopServer(server);
  });
}

const [first] = engines;

test('a page that never comes ends the client, with the reason', async () => {
  const { server, client, station } = await start(first, { connections: 1, loads: [{ scenario: 'noop', x: [0], workflows: ['nowhere'] }] });
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 70);
  assert.match(await station.read('client/client.err'), /^error: clients\/page-loader: nowhere noop 0 was never complete: .*404.*; open http/m);
  await stopServer(server);
});

test('a browser that is killed ends the client, with the reason, and nothing of it is left', async () => {
  const { server, client, station } = await start(first, { connections: 1, loads: [{ scenario: 'timeouts', x: [60000], workflows: ['stream'] }] });
  const listOwn = async () => (await agent.list()).filter(({ side, pid }) => side === 'client' && pid !== client.pid);
  const pids = (await listOwn()).map(({ pid }) => pid);
  assert.ok(pids.length > 0, 'the browser runs');
  await agent.signal(Math.min(...pids), 'SIGKILL'); // the first is the one that started the others
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 71);
  assert.match(await station.read('client/client.err'), /^error: clients\/page-loader: the browser ended during the trial; /m);
  assert.deepEqual(await listOwn(), []);
  await stopServer(server);
});
