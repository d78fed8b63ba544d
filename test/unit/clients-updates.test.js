/** The generator `updates`: its configuration, what it counts, and how it reads streams. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { installParts } from '../../harness/run/install.js';
import { readGenerator } from '../../harness/spec/generators.js';

await installParts([readGenerator('updates')], () => {}); // the transports import its libraries
const { findErrors } = await import('../../clients/updates/config.js');
const { Follower } = await import('../../clients/updates/follower.js');
const { monotonic_us } = await import('../../clients/common/start.js');
const { SOURCE_B, extraHeaders, flatten, listHeaders, readHeaders } = await import('../../clients/updates/headers.js');
const { Lost, Requests } = await import('../../clients/updates/requests.js');
const { Tally } = await import('../../clients/updates/tally.js');
const { pollTimes, readEvents, readPlain, transportOf } = await import('../../clients/updates/transports.js');

const RIGHT = {
  url: 'http://127.0.0.1:20000', dialect: 'http', transport: 'polling', out: tmpdir(), behaviour: 'updates', processes: 1, connections: 2, connect_rate_hz: 50,
  warmup_s: 0, ramp_s: 1, settle_s: 0, hold_s: 2, seed: 1, late_ms: 10, drain_s: 1, poll_period_ms: 100, headers: 'bare',
};
const START_US = 5_000_000;
/** The window begins after a ramp of 1 s. */
const WINDOW_US = START_US + 1e6;

/** @param {number} number @param {number} time_us @returns {string} in the form of servers/CONTRACT.md */
const update = (number, time_us) => number.toString(36).padStart(8, '0') + time_us.toString(36).padStart(12, '0');

test('a right configuration has no errors, with another transport or by WebSocket too', () => {
  assert.deepEqual(findErrors(RIGHT), []);
  const { headers: _headers, poll_period_ms: _period, ...rest } = RIGHT;
  assert.deepEqual(findErrors({ ...rest, transport: 'sse' }), []);
  assert.deepEqual(findErrors({ ...RIGHT, url: 'ws://127.0.0.1:20000', dialect: 'websocket', transport: undefined }), []);
});

test('all that is wrong is reported at once, each with its value', () => {
  const wrong = findErrors({ ...RIGHT, url: 'ftp://a', dialect: 'tcp', processes: 2, poll_period_ms: 0, headers: 'opera' });
  assert.equal(wrong.length, 5);
  for (const part of ['url is "ftp://a"', 'dialect is "tcp"', 'processes is 2', 'poll_period_ms is 0', 'headers is "opera"']) {
    assert.ok(wrong.some((line) => line.startsWith(part)), part);
  }
});

test('a transport that the dialect has not is refused', () => {
  assert.deepEqual(findErrors({ ...RIGHT, transport: 'upgrade' }), ['transport is "upgrade"; set it to polling, long-polling, streaming, sse']);
});

test('a drain in which the last poll may not come is refused, where there are polls', () => {
  const short = { ...RIGHT, poll_period_ms: 1000 };
  assert.deepEqual(findErrors(short), ['drain_s is 1, and the last of polls each 1000 ms comes up to a period after the end; set drain_s above 1']);
  assert.deepEqual(findErrors({ ...short, transport: 'sse' }), []);
});

test('polls keep their phase up to the first at or after the end, so that nothing made before it waits longer than a period', () => {
  for (const [phase_us, end_us] of [[0, 1000], [99, 1000], [1, 1001], [50, 10], [0, 0]]) {
    const times = [...pollTimes({ due_us: 0, phase_us, end_us }, 100)];
    const last_us = times[times.length - 1];
    assert.deepEqual(times, times.map((_, index) => phase_us + 100 * index));
    assert.ok(last_us >= end_us && last_us < Math.max(end_us, phase_us + 1) + 100, `${phase_us} ${end_us}`);
    assert.ok(times.slice(0, -1).every((time_us) => time_us < end_us));
  }
});

