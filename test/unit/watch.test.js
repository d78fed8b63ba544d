/** Watching a run: its state, who receives it, and how it is shown. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { METRICS, formatMetrics } from '../../harness/watch/run-metrics.js';
import { apply, countOutcomes, describeRun, emptyState, formatCores, listSeconds, sumHosts } from '../../harness/watch/view.js';

const results = mkdtempSync(join(tmpdir(), 'watch-test-'));
after(() => rmSync(results, { recursive: true }));
process.env.WSCALE_RESULTS = results; // the modules below read it when they are loaded
const { ROOT } = await import('../../harness/common/places.js');
const { parseMetrics, parseWatch } = await import('../../harness/watch/address.js');
const { Watch } = await import('../../harness/watch/server.js');
const { draw, drawBars, readEvents, summarise, watchRun } = await import('../../harness/watch/terminal.js');
const ADDRESS = join(results, '.watch');

const RUN = { experiment: '01-tiny', title: 'A tiny one', profile: 'quick', bundle: 'results/01-tiny/now', hosts: ['local'] };
const trialOf = (/** @type {number} */ number) => (
  { trial: `b0${number}-ws`, engine: 'ws', workload: 'steady', setting: '-', from_s: 1, to_s: 3, number, total: 2, left_s: 65 });
const CLIENT = { connected: 10, due: 100, sent: 90, received: 80, sent_hz: 90, received_hz: 80, latency_p50_us: 400, latency_p99_us: 2000 };
/** @param {number} t_s @param {object} [more] */
const secondOf = (t_s, more) => ({ host: 'local', t_s, established: 20, segments_hz: 300, cores: { worker: 0.5, client: 0.25 }, client: CLIENT, warnings: [], ...more });

/** @param {[string, object][]} events @returns {import('../../harness/watch/view.js').State} */
function stateAfter(...events) {
  const state = emptyState();
  for (const [event, data] of events) apply(state, event, data);
  return state;
}

test('a trial begins without the seconds of the one before, whose messages stay counted', () => {
  const state = stateAfter(['run', RUN], ['trial', trialOf(1)], ['second', secondOf(0)], ['second', secondOf(1)], ['trial', trialOf(2)]);
  assert.deepEqual(state.seconds, []);
  assert.deepEqual(state.before, { local: { due: 100, sent: 90, received: 80 } });
});

test('a load without end takes no memory without end', () => {
  const state = stateAfter(['run', RUN], ['trial', trialOf(1)]);
  for (let t_s = 0; t_s < 10_000; t_s++) apply(state, 'second', secondOf(t_s));
  assert.ok(state.seconds.length <= 3000);
  assert.equal(state.seconds.at(-1)?.t_s, 9999);
});

test('counts of hosts are added up; of their percentiles, which do not add, the worst is reported', () => {
  const other = secondOf(4, { host: 'b', cores: { client: 1 }, client: { ...CLIENT, latency_p99_us: 9000 }, warnings: ['late'] });
  const all = sumHosts([secondOf(4), other, secondOf(4, { host: 'c', cores: undefined, client: undefined })]);
  assert.deepEqual(all.cores, { worker: 0.5, client: 1.25 });
  assert.deepEqual([all.client?.connected, all.client?.latency_p50_us, all.client?.latency_p99_us, all.warnings], [20, 400, 9000, ['late']]);
  const seconds = [secondOf(3), other, secondOf(4)];
  assert.deepEqual(listSeconds(seconds).map(({ t_s, client }) => [t_s, client?.sent_hz]), [[3, 90], [4, 180]]);
  assert.deepEqual(listSeconds(seconds, 'b').map(({ t_s, client }) => [t_s, client?.sent_hz]), [[4, 90]]);
});

