/** How much of a machine a run may use: cores by affinity, and CPU time by the quotas of control groups. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listGroups, parseCores, readAllowedCores, readQuota, readThrottledUs } from '../../harness/agent/allowed.js';
import { CpuQuota, readCpuCgroup, tryQuota } from '../../harness/agent/cpu-quota.js';
import { runProgram } from '../../harness/common/programs.js';
import { adviseOn } from '../../analysis/trials/validity.js';
import { Agent } from '../../harness/run/agent.js';

const folder = mkdtempSync(join(tmpdir(), 'allowed-test-'));
after(() => rmSync(folder, { recursive: true }));
const allowed = readAllowedCores();

test('cores are listed one by one, and in ranges', () => {
  assert.deepEqual(['0', '3-5', '0-1,7,9-10'].map(parseCores), [[0], [3, 4, 5], [0, 1, 7, 9, 10]]);
});

const V1 = '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n';
const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';

test('the groups that may hold a process to a quota are its own and all above it, in either version', () => {
  assert.deepEqual(listGroups('8:pids:/other\n1:cpu,cpuacct:/a/b\n0::/\n', V1), ['/a/b', '/a', ''].map((path) => `/sys/fs/cgroup/cpu,cpuacct${path}`));
  assert.deepEqual(listGroups('0::/user.slice/a:b.scope\n', V2), ['/user.slice/a:b.scope', '/user.slice', ''].map((path) => `/sys/fs/cgroup${path}`));
});

test('of a container, whose mount begins at its own group, there is that alone', () => {
  assert.deepEqual(listGroups('0::/\n', V2), ['/sys/fs/cgroup']);
  assert.deepEqual(listGroups('1:cpu,cpuacct:/docker/x\n', V1.replace('0:29 / ', '0:29 /docker/x ')), ['/sys/fs/cgroup/cpu,cpuacct']);
  assert.deepEqual(listGroups('0::/../other\n', V2.replace('0:26 / ', '0:26 /own ')), ['/sys/fs/cgroup']);
  assert.deepEqual(listGroups('', ''), []);
});

test('the least quota holds, and what each held back adds up', () => {
  const make = (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
    return join(folder, name);
  };
  const none = make('none', { 'cpu.max': 'max 100000\n' });
  const two = make('two', { 'cpu.max': '150000 100000\n', 'cpu.stat': 'usage_usec 7\nnr_throttled 3\nthrottled_usec 4000\n' });
  const one = make('one', { 'cpu.cfs_quota_us': '50000\n', 'cpu.cfs_period_us': '100000\n', 'cpu.stat': 'nr_throttled 3\nthrottled_time 2000000\n' });
  const open = make('open', { 'cpu.cfs_quota_us': '-1\n', 'cpu.cfs_period_us': '100000\n', 'cpu.stat': 'throttled_time 0\n' });
  assert.deepEqual([[none, open], [none, two], [two, one]].map(readQuota), [undefined, 1.5, 0.5]);
  assert.equal(readThrottledUs([none, two, one, open]), 6000);
});

test('an agent that may use one core says which, and pins to that', { skip: allowed.length < 2 && 'one core is allowed here' }, async () => {
  const last = String(allowed.at(-1));
  const agent = await Agent.start(['taskset', '-c', last]);
  const { cores, allowed_cores } = await agent.ask('facts');
  assert.deepEqual({ cores, allowed_cores }, { cores: 1, allowed_cores: last });
  for (const placement of ['one', 'own', 'apart', 'alone-worker', 'link']) {
    const session = await agent.open(placement, { placement });
    for (const side of ['server', 'client']) {
      const { pid } = await session.start({ argv: ['sleep', '300'], side, log: side });
      await session.ask('place', { side, processes: [{ pid, role: 'worker', index: 1 }] });
      assert.match(readFileSync(`/proc/${pid}/status`, 'latin1'), new RegExp(`^Cpus_allowed_list:\\s+${last}$`, 'm'), `${placement}, ${side}`);
    }
    await session.abort();
    await session.close();
  }
  await agent.close();
});

const noQuota = await tryQuota(0.2);

test('the quota of the group that an agent runs in is recorded, and the time that it held back', { skip: noQuota }, async () => {
  const parent = /** @type {import('../../harness/agent/cpu-quota.js').CpuCgroup} */ (readCpuCgroup());
  const quota = new CpuQuota(0.2, parent);
  const inside = quota.confine([]);
  const agent = await Agent.start(inside);
  assert.equal((await agent.ask('facts')).cpu_quota_cores, 0.2);
  await agent.close();
  const script = `import { findOwnGroups, readThrottledUs } from ${JSON.stringify(new URL('../../harness/agent/allowed.js', import.meta.url).href)};
    const from = readThrottledUs(findOwnGroups());
    for (const until = performance.now() + 300; performance.now() < until;);
    console.log(readThrottledUs(findOwnGroups()) - from);`;
  const { stdout, stderr } = runProgram([...inside, process.execPath, '--input-type=module', '-e', script]);
  assert.ok(Number(stdout) > 0, stdout + stderr);
  assert.ok(await quota.remove());
});

test('a run that a quota holds back is told of that, and not to stop what else runs', () => {
  assert.match(adviseOn(['late-sends', 'cpu-throttled', 'offered-rate']).join('; '), /^lift the CPU quota [^;]*$/);
  assert.match(adviseOn(['late-sends']).join('; '), /^stop what else runs/);
});