/** @returns {{tally: import('../../clients/updates/tally.js').Tally, follower: import('../../clients/updates/follower.js').Follower}} */
function follow() {
  const tally = new Tally(/** @type {any} */ (RIGHT), START_US);
  return { tally, follower: new Follower(tally, { add() {} }) };
}

test('an update that comes again, or after one that never came, is out of turn; what is lost is lost once', () => {
  const seen = { received: 0, wrong: 0 };
  const follower = new Follower(/** @type {any} */ ({ receive: () => seen.received++, refuse: () => seen.wrong++ }), { add() {} });
  follower.take(update(7, 1) + update(8, 2));
  follower.take(update(8, 2)); // again
  follower.take(update(10, 3)); // 9 never came
  follower.take(update(11, 4));
  assert.deepEqual(seen, { received: 3, wrong: 2 });
  assert.equal(follower.last, 11);
});

test('a client is behind while an update that others have is to come, and one that never was connected has failed', () => {
  const { tally, follower } = follow();
  follower.call();
  assert.equal(follower.isBehind(3), false, 'not connected');
  follower.open();
  follower.begin(update(2, 1));
  assert.ok(follower.isBehind(3) && !follower.isBehind(2) && !follower.isBehind(-Infinity));
  follower.end();
  assert.equal(follower.isBehind(3), false);
  const { follower: pending, tally: other } = follow();
  pending.call();
  pending.end();
  pending.open();
  assert.deepEqual([tally.connections, other.connections].map(({ opened, failed_remote }) => [opened, failed_remote]), [[1, 0], [0, 1]]);
});

test('what was there before a client came is no update to it', () => {
  const { tally, follower } = follow();
  follower.begin(update(5, 1));
  assert.equal(follower.last, 5);
  assert.equal(tally.arrived, 0);
  follower.begin('');
  assert.equal(follower.last, 0);
});

test('an update is filed under the second in which it was made, and counts as received when it arrives', () => {
  const { tally } = follow();
  tally.open(START_US, START_US + 10);
  tally.open(START_US, START_US + 10);
  tally.receive(1, WINDOW_US - 500, WINDOW_US + 500, 20); // made before the window, arrived in it
  tally.receive(2, WINDOW_US + 1000, WINDOW_US + 1500, 20);
  tally.receive(2, WINDOW_US + 1000, WINDOW_US + 2500, 20);
  tally.receive(3, WINDOW_US + 2000, WINDOW_US + 2500, 20); // received by one of two clients
  const { window, metrics } = tally.summarise();
  const mean_us = 2500 / 3;
  assert.deepEqual(window, {
    due: 0, unsent_remote: 0, sent: 0, received: 3, wrong: 1, late: 0, missing: 1, latency_mean_us: mean_us, service_mean_us: mean_us,
  });
  assert.deepEqual(metrics, { updates_received: 4 });
  assert.deepEqual(tally.intervals().map((row) => row[6]), [0, 4, 0]);
  assert.deepEqual(tally.seconds.map(({ latency }) => latency.totalCount), [1, 3, 0]);
});

test('a poll counts as late after late_ms, and its headers where it brought nothing', () => {
  const { tally } = follow();
  tally.send(WINDOW_US, WINDOW_US + 10_000);
  tally.send(WINDOW_US, WINDOW_US + 10_001);
  tally.answer({ isEmpty: true, request_b: 500, response_b: 170 }, WINDOW_US + 1);
  tally.answer({ isEmpty: true, request_b: 502, response_b: 172 }, WINDOW_US + 1);
  tally.answer({ isEmpty: false, request_b: 900, response_b: 900 }, WINDOW_US + 1);
  tally.answer({ isEmpty: true, request_b: 900, response_b: 900 }, WINDOW_US - 1);
  const { window, metrics } = tally.summarise();
  assert.deepEqual([/** @type {any} */ (window).sent, /** @type {any} */ (window).late], [2, 1]);
  assert.deepEqual(metrics, {
    updates_received: 0, requests: 3, polls_empty: 2, http_request_header_b: 501, http_response_header_b: 171, http_poll_header_b: 672,
  });
});

