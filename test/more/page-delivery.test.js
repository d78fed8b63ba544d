/**
 * Loads pages of both stacks in real browsers: several at once, a late one, one that never comes or never gets its
 * data. Kills a browser. Compares the bytes of a load with a packet capture.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, test as declare } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ADDRESS, Fixture } from '../../harness/check/conformance-fixture.js';
import { parseTsv, readJson, readTsv } from '../../harness/common/files.js';
import { SERVERS } from '../../harness/common/places.js';
import { within } from '../../harness/common/timers.js';
import { Agent } from '../../harness/run/agent.js';
import { stopServer } from '../../harness/run/lifecycle.js';
import { installPresent } from '../../harness/run/install.js';
import { listEngines, listOptionParts, readEngine } from '../../harness/spec/engines.js';
import { generatorFor, readGenerator } from '../../harness/spec/generators.js';
import { Lab, until } from '../smoke/lab.js';

const BEHAVIOUR = 'page-delivery';
const PATIENCE_MS = 600_000; // other tests load the machine meanwhile
const engines = listEngines().map(readEngine).filter(({ behaviours }) => behaviours.includes(BEHAVIOUR));
const [first] = engines;
/** @typedef {typeof engines[number]} Engine */
const SOURCE_WORKFLOWS = ['server', 'ajax', 'stream', 'binary', 'websocket'];
/** @param {Engine} engine */
const workflowsOf = ({ era }) => [...SOURCE_WORKFLOWS, ...(era === 'today' ? ['fetch', 'sse', 'frames', 'html'] : [])];
/** @param {Engine} engine @returns {Record<string, string>} its default options, with a database */
const withDatabase = ({ options = {} }) => Object.fromEntries(Object.entries(options).map(([name, { values, default: usual }]) =>
  [name, name === 'database' ? values[1] : usual]));

const databases = engines.flatMap((engine) => listOptionParts(engine, withDatabase(engine)));
const [lacking = false] = (await installPresent([...engines, ...databases, readGenerator(generatorFor(BEHAVIOUR))], console.log)).values();
/** @param {string} name @param {any} how @param {() => Promise<void>} [run] */
const test = (name, how, run) => (run ? declare(name, { skip: lacking || how.skip }, run) : declare(name, { skip: lacking }, how));
/** @type {Agent} */
let agent;
/** @type {Fixture[]} */
const fixtures = [];
before(async () => void (agent = await Agent.start()));
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.clean();
});
after(() => agent.close());

/** @param {Record<string, unknown>} load @returns a client's configuration, by default for one page at a time */
const asked = (load) => ({ behaviour: BEHAVIOUR, connections: 1, arrivals: { kind: 'closed', outstanding: 1 }, drain_s: PATIENCE_MS / 1000, ...load });

/**
 * @param {Engine} engine @param {Record<string, unknown>} load @param {Record<string, string>} [options]
 * @returns a server, and a client that loads its pages
 */
async function start(engine, load, options) {
  const fixture = new Fixture(agent, engine, PATIENCE_MS / 1000);
  fixtures.push(fixture);
  const { server, port, session } = await fixture.startReady({ behaviour: BEHAVIOUR, ...(options && { options }) });
  return { server, client: await fixture.load(port, session, asked(load)), session };
}

/** @param {Awaited<ReturnType<typeof start>>} started @returns {Promise<Record<string, string>[]>} rows of loads.tsv at the end */
async function readLoads({ client, session, server }) {
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 0, await session.read('client/client.err')); // the client checked each page and pushed result
  await stopServer(server);
  return parseTsv(await session.read('client/loads.tsv'));
}

/** @param {Record<string, string>[]} rows of loads.tsv @returns {boolean} whether two loads overlap in time */
function overlap(rows) {
  const spans = rows.map(({ received_us, total_ms }) => (
    { from_us: Number(received_us), to_us: Number(received_us) + 1000 * Number(total_ms) }));
  return spans.some((span, index) => spans.slice(index + 1).some((other) => span.from_us < other.to_us && other.from_us < span.to_us));
}

for (const engine of engines) {
  test(`four pages at once get each their own data from ${engine.name}, by each workflow, and none before it is there`, async () => {
    const loads = [{ scenario: 'timeouts', x: [100, 200, 300, 400], workflows: workflowsOf(engine) }];
    const rows = await readLoads(await start(engine, { connections: 4, loads }));
    assert.equal(rows.length, 4 * workflowsOf(engine).length);
    for (const { x, total_ms, bound_ms, workflow } of rows) assert.ok(Number(total_ms) + Number(bound_ms) >= Number(x), `${workflow} ${x}: ${total_ms}`);
    assert.ok(overlap(rows.filter(({ workflow }) => !['server', 'ajax'].includes(workflow))), 'results of several were pushed at once');
  });
}

