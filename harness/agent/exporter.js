/**
 * Exposes this host's metrics to Prometheus: OpenMetrics at /metrics, from the lines sent to the coordinator anyway. Costs nothing unless
 * scraped, and ends with the agent.
 */
import { createServer } from 'node:http';
import { COUNTED, OF_A_HOST, describeMessages, formatOpenMetrics, isOwnName, ofHost, readOwnCpu } from '../common/open-metrics.js';

/** @typedef {import('../common/open-metrics.js').HostSecond & {event: string, session: string}} AgentEvent */

const CONNECTIONS_MAX = 20;
const LOOPBACK = /^127\./;

/** @type {import('../common/open-metrics.js').Metric<HostMetrics>[]} */
const METRICS = [
  ...COUNTED.map((counted) => ({
    ...describeMessages(counted),
    read: (/** @type {HostMetrics} */ { host, before, last }) => (
      [{ labels: { host }, value: (before[counted] ?? 0) + (last?.client?.[counted] ?? 0) }]),
  })),
  ...OF_A_HOST.map(({ labels, read, ...metric }) => ({
    ...metric, labels: ['host', ...labels], read: (/** @type {HostMetrics} */ { host, last }) => (last ? ofHost(read(last), host) : []),
  })),
  {
    name: 'wscale_agent_cpu_seconds_total', kind: 'Counter', labels: ['host'], help: 'CPU time of the agent that answers this',
    read: ({ host }) => [{ labels: { host }, value: readOwnCpu() }],
  },
];

export class HostMetrics {
  /** @param {string} host its name in hosts.toml */
  constructor(host) {
    this.host = host;
    this.last = /** @type {AgentEvent | undefined} from the current or last trial */ (undefined);
    this.before = /** @type {Record<string, number>} counts of the clients in earlier trials */ ({});
  }

  /** @param {AgentEvent} event as sent to the coordinator */
  take(event) {
    if (event.event !== 'second') return;
    const before = this.last?.client;
    const isSameTrial = this.last?.session === event.session;
    if (this.last && !isSameTrial) for (const name of COUNTED) this.before[name] = (this.before[name] ?? 0) + (before?.[name] ?? 0);
    // Without a report from clients in this second, their previous report still holds
    this.last = { ...event, client: event.client ?? (isSameTrial ? before : undefined) };
  }

  /** @param {{address: string, port: number}} at @returns {Promise<string | undefined>} why it can't listen there */
  async listen({ address, port }) {
    const isOwn = LOOPBACK.test(address);
    const server = createServer((request, response) => this.#answer(request, response, isOwn).catch(() => response.destroy()));
    server.maxConnections = CONNECTIONS_MAX;
    server.unref();
    return new Promise((resolve) => {
      server.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => resolve(`${address}:${port} can't be listened on (${code})`));
      server.listen(port, address, () => resolve(undefined));
    });
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {boolean} isOwn */
  async #answer({ method, url, headers }, response, isOwn) {
    response.on('error', () => {}); // the asker may be gone
    const refuse = (/** @type {number} */ code, /** @type {string} */ why) => response.writeHead(code, { 'content-type': 'text/plain' }).end(`${why}\n`);
    if (isOwn && !isOwnName(headers.host)) return refuse(403, 'ask by the name localhost');
    if (method !== 'GET') return refuse(405, 'GET alone is answered');
    if (url !== '/metrics') return refuse(404, 'there is /metrics');
    const { type, text } = await formatOpenMetrics(METRICS, this);
    return response.writeHead(200, { 'content-type': type }).end(text);
  }
}
