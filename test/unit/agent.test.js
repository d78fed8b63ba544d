/** The agent on a host, and the coordinator's side of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TrialError, UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import { PROTOCOL_VERSION, readMessages, writeMessage } from '../../harness/common/protocol.js';
import { readCpuCgroup } from '../../harness/agent/cpu-quota.js';
import { Agent } from '../../harness/run/agent.js';
import { Session } from '../../harness/run/session.js';

const folder = mkdtempSync(join(tmpdir(), 'agent-test-'));
/** @type {Agent} */
let agent;
before(async () => { agent = await Agent.start(); });
after(async () => {
  await agent.close();
  rmSync(folder, { recursive: true });
});

let opened = 0;
const open = (/** @type {AbortSignal | undefined} */ signal = undefined) => agent.open(`t${++opened}`, { signal });
/** @param {string} script of sh @param {object} [more] */
const shell = (script, more) => ({ argv: ['sh', '-c', script], side: 'server', log: 'program', ...more });

/** @param {() => boolean | Promise<boolean>} holds @param {string} what */
async function until(holds, what) {
  for (let waitedMs = 0; !await holds(); waitedMs += 20) {
    assert.ok(waitedMs < 60_000, `${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {object[]} asked requests, in order @returns {Promise<any[]>} the agent's answers */
async function converse(asked) {
  const child = spawn(process.execPath, [join(ROOT, 'harness/agent/main.js')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = /** @type {any[]} */ ([]);
  const ended = new Promise((resolve) => readMessages(child.stdout, (message) => answers.push(message), () => resolve(undefined)));
  for (const each of asked) writeMessage(child.stdin, each);
  await until(() => answers.length === asked.length, 'the answers');
  child.stdin.end();
  await ended;
  return answers;
}

test('an agent of the same version says hello, and one of another says what to do', async () => {
  assert.deepEqual(await converse([{ id: 1, op: 'hello', version: PROTOCOL_VERSION }]), [{ id: 1, ok: { version: PROTOCOL_VERSION } }]);
  const [{ id, error }] = await converse([{ id: 7, op: 'hello', version: 0 }]);
  assert.equal(id, 7);
  assert.equal(error.message, `agent: this host's speaks version ${PROTOCOL_VERSION} of the protocol, the coordinator 0; bring both to the same commit`);
});

test('a coordinator refuses what is no agent, or one of another version, and says what to do', async () => {
  const other = join(folder, 'other.sh');
  writeFileSync(other, 'read line; echo \'{"id":1,"ok":{"version":99}}\'\n');
  const refuses = (/** @type {string[]} */ inside, /** @type {RegExp} */ why) =>
    assert.rejects(Agent.start(inside), (error) => error instanceof UserError && why.test(error.message));
  await refuses(['sh', other], /^agent: it speaks version 99 of the protocol, not \d+; bring its host to the same commit$/);
  writeFileSync(other, 'echo "Welcome to this host"; cat > /dev/null\n');
  await refuses(['sh', other], /^agent: the agent of the host said "Welcome to this host", which is no message; run `node harness\/agent\/main.js` on its host to see why$/);
  await refuses(['false'], /^agent: the agent of the host ended; run `node/);
  await refuses([join(folder, 'absent')], /^agent: the agent of the host did not start: .*ENOENT; run `node/);
});

test('nothing is done before hello, and an unknown operation is refused with those that there are', async () => {
  const [{ error }] = await converse([{ id: 1, op: 'list' }]);
  assert.match(error.message, /^agent: "list" was asked before "hello"; say hello/);
  await assert.rejects(agent.ask('dance'), /^Error: agent: "dance" is not an operation; use one of open, facts, list, .*, close$/);
  await assert.rejects(agent.ask('put', { session: 'none', name: 'a', text: '' }), /agent: put: there is no session "none"; open it first/);
});

test('a file that was put can be read, with {dir} and {run} replaced by the folders', async () => {
  const session = await open();
  await session.ask('put', { name: 'deep/told.txt', text: 'at {dir}, and {run}' });
  const reported = await session.read('deep/told.txt');
  assert.match(reported, /^at \/.+\/t\d+, and \/.+\/s\w+$/);
  const { exited } = await session.start(shell('', { argv: ['sh', '-c', 'cat "$1"; echo "$OF"', 'sh', '{dir}/deep/told.txt'], env: { OF: '{run}' } }));
  assert.deepEqual(await exited, { code: 0, signal: null });
  assert.equal(await session.read('program.out'), `${reported}${reported.split(' and ')[1]}\n`);
  await assert.rejects(session.ask('put', { name: '../out', text: '' }), /"\.\.\/out" is not within the session's folder; name a file in it/);
  await session.close();
});

test('the coordinator collects a whole session: folders, empty files, and files of several parts', async () => {
  const session = await open();
  await (await session.start(shell('mkdir -p a/b; : > a/empty; head -c 2000003 /dev/urandom > a/large; cksum < a/large'))).exited;
  const into = mkdtempSync(join(folder, 'into-'));
  await session.collect(into);
  assert.deepEqual(readdirSync(into, { recursive: true }).sort(), ['a', 'a/b', 'a/empty', 'a/large', 'program.err', 'program.out']);
  const again = spawn('cksum', { stdio: ['pipe', 'pipe', 'inherit'] });
  again.stdin.end(readFileSync(join(into, 'a/large')));
  const [sum] = await again.stdout.toArray();
  assert.equal(String(sum), readFileSync(join(into, 'program.out'), 'utf8'));
  await session.close();
});

test('a name that leads out of the session is refused', async () => {
  const rogue = { ask: async () => ({ folders: [], files: [{ name: '../out', size_b: 0 }] }) };
  await assert.rejects(Session.prototype.collect.call(/** @type {any} */ ({ agent: rogue, name: 's' }), folder), /names a file outside its session: "\.\.\/out"/);
});

test('the end of a process is reported with its code and its last words, also when it ends at once', async () => {
  const session = await open();
  const started = await session.start(shell('echo why >&2; exit 70'));
  assert.deepEqual(await started.exited, { code: 70, signal: null });
  assert.equal(started.describeEnd(), 'exited with 70: why');
  const slow = await session.start(shell('exec sleep 300'));
  assert.equal(slow.exit, undefined);
  await slow.signal('SIGKILL');
  assert.deepEqual(await slow.exited, { code: null, signal: 'SIGKILL' });
  await session.close();
});

test('a CPU quota holds from a process\'s first instruction, and its cgroup is removed with the session; else the process does not start', async () => {
  const why = await agent.ask('tryQuota', { cores: 0.1 });
  const session = await open();
  const start = () => session.start(shell('sleep 300 & wait', { quota: 0.1 }));
  if (why) return assert.rejects(start(), new TrialError(why)).finally(() => session.close());
  const { pid } = await start();
  const groupOf = () => /\/(wscale-\d+-\d+)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
  await until(() => groupOf() !== undefined, 'the group');
  const group = join(String(readCpuCgroup()?.path), String(groupOf()));
  await until(() => readFileSync(join(group, 'cgroup.procs'), 'utf8').trim().split('\n').length === 2, 'what it starts');
  await session.abort();
  await session.close();
  assert.equal(existsSync(group), false);
});

test('a wait returns the line that begins with a word, or nothing if the process ends without it', async () => {
  const session = await open();
  const started = await session.start(shell('echo other; read line; echo "word $line"', { stdin: 'pipe' }));
  await started.write('hello');
  assert.deepEqual(await session.ask('wait', { pid: started.pid, word: 'word', within_s: 5 }), { line: 'hello' });
  assert.deepEqual(await session.ask('wait', { pid: started.pid, word: 'word', within_s: 5 }), {});
  await session.close();
});

test('processes are told to go at a time of their own host\'s clock', async () => {
  const session = await open();
  const started = await session.start(shell('read go at; echo "$go $at"', { stdin: 'pipe' }));
  const startUs = await session.ask('go', { pids: [started.pid], lead_us: 1000 });
  await started.exited;
  assert.equal(await session.read('program.out'), `go ${startUs}\n`);
  await session.close();
});

test('an abort ends a wait at once, and closing the session leaves nothing', async () => {
  const controller = new AbortController();
  const session = await open(controller.signal);
  const started = await session.start(shell('setsid sleep 300 & exec sleep 300'));
  const waiting = session.ask('wait', { pid: started.pid, word: 'never', within_s: 60 });
  controller.abort(new Error('interrupted'));
  await assert.rejects(waiting, /interrupted/);
  await assert.rejects(session.ask('go', { pids: [], lead_us: 0 }), /interrupted/);
  await session.abort();
  assert.deepEqual(await agent.list(), []);
  await session.close();
  await assert.rejects(agent.ask('listFiles', { session: session.name }), /there is no session/);
});

/** @param {Agent} of @returns {Promise<string>} its private folder */
async function folderOf(of) {
  const session = await of.open('folder');
  await session.ask('put', { name: 'where', text: '{dir}' });
  return join(await session.read('where'), '..');
}

test('an agent that is killed fails what was asked of it, leaves nothing, and another takes its place', async () => {
  const own = await Agent.start();
  const runDir = await folderOf(own);
  const session = await own.open('one');
  const started = await session.start(shell('setsid sleep 300 & exec sleep 300'));
  const waiting = session.ask('wait', { pid: started.pid, word: 'never', within_s: 60 });
  own.child?.kill('SIGKILL');
  await assert.rejects(waiting, (error) => error instanceof TrialError && error.message === 'the agent of the host ended');
  assert.match((await started.exited, started.describeEnd()), /^was lost: the agent of the host ended/);
  await until(() => !existsSync(`/proc/${started.pid}/exe`) && !existsSync(runDir), 'nothing left');
  await assert.rejects(session.ask('listFiles'), TrialError);
  assert.equal(await (await own.open('two')).ask('makeFolder', { name: 'a' }), null);
  await own.close();
});

for (const [what, end, whyLost, reported] of /** @type {[string, string, string | undefined, string][]} */ ([
  ['was killed there', 'kill -9 $$', undefined, 'the agent of host h2 was killed by SIGKILL'],
  ['failed there', 'echo "no space" >&2; exit 70', undefined, 'the agent of host h2 ended with exit code 70: no space'],
  ['is behind a dead link', 'exit 255', 'Timeout, server h2 not responding.', 'the link to host h2 was lost: Timeout, server h2 not responding.'],
])) {
  test(`of an agent that ${what} a trial says so`, async () => {
    const script = join(folder, 'ends.sh');
    writeFileSync(script, `read line; echo '{"id":1,"ok":{"version":${PROTOCOL_VERSION}}}'; read line\n${end}\n`);
    const way = { name: 'h2', program: 'ssh', argv: ['sh', '-c', `sh ${script}; exit $?`], env: process.env, reach: async () => {}, whyLost: async () => whyLost };
    const own = await Agent.start([], way);
    const isReported = (/** @type {Error} */ error) => error instanceof TrialError && error.message === reported;
    await assert.rejects(own.ask('list'), isReported);
    await assert.rejects(own.ask('list'), isReported, 'and to whoever asks later');
  });
}

test('an agent whose coordinator is killed kills what it started, and removes its folder', async () => {
  const script = `
    import { Agent } from ${JSON.stringify(join(ROOT, 'harness/run/agent.js'))};
    const agent = await Agent.start();
    const session = await agent.open('one');
    const { pid } = await session.start({ argv: ['sh', '-c', 'setsid sleep 300 & exec sleep 300'], side: 'client', log: 'program' });
    await session.ask('put', { name: 'where', text: '{dir}' });
    console.log([pid, agent.child.pid, await session.read('where')].join(' '));`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise((resolve) => parent.stdout?.once('data', (data) => resolve(String(data))));
  const [pid, agentPid, where] = said.trim().split(' ');
  assert.ok(existsSync(where));
  parent.kill('SIGKILL');
  await until(() => !existsSync(join(where, '..')) && [pid, agentPid].every((each) => !existsSync(`/proc/${each}/exe`)), 'nothing left');
});