test('of two pages opened at once without a cookie, each gets its own data with the cookie that the browser kept', async () => {
  const engine = /** @type {Engine} */ (engines.find(({ era }) => era === 'today'));
  const fixture = new Fixture(agent, engine, PATIENCE_MS / 1000);
  fixtures.push(fixture);
  const { server, port } = await fixture.startReady({ behaviour: BEHAVIOUR });
  const at = `http://${ADDRESS}:${port}`;
  const pages = await Promise.all([1, 2].map((x) => fetch(`${at}/fetch/timeouts/${x}`)));
  const cookies = pages.map(({ headers }) => String(headers.get('set-cookie')).split(';')[0]);
  assert.notEqual(cookies[0], cookies[1]);
  const loads = await Promise.all(pages.map(async (page) => /"load":"(\w+)"/.exec(await page.text())?.[1]));
  const ask = (/** @type {string | undefined} */ load, /** @type {string} */ cookie) => fetch(`${at}/results?load=${load}`, { headers: { cookie } });
  const answers = await Promise.all(loads.map((load) => ask(load, cookies[1])));
  assert.deepEqual(await Promise.all(answers.map((answer) => answer.json())), loads.map((load, index) => ({ load, key: 'r0', value: index + 1 })));
  assert.equal((await ask(loads[0], 'session=another')).status, 404);
  await stopServer(server);
});

const hasFirefox = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'firefox-esr')));

for (const engine of engines) {
  test(`Firefox gets each result from ${engine.name} as well`, { skip: !hasFirefox && 'there is no firefox-esr' }, async () => {
    const loads = [
      { scenario: 'noop', x: [0], workflows: ['server'] }, { scenario: 'timeouts', x: [300], workflows: ['server', 'ajax', 'stream'] },
      { scenario: 'files', x: [128], workflows: workflowsOf(engine) }, { scenario: 'documents', x: [500], workflows: ['server', 'ajax', 'stream'] },
      { scenario: 'series', x: [9], workflows: ['ajax', 'stream'] }, { scenario: 'parallel', x: [7], workflows: ['ajax'] },
    ];
    const rows = await readLoads(await start(engine, { browser: 'firefox', loads }, withDatabase(engine)));
    assert.equal(rows.length, 10 + workflowsOf(engine).length);
    assert.ok(rows.some(({ scenario, total_ms, bound_ms }) => scenario === 'parallel' && Number(total_ms) + Number(bound_ms) >= 3990), 'six connections: seven take two turns');
    for (const row of rows) {
      const least_ms = row.scenario === 'timeouts' ? Number(row.x) : 0;
      assert.ok(Number(row.total_ms) + Number(row.bound_ms) >= least_ms, JSON.stringify(row));
      for (const name of ['first_paint_ms', 'interactive_ms', 'source_ms', 'requests', 'browser_cpu_ms']) assert.match(row[name], /^\d/, `${name} of ${JSON.stringify(row)}`);
    }
  });
}

/** @type {(path: string) => any} requires a file or a package of a server; it has no types */
const bring = (path) => createRequire(join(SERVERS, 'fastify', 'server.js'))(path);

/**
 * Starts a server that answers late.
 * @param {Record<string, number>} held_ms delay by workflow @param {boolean} [isWithheld] it never sends the data
 * @returns the listening server, and its port
 */
async function serveLate(held_ms, isWithheld = false) {
  const { Routes } = bring('../page-delivery/routes.cjs');
  const workflows = Object.fromEntries(Object.keys(held_ms).map((workflow) => [workflow, []]));
  const routes = new Routes({ handlebars: bring('handlebars'), Promise, filesDir: '/', workflows });
  const server = createServer((request, response) => {
    routes.stamp(request);
    const [, route, scenario = '', x = ''] = new URL(request.url ?? '', 'http://late').pathname.split('/');
    const answers = route in held_ms ? 'page' : route === 'page.js' ? 'script' : route;
    if (answers === 'data' && isWithheld) return;
    setTimeout(() => routes[answers](request, response, { workflow: route, scenario, x: Number(x) }), held_ms[route] ?? 0);
  });
  await new Promise((resolve) => server.listen(0, ADDRESS, () => resolve(undefined)));
  return { server, port: Number(/** @type {import('node:net').AddressInfo} */ (server.address()).port) };
}

/** @param {number} port of such a server @param {Record<string, unknown>} load @returns the client's exit, and its session */
async function loadFrom(port, load) {
  const fixture = new Fixture(agent, engines[0], PATIENCE_MS / 1000);
  fixtures.push(fixture);
  const session = await agent.open('late');
  fixture.sessions.push(session);
  const client = await fixture.load(port, session, asked(load));
  return { exit: await within(client.exited, PATIENCE_MS), session };
}

