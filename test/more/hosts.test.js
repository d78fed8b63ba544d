/**
 * Runs over several hosts, as far as one machine can show it: namespaces with an sshd each (test/hosts/hosts.sh). Their clocks are days
 * apart. Whatever is killed, a trial fails with its reason, the run can be gone on with, and nothing stays on any host.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { listSsh, skip, useHosts } from '../hosts/hosts.js';
import { until } from '../smoke/lab.js';
import { Prometheus } from './prometheus.js';

const TRIAL = 'b01-ws-steady';
/** For what is looked at while it runs, and then ended: however long that takes on a busy machine. */
const LONG_S = 900;
/** By which the monotonic clocks of neighbours differ, µs. */
const APART_US = 100_000 * 1e6;

/** @param {string} runId @param {string[]} words of its command @returns {number | undefined} the ssh of a run */
const findSsh = (runId, ...words) => listSsh(runId).find(({ command }) => words.every((word) => command.includes(word)))?.pid;

describe('a run over hosts of their own', { skip }, () => {
  const testbed = useHosts(2);
  const makeLab = (/** @type {Parameters<typeof testbed.makeLab>[0]} */ settings = undefined) => testbed.makeLab(settings);
  const options = () => testbed.options;

  /** @param {string} command a part of it @param {string} name of the host @returns {number | undefined} */
  const findOn = (command, name) => testbed.up.listOn(name).find((each) => each.command.includes(command))?.pid;

  it('has its server on one and its load from the other, and their clocks are told', async () => {
    const lab = makeLab();
    const { code, stdout, stderr } = await lab.run(options());
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
    const { window, processes } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
    assert.ok(window.sent > 0 && window.received > 0 && window.received <= window.sent, JSON.stringify(window));
    assert.deepEqual([...new Set(processes.map((/** @type {any} */ { host }) => host))], ['h2']);
    const clocks = readTsv(lab.inTrial(TRIAL, 'raw/clocks/clocks.tsv')).filter(({ when }) => when === 'before');
    const [h1, h2] = ['h1', 'h2'].map((name) => clocks.find(({ host }) => host === name) ?? {});
    const apart_us = Number(h2.offset_us) - Number(h1.offset_us);
    assert.ok(Math.abs(apart_us - APART_US) <= Number(h1.bound_us) + Number(h2.bound_us) + 1000, `${apart_us}`); // to the ms that it was set to
    const marks = readTsv(lab.inTrial(TRIAL, 'raw/accounts.tsv')).filter(({ mark }) => mark === 'window_end');
    assert.deepEqual([...new Set(marks.map(({ pid, side }) => `${side}${pid.includes(':') ? ` on ${pid.split(':')[0]}` : ''}`))].sort(),
      ['capture', 'capture on h2', 'client on h2', 'server']);
    assert.ok(readTsv(lab.inTrial(TRIAL, 'raw/live.tsv')).every(({ host }) => ['h1', 'h2'].includes(host)));
    // That they are asked; what they say of a trial on a busy machine is for test/unit
    const rules = Object.fromEntries(readTsv(lab.inTrial(TRIAL, 'validity.tsv')).map(({ rule, value }) => [rule, Number(value)]));
    for (const rule of ['counts-agree', 'clocks-agree', 'slow-host']) assert.ok(rules[rule] >= 0, `${rule}: ${rules[rule]}`);
    const sockets = readTsv(lab.inTrial(TRIAL, 'raw/sockets.tsv'));
    assert.ok(sockets.length <= 1 && sockets.every(({ address }) => address === '10.77.0.3'), JSON.stringify(sockets));
    assert.ok(!existsSync(lab.inTrial(TRIAL, 'raw/sockets-window_end.txt')));
    const spec = readJson(join(String(lab.listBundles().pop()), 'spec.json'));
    assert.deepEqual(spec.hosts.map((/** @type {any} */ { name, role }) => `${name} ${role}`), ['h1 server', 'h2 client']);
    assert.deepEqual(Object.keys(spec.environment.hosts), ['h1', 'h2']);
    assert.match(stdout, /OVER 2 HOSTS: the server on \d+ cores?.*, the load from 1 client host beside it/);
    await testbed.up.checkClean();
  });

  for (const [what, find, why] of /** @type {[string, (run: import('../smoke/lab.js').Run) => number | undefined, RegExp][]} */ ([
    ['the agent of a host', () => findOn('harness/agent/main.js', 'h2'), /^failed: .*the agent of host h2 (has )?ended/],
    ['the ssh to a host', ({ runId }) => findSsh(runId, 'agent/main.js', '10.77.0.3'), /^failed: .*the agent of host h2 (has )?ended/],
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
    const inside = [`--target=${testbed.up.findSshd('h2')}`, '--mount'];
    const resize = (/** @type {string} */ size) => spawnSync('nsenter', [...inside, 'mount', '-o', `remount,size=${size}`, '/tmp']);
    assert.equal(resize('48k').status, 0);
    try {
      const { code, stdout, stderr } = await lab.run(options());
      assert.equal(code, 1, stdout + stderr);
      assert.match(lab.readStatuses()[TRIAL], /^failed: .*h2.*(ENOSPC|disk is full)/);
    } finally {
      resize('50%');
    }
    await testbed.up.checkClean();
  });

  it('refuses a host whose key is not known, or that any key would do for, before anything is started', async () => {
    const lab = makeLab();
    const config = join(testbed.up.folder, 'ssh_config');
    const right = readFileSync(config, 'utf8');
    try {
      writeFileSync(config, right.replace('known_hosts\n', 'none\n'));
      const unknown = await lab.run(options());
      assert.equal(unknown.code, 2);
      const reported = 'error: hosts: h1: can not be reached: Host key verification failed.; try: ssh -o BatchMode=yes 10.77.0.2 true\n';
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
    process.kill(testbed.up.findSshd('h2'), 'SIGKILL'); // the first process of its namespace: all others go with it, and its address
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 2, stdout + stderr);
    assert.match(stderr, /^error: hosts: h2: can not be reached: .+; then go on with RESUME=1$/m);
    const statuses = lab.readStatuses();
    assert.match(statuses[TRIAL], /^failed: .*host h2/);
    assert.equal(Object.keys(statuses).length, 1, 'no trial is tried without it');
    assert.deepEqual(await lab.findLeftovers(run), []);
    await testbed.up.checkClean(['h1']);
  });
});
