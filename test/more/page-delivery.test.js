/** Pages of both stacks in real browsers: several at once, one that is late, one that never comes, and a browser that is killed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { ADDRESS, Bench } from '../../harness/check/conformance-bench.js';
import { parseTsv } from '../../harness/common/files.js';
import { SERVERS } from '../../harness/common/places.js';
import { within } from '../../harness/common/timers.js';
import { Agent } from '../../harness/run/agent.js';
import { stopServer } from '../../harness/run/parties.js';
import { installParts } from '../../harness/run/install.js';
import { listEngines, readEngine } from '../../harness/spec/engines.js';
import { generatorFor, readGenerator } from '../../harness/spec/generators.js';
import { Lab, until } from '../smoke/lab.js';

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

/** @param {Record<string, unknown>} load @returns what a client is told that loads pages, one at a time unless it says otherwise */
const asked = (load) => ({ behaviour: BEHAVIOUR, connections: 1, arrivals: { kind: 'closed', outstanding: 1 }, drain_s: PATIENCE_MS / 1000, ...load });

/** @param {typeof engines[number]} engine @param {Record<string, unknown>} load @returns a server, and a client that loads its pages */
async function start(engine, load) {
  const bench = new Bench(agent, engine);
  benches.push(bench);
  const { server, port, station } = await bench.startReady({ behaviour: BEHAVIOUR });
  return { server, client: await bench.load(port, station, asked(load)), station };
}

/** @param {Awaited<ReturnType<typeof start>>} started @returns {Promise<Record<string, string>[]>} each load, when all are done */
async function readLoads({ client, station, server }) {
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 0, await station.read('client/client.err')); // it checks each page, and each result that was pushed
  await stopServer(server);
  return parseTsv(await station.read('client/loads.tsv'));
}

for (const engine of engines) {
  test(`four pages at once get each their own data from ${engine.name}, and none before it is there`, async () => {
    const loads = [{ scenario: 'timeouts', x: [100, 200, 300, 400], workflows: ['server', 'ajax', 'stream'] }];
    const rows = await readLoads(await start(engine, { connections: 4, loads }));
    assert.equal(rows.length, 12);
    for (const { x, total_ms, bound_ms, workflow } of rows) assert.ok(Number(total_ms) + Number(bound_ms) >= Number(x), `${workflow} ${x}: ${total_ms}`);
  });
}

const hasFirefox = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'firefox-esr')));

for (const engine of engines) {
  test(`Firefox gets each result from ${engine.name} as well`, { skip: !hasFirefox && 'there is no firefox-esr' }, async () => {
    const loads = [
      { scenario: 'noop', x: [0], workflows: ['server', 'ajax', 'stream'] }, { scenario: 'timeouts', x: [300], workflows: ['server', 'ajax', 'stream'] },
      { scenario: 'files', x: [128], workflows: ['server', 'ajax', 'stream', 'binary'] }, { scenario: 'series', x: [9], workflows: ['ajax', 'stream'] },
    ];
    const rows = await readLoads(await start(engine, { browser: 'firefox', loads }));
    assert.equal(rows.length, 12);
    for (const row of rows) {
      const least_ms = row.scenario === 'timeouts' ? Number(row.x) : 0;
      assert.ok(Number(row.total_ms) + Number(row.bound_ms) >= least_ms, JSON.stringify(row));
      for (const name of ['first_paint_ms', 'interactive_ms', 'source_ms', 'requests', 'browser_cpu_ms']) assert.match(row[name], /^\d/, `${name} of ${JSON.stringify(row)}`);
    }
  });
}

/** @type {(path: string) => any} what of a server has no types */
const bring = (path) => createRequire(join(SERVERS, 'fastify', 'server.js'))(path);