/** @param {Record<string, string>} row of loads.tsv @returns {number} `total_ms`, computed from its marks and clock offsets */
const reckon_ms = ({ complete_ms, page_zero_us, received_us, server_ahead_us }) =>
  Number(complete_ms) + (Number(page_zero_us) - Number(received_us) + Number(server_ahead_us)) / 1000;

test('a delay of the server by 50 or 500 ms is in the times of its pages, and these lie between the call and the report', async () => {
  const held_ms = { server: 50, ajax: 500 };
  const { server, port } = await serveLate(held_ms);
  const { exit, session } = await loadFrom(port, { loads: [{ scenario: 'noop', x: [0], workflows: ['server', 'ajax'], times: 4 }] });
  assert.equal(exit?.code, 0, await session.read('client/client.err'));
  const [rows, bars] = [parseTsv(await session.read('client/loads.tsv')), parseTsv(await session.read('client/waterfall.tsv'))];
  server.close();
  assert.equal(rows.length, 8);
  for (const row of rows) {
    const [total_ms, bound_ms, answered_ms, called_ms, told_ms] = ['total_ms', 'bound_ms', 'answered_ms', 'called_ms', 'told_ms'].map((name) => Number(row[name]));
    const first_ms = Number(bars.find(({ load }) => load === row.load)?.first_ms);
    const where = JSON.stringify(row);
    const least_ms = held_ms[/** @type {keyof typeof held_ms} */ (row.workflow)] - 1; // a timer of Node may be 1 ms early
    assert.ok(answered_ms >= least_ms && first_ms + bound_ms >= least_ms, `${first_ms} ms until the first byte: ${where}`);
    assert.ok(total_ms >= first_ms && total_ms <= told_ms + bound_ms && called_ms <= bound_ms, where);
    assert.ok(Math.abs(reckon_ms(row) - total_ms) < 0.01, `${reckon_ms(row)} from the marks: ${where}`);
    assert.ok(total_ms > Number(row.data_ms), `complete is after layout and paint: ${where}`);
  }
});

test('a page that is served and never gets its data ends the client, with the reason', async () => {
  const { server, port } = await serveLate({ ajax: 0 }, true);
  const { exit, session } = await loadFrom(port, { patience_s: 5, loads: [{ scenario: 'timeouts', x: [0], workflows: ['ajax'] }] });
  assert.equal(exit?.code, 70);
  assert.match(await session.read('client/client.err'), /^error: clients\/page-loader: ajax \w+ 0 was never complete: it was not complete within 5 s .*; start the server by hand .* open \/\w+\/\w+\/0 of it/m);
  server.closeAllConnections();
  server.close();
});

/** @param {number[]} pids @param {number} parent @returns {number} its child among them: the browser, which started the others */
function findChild(pids, parent) {
  const parentOf = (/** @type {number} */ pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1'); // the name may hold spaces
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  };
  const child = pids.find((pid) => existsSync(`/proc/${pid}`) && parentOf(pid) === parent);
  assert.ok(child, 'the browser runs');
  return child;
}

test('a page that never comes ends the client, with the reason', async () => {
  const { server, client, session } = await start(first, { loads: [{ scenario: 'noop', x: [0], workflows: ['nowhere'] }] });
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 70);
  assert.match(await session.read('client/client.err'), /^error: clients\/page-loader: nowhere noop 0 was never complete: .*404.*; start the server by hand .* open \/\w+\/\w+\/0 of it/m);
  await stopServer(server);
});

test('a browser that is killed ends the client, with the reason, and nothing of it is left', async () => {
  const { server, client, session } = await start(first, { loads: [{ scenario: 'timeouts', x: [60000], workflows: ['stream'] }] });
  const listOwn = async () => (await agent.list()).filter(({ side, pid }) => side === 'client' && pid !== client.pid);
  await agent.signal(findChild((await listOwn()).map(({ pid }) => pid), client.pid), 'SIGKILL');
  const exit = await within(client.exited, PATIENCE_MS);
  assert.equal(exit?.code, 71);
  assert.match(await session.read('client/client.err'), /^error: clients\/page-loader: the browser ended during the trial; /m);
  assert.deepEqual(await listOwn(), []);
  await stopServer(server);
});

