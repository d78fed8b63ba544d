/** Which processes listen on the server's port, and which ones its ready line may name. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Listeners, listListeners } from '../../harness/agent/listeners.js';
import { LocalHost } from '../../harness/agent/host.js';
import { TrialError } from '../../harness/common/failure.js';
import { parseReady } from '../../harness/common/ready.js';
import { Agent } from '../../harness/run/agent.js';

const folder = mkdtempSync(join(tmpdir(), 'listeners-test-'));
/** @type {LocalHost} */
let host;
/** @type {Agent} */
let agent;
before(async () => {
  host = new LocalHost();
  agent = await Agent.start();
});
after(async () => {
  await host.close();
  await agent.close();
  rmSync(folder, { recursive: true });
});

/** @param {number} port shared by reusePort @returns {string[]} argv of a listener */
const listening = (port) => [process.execPath, '-e', `require('node:net').createServer().listen({ host: '127.0.0.1', port: ${port}, reusePort: true }, () => console.log('up'))`];

/** @param {() => boolean} holds @param {string} what */
async function until(holds, what) {
  for (let waitedMs = 0; !holds(); waitedMs += 20) {
    assert.ok(waitedMs < 60_000, `${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a second server that joins the port is found and named; the server\'s own processes may share it', async (t) => {
  const port = await host.findFreePort('127.0.0.1');
  const start = () => host.start({ argv: listening(port), cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  const { pid } = await start();
  await until(() => listListeners(port).length === 1, 'the first worker');
  const listeners = new Listeners(port, pid, () => host.list().map((each) => each.pid));
  listeners.check();
  await start();
  await until(() => listListeners(port).length === 2, 'the second worker');
  listeners.check();
  const [command, ...rest] = listening(port);
  const stranger = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => stranger.kill('SIGKILL'));
  await once(stranger.stdout, 'data');
  assert.throws(() => listeners.check(), (error) => error instanceof TrialError
    && error.message.startsWith(`port ${port} has another listener than the server, process ${stranger.pid} (`));
});

test('an address of IPv6 that holds one of IPv4 is told as that', async () => {
  const port = await host.findFreePort('127.0.0.1');
  const argv = [process.execPath, '-e', `require('node:net').createServer().listen(${port}, '::ffff:127.0.0.1')`];
  await host.start({ argv, cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  await until(() => listListeners(port).length === 1, 'the server');
  assert.equal(listListeners(port)[0].address, '0100007F');
});

test('a process that is not the server\'s is neither pinned nor watched: pid 1, the agent, a client', async () => {
  const session = await agent.open('own');
  const launch = { argv: ['sleep', '300'], log: 'program' };
  const server = await session.start({ ...launch, side: 'server' });
  const client = await session.start({ ...launch, side: 'client' });
  const of = (/** @type {number | undefined} */ pid) => [{ pid, role: 'worker', index: 1 }];
  for (const pid of [1, process.pid, client.pid, 2 ** 22 + 7]) {
    await assert.rejects(session.ask('place', { side: 'server', processes: of(pid) }),
      new TrialError(`the server's ready line names process ${pid} as its worker, and that is none of its own; have it name the pids of what it started`));
  }
  await assert.rejects(session.ask('watch', { processes: [{ ...of(1)[0], side: 'server' }] }), /names process 1 as its worker/);
  await assert.rejects(session.ask('place', { side: 'client', processes: of(server.pid) }), /the client's ready line names process/);
  await session.ask('place', { side: 'server', processes: of(server.pid) });
  await session.abort();
  await session.close();
});

/** @param {object} process @param {object} [more] */
const ready = (process, more) => JSON.stringify({ ...more, processes: [{ pid: 7, role: 'worker', index: 1, ...process }] });

test('a ready line holds its words and numbers to their alphabets', () => {
  assert.deepEqual(parseReady(ready({}, { engine: 'ws', version: '8.1' })).processes, [{ pid: 7, role: 'worker', index: 1 }]);
  const wrong = [
    ready({ role: 'work\ter' }), ready({ role: '__proto__' }), ready({ role: '' }), ready({ role: 7 }), ready({ role: 'a'.repeat(41) }),
    ready({ pid: 1 }), ready({ pid: 0 }), ready({ pid: -7 }), ready({ pid: '7' }), ready({ pid: 7.5 }), ready({ pid: 2 ** 31 }),
    ready({ index: 0 }), ready({ index: '1' }), ready({ index: undefined }), ready({}, { engine: 'a\u001b[2J' }), ready({}, { version: 7 }),
    '{"processes":[null]}', '{"processes":{}}', 'null', '7', '',
  ];
  for (const text of wrong) assert.throws(() => parseReady(text), (error) => error instanceof TrialError && !error.message.includes('\u001b'), text);
});
