/** Watches a run as people do: with a terminal, a real Chromium, and Debian's Prometheus. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { readTsv } from '../../harness/common/files.js';
import { installParts } from '../../harness/run/install.js';
import { readCompanion, readGenerator } from '../../harness/spec/generators.js';
import { Lab, installWs, sleep, until } from '../smoke/lab.js';
import { Prometheus } from './prometheus.js';

/** Long enough for a watcher on a busy machine to start before the run ends. */
const HOLD_S = 20;
/** For runs that a test interrupts. */
const LONG_S = 900;
/** For a browser on a busy machine. */
const PATIENCE_MS = 300_000;
const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];

const folder = mkdtempSync(join(tmpdir(), 'watch-test-'));
/** @type {Lab[]} */
const labs = [];
after(() => {
  labs.forEach((lab) => lab.remove());
  rmSync(folder, { recursive: true, force: true });
});
before(async () => {
  await installWs();
  await installParts([readCompanion('browser'), readGenerator('swarm')], console.log);
});

/** @param {number} [hold_s] */
function makeLab(hold_s = HOLD_S) {
  const lab = new Lab({ repeats: 1, hold_s });
  labs.push(lab);
  return lab;
}

/**
 * @param {import('../smoke/lab.js').Harness} harness
 * @returns {Promise<string>} its address for watching, once printed
 */
const findUrl = (harness) => until(() => /watch it in another terminal: .* (http:\S+)/.exec(harness.stdout)?.[1], 'the address', 300);

/** @param {Lab} lab @returns {Promise<{code: number | null, stdout: string, stderr: string}>} */
async function watchByTerminal(lab) {
  const child = spawn(process.execPath, [join(ROOT, 'harness/main.js'), 'watch'], { cwd: ROOT, env: { ...process.env, ...lab.env } });
  const read = async (/** @type {import('node:stream').Readable} */ stream) => (await stream.setEncoding('utf8').toArray()).join('');
  const [stdout, stderr, code] = await Promise.all([read(child.stdout), read(child.stderr), new Promise((resolve) => child.on('close', resolve))]);
  return { code, stdout, stderr };
}

/** A line of the terminal with every value of a second. */
const WHOLE_LINE = /^b01-\S*: \d+ s of .* 10 connected +\d+ sent\/s +\d+ answered\/s +p50 [\d.]+ ms +p99 [\d.]+ ms +cores: .*\bclient \d/m;

