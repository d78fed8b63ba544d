/** Processes that lose their run's variable: they are still counted from their start, and killed at the end. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Capture } from '../../harness/agent/capture.js';
import { monotonicUs } from '../../harness/agent/clock.js';
import { LocalHost } from '../../harness/agent/host.js';
import { findMarked } from '../../harness/agent/marked.js';
import { isAlive, readStat } from '../../harness/common/stat.js';
import { RUN_MARK } from '../../harness/common/shared-names.js';
import { readTsv } from '../../harness/common/files.js';

const folder = mkdtempSync(join(tmpdir(), 'marked-test-'));
const isRoot = process.getuid?.() === 0;
const canRaise = spawnSync('prlimit', ['--rttime=9999999:9999999', 'prlimit', '--rttime=unlimited', 'true']).status === 0;
/** @type {LocalHost} */
let host;
before(() => { host = new LocalHost(); });
after(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

/** A worker that first uses some CPU. */
const WORKER = 'head -c 300000000 /dev/zero > /dev/null; exec sleep 300';

/**
 * What an engine may do with its worker. `skip`: why it can't be tried here.
 * @type {Record<string, {script: string, skip?: string | false}>}
 */
const WAYS = {
  'starts it by env -i': { script: `env -i sh -c '${WORKER}' & wait` },
  'forks twice and leaves its session': { script: `env -i setsid sh -c '(${WORKER}) & exit' & wait; exec sleep 300` },
  'writes its title over the environment': { script: `exec perl -e '$0 = "x" x 100000; for (1 .. 9e6) {} sleep 300'` },
  'becomes another user': { script: `env -i su -s /bin/sh nobody -c '${WORKER}' & wait`, skip: !isRoot && 'needs root' },
  'takes the limit away': { script: `env -i prlimit --rttime=unlimited sh -c '${WORKER}' & wait`, skip: !canRaise && 'needs CAP_SYS_RESOURCE' },
};

/** @param {() => boolean} holds @param {string} what */
async function until(holds, what) {
  for (let waitedMs = 0; !holds(); waitedMs += 20) {
    assert.ok(waitedMs < 60_000, `${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {number} pid @param {string} name below /proc/pid @returns {string} */
function read(pid, name) {
  const { stdout } = spawnSync('cat', [`/proc/${pid}/${name}`], { encoding: 'latin1' }); // '' when it is gone
  return stdout;
}

/** @param {string} runId @returns {number | undefined} the process without the variable, once it has used its CPU */
const findHidden = (runId) => findMarked(runId).map(({ pid }) => pid).find((pid) =>
  /^(sleep|x+)$/m.test(read(pid, 'comm')) && read(pid, 'comm') !== '' && !read(pid, 'environ').includes(`${RUN_MARK}=`));

for (const [way, { script, skip }] of Object.entries(WAYS)) {
  test(`a server that ${way}: it is counted and killed`, { skip }, async () => {
    const raw = mkdtempSync(join(folder, 'raw-'));
    const started = await host.start({ argv: ['sh', '-c', script], cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
    const capture = new Capture(host, raw);
    await until(() => findHidden(host.runId) !== undefined, `the worker: ${readFileSync(join(folder, 'err'), 'utf8')}`);
    const worker = findHidden(host.runId);
    await capture.start([{ pid: started.pid, side: 'server', role: 'master', index: 1 }]);
    capture.begin(monotonicUs());
    capture.mark('window_end');
    const row = readTsv(join(raw, 'accounts.tsv')).find(({ pid }) => Number(pid) === worker);
    assert.equal(row?.side, 'server');
    assert.ok(Number(row?.cpu_ns) > 0);
    await host.killAll();
    assert.equal(isAlive(readStat(Number(worker))), false);
    assert.deepEqual(host.list(), []);
  });

  test(`a server that ${way}: kill -9 of the agent ends the worker too`, { skip }, async (t) => {
    const parent = `import { LocalHost } from ${JSON.stringify(new URL('../../harness/agent/host.js', import.meta.url).href)};
      const host = new LocalHost();
      const launch = { argv: ['sh', '-c', ${JSON.stringify(script)}], cwd: '/', side: 'server', stdout: '/dev/null', stderr: '/dev/null' };
      await host.start(launch);
      console.log(host.runId);
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => holder.kill('SIGKILL'));
    const runId = await new Promise((resolve) => holder.stdout.once('data', (data) => resolve(String(data).trim())));
    await until(() => findHidden(runId) !== undefined, 'the worker');
    const worker = Number(findHidden(runId));
    holder.kill('SIGKILL');
    await until(() => !isAlive(readStat(worker)) && findMarked(runId).length === 0, 'nothing left');
  });
}

test('a process that is stopped, and one that no one has taken note of, do not hold up the end', async () => {
  const script = `sh -c 'kill -STOP $$' & perl -e 'fork or exit; $SIG{TERM} = "IGNORE"; sleep 300' & kill -STOP $$`;
  const { pid } = await host.start({ argv: ['sh', '-c', script], cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  await until(() => readStat(pid)?.state === 'T', 'a server that is stopped');
  await host.killAll(['server']);
  assert.deepEqual(host.list(), []);
});

test('a sampler that is stopped is waited for, and then killed', async () => {
  const launch = /** @type {import('../../harness/agent/host.js').Launch} */ ({ argv: ['sleep', '300'], cwd: folder, side: 'capture', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  const sampler = await host.start(launch);
  sampler.signal('SIGSTOP');
  assert.equal(await sampler.endWithin(50), undefined);
  assert.deepEqual(await sampler.exited, { code: null, signal: 'SIGKILL' });
  assert.deepEqual(await (await host.start({ ...launch, argv: ['true'] })).endWithin(60_000), { code: 0, signal: null });
});