test('streams are read by whole updates and whole events, wherever they are cut', () => {
  const text = update(1, 1) + update(2, 2);
  assert.deepEqual(readPlain(text.slice(0, 33)), [text.slice(0, 20), text.slice(20, 33)]);
  const events = `id: 1\ndata: ${update(1, 1)}\n\nid: 2\ndata: ${update(2, 2)}\n\n`;
  assert.deepEqual(readEvents(events), [text, '']);
  assert.deepEqual(readEvents(events.slice(0, 60)), [update(1, 1), events.slice(34, 60)]);
});

test('each file of headers names the host of the server, and no other', () => {
  for (const name of listHeaders()) {
    const headers = readHeaders(name, 'http://10.0.0.1:80/');
    assert.deepEqual(headers.find(([key]) => key === 'Host'), ['Host', '10.0.0.1'], name);
    assert.ok(headers.every(([, value]) => !value.includes('{host}')), name);
    assert.ok(!('Host' in extraHeaders(headers)), name);
  }
  assert.deepEqual(flatten([['Cookie', 'a={fill}']], 3), ['Cookie', 'a=xxx']);
});

/**
 * @param {(url: string, bytes: {request: number, response: number}[]) => Promise<void>} check
 *   gets the bytes of each request, as the server's sockets count them
 */
async function withServer(check) {
  /** @type {{request: number, response: number}[]} */
  const bytes = [];
  let [read, written] = [0, 0];
  const server = createServer((request, response) => response.on('finish', () => {
    bytes.push({ request: request.socket.bytesRead - read, response: request.socket.bytesWritten - written });
    [read, written] = [request.socket.bytesRead, request.socket.bytesWritten];
  }).writeHead(request.url === '/missing' ? 404 : 200, { 'Content-Length': 4 }).end('body')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await check(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`, bytes);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('bytes of headers are those that the server saw on the one connection, less the body', () => withServer(async (url, bytes) => {
  const requests = new Requests(url, 'chromium');
  for (const path of ['/', '/updates?since=17']) await requests.ask(path);
  const { body, request_b, response_b } = await requests.ask('/');
  requests.close();
  assert.equal(body, 'body');
  assert.deepEqual({ request: request_b, response: response_b + body.length }, bytes[2]);
  assert.equal(bytes.length, 3);
}));

test('headers of the source are filled up to its bytes from the second request on, whatever the path', () => withServer(async (url) => {
  const requests = new Requests(url, 'source');
  await requests.ask('/');
  for (const path of ['/', '/updates?since=17', '/updates?since=1']) {
    const { request_b, response_b } = await requests.ask(path);
    assert.equal(request_b + response_b, SOURCE_B, path);
  }
  requests.close();
}));

test('an answer that is no answer is a lost connection', () => withServer(async (url) => {
  await assert.rejects(new Requests(url, 'bare').ask('/missing'), Lost);
}));

test('the last poll, after the end, is asked and counts neither as due nor as sent', () => withServer(async (url, bytes) => {
  /** @type {number[]} */
  const sent = [];
  const tally = { open() {}, answer() {}, receive() {}, refuse() {}, send: (/** @type {number} */ at_us) => sent.push(at_us) };
  const follower = new Follower(/** @type {any} */ (tally), { add() {} });
  const config = /** @type {any} */ ({ ...RIGHT, url, poll_period_ms: 20 });
  const due_us = monotonic_us();
  const course = { due_us, phase_us: 5000, end_us: due_us + 90e3 };
  const { over, end } = transportOf(config)(config, follower, course);
  await over;
  end();
  assert.deepEqual(sent, [5000, 25e3, 45e3, 65e3, 85e3].map((after_us) => due_us + after_us));
  assert.equal(bytes.length, 1 + sent.length + 1); // with the first request and the last poll
}));