/** Pages that their server holds back. @param {Record<string, number>} held_ms by workflow @returns it, listening, and its port */
async function serveLate(held_ms) {
  const { Routes } = bring('../page-delivery/routes.cjs');
  const workflows = Object.fromEntries(Object.keys(held_ms).map((workflow) => [workflow, []]));
  const routes = new Routes({ handlebars: bring('handlebars'), Promise, runDir: '/', workflows });
  const server = createServer((request, response) => {
    routes.stamp(request);
    const [, route, scenario = '', x = ''] = new URL(request.url ?? '', 'http://late').pathname.split('/');
    const answers = route in held_ms ? 'page' : route === 'page.js' ? 'script' : route;
    setTimeout(() => routes[answers](request, response, { workflow: route, scenario, x: Number(x) }), held_ms[route] ?? 0);
  });
  await new Promise((resolve) => server.listen(0, ADDRESS, () => resolve(undefined)));
  return { server, port: Number(/** @type {import('node:net').AddressInfo} */ (server.address()).port) };
}

test('50 ms by which a server is late are in the times of its pages, and 500 ms as well', async () => {
  const { server, port } = await serveLate({ server: 50, ajax: 500 });
  const bench = new Bench(agent, engines[0]);
  benches.push(bench);
  const station = await agent.open('late');
  bench.stations.push(station);
  const client = await bench.load(port, station, asked({ loads: [{ scenario: 'noop', x: [0], workflows: ['server', 'ajax'], times: 4 }] }));
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 0, await station.read('client/client.err'));
  const [rows, bars] = [parseTsv(await station.read('client/loads.tsv')), parseTsv(await station.read('client/waterfall.tsv'))];
  server.close();
  /** @param {string} workflow @returns {number[]} ms from the receipt until the first byte, and no less until all was there */
  const listFirst = (workflow) => rows.filter((row) => row.workflow === workflow).map(({ load, total_ms, bound_ms }) => {
    const first_ms = Number(bars.find((bar) => bar.load === load)?.first_ms) + Number(bound_ms);
    assert.ok(Number(total_ms) + Number(bound_ms) >= first_ms, `${total_ms} ms until it was complete, ${first_ms} until its first byte`);
    return first_ms;
  });
  const [short, long] = [listFirst('server'), listFirst('ajax')];
  assert.deepEqual([short.length, long.length], [4, 4]);
  assert.ok(short.every((first_ms) => first_ms >= 50) && Math.min(...short) < 500, short.join()); // the least: the machine may be busy
  assert.ok(long.every((first_ms) => first_ms >= 500), long.join());
});

const [first] = engines;

test('a page that never comes ends the client, with the reason', async () => {
  const { server, client, station } = await start(first, { loads: [{ scenario: 'noop', x: [0], workflows: ['nowhere'] }] });
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 70);
  assert.match(await station.read('client/client.err'), /^error: clients\/page-loader: nowhere noop 0 was never complete: .*404.*; open http/m);
  await stopServer(server);
});

test('a browser that is killed ends the client, with the reason, and nothing of it is left', async () => {
  const { server, client, station } = await start(first, { loads: [{ scenario: 'timeouts', x: [60000], workflows: ['stream'] }] });
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

test('a trial whose browser is killed has failed, with the reason, and nothing of it is left', async () => {
  const lab = new Lab({
    engines: ['fastify'], repeats: 1, hold_s: 600, behaviour: BEHAVIOUR, connections: 1, load: 'client_processes = 1, generator = "page-loader"',
    arrivals: 'kind = "closed", outstanding = 1',
  });
  try {
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run', 60);
    const trial = 'b01-fastify-steady';
    const processes = await until(() => lab.readReady(run, trial, 'client'), 'its browser', 60);
    await until(() => /"received":[1-9]/.test(readFileSync(join(run.runDir, trial, 'client.out'), 'utf8')), 'its first page', 60);
    process.kill(Math.min(...processes.filter(({ role }) => role === 'browser').map(({ pid }) => pid)), 'SIGKILL');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[trial], /^failed: the client (ended during the trial|failed): it exited with 71: error: /);
    assert.match(lab.readStatuses()[trial], /: the browser ended during the trial; /);
    assert.deepEqual(await lab.findLeftovers(run), []);
  } finally {
    lab.remove();
  }
});
