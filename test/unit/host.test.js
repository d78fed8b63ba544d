import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { LocalHost, Started, choosePorts } from '../../harness/agent/host.js';
import { findMarked } from '../../harness/agent/marked.js';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'host-test-'));
/** @type {LocalHost} */
let host;
before(() => { host = new LocalHost(); });
after(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

/** @param {string} script @param {'server' | 'client'} [side] */
const startShell = (script, side = 'server') =>
  host.start({ argv: ['sh', '-c', script], cwd: folder, side, stdout: join(folder, 'out'), stderr: join(folder, 'err') });

/** @param {() => boolean} holds @param {string} what */
async function until(holds, what) {
  for (let waitedMs = 0; !holds(); waitedMs += 20) {
    assert.ok(waitedMs < 60_000, `${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {string} runId @returns {string[]} `parent command` of each process with the run's mark */
const listRunning = (runId) => findMarked(runId).flatMap(({ pid }) => {
  try {
    const [, command, rest] = /^\d+ \((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return [`${rest.split(' ')[1]} ${command}`];
  } catch {
    return []; // it ended meanwhile
  }
});

test('a process that forked twice and left its session is found, and killed', async () => {
  const started = await startShell('setsid sh -c "sleep 300 & exit" & exit');
  await started.exited;
  await until(() => listRunning(host.runId).join() === '1 sleep', 'one orphan');
  assert.equal(await host.killAll(['client']), 0);
  assert.equal(await host.killAll(['server']), 1);
  assert.deepEqual(host.list(), []);
});

test('a process that respawns others all the time is killed with them', async () => {
  await startShell('while :; do (while :; do sleep 0.01; done) & sleep 0.005; kill $!; done');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(await host.killAll() > 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(host.list(), []);
});

test('what is started has a session of its own, as the scheduler sees it', async () => {
  const [first, second] = [await startShell('exec sleep 300'), await startShell('exec sleep 300')];
  const sessions = [first, second].map(({ pid }) => Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')[3]));
  assert.deepEqual(sessions, [first.pid, second.pid]);
  await host.killAll();
});

test('one side is killed and the other goes on', async () => {
  await startShell('exec sleep 300', 'server');
  await startShell('exec sleep 300', 'client');
  assert.equal(await host.killAll(['server']), 1);
  assert.deepEqual(host.list().map(({ side }) => side), ['client']);
  await host.killAll();
});

test('a program that does not exist ends at once, and its end names it', async () => {
  const absent = await host.start({ argv: ['/no/such/program'], cwd: folder, side: 'server', stdout: join(folder, 'absent.out'), stderr: join(folder, 'absent.err') });
  await absent.exited;
  assert.match(absent.describeEnd(), /^exited with 127: .*\/no\/such\/program/);
});

test('the kernel kills what was started when the harness and its keeper are killed together, the next one what that had started', async () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { LocalHost } from ${JSON.stringify(join(ROOT, 'harness/agent/host.js'))};
    const host = new LocalHost();
    const { pid } = await host.start({ argv: ['sh', '-c', 'setsid sleep 301 & exec sleep 300'], cwd: '/', side: 'server', stdout: '/dev/null', stderr: '/dev/null' });
    const isThere = () => readFileSync('/proc/' + pid + '/comm', 'utf8') === 'sleep\\n'; // setpriv comes to it first
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
    console.log(JSON.stringify([host.kept.keeper.pid, host.runId, host.runDir]));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const [keeper, runId, runDir] = JSON.parse(line);
  process.kill(keeper, 'SIGSTOP'); // stopped, it can't clean up; if it were killed now, the harness would replace it
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  process.kill(keeper, 'SIGKILL');
  // None is left if the agent of another test has cleaned up already
  await until(() => listRunning(runId).every((each) => each === '1 sleep'), 'the end of all but the grandchild');
  await new LocalHost().close();
  await until(() => findMarked(runId).length === 0, 'the end of that');
  assert.ok(!existsSync(runDir));
});

test('the end of a process is reported with its code, or its signal, and the last thing it said', async () => {
  const exited = await startShell('echo first >&2; echo last >&2; exit 70');
  await exited.exited;
  assert.equal(exited.describeEnd(), 'exited with 70: last');
  const killed = await startShell('exec sleep 300');
  killed.signal('SIGKILL');
  await killed.exited;
  assert.match(killed.describeEnd(), /^was killed by SIGKILL: /);
});

test('of a trace, the line that tells why is reported', async () => {
  const traces = [
    "thread 'main' panicked at src/main.rs:3:5:\nno port\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    "node:net:1918\n    throw new E();\n    ^\n\nError: listen EADDRINUSE: address already in use 127.0.0.1:80\n    at f (a.js:1:2) {\n  code: 'EADDRINUSE'\n}\n\nNode.js v24.21.0",
    'Exception in thread "main" java.lang.IllegalStateException: no port\n\tat Main.main(Main.java:7)',
    'panic: no port\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:4 +0x1',
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\nOSError: no port\nclosing',
    'Error: read ECONNRESET, handled\nerror: port: 0 is taken; give another',
  ];
  const told = [];
  for (const trace of traces) { // one after the other: they share the file of standard error
    const started = await startShell(`cat >&2 <<'END'\n${trace}\nEND\nexit 1`);
    await started.exited;
    told.push(started.describeEnd());
  }
  assert.deepEqual(told, [
    'exited with 1: no port',
    'exited with 1: Error: listen EADDRINUSE: address already in use 127.0.0.1:80',
    'exited with 1: Exception in thread "main" java.lang.IllegalStateException: no port',
    'exited with 1: panic: no port', 'exited with 1: OSError: no port', 'exited with 1: error: port: 0 is taken; give another',
  ]);
});

test('what is started has a clean environment', async () => {
  process.env.WSCALE_TEST_LEAK = '1';
  const started = await startShell('env');
  await started.exited;
  const names = readFileSync(join(folder, 'out'), 'utf8').split('\n').filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split('=')[0]);
  assert.deepEqual(names.filter((name) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name)).sort(), ['HOME', 'LC_ALL', 'PATH', 'WSCALE_RUN', 'WSCALE_SIDE']);
});

test('ports are drawn below those of outgoing connections, where these leave few above them, and in them if there are no others', () => {
  assert.deepEqual([[32_768, 60_999], [1024, 60_999], [1024, 65_535], [512, 65_535]].map(([low, high]) => choosePorts(low, high)),
    [[22_768, 32_767], [61_000, 65_535], [1024, 65_535], [1024, 65_535]]);
});

test('temporary folders of a command that was killed go with the next agent', async () => {
  const script = `import { makeTemporary } from ${JSON.stringify(join(ROOT, 'harness/common/temporary.js'))}; console.log(makeTemporary('test')); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(existsSync(String(said).trim()));
  const own = new LocalHost();
  assert.equal(existsSync(String(said).trim()), false);
  await own.close();
});

test('a free port is free, and off those of outgoing connections where these leave room', async () => {
  const port = await host.findFreePort('127.0.0.1');
  const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);
  const [first, last] = choosePorts(low, high);
  assert.ok(port >= first && port <= last, String(port));
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(undefined)));
  server.close();
});

