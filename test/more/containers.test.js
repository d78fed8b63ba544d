/**
 * The suite's image (Containerfile), which podman with runc builds on a base made by debootstrap. Runs over containers
 * of it, reached by `podman exec`: a run reports what happens to a container, and leaves nothing in any. The manifests
 * of infra/kubernetes, carried out by a stand-in for kubectl whose pods are containers of the image.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { Containers, IMAGE, LIMITS, listOfPodman, makeImage, podman, podmanOk, removeImage, skip } from '../hosts/containers.js';
import { Lab, until } from '../smoke/lab.js';

/** @typedef {import('../smoke/lab.js').Harness} Harness */

const SUITE = '/wscale'; // in the image
const TRIAL = 'b01-ws-steady';
const QUOTA = 1.5;
const LONG_S = 900;
/** Long enough to disturb a trial, short enough to wait for its end. */
const HOLD_S = 15;

describe('containers', { skip }, () => {
  /** @type {Lab[]} */
  const labs = [];
  const folder = mkdtempSync(join(tmpdir(), 'containers-test-'));

  before(makeImage);
  after(() => {
    labs.forEach((lab) => lab.remove());
    rmSync(folder, { recursive: true });
    removeImage();
  });

  /** @param {ConstructorParameters<typeof Lab>[0]} [settings] */
  function makeLab(settings) {
    const lab = new Lab({ repeats: 1, ...settings });
    labs.push(lab);
    return lab;
  }

  describe('the image of the suite', () => {
    const run = (/** @type {string[]} */ options, /** @type {string[]} */ ...argv) => podman(['run', '--rm', '--pull', 'never', ...LIMITS, ...options, IMAGE, ...argv]);

    it('runs an experiment as a user that is not root, and records that it was a container, with its quota', () => {
      const lab = makeLab();
      mkdirSync(lab.results);
      const places = ['-v', `${lab.experiments}:/experiments:ro`, '-e', 'WSCALE_EXPERIMENTS=/experiments'];
      const refused = run([...places, '-v', `${lab.results}:/results`], 'run', '1', '--profile', 'quick');
      assert.equal(refused.code, 2, refused.stdout + refused.stderr);
      assert.match(refused.stderr, /^error: .*\/results.*:U/m, 'the folder is not its own');
      const { code, stdout, stderr } = run([...places, '-v', `${lab.results}:/results:U`, '--cpus', String(QUOTA)], 'run', '1', '--profile', 'quick');
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
      const { environment } = readJson(join(String(lab.listBundles().pop()), 'spec.json'));
      assert.equal(environment.container.kind, 'podman');
      assert.equal(environment.container.seccomp, true);
      assert.equal(environment.cpu_quota_cores, QUOTA);
    });

    it('has a doctor that says what the container can not do, and what it distorts', () => {
      const { code, stdout } = run(['--cpus', '0.5', '--cpuset-cpus', '0', '--memory', '900m', '--pids-limit', '500'], 'doctor');
      assert.equal(code, 0, stdout);
      for (const line of [
        /^warn {2}container +podman: /m, /^warn {2}seccomp +each system call/m, /^warn {2}processes +500 /m, /^warn {2}memory +\d{3} MB/m,
        /^warn {2}namespaces /m, /^warn {2}CPU quota +0\.5 of 1 cores/m,
      ]) assert.match(stdout, line);
    });

    it('says what it lacks, and installs nothing', () => {
      const { code, stderr } = run([], 'run', '3', '--profile', 'quick');
      assert.equal(code, 2, stderr);
      assert.match(stderr, /^error: not in this image: .*servers\/engine\.io, .+ --build-arg PARTS="servers\/\S+ .+"/m);
    });

    it('holds no secret, and nothing of git, tests or results', () => {
      const { stdout } = run(['--entrypoint', 'sh'], '-c', 'id -u; ls -A /wscale');
      const [user, ...names] = stdout.trim().split('\n');
      assert.equal(user, '10001');
      assert.ok(names.includes('harness'));
      for (const name of ['.git', 'test', 'results', 'hosts.toml']) assert.ok(!names.includes(name), name);
      const [{ Config }] = JSON.parse(podmanOk('inspect', IMAGE));
      assert.deepEqual(Config.Env.map((/** @type {string} */ each) => each.split('=')[0]).sort(), ['PATH', 'WSCALE_RESULTS', 'WSCALE_SEALED']);
      assert.equal(Config.User, '10001:10001');
    });
  });

  describe('a run over four containers', () => {
    const make = join(folder, 'make');
    /** @type {Containers} */
    let hosts;
    before(() => {
      // A stand-in for make: it logs its arguments, and links what the image has installed
      writeFileSync(make, `#!/bin/sh
echo "$*" >> /var/made
for each in node_modules runtimes/node-24/bin runtimes/node-24/node_modules servers/ws/node_modules clients/forked/ws/node_modules; do
  [ -e "$each" ] || ln -s "${SUITE}/$each" "$each"
done
`);
      chmodSync(make, 0o755);
      hosts = new Containers(4, ['--volume', `${make}:/usr/bin/make:ro`]);
    });
    after(() => hosts?.remove());

    /** @param {Lab} lab @param {string} trial @param {string[]} [more] @returns {Promise<Harness>} during the load */
    async function startLoad(lab, trial, more = []) {
      const harness = lab.start(['--hosts', hosts.writeHosts(SUITE), ...more]);
      await waitForLoad(lab, harness, trial);
      return harness;
    }

    /** @param {Lab} lab @param {Harness} harness @param {string} trial */
    const waitForLoad = (lab, harness, trial) => Promise.race([
      until(() => existsSync(lab.inTrial(trial, 'raw/live.tsv')), `the load of ${trial}`, 400),
      harness.ended.then(({ code, stdout, stderr }) => { throw new Error(`it ended with ${code}: ${stdout}${stderr}`); }),
    ]);

    it('brings the suite to those that lack it, installs it there by its own target, and leaves nothing that runs', async () => {
      const { code, stdout, stderr } = await makeLab().run(['--hosts', hosts.writeHosts()]);
      assert.equal(code, 0, stdout + stderr);
      const brought = [...stdout.matchAll(/^(c\d): bringing the suite to (\S+)\/[0-9a-f]{16}$/gm)].map(([, host, to]) => `${host} ${to}`);
      assert.deepEqual(brought.sort(), hosts.names.map((name) => `${name} /root/wscale`));
      assert.match(hosts.runOn('c1', 'cat', '/var/made'), /install PARTS=servers\/ws$/);
      assert.match(hosts.runOn('c4', 'cat', '/var/made'), /install PARTS=clients\/forked\/ws clients\/forked$/);
      await hosts.checkClean();
    });

    it('has its server in one, its load from the others, whose clocks are compared, and tells no one the way to them', async () => {
      const lab = makeLab();
      const { code, stdout, stderr } = await lab.run(['--hosts', hosts.writeHosts()]);
      assert.equal(code, 0, stdout + stderr);
      assert.doesNotMatch(stdout, /bringing the suite/, 'it was brought before');
      assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
      const { window, processes } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
      assert.ok(window.received > 0 && window.received <= window.sent, JSON.stringify(window));
      assert.deepEqual([...new Set(processes.map((/** @type {any} */ { host }) => host))].sort(), ['c2', 'c3', 'c4']);
      const clocks = readTsv(lab.inTrial(TRIAL, 'raw/clocks/clocks.tsv'));
      assert.deepEqual([...new Set(clocks.map(({ host }) => host))].sort(), ['c2', 'c3', 'c4']);
      assert.ok(clocks.every(({ offset_us, bound_us }) => Math.abs(Number(offset_us)) <= Number(bound_us) + 1000), 'they have one kernel');
      const spec = readFileSync(join(String(lab.listBundles().pop()), 'spec.json'), 'utf8');
      assert.ok(!/podman.*exec|"exec"/.test(spec), "the way to a host is no one's but its owner's");
      const { hosts: of } = JSON.parse(spec).environment;
      assert.deepEqual(Object.entries(of).map(([name, { container }]) => `${name} ${container.kind}`), hosts.names.map((name) => `${name} podman`));
      await hosts.checkClean();
    });

    it('leaves nothing in any when the coordinator is killed', async () => {
      const harness = await startLoad(makeLab({ hold_s: LONG_S }), TRIAL);
      harness.signal('SIGKILL');
      await harness.ended;
      await hosts.checkClean();
    });

    it('goes on when the command to one is killed, ends when one is paused, is resumed, and ends when one is removed', async () => {
      const lab = makeLab({ hold_s: HOLD_S, repeats: 4 });
      const harness = await startLoad(lab, TRIAL);
      const [pid] = listOfPodman(hosts.long('c2'), 'agent/main.js');
      process.kill(pid, 'SIGKILL');
      await waitForLoad(lab, harness, 'b02-ws-steady');
      assert.match(lab.readStatuses()[TRIAL], /^failed: .*the link to host c2 was lost: its podman was killed by SIGKILL/);
      await hosts.pause('c3');
      const paused = await harness.ended;
      assert.equal(paused.code, 2, paused.stdout + paused.stderr);
      assert.match(lab.readStatuses()['b02-ws-steady'], /^failed: .*the agent of host c3 did not answer within \d+ s/);
      assert.match(paused.stderr, /^error: hosts: c3: can not be reached: .+; try: podman exec -i \S+-c3 true; then go on with --resume$/m);
      podmanOk('unpause', hosts.long('c3'));
      await hosts.checkClean();

      const resumed = await startLoad(lab, 'b03-ws-steady', ['--resume']);
      podmanOk('rm', '--force', '--time', '0', hosts.long('c4'));
      const removed = await resumed.ended;
      assert.equal(removed.code, 2, removed.stdout + removed.stderr);
      const { 'b03-ws-steady': ofRemoved, ...others } = lab.readStatuses();
      assert.deepEqual(others, { [TRIAL]: 'done', 'b02-ws-steady': 'done' }, 'the last one did not begin');
      assert.match(ofRemoved, /^failed: .*the link to host c4 was lost: Error: /);
      assert.match(removed.stderr, /^error: hosts: c4: can not be reached: Error: .*; then go on with --resume$/m);
      await hosts.checkClean(['c1', 'c2', 'c3']);
    });
  });

  it('is what the manifests for Kubernetes run on, by a stand-in for kubectl, from the first command to the last', async () => {
    const prefix = `wscale-test-${process.pid}-`;
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(join(ROOT, 'test/more/kubernetes/kubectl'), join(bin, 'kubectl'));
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, STAND_IN_IMAGE: IMAGE, STAND_IN_PREFIX: prefix };
    const kubectl = (/** @type {string[]} */ ...argv) => spawnSync('kubectl', argv, { env, encoding: 'utf8' });
    const lab = makeLab();
    try {
      const applied = kubectl('apply', '-f', join(ROOT, 'infra/kubernetes'));
      assert.equal(applied.status, 0, applied.stderr);
      const asked = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), 'hosts', 'kubernetes', '--clients', '4'], { env, encoding: 'utf8' });
      assert.equal(asked.status, 0, asked.stderr);
      const file = join(lab.root, 'hosts.toml');
      writeFileSync(file, asked.stdout);
      Object.assign(lab.env, env);
      const { code, stdout, stderr } = await lab.run(['--hosts', file]);
      assert.equal(code, 0, stdout + stderr);
      const spec = readJson(join(String(lab.listBundles().pop()), 'spec.json'));
      assert.deepEqual(Object.keys(spec.environment.hosts), ['server', 'client-0', 'client-1', 'client-2', 'client-3']);
      for (const pod of ['wscale-server', 'wscale-client-0-x0']) {
        const left = kubectl('exec', '-i', '-n', 'wscale', `pod/${pod}`, '--', 'sh', '-c', 'ls /tmp; ps -eo args=').stdout.split('\n');
        assert.deepEqual(left.filter((line) => line && !/^(sh -c|sleep 3600|ps -eo)/.test(line)), []);
      }
    } finally {
      kubectl('delete', 'namespace', 'wscale');
    }
    assert.deepEqual(podmanOk('ps', '--all', '--format', '{{.Names}}').split('\n').filter((name) => name.startsWith(`${prefix}wscale`)), []);
  });
});
