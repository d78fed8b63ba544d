/**
 * The image of the suite (Containerfile), built and run by podman with runc on a base that debootstrap makes; and the manifests of
 * infra/kubernetes, carried out by a stand-in for kubectl whose pods are containers of that image.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readJson } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { BASE, LIMITS, makeBase, podman, podmanOk, removeBase, skip } from '../hosts/containers.js';
import { Lab } from '../smoke/lab.js';

const IMAGE = `localhost/wscale-test-${process.pid}:image`;
const PARTS = 'servers/ws clients/forked/ws clients/forked';
const TRIAL = 'b01-ws-steady';
const QUOTA = 1.5;

describe('the image of the suite', { skip }, () => {
  const lab = new Lab({ repeats: 1 });
  const bin = mkdtempSync(join(tmpdir(), 'image-bin-'));

  before(() => {
    makeBase();
    const { code, stdout, stderr } = podman(['build', '--pull=never', ...LIMITS, '--build-arg', `BASE=${BASE}`, '--build-arg', `PARTS=${PARTS}`, '--tag', IMAGE, '.'],
      { timeout: 1_800_000 });
    assert.equal(code, 0, `${stdout}${stderr}`.slice(-5000));
    mkdirSync(lab.results, { recursive: true });
    symlinkSync(join(ROOT, 'test/more/kubernetes/kubectl'), join(bin, 'kubectl'));
  });
  after(() => {
    lab.remove();
    rmSync(bin, { recursive: true });
    podman(['image', 'rm', '--force', IMAGE]);
    podman(['image', 'prune', '--force', '--filter', 'label=org.opencontainers.image.title=wscale-build']); // the stage before the last
    removeBase();
  });

  const run = (/** @type {string[]} */ options, /** @type {string[]} */ ...argv) => podman(['run', '--rm', '--pull', 'never', ...LIMITS, ...options, IMAGE, ...argv]);

  it('runs an experiment as a user that is not root, and records that it was a container, with its quota', () => {
    const options = ['--cpus', String(QUOTA), '-v', `${lab.results}:/results:U`, '-v', `${lab.experiments}:/experiments:ro`, '-e', 'WSCALE_EXPERIMENTS=/experiments'];
    const { code, stdout, stderr } = run(options, 'run', '1', '--profile', 'quick');
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
    const { environment } = readJson(join(String(lab.listBundles().pop()), 'spec.json'));
    assert.equal(environment.container.kind, 'podman');
    assert.equal(environment.container.seccomp, true);
    assert.equal(environment.cpu_quota_cores, QUOTA);
    const { stdout: user } = run(['--entrypoint', 'id'], '-u');
    assert.equal(user.trim(), '10001');
  });

  it('has a doctor that says what the container can not do, and what it distorts', () => {
    const { code, stdout } = run(['--cpus', String(QUOTA), '--cpuset-cpus', '0', '--memory', '900m', '--pids-limit', '500'], 'doctor');
    assert.equal(code, 0, stdout);
    for (const line of [
      /^warn {2}container +podman: /m, /^warn {2}seccomp +each system call/m, /^warn {2}processes +500 /m, /^warn {2}memory +\d{3} MB/m,
      /^warn {2}namespaces /m,
    ]) assert.match(stdout, line);
    const { stdout: bounded } = run(['--cpus', '0.5'], 'doctor');
    assert.match(bounded, /^warn {2}CPU quota +0\.5 of \d+ cores/m);
  });

  it('says what it lacks, and installs nothing', () => {
    const { code, stderr } = run([], 'run', '3', '--profile', 'quick');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: not in this image: .*servers\/engine\.io, .+ --build-arg PARTS="servers\/\S+ .+"/m);
  });

  it('holds no secret, and nothing of git, tests or results', () => {
    const { stdout } = run(['--entrypoint', 'find'], '/wscale', '-maxdepth', '1');
    for (const name of ['.git', 'test', 'results', 'hosts.toml']) assert.ok(!stdout.split('\n').includes(`/wscale/${name}`), name);
    const [{ Config }] = JSON.parse(podmanOk('inspect', IMAGE));
    assert.deepEqual(Config.Env.map((/** @type {string} */ each) => each.split('=')[0]).sort(), ['PATH', 'WSCALE_RESULTS', 'WSCALE_SEALED']);
    assert.equal(Config.User, '10001:10001');
  });

  it('is what the manifests for Kubernetes run on, by a stand-in for kubectl, from the first command to the last', async () => {
    const prefix = `wscale-test-${process.pid}-`;
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, STAND_IN_IMAGE: IMAGE, STAND_IN_PREFIX: prefix };
    const kubectl = (/** @type {string[]} */ ...argv) => spawnSync('kubectl', argv, { env, encoding: 'utf8' });
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
      const left = ['wscale-server', 'wscale-client-0-x0'].map((pod) => kubectl('exec', '-i', '-n', 'wscale', `pod/${pod}`, '--', 'sh', '-c', 'ls /tmp; ps -eo args=').stdout);
      for (const each of left) assert.deepEqual(each.split('\n').filter((line) => line && !/^(sh -c|sleep 3600|ps -eo)/.test(line)), []);
    } finally {
      kubectl('delete', 'namespace', 'wscale');
    }
    assert.deepEqual(podmanOk('ps', '--all', '--format', '{{.Names}}').split('\n').filter((name) => name.startsWith(prefix)), []);
    assert.ok(readdirSync(lab.results).length > 0);
  });
});