test('closing a host kills what it started and removes its folder', async () => {
  const own = new LocalHost();
  await own.start({ argv: ['sleep', '300'], cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  assert.ok(existsSync(own.runDir) && existsSync(own.makeRunDir()));
  writeFileSync(join(own.makeMemoryDir(), 'file'), 'in memory');
  await own.close();
  assert.deepEqual(findMarked(own.runId), []);
  assert.ok(!existsSync(own.runDir) && !existsSync(own.memoryDir));
});

test('two hosts at a time have each a folder in memory of its own, where there is such a place', { skip: !existsSync('/dev/shm') && 'there is no /dev/shm' }, async () => {
  const two = [new LocalHost(), new LocalHost()];
  const folders = two.map((each) => each.makeMemoryDir());
  assert.ok(folders.every((each) => each.startsWith('/dev/shm/wscale-')), String(folders));
  assert.notEqual(dirname(folders[0]), dirname(folders[1]));
  await two[0].close();
  assert.deepEqual(folders.map((each) => existsSync(each)), [false, true]);
  await two[1].close();
  assert.ok(!existsSync(folders[1]));
});

test('a keeper that is killed is replaced, and the new one does the same', async () => {
  const own = new LocalHost();
  const first = own.kept.keeper.pid;
  process.kill(Number(first), 'SIGKILL');
  await until(() => own.kept.keeper.pid !== first, 'another keeper');
  await own.start({ argv: ['sleep', '300'], cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  await own.close();
  assert.deepEqual(findMarked(own.runId), []);
  assert.ok(!existsSync(own.runDir));
});

/** A minimal harness: it starts processes of each side, and prints its run's id and folders. */
const PARENT = `
  import { LocalHost } from ${JSON.stringify(new URL('../../harness/agent/host.js', import.meta.url).href)};
  const host = new LocalHost();
  for (const side of ['server', 'client', 'capture']) {
    await host.start({ argv: ['sh', '-c', 'setsid sleep 300 & sleep 300'], cwd: '/', side, stdout: '/dev/null', stderr: '/dev/null' });
  }
  console.log(host.runId, host.runDir, host.makeMemoryDir());
  setInterval(() => {}, 1000);
`;

test('kill -9 of the process that holds a host leaves no process and no folder', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise((resolve) => parent.stdout?.once('data', (data) => resolve(String(data))));
  const [runId, runDir, memoryDir] = said.trim().split(' ');
  await until(() => findMarked(runId).length === 9, 'three shells and six sleepers');
  assert.ok(existsSync(runDir) && existsSync(memoryDir));
  parent.kill('SIGKILL');
  await until(() => findMarked(runId).length === 0 && !existsSync(runDir) && !existsSync(dirname(memoryDir)), 'nothing left');
});

test('kill -9 of the process that holds a host, before it did anything with it, leaves no folder', async () => {
  const held = `import { LocalHost } from ${JSON.stringify(new URL('../../harness/agent/host.js', import.meta.url).href)};
    const { runDir } = new LocalHost(); process.stdout.write(runDir, () => process.kill(process.pid, 'SIGKILL'));`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', held], { stdio: ['ignore', 'pipe', 'inherit'] });
  const runDir = await new Promise((resolve) => parent.stdout?.once('data', (data) => resolve(String(data))));
  await until(() => !existsSync(runDir), 'no folder');
  assert.ok(!readdirSync(tmpdir()).includes(runDir.split('/').pop() ?? ''));
});

test('how a process ended is reported when its folder is gone', async () => {
  const started = new Started(spawn('true'), /** @type {any} */ ({ stderr: '/nowhere/at/all/server.err' }));
  await started.exited;
  assert.equal(started.describeEnd(), 'exited with 0: nothing on standard error');
});