test('a run is reported in words: how far it is, what is left, what became of its trials, and how it ended', () => {
  const outcome = (/** @type {number} */ number, /** @type {string} */ text) => ({ trial: 'b01-ws', outcome: text, number, total: 2, left_s: 30 });
  const state = stateAfter(['run', RUN], ['trial', trialOf(1)]);
  assert.deepEqual(describeRun(state), ['01-tiny, quick: A tiny one', 'trial 1 of 2, about 1 min 5 s left; 0 done, 0 flagged, 0 failed', 'b01-ws: starts']);
  apply(state, 'second', secondOf(0));
  assert.equal(describeRun(state)[2], 'b01-ws: 1 s of 3 s, before the window, 80 of 100 answered');
  apply(state, 'second', secondOf(1));
  assert.equal(describeRun(state)[2], 'b01-ws: 2 s of 3 s, in the window, 80 of 100 answered');
  apply(state, 'outcome', outcome(1, 'flagged: foreign-cpu'));
  assert.match(describeRun(state)[1], /about 30 s left; 0 done, 1 flagged, 0 failed$/);
  apply(state, 'outcome', outcome(2, 'failed: no'));
  apply(state, 'ended', { how: 'ended', claims: ['T1 today: reproduced'] });
  assert.deepEqual(describeRun(state).slice(1), ['ended; 0 done, 1 flagged, 1 failed']);
  assert.deepEqual(countOutcomes(state.outcomes), { done: 0, flagged: 1, failed: 1 });
  assert.deepEqual(summarise(state), ['b01-ws: flagged: foreign-cpu', 'b01-ws: failed: no', 'T1 today: reproduced', 'bundle  results/01-tiny/now']);
});

test('the terminal shows a line a host, all of them together, and bars of what was answered', () => {
  const state = stateAfter(['run', RUN], ['trial', trialOf(1)], ['second', secondOf(0)], ['second', secondOf(0, { host: 'b', warnings: ['late'] })]);
  const lines = draw(state);
  assert.match(lines[4], /^host +connected +due\/s +sent\/s +answered\/s +p50 ms +p99 ms +CPU, cores$/);
  assert.match(lines[5], /^local +10 +- +90 +80 +0\.40 +2\.00 +worker 0\.50, client 0\.25$/);
  assert.match(lines[7], /^all +20 +- +180 +160 +0\.40 +2\.00 +worker 1\.00, client 0\.50$/);
  assert.ok(lines.includes('answered/s  █') && lines.includes('warning: late'), lines.join('\n'));
  assert.equal(drawBars([0, 50, undefined, 100]), '▁▅ █');
  assert.equal(formatCores({ idle: 0.004, busy: 2 }), 'busy 2.00');
});

test('clients that tell nothing are shown without their rates', () => {
  const [, , , , , line] = draw(stateAfter(['run', RUN], ['trial', trialOf(1)], ['second', secondOf(0, { client: undefined })]));
  assert.match(line, /^local +20 +- +- +- +- +- +worker 0\.50, client 0\.25$/);
});

test('events are read however they are cut', async () => {
  const reported = /** @type {unknown[]} */ ([]);
  const text = 'event: second\ndata: {"t_s":1}\n\nevent: over\ndata: {}\n\nevent: trial\nda';
  await readEvents(Readable.from([...text]), (event, data) => reported.push([event, data]));
  assert.deepEqual(reported, [['second', { t_s: 1 }], ['over', {}]]);
});