test('a trial whose browser is killed has failed, with the reason, and nothing of it is left', async () => {
  const lab = new Lab({
    engines: ['fastify'], repeats: 1, hold_s: 600, behaviour: BEHAVIOUR, connections: 1, load: 'client_processes = 1, generator = "page-loader"',
    arrivals: 'kind = "closed", outstanding = 1',
  });
  try {
    const [harness, trial] = [lab.start(), 'b01-fastify-steady'];
    const run = await until(() => harness.findRun(), 'the run', 60);
    const processes = await until(() => lab.readReady(run, trial, 'client'), 'its browser', 60);
    await until(() => /"received":[1-9]/.test(readFileSync(join(run.runDir, trial, 'client.out'), 'utf8')), 'its first page', 60);
    const [browsers, [client]] = ['browser', 'client'].map((wanted) => processes.filter(({ role }) => role === wanted).map(({ pid }) => pid));
    process.kill(findChild(browsers, client), 'SIGKILL');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[trial], /^failed: the client (ended during the trial|failed): it exited with 71: error: /);
    assert.match(lab.readStatuses()[trial], /: the browser ended during the trial; /);
    assert.ok(stderr.includes(`trials/${trial}/raw has what its processes said`) && !/^figure /m.test(stdout), stdout + stderr);
    assert.ok(readTsv(lab.inTrial(trial, 'raw/client/loads.tsv')).length > 0, 'what was loaded before is kept');
    assert.deepEqual(await lab.findLeftovers(run), []);
  } finally {
    lab.remove();
  }
});

/**
 * @param {string} path of a compressed pcap of Ethernet frames @param {number} port of the server
 * @returns {{at_us: number, isDown: boolean, frame_b: number}[]}
 */
function readPackets(path, port) {
  const file = gunzipSync(readFileSync(path));
  const packets = [];
  for (let at = 24; at < file.length;) { // pcap-savefile(5)
    const [s, us, kept_b, frame_b] = [0, 4, 8, 12].map((offset) => file.readUInt32LE(at + offset));
    const ip = at + 16 + 14;
    packets.push({ at_us: s * 1e6 + us, isDown: file.readUInt16BE(ip + 4 * (file[ip] & 15)) === port, frame_b });
    at += 16 + kept_b;
  }
  return packets;
}

const hasNamespaces = process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0;
const why = !hasNamespaces && 'no network namespaces can be made';
const FILE_KIB = 256;

test("a load's bytes are those that tcpdump captured, and a file by `websocket` comes in a binary frame", { skip: why }, async () => {
  const lab = new Lab({
    engines: engines.map(({ name }) => name), repeats: 1, behaviour: BEHAVIOUR, connections: 1, load: 'client_processes = 1, generator = "page-loader"',
    hold_s: 5, drain_s: 60, arrivals: 'kind = "closed", outstanding = 1', more: 'network = { kind = "veth" }\npoints = [{ capture = ["on"] }]',
    workload: `loads = [{ scenario = "files", x = [0, ${FILE_KIB}], workflows = ["ajax", "stream", "websocket"] }]`,
  });
  try {
    const { code, stdout, stderr } = await lab.run();
    assert.equal(code, 0, stdout + stderr);
    const tables = readTsv(join(lab.listBundles().pop() ?? '', 'reduced', 'captured.tsv'));
    for (const { name } of engines) {
      const inTrial = (/** @type {string[]} */ ...path) => lab.inTrial(`b01-${name}-steady-capture-on`, ...path);
      const packets = readPackets(inTrial('raw/wire/packets.pcap.gz'), readJson(inTrial('trial.json')).server.port);
      const rows = readTsv(inTrial('raw/client/loads.tsv'));
      const { t_us, wall_us } = readTsv(inTrial('raw/host.tsv')).findLast((mark) => mark.wall_us !== '-') ?? {};
      const epoch_us = Number(wall_us) - Number(t_us); // wall clock minus monotonic clock
      assert.equal(rows.length, 6);
      for (const row of rows) {
        const received_us = Number(row.received_us) - Number(row.server_ahead_us) + epoch_us;
        const [from_us, to_us] = [row.called_ms, row.told_ms].map((ms) => received_us + Number(ms) * 1000);
        const passed = packets.filter(({ at_us, isDown }) => isDown && at_us >= from_us && at_us <= to_us);
        const captured_b = passed.reduce((sum, { frame_b }) => sum + frame_b, 0);
        const most_b = 0.01 * captured_b + 3000; // a few packets pass while counters are read
        assert.ok(Math.abs(Number(row.down_b) - captured_b) <= most_b, `${name} ${row.workflow} ${row.x}: ${row.down_b} B counted, ${captured_b} B captured`);
        const reduced = tables.find(({ engine, load }) => engine === name && load === row.load);
        assert.ok(reduced && Math.abs(Number(reduced.frames_b) - captured_b) <= most_b, `${name} ${row.workflow} ${row.x}: ${reduced?.frames_b} B in captured.tsv`);
      }
      const down = readTsv(inTrial('raw/wire/packets.tsv')).filter(({ direction }) => direction === 'down');
      const long = down.filter(({ payload_b }) => Math.abs(Number(payload_b) - FILE_KIB * 1024) < 500);
      assert.equal(long.length, 1, 'one frame is as long as the file');
    }
  } finally {
    lab.remove();
  }
});
