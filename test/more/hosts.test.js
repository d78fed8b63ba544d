/**
 * Runs over several hosts, simulated on one machine by namespaces with an sshd each (test/hosts/hosts.sh). Their
 * monotonic clocks differ by more than a day. Whatever the tests kill, the trial fails with the reason, the run can
 * be resumed, and nothing is left on any host.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { listSsh, skip, useHosts } from '../hosts/hosts.js';
import { until } from '../smoke/lab.js';
import { Prometheus } from './prometheus.js';

const TRIAL = 'b01-ws-steady';
/** Window of runs that a test interrupts: longer than the test needs on a busy machine. */
const LONG_S = 900;
/** Difference between the monotonic clocks of h1 and h2, µs. */
const APART_US = 100_000 * 1e6;

/**
 * @param {string} runId @param {string[]} words of its command
 * @returns {number | undefined} pid of an ssh of the run
 */
const findSsh = (runId, ...words) => listSsh(runId).find(({ command }) => words.every((word) => command.includes(word)))?.pid;

/**
 * Replaces make on the hosts, because they reach no registry. The replacement writes down its arguments, and links
 * what is installed here.
 * @param {import('../hosts/hosts.js').Hosts} hosts @returns {() => void} restores make
 */
function installByLinks(hosts) {
  const program = join(hosts.folder, 'make');
  writeFileSync(program, `#!/bin/sh
echo "$*" > "${hosts.folder}/$(hostname).made"
git -C "${ROOT}" ls-files -oi --exclude-standard --directory | grep -E '^(node_modules|runtimes/node-24|servers/ws|clients/forked)/' | while read -r each; do
  each=\${each%/}
  [ -e "$each" ] || ln -s "${ROOT}/$each" "$each"
done
`);
  chmodSync(program, 0o755);
  const make = spawnSync('sh', ['-c', 'command -v make'], { encoding: 'utf8' }).stdout.trim();
  const onEach = (/** @type {string[]} */ ...argv) => ['h1', 'h2'].forEach((name) => {
    assert.equal(hosts.runOn(name, ...argv), 0, `${argv.join(' ')} on ${name}`);
  });
  onEach('mount', '--bind', program, make);
  return () => {
    onEach('umount', '--lazy', make); // an interrupted run may still use it
    onEach('rm', '-r', '--force', '/tmp/brought');
  };
}

/**
 * Checks the measured clock offset of h1 and h2 against the one that hosts.sh set.
 * @param {import('../smoke/lab.js').Lab} lab @returns {number} the bound of the measurement, ms
 */
function checkClocks(lab) {
  const [clock, ...others] = readTsv(lab.inTrial(TRIAL, 'raw/clocks/clocks.tsv')).filter(({ when }) => when === 'before');
  assert.deepEqual([clock.host, others], ['h2', []], "it is told from the server's, h1");
  assert.ok(Math.abs(Number(clock.offset_us) - APART_US) <= Number(clock.bound_us) + 1000, clock.offset_us);
  return Number(readTsv(lab.inTrial(TRIAL, 'raw/clocks/metrics.tsv')).find(({ metric }) => metric === 'clock_bound_ms')?.value);
}