/** A sample's line in OpenMetrics 1.0. */
const SAMPLE = /^([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (-?[\d.e+-]+)$/;

test('metrics are OpenMetrics: typed, whole, counters by their suffix', async () => {
  const { type, text } = await formatMetrics(stateAfter(['run', RUN], ['trial', trialOf(1)], ['second', secondOf(2)]));
  assert.equal(type, 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  const lines = text.split('\n');
  assert.deepEqual(lines.splice(-2), ['# EOF', '']);
  const samples = lines.filter((line) => !line.startsWith('# '));
  for (const line of samples) assert.match(line, SAMPLE);
  for (const line of ['wscale_messages_received_total{host="local"} 80', 'wscale_latency_seconds{host="local",percentile="99"} 0.002', 'wscale_trials{state="planned"} 2']) {
    assert.ok(samples.includes(line), line);
  }
  assert.deepEqual([...new Set(samples.map((line) => SAMPLE.exec(line)?.[1]))].sort(), METRICS.map(({ name }) => name).sort());
});

test('what is counted does not fall when another trial begins, and what nobody tells is left out', async () => {
  const state = stateAfter(['run', RUN], ['trial', trialOf(1)], ['second', secondOf(2)], ['trial', trialOf(2)]);
  assert.match((await formatMetrics(state)).text, /^wscale_messages_sent_total\{host="local"\} 90$/m);
  apply(state, 'second', secondOf(0, { client: { ...CLIENT, sent: 5 } }));
  for (const [event, data] of /** @type {[string, object][]} */ ([['run', RUN], ['trial', trialOf(1)]])) { // the next experiment of all
    assert.match((await formatMetrics(state)).text, /^wscale_messages_sent_total\{host="local"\} 95$/m);
    apply(state, event, data);
  }
  assert.match((await formatMetrics(state)).text, /^wscale_messages_sent_total\{host="local"\} 95$/m);
  const { text } = await formatMetrics(emptyState());
  assert.doesNotMatch(text, /wscale_connections\{|wscale_run_left_seconds \d/);
});

/** @param {string} text of a dashboard @returns {string[]} metrics in its queries that do not exist */
function findUnknown(text) {
  const known = METRICS.map(({ name }) => name);
  const queries = [...text.matchAll(/"(?:expr|query|definition)": "((?:[^"\\]|\\.)*)"/g)].map(([, query]) => query);
  return queries.flatMap((query) => query.match(/wscale_\w+/g) ?? []).filter((name) => !known.includes(name));
}

test('every metric says what it is, as the manual has it', async () => {
  const { text } = await formatMetrics(emptyState());
  for (const { name, help } of METRICS) assert.ok(help.length > 10 && text.includes(`# HELP ${name.replace(/_total$/, '')}`), name);
  assert.match(readFileSync(join(ROOT, 'docs/watch.md'), 'utf8'), /\/metrics \| grep '\^# HELP'\n/);
});

test('the dashboard for Grafana asks for metrics that there are', () => {
  const text = readFileSync(join(ROOT, 'docs/grafana-dashboard.json'), 'utf8');
  assert.ok(JSON.parse(text).panels.length >= 5);
  assert.ok((text.match(/"expr"/g) ?? []).length >= 5);
  assert.deepEqual(findUnknown(text), []);
  assert.deepEqual(findUnknown('{"expr": "rate(wscale_messages_lost_total{host=\\"a\\"}[5s]) / wscale_connections"}'), ['wscale_messages_lost_total']);
});

test('WATCH is none, any port, or one', () => {
  assert.deepEqual([undefined, '1', '0', 'no', '9464'].map((text) => parseWatch(text)), [0, 0, undefined, undefined, 9464]);
  for (const text of ['80', '65536', 'yes', '-1', '']) assert.throws(() => parseWatch(text), /^UserError|^Error: WATCH: ".*" is neither 0 \(none\), 1 \(any port\) nor a port/);
});

test('METRICS is a port, or nothing', () => {
  assert.deepEqual([undefined, '9465'].map((text) => parseMetrics(text)), [undefined, 9465]);
  for (const text of ['80', '65536', 'yes', '']) assert.throws(() => parseMetrics(text), /METRICS: ".*" is no port from 1024 to 65535/);
});

/**
 * @param {string} url @param {object} [options]
 * @returns {Promise<{code: number | undefined, head: Record<string, any>, text: string}>}
 */
function ask(url, options = {}) {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, ...options }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      resolve({ code: response.statusCode, head: response.headers, text });
    }).on('error', reject).end();
  });
}

