/**
 * How a client gets its updates, by dialect and transport. Each transport is a function: it starts, and returns a function to end it.
 * Polling continues until one poll was sent after the end of the load.
 */
import { Agent } from 'node:http';
// @ts-ignore: generator.toml's build installs it, and the lint has no types of it
import { Socket } from 'engine.io-client';
// @ts-ignore
import WebSocket from 'ws';
import { monotonic_us } from '../common/start.js';
import { extraHeaders, readHeaders } from './headers.js';
import { KEPT, Lost, Requests } from './requests.js';
import { UPDATE_B, sleepUntil } from './follower.js';

/** @typedef {import('./follower.js').Follower} Follower */
/** @typedef {import('./config.js').Config} Config */
/**
 * @typedef {object} Course of one client
 * @property {number} due_us when it is due to connect
 * @property {number} phase_us from due_us to its first poll
 * @property {number} end_us of the load
 */
/** @typedef {(config: Config, follower: Follower, course: Course) => {over: Promise<void>, end: () => void}} Transport */

const PATH = '/updates';

/** The first request gets the latest update, from which the follower starts. @param {Requests} requests @param {Follower} follower */
async function comeByRequest(requests, follower) {
  follower.call();
  follower.begin((await requests.ask(PATH)).body);
  follower.open();
}

/** @param {Requests} requests @param {Follower} follower */
async function poll(requests, follower) {
  const { body, request_b, response_b } = await requests.ask(`${PATH}?since=${follower.last}`);
  if (follower.isOver) return;
  follower.tally.answer({ isEmpty: body === '', request_b, response_b }, monotonic_us());
  follower.take(body);
}

/** @param {Config} config @param {(requests: Requests) => Promise<void>} run @param {Follower} follower */
function byRequests({ url, headers }, follower, run) {
  const requests = new Requests(url, headers);
  const over = run(requests).catch((error) => {
    if (!(error instanceof Lost)) throw error;
    follower.lose(error.cause);
  });
  return { over, end: () => requests.close() };
}

/**
 * When a client polls: once per period, at its own phase. The last poll is at or after the end, to get all updates made before it.
 * @param {Pick<Course, 'due_us' | 'phase_us' | 'end_us'>} course @param {number} period_us
 * @returns {Generator<number>}
 */
export function* pollTimes({ due_us, phase_us, end_us }, period_us) {
  let at_us = due_us + phase_us;
  for (; at_us < end_us; at_us += period_us) yield at_us;
  yield at_us;
}

/** @type {Transport} polls in each period; if the previous poll has no answer yet, the next one goes out late */
const polling = (config, follower, course) => byRequests(config, follower, async (requests) => {
  await comeByRequest(requests, follower);
  for (const at_us of pollTimes(course, config.poll_period_ms * 1000)) {
    await sleepUntil(at_us);
    if (at_us < course.end_us) follower.tally.send(at_us, monotonic_us());
    await poll(requests, follower);
  }
});

/** @type {Transport} each answer makes the next request due; it continues after the end, to get the last updates */
const longPolling = (config, follower, { end_us }) => byRequests(config, follower, async (requests) => {
  await comeByRequest(requests, follower);
  while (!follower.isOver) {
    const at_us = monotonic_us();
    if (at_us < end_us) follower.tally.send(at_us, at_us);
    await poll(requests, follower);
  }
});

/** @param {(text: string) => [updates: string, rest: string]} read splits off the complete updates @returns {Transport} */
const streamed = (read) => ({ url, headers }, follower) => {
  let rest = '';
  const take = (/** @type {string} */ text) => {
    const [updates, left] = read(rest + text);
    rest = left;
    follower.take(updates);
  };
  const requests = new Requests(url, headers);
  follower.call();
  const asked = requests.begin(PATH);
  asked.on('error', (error) => follower.lose(error)).on('response', (response) => {
    follower.open();
    response.setEncoding('latin1').on('data', take).on('close', () => follower.lose('the stream ended'));
  }).end();
  return { over: Promise.resolve(), end: () => asked.destroy() };
};

/** Reads a plain stream of concatenated updates. @param {string} text @returns {[string, string]} */
export function readPlain(text) {
  const whole_b = text.length - (text.length % UPDATE_B);
  return [text.slice(0, whole_b), text.slice(whole_b)];
}

/**
 * Reads the subset of Server-Sent Events that these servers write: per event `id`, one line of `data`, and an empty line
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * @param {string} text @returns {[string, string]} the data of the complete events, and the rest
 */
export function readEvents(text) {
  const events = text.split('\n\n');
  const rest = events.pop() ?? '';
  return [events.map((event) => /^data: (.*)$/m.exec(event)?.[1] ?? '').join(''), rest];
}

/** @param {any} socket of ws or engine.io-client @param {Follower} follower */
function pushed(socket, follower) {
  socket.on('open', () => follower.open());
  socket.on('message', (/** @type {string | Buffer} */ data) => follower.take(String(data)));
  socket.on('error', (/** @type {unknown} */ error) => follower.lose(error));
  socket.on('close', () => follower.lose('the connection was closed'));
  return { over: Promise.resolve(), end: () => socket.close() };
}

/** @type {Transport} */
const webSocket = ({ url, headers }, follower) => {
  follower.call();
  return pushed(new WebSocket(url, { headers: extraHeaders(readHeaders(headers, url)) }), follower);
};

/** @param {string[]} transports @returns {Transport} each client has its own agent, for a persistent connection */
const engineIo = (transports) => ({ url, headers }, follower) => {
  follower.call();
  const agent = /** @type {any} */ (new Agent({ ...KEPT, maxSockets: Infinity }));
  return pushed(new Socket(url, { transports, agent, extraHeaders: extraHeaders(readHeaders(headers, url)) }), follower);
};

/** By dialect and transport. @type {Record<string, Record<string, Transport>>} */
const TRANSPORTS = {
  http: { polling, 'long-polling': longPolling, streaming: streamed(readPlain), sse: streamed(readEvents) },
  websocket: { undefined: webSocket },
  'engine.io-4': { polling: engineIo(['polling']), websocket: engineIo(['websocket']), upgrade: engineIo(['polling', 'websocket']) },
};

/** @param {Config} config @returns {Transport} */
export const transportOf = ({ dialect, transport }) => TRANSPORTS[dialect][String(transport)];