describe('a run over hosts of their own', { skip }, () => {
  const testbed = useHosts(2);
  const makeLab = (/** @type {Parameters<typeof testbed.makeLab>[0]} */ settings = undefined) => testbed.makeLab(settings);
  const options = () => testbed.options;

  /** @param {string} command a part of it @param {string} name of the host @returns {number | undefined} */
  const findOn = (command, name) => testbed.up.listOn(name).find((each) => (
    each.command.includes(command) && !each.command.startsWith('sh ') // a shell waits for it
  ))?.pid;

  it('has its server on one and its load from the other, and their clocks are told', async () => {
    const lab = makeLab();
    const { code, stdout, stderr } = await lab.run(options());
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
    const { window, processes } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
    assert.ok(window.sent > 0 && window.received > 0 && window.received <= window.sent, JSON.stringify(window));
    assert.deepEqual([...new Set(processes.map((/** @type {any} */ { host }) => host))], ['h2']);
    checkClocks(lab);
    const marks = readTsv(lab.inTrial(TRIAL, 'raw/accounts.tsv')).filter(({ mark }) => mark === 'window_end');
    assert.deepEqual([...new Set(marks.map(({ pid, side }) => `${side}${pid.includes(':') ? ` on ${pid.split(':')[0]}` : ''}`))].sort(),
      ['capture', 'capture on h2', 'client on h2', 'server']);
    assert.ok(readTsv(lab.inTrial(TRIAL, 'raw/live.tsv')).every(({ host }) => ['h1', 'h2'].includes(host)));
    // Only that these rules are applied: on a busy machine their values vary. test/unit checks the values
    const rules = Object.fromEntries(readTsv(lab.inTrial(TRIAL, 'validity.tsv')).map(({ rule, value }) => [rule, Number(value)]));
    for (const rule of ['counts-agree', 'clocks-agree', 'slow-host']) assert.ok(rules[rule] >= 0, `${rule}: ${rules[rule]}`);
    const sockets = readTsv(lab.inTrial(TRIAL, 'raw/sockets.tsv'));
    assert.ok(sockets.length <= 1 && sockets.every(({ address }) => address === '10.77.0.3'), JSON.stringify(sockets));
    assert.deepEqual(readdirSync(lab.inTrial(TRIAL, 'raw')).filter((name) => /^sockets-/.test(name)), []);
    const spec = readJson(join(String(lab.listBundles().pop()), 'spec.json'));
    assert.deepEqual(spec.hosts.map((/** @type {any} */ { name, role }) => `${name} ${role}`), ['h1 server', 'h2 client']);
    assert.deepEqual(Object.keys(spec.environment.hosts), ['h1', 'h2']);
    assert.match(readFileSync(join(String(lab.listBundles().pop()), 'summary.txt'), 'utf8'), /OVER 2 HOSTS: the server on \d+ cores?.*, the load from 1 client host beside it/);
    await testbed.up.checkClean();
  });

  it('knows the clocks of two hosts as well from a coordinator that is far away from both', async () => {
    const config = join(testbed.up.folder, 'ssh_config');
    const near = readFileSync(config, 'utf8');
    const far_ms = 150;
    writeFileSync(config, `${near}  ProxyCommand ${process.execPath} ${join(ROOT, 'test/hosts/far.js')} %h %p ${far_ms}\n`);
    try {
      const lab = makeLab();
      const { code, stdout, stderr } = await lab.run(options());
      assert.equal(code, 0, stdout + stderr);
      const bound_ms = checkClocks(lab);
      assert.ok(bound_ms < far_ms, `${bound_ms} ms: by way of the coordinator it could not be less than ${far_ms} ms`);
    } finally {
      writeFileSync(config, near);
    }
    await testbed.up.checkClean();
  });

  for (const [what, find, why] of /** @type {[string, (run: import('../smoke/lab.js').Run) => number | undefined, RegExp][]} */ ([
    ['the agent of a host', () => findOn('harness/agent/main.js', 'h2'), /^failed: .*the agent of host h2 was killed by SIGKILL/],
    ['the ssh to a host', ({ runId }) => findSsh(runId, 'agent/main.js', '10.77.0.3'), /^failed: .*the link to host h2 was lost: its ssh was killed by SIGKILL/],
    ['the server', () => findOn('server.js', 'h1'), /^failed: the server ended during the trial: it was killed by SIGKILL/],
  ])) {
    it(`fails a trial when ${what} is killed, leaves nothing, and goes on with RESUME`, async () => {
      const lab = makeLab({ repeats: 2 });
      const harness = lab.start(options());
      const run = await until(() => harness.findRun(), 'the run', 180);
      await until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180);
      process.kill(Number(find(run)), 'SIGKILL');
      const { code, stdout, stderr } = await harness.ended;
      assert.equal(code, 1, stdout + stderr);
      const statuses = lab.readStatuses();
      assert.match(statuses[TRIAL], why);
      assert.equal(statuses['b02-ws-steady'], 'done', 'the plan goes on');
      assert.deepEqual(await lab.findLeftovers(run), []);
      await testbed.up.checkClean();
      const again = await lab.run([...options(), '--resume']);
      assert.equal(again.code, 0, again.stdout + again.stderr);
      assert.deepEqual([...new Set(Object.values(lab.readStatuses()))], ['done']);
    });
  }

  it('leaves nothing on any host when agents and their keepers are killed together, so that nobody there cleans up', async () => {
    const lab = makeLab();
    const harness = lab.start(options());
    const run = await until(() => harness.findRun(), 'the run', 180);
    await until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180);
    const pids = ['h1', 'h2'].flatMap((name) => ['harness/agent/keeper.js', 'harness/agent/main.js'].map((command) => Number(findOn(command, name))));
    // Stopped first: the agent replaces a killed keeper
    for (const signal of /** @type {const} */ (['SIGSTOP', 'SIGKILL'])) pids.forEach((pid) => process.kill(pid, signal));
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[TRIAL], /^failed: .*the agent of host h[12] was killed by SIGKILL/);
    assert.deepEqual(await lab.findLeftovers(run), []);
    await testbed.up.checkClean();
  });

  for (const signal of /** @type {const} */ (['SIGKILL', 'SIGINT'])) {
    it(`leaves nothing on any host when the coordinator gets ${signal}`, async () => {
      const lab = makeLab();
      const harness = lab.start(options());
      const run = await until(() => harness.findRun(), 'the run', 180);
      await until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180);
      harness.signal(signal);
      const { code } = await harness.ended;
      assert.equal(code, signal === 'SIGINT' ? 130 : null);
      assert.deepEqual(await lab.findLeftovers({ ...run, agent: 0 }), []);
      await testbed.up.checkClean();
    });
  }

  it('brings the suite to hosts that lack it, once, and installs it there by its own target', async () => {
    const suite = join(testbed.up.folder, 'brought.toml');
    const own = `wscale-test-${process.pid}`; // the hosts share a home folder, but each has its own /tmp
    symlinkSync('/tmp', join(userInfo().homedir, own));
    writeFileSync(suite, `folder = "${own}/brought"\n${readFileSync(testbed.up.file, 'utf8').replaceAll(/^suite = .*\n/gm, '')}`);
    const undo = installByLinks(testbed.up);
    try {
      const lab = makeLab();
      const brought = ({ stdout = '' }) => [...stdout.matchAll(/^(h\d): bringing the suite to (\S+)$/gm)].map(([, host, to]) => `${host} ${to.replace(/[0-9a-f]{16}$/, 'HASH')}`);
      const first = await lab.run(['--hosts', suite]);
      assert.equal(first.code, 0, first.stdout + first.stderr);
      assert.deepEqual(brought(first).sort(), ['h1', 'h2'].map((name) => `${name} ${join(userInfo().homedir, own)}/brought/HASH`));
      const made = ['h1', 'h2'].map((name) => readFileSync(join(testbed.up.folder, `${name}.made`), 'utf8').trim());
      assert.match(made[0], /install PARTS=servers\/ws$/);
      assert.match(made[1], /install PARTS=clients\/forked\/ws clients\/forked$/);
      const again = lab.start(['--hosts', suite]);
      await until(() => again.stdout.includes('watch it in another terminal:'), 'another run', 180);
      again.signal('SIGINT');
      assert.deepEqual(brought(await again.ended), [], 'it is there');
    } finally {
      undo();
      rmSync(join(userInfo().homedir, own));
    }
    await testbed.up.checkClean();
  });

  it('has the agent of each host scraped by Debian\'s Prometheus, on that host', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'hosts-prometheus-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const prometheus = new Prometheus(folder, { target: '127.0.0.1:9465', port: 9466, inside: testbed.up.insideOf('h2') });
    if (prometheus.why) return context.skip(prometheus.why);
    context.after(() => prometheus.stop());
    const lab = makeLab({ hold_s: LONG_S });
    const harness = lab.start(options());
    const [{ metric }] = await prometheus.query('max_over_time(rate(wscale_messages_received_total[5s])[5m:1s]) > 0', 'a rate of answers');
    assert.deepEqual([metric.host, metric.instance], ['h2', '127.0.0.1:9465']);
    const [agent] = await prometheus.query('last_over_time(wscale_agent_cpu_seconds_total[5m])', 'what the agent itself takes');
    assert.ok(Number(agent.value[1]) > 0);
    assert.equal((await prometheus.query('last_over_time(wscale_cpu_cores{role="client"}[5m])', 'its clients')).length, 1);
    harness.signal('SIGINT');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 130, stdout + stderr);
    await prometheus.stop();
    await testbed.up.checkClean();
  });

  it('fails a trial on a host without space, with its reason', async () => {
    const lab = makeLab();
    const resize = (/** @type {string} */ size) => testbed.up.runOn('h2', 'mount', '-o', `remount,size=${size}`, '/tmp');
    assert.equal(resize('48k'), 0);
    try {
      const { code, stdout, stderr } = await lab.run(options());
      assert.equal(code, 1, stdout + stderr);
      assert.match(lab.readStatuses()[TRIAL], /^failed: .*h2.*(ENOSPC|disk is full)/);
    } finally {
      resize('50%');
    }
    await testbed.up.checkClean();
  });

  it('fails a trial when a host\'s disk fills while the load runs, with its reason, and goes on with RESUME when there is room', async () => {
    const lab = makeLab({ hold_s: 6 });
    const onClient = (/** @type {string[]} */ ...argv) => testbed.up.runOn('h2', ...argv);
    assert.equal(onClient('mount', '-o', 'remount,size=8m', '/tmp'), 0);
    try {
      const harness = lab.start(options());
      await until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180);
      assert.equal(onClient('dd', 'if=/dev/zero', 'of=/tmp/fill', 'bs=4k'), 1);
      const { code, stdout, stderr } = await harness.ended;
      assert.equal(code, 1, stdout + stderr);
      assert.match(lab.readStatuses()[TRIAL], /^failed: .*h2.*(ENOSPC|disk is full)/);
    } finally {
      onClient('rm', '-f', '/tmp/fill');
      onClient('mount', '-o', 'remount,size=50%', '/tmp');
    }
    await testbed.up.checkClean();
    const again = await lab.run([...options(), '--resume']);
    assert.equal(again.code, 0, again.stdout + again.stderr);
  });

  it('refuses a host whose key is not known, or that any key would do for, before anything is started', async () => {
    const lab = makeLab();
    const config = join(testbed.up.folder, 'ssh_config');
    const right = readFileSync(config, 'utf8');
    try {
      writeFileSync(config, right.replace('known_hosts\n', 'none\n'));
      const unknown = await lab.run(options());
      assert.equal(unknown.code, 2);
      const reported = `error: hosts: h1: no login: Host key verification failed.; try: ssh -F ${config} -o BatchMode=yes 10.77.0.2 true\n`;
      assert.ok(unknown.stderr.includes(reported), unknown.stderr);
      writeFileSync(config, right.replace('Checking yes', 'Checking no'));
      const open = await lab.run(options());
      assert.match(open.stderr, /^error: hosts: h2: the configuration of ssh has StrictHostKeyChecking \w+ for .+: any host could/m);
      assert.deepEqual(lab.listBundles(), []);
    } finally {
      writeFileSync(config, right);
    }
  });

  it('ends, and says how to go on, when a host is gone for good', async () => {
    const lab = makeLab({ repeats: 3 });
    const harness = lab.start(options());
    const run = await until(() => harness.findRun(), 'the run', 180);
    await until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180);
    // It is process 1 of its namespaces: the kernel kills all others with it, and the address is gone
    process.kill(testbed.up.findSshd('h2'), 'SIGKILL');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 2, stdout + stderr);
    assert.match(stderr, /^error: hosts: h2: can not be reached: .+; then go on with --resume$/m);
    const statuses = lab.readStatuses();
    assert.match(statuses[TRIAL], /^failed: .*the link to host h2 was lost: (Timeout, server 10\.77\.0\.3|.*(closed|reset|Broken pipe))/);
    assert.equal(Object.keys(statuses).length, 1, 'no trial is tried without it');
    assert.deepEqual(await lab.findLeftovers(run), []);
    await testbed.up.checkClean(['h1']);
  });
});