/** @param {() => boolean} holds @param {string} what */
async function until(holds, what) {
  for (let waitedMs = 0; !holds(); waitedMs += 10) {
    assert.ok(waitedMs < 60_000, `${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('everyone who watches gets the state, then what changes, and that it is over', async () => {
  const watch = await Watch.open(0);
  assert.equal(readFileSync(ADDRESS, 'utf8'), `${watch.url}\n`);
  watch.feed.tell('run', RUN);
  const early = ask(`${watch.url}events`);
  await until(() => watch.watchers.size === 1, 'one watcher');
  watch.feed.tell('trial', trialOf(1));
  const late = ask(`${watch.url}events`);
  await until(() => watch.watchers.size === 2, 'two watchers');
  watch.feed.tell('second', secondOf(0));
  await watch.close();
  const read = async (/** @type {Promise<{text: string}>} */ asked) => {
    const reported = /** @type {[string, any][]} */ ([]);
    await readEvents(Readable.from([(await asked).text]), (event, data) => reported.push([event, data]));
    return reported;
  };
  const [first, second] = [await read(early), await read(late)];
  assert.deepEqual(first.map(([event]) => event), ['state', 'trial', 'second', 'over']);
  assert.deepEqual(second.map(([event]) => event), ['state', 'second', 'over']);
  assert.equal(second[0][1].trial.trial, 'b01-ws');
  assert.ok(!existsSync(ADDRESS));
  await assert.rejects(ask(`${watch.url}`), /ECONNREFUSED/);
});

test('a watcher that does not read is disconnected, and delays nothing', async () => {
  const watch = await Watch.open(0);
  const { port } = new URL(String(watch.url));
  const slow = connect(Number(port), '127.0.0.1', () => slow.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  slow.on('error', () => {});
  slow.pause();
  await until(() => watch.watchers.size === 1, 'a watcher');
  const [response] = watch.watchers.keys();
  const large = secondOf(0, { warnings: ['x'.repeat(100_000)] });
  for (let times = 0; times < 1000 && !response.destroyed; times++) watch.feed.tell('second', large);
  assert.ok(response.destroyed);
  await until(() => watch.watchers.size === 0 && watch.feed.listeners.size === 0, 'nobody is reported any more');
  slow.destroy();
  await watch.close();
});

test('the page needs nothing from elsewhere, and runs no program but its own', async () => {
  const watch = await Watch.open(0);
  const { code, head, text } = await ask(String(watch.url));
  await watch.close();
  assert.equal(code, 200);
  assert.doesNotMatch(text, /(src|href)="(?!data:)|@import|url\((?!data:)/);
  assert.ok(!/\/\* (charts|view|program)\.\w+ \*\//.test(text), 'each part is in its place');
  assert.match(String(head['content-security-policy']), /^default-src 'none'; connect-src 'self'; .*script-src 'sha256-\S+' 'sha256-\S+'$/);
});

test('only a GET of an existing path, addressed to a name of this host, is answered', async () => {
  const watch = await Watch.open(0);
  const code = async (/** @type {string} */ path, /** @type {object} */ options) => (await ask(`${watch.url}${path}`, options)).code;
  assert.equal(await code('', { headers: { host: 'evil.example' } }), 403);
  assert.equal(await code('', { headers: { host: 'localhost:9000' } }), 200); // as through a tunnel of ssh
  assert.equal(await code('metrics', { method: 'POST' }), 405);
  assert.equal(await code('nothing', {}), 404);
  await watch.close();
});

test('a port that is taken is one clear error, and without a port nobody can watch', async () => {
  const watch = await Watch.open(0);
  const { port } = new URL(String(watch.url));
  await assert.rejects(Watch.open(Number(port)), (error) => error instanceof UserError
    && error.message === `WATCH: port ${port} of 127.0.0.1 can't be listened on (EADDRINUSE); name another, or run with WATCH=0`);
  await watch.close();
  const none = await Watch.open(undefined);
  none.feed.tell('run', RUN);
  assert.deepEqual([none.url, existsSync(ADDRESS)], [undefined, false]);
  await none.close();
});

test('with nothing to watch it says so, and what to do', async () => {
  const isWhy = (/** @type {RegExp} */ why) => (/** @type {Error} */ error) => error instanceof UserError && why.test(error.message);
  const refuses = (/** @type {RegExp} */ why) => assert.rejects(watchRun(), isWhy(why));
  await refuses(/^watch: nothing runs: there is no .*\.watch; start a run/);
  const watch = await Watch.open(0);
  const { url } = watch;
  await watch.close();
  writeFileSync(ADDRESS, `${url}\n`); // a killed run leaves it behind
  await refuses(/does not answer \(ECONNREFUSED\): .*go on with RESUME=1$/);
  rmSync(ADDRESS);
});
