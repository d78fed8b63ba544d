/** Experiments over hosts made of namespaces, in profile quick, and their plans for a server host with more cores. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { installParts, listClientParts, listServerParts } from '../../harness/run/install.js';
import { makeSpec } from '../../harness/spec/spec.js';
import { skip, useHosts } from '../hosts/hosts.js';
import { until } from '../smoke/lab.js';

/** @typedef {ReturnType<typeof useHosts>} Testbed */

/** Rules for several hosts. On a busy machine they may flag a trial: the marks of two hosts are not simultaneous. */
const OF_HOSTS = ['counts-agree', 'server-counts', 'live-agrees'];

/** @param {Testbed} testbed @param {string[]} argv of the harness @param {Record<string, string>} [more] */
function run(testbed, argv, more) {
  const [program, ...rest] = [...testbed.up.inside, process.execPath, 'harness/main.js', ...argv, ...testbed.options];
  return spawnSync(program, rest, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...more } });
}

/**
 * @param {Testbed} testbed @param {string} experiment a folder
 * @param {(bundle: string, trials: string[]) => void} look called if each trial is done, without wrong answers
 */
async function carryOut(testbed, experiment, look) {
  const spec = makeSpec(experiment, 'quick', 1);
  // the hosts use this installation
  await installParts([...listServerParts(spec), ...listClientParts(spec)], console.log);
  const results = mkdtempSync(join(tmpdir(), 'hosts-results-'));
  try {
    const { status, stdout, stderr } = run(testbed, ['run', String(Number(experiment.slice(0, 2))), '--profile', 'quick'], { WSCALE_RESULTS: results });
    assert.equal(status, 0, stdout + stderr);
    const bundle = join(results, experiment, readdirSync(join(results, experiment))[0]);
    const trials = readdirSync(join(bundle, 'trials'));
    assert.equal(trials.length, readTsv(join(bundle, 'plan.tsv')).length);
    for (const trial of trials) {
      assert.equal(readFileSync(join(bundle, 'trials', trial, 'status'), 'utf8'), 'done\n', trial);
      const rules = readTsv(join(bundle, 'trials', trial, 'validity.tsv'));
      const valueOf = (/** @type {string} */ name) => Number(rules.find(({ rule }) => rule === name)?.value);
      assert.ok(OF_HOSTS.some((name) => Number.isFinite(valueOf(name))), trial);
      assert.equal(valueOf('wrong-answers'), 0, trial);
    }
    look(bundle, trials);
    await testbed.up.checkClean();
  } finally {
    rmSync(results, { recursive: true });
  }
}

