/** Clients of clients/exchange other than the library ws: each opens one connection, gets one echo, and closes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { monotonicUs } from '../../harness/agent/clock.js';
import { readJson } from '../../harness/common/files.js';
import { CLIENTS, ROOT, SERVERS } from '../../harness/common/places.js';
import { installPresent, listUsed, nameOf } from '../../harness/run/install.js';
import { readEngine } from '../../harness/spec/engines.js';
import { readGenerator } from '../../harness/spec/generators.js';

const exchange = readGenerator('exchange');
const names = Object.keys(exchange.uses ?? {});
const lacking = await installPresent([readEngine('ws'), exchange, ...listUsed(exchange, names)], console.log);
const folder = mkdtempSync(join(tmpdir(), 'other-clients-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const name of names) {
  const skip = [...lacking.values()].find((reason) => reason.includes(nameOf(listUsed(exchange, [name])[0]))) ?? false;
  test(`${name} opens a connection, gets an echo and closes, also where that takes longer than the window`, { skip }, async () => {
    const { WebSocketServer } = createRequire(join(SERVERS, 'ws/server.js'))('ws');
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    /** @type {any[]} */
    const closed = [];
    server.on('connection', (/** @type {any} */ socket) => socket
      .on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => socket.send(data, { binary }))
      .on('close', (/** @type {number} */ code) => closed.push(code)));
    const out = mkdtempSync(join(folder, `${name}-`));
    const path = join(out, 'client.json');
    writeFileSync(path, JSON.stringify({
      url: `ws://127.0.0.1:${server.address().port}`, out, behaviour: 'echo', processes: 1, warmup_s: 0, connections: 1, connect_rate_hz: 1, ramp_s: 1,
      settle_s: 0, hold_s: 0.1, arrivals: { kind: 'scripted' }, payload: { type: 'text', bytes: 1 }, seed: 1, late_ms: 10, drain_s: 1, exchange: { client: name },
    }));
    const env = { ...process.env, HOME: out };
    const client = spawn(process.execPath, [join(CLIENTS, 'exchange/main.js'), path], { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'inherit'] });
    client.stdout.once('data', () => client.stdin.write(`go ${Math.round(monotonicUs() + 1_000_000)}\n`));
    const [code] = await once(client, 'exit');
    server.close();
    const { library, window, connections, ended_cpu_s } = readJson(join(out, 'summary.json'));
    assert.deepEqual([code, library, window.received, window.missing, connections.opened, closed.length], [0, name, 1, 0, 1, 1]);
    assert.equal(ended_cpu_s, null, 'nobody measured it');
  });
}