describe('a run that is watched', { concurrency: 3 }, () => {
  for (const generator of ['forked', 'swarm']) {
    it(`is followed in a terminal to its end, with the rates and latencies that ${generator} tells`, async () => {
      const lab = makeLab();
      const harness = lab.start(generator === 'forked' ? [] : ['--generator', generator]);
      await findUrl(harness);
      const { code, stdout, stderr } = await watchByTerminal(lab);
      await harness.ended;
      assert.deepEqual([code, stderr], [0, '']);
      const own = stdout.split('\n').filter((line) => line.includes('generator-swarm') === (generator === 'swarm')).join('\n');
      assert.match(own, WHOLE_LINE);
      assert.match(stdout, /^\[\d\/\d\] b01-ws-steady +(done|flagged)/m);
      assert.match(stdout, /^bundle +\S+-quick$/m);
    });
  }

  it('shows its rates in a browser as they are, and then its end', async (context) => {
    const lab = makeLab(LONG_S);
    const harness = lab.start();
    const url = await findUrl(harness);
    const { chromium } = createRequire(join(ROOT, 'clients/browser/package.json'))('playwright-core');
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: false, timeout: PATIENCE_MS });
    context.after(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const faults = /** @type {string[]} */ ([]);
    page.on('pageerror', (/** @type {Error} */ error) => faults.push(error.message));
    page.on('console', (/** @type {any} */ said) => said.type() === 'error' && faults.push(said.text()));
    const asked = /** @type {string[]} */ ([]);
    page.on('request', (/** @type {any} */ request) => asked.push(request.url()));
    await page.goto(url);
    const read = () => page.evaluate('Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each.textContent]))');
    const waitFor = async (/** @type {(shown: any) => boolean} */ holds, /** @type {string} */ what) => {
      for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 200) {
        const shown = await read();
        if (holds(shown)) return shown;
        await sleep(200);
      }
      throw new Error(`${what}: ${JSON.stringify(await read())}; ${faults.join()}`);
    };
    const live = await waitFor((shown) => Number(shown['answered-a-second']) > 0 && shown['p99-ms'] !== '-', 'rates');
    assert.match(live.run, /^01-tiny, quick: /);
    assert.match(live.trial, /^b01-ws-steady: \d+ s of \d+ s, /);
    assert.equal(live.connections, '10');
    assert.match(live.hosts, /^local10\d+\d+/);
    assert.equal(await page.locator('#charts canvas').count(), 4);
    harness.signal('SIGINT');
    const end = await waitFor((shown) => shown.progress.startsWith('ended'), 'the end');
    assert.match(end.progress, /^ended: interrupted .*; 0 done, 0 flagged, 0 failed$/);
    assert.deepEqual(faults, []);
    assert.deepEqual([...new Set(asked)], [url, `${url}events`]);
    assert.equal((await harness.ended).code, 130);
  });

  it('is scraped by Prometheus without an error', async (context) => {
    const [port, own, ofAgent] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const prometheus = new Prometheus(folder, { target: `127.0.0.1:${port}`, port: own });
    if (prometheus.why) return context.skip(prometheus.why);
    context.after(() => prometheus.stop());
    const lab = makeLab(LONG_S);
    const harness = lab.start(['--watch', String(port), '--metrics', String(ofAgent)]);
    assert.equal(await findUrl(harness), `http://127.0.0.1:${port}/`);
    const [{ metric }] = await prometheus.query('max_over_time(rate(wscale_messages_received_total[5s])[5m:1s]) > 0', 'a rate of answers');
    assert.equal(metric.host, 'local');
    const told = await prometheus.query('last_over_time(wscale_latency_seconds[5m])', 'latencies');
    assert.deepEqual(told.map((each) => each.metric.percentile).sort(), ['50', '99']);
    /** @type {any[]} */
    const types = Object.values(await prometheus.ask('metadata?metric=wscale_messages_received') ?? {}).flat();
    assert.deepEqual(types.map(({ type }) => type), ['counter']);
    const agent = await fetch(`http://127.0.0.1:${ofAgent}/metrics`).then((answer) => answer.text());
    assert.match(agent, /^wscale_messages_received_total\{host="local"\} \d+$/m);
    for (const expression of listDashboardQueries()) await prometheus.query(expression, `a panel of Grafana, ${expression}`);
    harness.signal('SIGINT');
    assert.equal((await harness.ended).code, 130);
  });

  it('leaves in its bundle what was read of a trial, and tells who watches, when it is killed', async () => {
    const lab = makeLab(LONG_S);
    const harness = lab.start();
    await findUrl(harness);
    const watched = watchByTerminal(lab);
    const path = () => lab.inTrial('b01-ws-steady', 'raw/accounts.tsv');
    await until(() => readTsv(path()).some(({ mark }) => mark === 'window_start'), 'the first mark', 180);
    await until(() => readTsv(lab.inTrial('b01-ws-steady', 'raw/live.tsv')).length >= 2, 'two seconds', 180);
    const run = harness.findRun();
    harness.signal('SIGKILL');
    await harness.ended;
    assert.deepEqual(await lab.findLeftovers(run), []);
    const rows = readTsv(path());
    assert.deepEqual([...new Set(rows.map(({ mark }) => mark))], ['start', 'window_start']);
    assert.deepEqual([...new Set(rows.map(({ side }) => side))].sort(), ['capture', 'client', 'server']);
    assert.ok(readTsv(lab.inTrial('b01-ws-steady', 'raw/host.tsv')).length >= 3);
    const { code, stderr } = await watched;
    assert.deepEqual([code, stderr], [1, 'error: watch: the run ended without a word: it was killed; go on with RESUME=1\n']);
  });
});

/** @returns {string[]} the dashboard's queries to Prometheus, each once, for all hosts */
function listDashboardQueries() {
  const { panels } = JSON.parse(readFileSync(join(ROOT, 'docs', 'grafana-dashboard.json'), 'utf8'));
  const targets = panels.flatMap((/** @type {{targets: {expr: string}[]}} */ panel) => panel.targets);
  return [...new Set(targets.map((/** @type {{expr: string}} */ { expr }) => expr.replaceAll('$host', '.+')))];
}

/** @returns {Promise<number>} */
async function findFreePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}