describe('over two hosts', { skip }, () => {
  const testbed = useHosts(2);

  it('experiment 3 is carried out', () => carryOut(testbed, '03-engineio-vs-socketcluster', (bundle) => {
    assert.ok(readTsv(join(bundle, 'reduced', 'compared.tsv')).length > 0);
  }));

  it('experiment 5 is carried out, each role on the server\'s host', () => carryOut(testbed, '05-core-scaling', (bundle, trials) => {
    const sweep = trials.find((name) => name.includes('sweep'));
    assert.ok(sweep);
    const sides = readTsv(join(bundle, 'trials', sweep, 'raw', 'accounts.tsv')).filter(({ mark }) => mark === 'window_end')
      .map(({ side, pid }) => `${side} ${pid.includes(':')}`);
    assert.deepEqual([...new Set(sides)].sort(), ['capture false', 'capture true', 'client true', 'server false']);
    const steps = readTsv(join(bundle, 'trials', sweep, 'raw', 'steps.tsv')).length;
    const marks = new Set(readTsv(join(bundle, 'trials', sweep, 'raw', 'accounts.tsv')).map(({ mark }) => mark));
    assert.ok(steps > 1 && marks.size > steps, `${steps} steps, ${[...marks].join()}`);
  }));

  it('experiments 13 and 15 are carried out, each client process on the clients\' host', async () => {
    const clientsOf = (/** @type {string} */ bundle, /** @type {string} */ trial) => readTsv(join(bundle, 'trials', trial, 'raw', 'accounts.tsv'))
      .filter(({ mark, side }) => mark === 'window_end' && side === 'client').map(({ pid }) => pid);
    await carryOut(testbed, '13-client-limits', (bundle, trials) => {
      // the default generator, and swarm
      assert.equal(new Set(trials.map((trial) => trial.includes('generator-'))).size, 2, trials.join());
      for (const trial of trials) assert.match(clientsOf(bundle, trial).join(), /^h2:\d+(,h2:\d+)*$/, trial);
    });
    await carryOut(testbed, '15-ramp-to-saturation', (bundle, trials) => {
      const counts = trials.map((trial) => new Set(clientsOf(bundle, trial).filter((pid) => pid.startsWith('h2:'))).size);
      assert.ok(counts.every((count) => count >= 2), counts.join());
    });
  });

  it('experiment 17 is carried out, the browser on the clients\' host', () => carryOut(testbed, '17-page-delivery', (bundle, trials) => {
    for (const trial of trials) {
      const accounts = readTsv(join(bundle, 'trials', trial, 'raw', 'accounts.tsv')).filter(({ mark }) => mark === 'window_end');
      const pidsOf = (/** @type {string} */ name) => accounts.filter(({ role }) => role === name).map(({ pid }) => pid).join();
      assert.match(pidsOf('worker'), /^\d+$/, trial);
      assert.match(pidsOf('browser'), /^h2:\d+(,h2:\d+)*$/, trial);
    }
  }));

  it('the doctor tells of each host its round trip, its clock, its congestion control, and the rate to the server', async () => {
    const { stdout, stderr } = run(testbed, ['doctor']);
    const [server, client] = ['h1 (server, 10.77.0.2)', 'h2 (client, 10.77.0.3)'].map((head) => stdout.split(head)[1]?.split(/\nh\d /)[0] ?? '');
    // client clocks are compared with the server's
    for (const [told, drift] of /** @type {[string, string[]][]} */ ([[server, []], [client, ['clock drift']]])) {
      for (const what of ['round trip', 'clock', ...drift, 'time of day', 'congestion control']) assert.match(told, new RegExp(`^ +(ok|warn|fail) +${what} `, 'm'), stdout + stderr);
    }
    assert.match(client, /^ +(ok +rate +[\d.]+ [MG]bit\/s to h1|warn +rate)/m);
    await testbed.up.checkClean();
  });

  it('a plan has what the server\'s host has the cores for, here sixteen and the load on others', async () => {
    const invented = join(testbed.up.folder, 'nproc');
    writeFileSync(invented, '');
    chmodSync(invented, 0o755);
    const inServer = (/** @type {string[]} */ ...argv) => testbed.up.runOn('h1', ...argv);
    const nproc = spawnSync('sh', ['-c', 'command -v nproc'], { encoding: 'utf8' }).stdout.trim();
    assert.equal(inServer('mount', '--bind', invented, nproc), 0);
    const planOn = (/** @type {number} */ cores, /** @type {number} */ experiment) => {
      writeFileSync(invented, `#!/bin/sh\necho ${cores}\n`);
      const { status, stdout, stderr } = run(testbed, ['run', String(experiment), '--plan']);
      assert.equal(status, 0, stderr);
      return stdout;
    };
    try {
      for (const [experiment, only] of /** @type {[number, RegExp][]} */ ([
        [5, /socketcluster-2014-saturated-cores-own-processes-7\+7\+1$/m], [7, /connections-25000-processes-12\+18\+1/],
        [8, /readme-connections-100/], [9, /connections-42000-processes/],
      ])) assert.match(planOn(16, experiment), only);
      assert.doesNotMatch(planOn(2, 5), /cores-own/);
      assert.match(planOn(64, 5), /socketcluster-2014-saturated-cores-own-processes-15\+15\+1$/m);
      for (const [cores, connections] of [[4, 38], [8, 100]]) assert.match(planOn(cores, 8), new RegExp(`readme-connections-${connections}\\b`));
      assert.match(planOn(16, 4), /cores-own/, 'the same points on any: there each process has a core of its own');
    } finally {
      assert.equal(inServer('umount', '--lazy', nproc), 0);
    }
    await testbed.up.checkClean();
  });
});

/** Round trip of the link to the client's host. */
const RTT_US = 1000;

