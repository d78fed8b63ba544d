/** Serves a run's feed on loopback: a page at /, Server-Sent Events at /events, OpenMetrics at /metrics. Costs nothing without requests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { UserError } from '../common/failure.js';
import { isOwnName } from '../common/open-metrics.js';
import { announce } from './address.js';
import { Feed, formatEvent } from './feed.js';
import { formatMetrics } from './run-metrics.js';
import { composePage } from './live-page.js';

const LOOPBACK = '127.0.0.1';
/** A watcher that lags behind by this much is disconnected. It may reconnect, and then gets the state. */
const BEHIND_MAX_B = 4 * 2 ** 20;
const WATCHERS_MAX = 100;
/** Events within this time are sent together: many hosts report their seconds one after the other, and each write costs the run CPU. */
const GATHER_MS = 100;
/** Time to send the last events. */
const CLOSE_WITHIN_MS = 300;

/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {{text: string, waiting?: NodeJS.Timeout}} Gathered Text to send to a watcher next */

/** A run's feed and its server. */
export class Watch {
  feed = new Feed();
  /** @type {Map<Response, Gathered>} */
  watchers = new Map();
  /** @type {string | undefined} where it listens, if it does */
  url = undefined;
  withdraw = () => {};

  /** @param {number | undefined} port 0 for any free one; undefined for no watching @throws {UserError} if it is not free */
  static async open(port) {
    const watch = new Watch();
    if (port !== undefined) await watch.#listen(port);
    return watch;
  }

  /** @param {number} port */
  async #listen(port) {
    const server = createServer((request, response) => this.#answer(request, response).catch(() => response.destroy()));
    server.maxConnections = WATCHERS_MAX;
    await once(server.listen(port, LOOPBACK), 'listening').catch(({ code }) => {
      throw new UserError(`WATCH: port ${port} of ${LOOPBACK} can't be listened on (${code}); name another, or run with WATCH=0`);
    });
    server.on('error', () => {}); // such as running out of descriptors
    server.unref(); // must not keep the process of a finished run alive
    this.server = server;
    this.url = `http://${LOOPBACK}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
    this.withdraw = announce(this.url);
  }

  /** @param {import('node:http').IncomingMessage} request @param {Response} response */
  async #answer({ method, url = '', headers: { host } }, response) {
    response.on('error', () => {}); // the client may be gone
    const answer = (/** @type {number} */ code, /** @type {string} */ text, headers = {}) =>
      response.writeHead(code, { 'content-type': 'text/plain', ...headers }).end(text);
    if (!isOwnName(host)) return answer(403, 'ask by the name localhost\n');
    if (method !== 'GET') return answer(405, 'GET alone is answered\n');
    const path = url.split('?')[0];
    if (path === '/events') return this.#follow(response);
    if (path === '/metrics') {
      const { type, text } = await formatMetrics(this.feed.state);
      return answer(200, text, { 'content-type': type });
    }
    if (path !== '/') return answer(404, 'there are /, /events and /metrics\n');
    const { text, policy } = composePage();
    return answer(200, text, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
  }

  /** @param {Response} response */
  #follow(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const gathered = /** @type {Gathered} */ ({ text: '' });
    this.watchers.set(response, gathered);
    const leave = this.feed.subscribe((text) => {
      gathered.text += text;
      if (response.writableLength + gathered.text.length > BEHIND_MAX_B) response.destroy();
      else gathered.waiting ??= setTimeout(() => flush(response, gathered), GATHER_MS);
    });
    response.on('close', () => {
      leave();
      clearTimeout(gathered.waiting);
      this.watchers.delete(response);
    });
  }

  /** Tell all watchers that the run is over, and stop listening. */
  async close() {
    this.withdraw();
    const { server } = this;
    if (!server) return;
    for (const [response, gathered] of this.watchers) {
      flush(response, gathered);
      response.end(formatEvent('over', {}));
    }
    const closed = new Promise((resolve) => server.close(resolve));
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
    server.closeIdleConnections();
    await closed;
    clearTimeout(late);
  }
}

/** @param {Response} response @param {Gathered} gathered */
function flush(response, gathered) {
  clearTimeout(gathered.waiting);
  const { text } = gathered;
  Object.assign(gathered, { text: '', waiting: undefined });
  if (text !== '') response.write(text);
}
