/** The metrics that an agent exposes to Prometheus on its host. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HostMetrics } from '../../harness/agent/exporter.js';
import { ROOT } from '../../harness/common/places.js';
import { Agent } from '../../harness/run/agent.js';
import { metricsOf } from '../../harness/spec/hosts.js';

/** @type {Agent[]} */
const agents = [];
after(() => Promise.all(agents.map((agent) => agent.close())));

/** @param {{address: string, port: number}} [metrics] @returns {Promise<Agent>} reached by a pipe, as if remote */
async function start(metrics) {
  const argv = [process.execPath, join(ROOT, 'harness/agent/main.js')];
  const way = { name: 'h2', program: 'ssh', argv, env: process.env, metrics, reach: async () => {}, whyLost: async () => undefined };
  const agent = await Agent.start([], way);
  agents.push(agent);
  return agent;
}

/** @returns {Promise<number>} a port that was free just now */
async function findPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * @param {number} port @param {object} [how]
 * @returns {Promise<{code: number | undefined, type: string | undefined, text: string}>}
 */
function ask(port, how) {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/metrics', ...how }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      resolve({ code: response.statusCode, type: response.headers['content-type'], text });
    }).on('error', reject).end();
  });
}

test('the agent of a host answers at /metrics with what its lines tell, and to nothing else', async () => {
  const port = await findPort();
  const agent = await start({ address: '127.0.0.1', port });
  if (agent.noMetrics) return; // another process took the port meanwhile, and the agent reports it
  const before = await ask(port);
  assert.deepEqual([before.code, before.type], [200, 'application/openmetrics-text; version=1.0.0; charset=utf-8']);
  assert.match(before.text, /^wscale_agent_cpu_seconds_total\{host="h2"\} [\d.]+$/m);
  assert.doesNotMatch(before.text, /^wscale_tcp_connections\{/m);
  const session = await agent.open('t1');
  await session.ask('network', { settings: {} });
  const started = await session.start({ argv: ['sh', '-c', 'read go; exec sleep 60'], side: 'client', stdin: 'pipe', log: 'client' });
  await session.ask('watch', { processes: [{ pid: started.pid, role: 'client', index: 1, side: 'client' }] });
  await session.ask('load', { lead_us: 100_000, go: [started.pid], server: started.pid, marks: [['window_start', 0.2], ['window_end', 1]] });
  const { text } = await ask(port);
  assert.match(text, /^wscale_tcp_connections\{host="h2"\} \d+$/m);
  assert.match(text, /^wscale_load_seconds\{host="h2"\} \d+$/m);
  assert.match(text, /# EOF\n$/);
  assert.equal((await ask(port, { path: '/' })).code, 404);
  assert.equal((await ask(port, { method: 'POST' })).code, 405);
  assert.equal((await ask(port, { headers: { host: 'elsewhere.example' } })).code, 403);
  await session.abort();
  await session.close();
});

test('the agent of this host answers where it is told to, by the name that its lines have', async () => {
  const port = await findPort();
  const agent = await Agent.start([], undefined, { address: '127.0.0.1', port });
  agents.push(agent);
  if (!agent.noMetrics) assert.match((await ask(port)).text, /^wscale_agent_cpu_seconds_total\{host="local"\} [\d.]+$/m);
});

test('a port that is not free is reported, and the agent does its work without it', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const agent = await start({ address: '127.0.0.1', port });
  assert.equal(agent.noMetrics, `127.0.0.1:${port} can't be listened on (EADDRINUSE)`);
  assert.ok(await agent.ask('clock') > 0);
  server.close();
});

test('what clients count goes on over trials, and through a second in which they tell nothing', () => {
  const metrics = new HostMetrics('h2');
  const second = (/** @type {string} */ session, /** @type {number} */ t_s, /** @type {number} */ sent) => (
    { event: 'second', session, t_s, warnings: [], ...(sent && { client: { due: sent, sent, received: sent } }) });
  /** @param {string} session @param {number} t_s @param {number} sent */
  const take = (session, t_s, sent) => metrics.take(/** @type {any} */ (second(session, t_s, sent)));
  take('t1', 0, 5);
  take('t1', 1, 12);
  take('t1', 2, 0);
  assert.deepEqual([metrics.last?.client?.sent, metrics.before], [12, {}]);
  take('t2', 0, 0);
  assert.deepEqual([metrics.last?.client, metrics.before], [undefined, { due: 12, sent: 12, received: 12 }]);
  metrics.take(/** @type {any} */ ({ event: 'exit', session: 't2' }));
  assert.equal(metrics.last?.t_s, 0);
});

test('it listens on loopback unless told, and nowhere when told so', () => {
  const host = /** @type {import('../../harness/spec/hosts.js').Host} */ ({ name: 'a', ssh: 'a', role: 'both', address: '10.0.0.1' });
  assert.deepEqual(metricsOf(host), { address: '127.0.0.1', port: 9465 });
  assert.deepEqual(metricsOf({ ...host, metrics: '10.0.0.1:9000' }), { address: '10.0.0.1', port: 9000 });
  assert.equal(metricsOf({ ...host, metrics: 'none' }), undefined);
});