describe('over two hosts with a slow link between them', { skip }, () => {
  const testbed = useHosts(2, RTT_US);

  it('experiment 11 is carried out on that link, and its claims are judged on it', () => carryOut(testbed, '11-websocket-vs-tcp', (bundle, trials) => {
    for (const trial of trials) {
      const samples = readTsv(join(bundle, 'trials', trial, 'raw', 'client', 'serial.tsv'));
      const least_us = Math.min(...samples.map(({ us }) => Number(us)));
      assert.ok(samples.length > 0 && least_us >= RTT_US, `${trial}: ${least_us} us`);
    }
    const rows = readTsv(join(bundle, 'comparisons.tsv'));
    assert.deepEqual([...new Set(rows.map(({ claim }) => claim))], ['B3', 'B4', 'B5']);
    assert.deepEqual([...new Set(rows.map(({ setting }) => setting))], ['-']);
    const { verdicts } = readJson(join(bundle, 'verdict.json'));
    assert.equal(verdicts.length, rows.length);
  }));
});

/** To test with more hosts: HOSTS_COUNT=101 make test TESTS=test/more/hosts-experiments.test.js */
const COUNT = Number(process.env.HOSTS_COUNT ?? 10);

describe(`over ${COUNT} hosts`, { skip }, () => {
  const testbed = useHosts(COUNT);
  const CLIENTS = Array.from({ length: COUNT - 1 }, (_, index) => `h${index + 2}`);
  const CONNECTIONS = 2 * COUNT;
  const TRIAL = 'b01-ws-steady';

  /** Stops the client processes of h3 until half of the window is over. @param {ReturnType<Testbed['makeLab']>} lab */
  async function holdUpOne(lab) {
    const isTold = (/** @type {(row: Record<string, string>) => boolean} */ holds) => readTsv(lab.inTrial(TRIAL, 'raw/live.tsv')).some(holds);
    await until(() => isTold(({ host }) => host === 'h3'), 'the load', 300);
    const pids = testbed.up.listOn('h3').filter(({ command }) => command.includes('clients/forked/')).map(({ pid }) => pid);
    assert.ok(pids.length > 0);
    const signal = (/** @type {NodeJS.Signals} */ name) => pids.forEach((pid) => process.kill(pid, name));
    signal('SIGSTOP');
    const isEnough = () => isTold(({ host, t_s }) => host !== 'h3' && Number(t_s) >= 5) || lab.findRunning() === undefined;
    await until(isEnough, 'half of the window', 300).finally(() => signal('SIGCONT'));
  }

  it('the client hosts share the load of one host, their records add up to it, and a host that stood still is named', async () => {
    const lab = testbed.makeLab({ hold_s: 6, connections: CONNECTIONS });
    const { ended } = lab.start(testbed.options);
    await holdUpOne(lab);
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, stdout + stderr);
    const { window, processes } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
    assert.deepEqual([...new Set(processes.map((/** @type {{host: string}} */ { host }) => host))].sort(), [...CLIENTS].sort());
    assert.equal(window.due, CONNECTIONS * 60, 'of each connection a message each 100 ms for 6 s');
    const each = CLIENTS.map((name) => readJson(lab.inTrial(TRIAL, 'raw', 'hosts', name, 'client', 'summary.json')).window);
    for (const count of ['due', 'sent', 'received']) assert.equal(each.reduce((sum, own) => sum + own[count], 0), window[count], count);
    const countLines = (/** @type {string[]} */ ...path) => (
      readFileSync(lab.inTrial(TRIAL, 'raw', ...path, 'client', 'latency.hlog'), 'utf8').match(/^[0-9]/gm)?.length ?? 0);
    assert.equal(countLines(), CLIENTS.reduce((sum, name) => sum + countLines('hosts', name), 0), 'histograms of all stand in one log');
    const slow = readTsv(lab.inTrial(TRIAL, 'validity.tsv')).find(({ rule }) => rule === 'slow-host');
    assert.equal(slow?.passed, 'no');
    assert.match(slow.words, /: h\d+$/); // on a busy machine another host may be slower still
    await testbed.up.checkClean(['h1', ...CLIENTS]);
  });
});
