/**
 * Hosts on EC2 from start to end. moto stands in for Amazon, and namespaces at its instances' addresses for the hosts
 * (ec2/world.sh). That network has no way out: nothing reaches Amazon, or an address that moto invents. Needs root and
 * sshd.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { makeTemplate } from '../../infra/ec2/template.js';
import { Lab, sleep, until } from '../smoke/lab.js';

const HERE = join(import.meta.dirname, 'ec2');
const BIN = join(HERE, 'venv', 'bin');
const folder = mkdtempSync(join(tmpdir(), 'ec2-world-'));
const results = join(folder, 'results');
const skip = process.getuid?.() === 0 && existsSync('/usr/sbin/sshd') ? false : 'it takes root, and sshd';

/** @type {import('node:child_process').ChildProcess} */
let world;
let pid = 0;

before(async () => {
  if (skip) return;
  world = spawn(join(HERE, 'world.sh'), [folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    world.stdout?.once('data', resolve);
    world.once('close', (code) => reject(new Error(`world.sh ended with ${code}`)));
  });
  pid = Number(readFileSync(`/proc/${world.pid}/task/${world.pid}/children`, 'utf8').trim());
});

after(async () => {
  if (!skip) {
    const gone = new Promise((resolve) => world.once('close', resolve));
    world.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true });
});

/** @typedef {{code: number | null, stdout: string, stderr: string}} Ended */

/**
 * Starts a command in the namespaces of world.sh.
 * @param {string[]} argv @returns {import('node:child_process').ChildProcess}
 */
function start(...argv) {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _old, ...inherited } = process.env;
  const env = {
    ...inherited, WSCALE_RESULTS: results, TMPDIR: folder,
    AWS_ENDPOINT_URL: 'http://127.0.0.1:5556', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1',
  };
  const inside = ['--target', String(pid), '--net', '--mount', '--pid', `--wd=${ROOT}`, '--', ...argv];
  return spawn('nsenter', inside, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<Ended>} */
function endOf(child) {
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => { said.stdout += data; });
  child.stderr?.on('data', (data) => { said.stderr += data; });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })));
}

/** @param {string[]} argv @returns {Promise<Ended>} */
const run = (...argv) => endOf(start(...argv));
/** @param {string[]} words @returns {Promise<Ended>} */
const make = (...words) => run('make', '--no-print-directory', ...words);
/** @param {string} wanted @param {string[]} argv a command that must print it within some minutes */
async function waitUntilSaid(wanted, ...argv) {
  let said = '';
  for (let look = 0; look < 600; look++) {
    ({ stdout: said } = await run(...argv));
    if (said === wanted) return;
    await sleep(200);
  }
  assert.equal(said, wanted, argv.join(' '));
}

const UP = ['LOGIN=root', 'CALLER=10.214.0.1', `SUITE=${ROOT}`, 'YES=1'];

/** @param {string} name of an action @returns {number} requests for it so far */
const countAsked = (name) => readFileSync(join(folder, 'actions.log'), 'utf8').split('\n').filter((line) => line === name).length;

/** @param {string} address @param {string} name @returns {string} a file that this host wrote */
const readHost = (address, name) => readFileSync(join(folder, address, name), 'utf8');

test('the template passes cfn-lint, and Amazon takes its size with a hundred clients', async () => {
  const types = { server: 't3.small', client: 't3.small' };
  const text = JSON.stringify(await makeTemplate(100, types));
  assert.ok(Buffer.byteLength(text) < 51_200, `${text.length} bytes`);
  writeFileSync(join(folder, 'template.json'), JSON.stringify(await makeTemplate(2, types)));
  const { status, stdout, stderr } = spawnSync(join(BIN, 'cfn-lint'), ['--template', join(folder, 'template.json')], { encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});

test('the template has its own network, open to the caller alone; hosts are placed near each other, require tokens, encrypt disks and end by themselves', async () => {
  const { Resources: made, Parameters } = await makeTemplate(1);
  assert.deepEqual([made.Subnet.Properties.VpcId.Ref, made.Server.Properties.SubnetId.Ref, made.Client1.Properties.SubnetId.Ref], ['Vpc', 'Subnet', 'Subnet']);
  assert.deepEqual(made.Hosts.Properties.SecurityGroupIngress, [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: { Ref: 'CallerCidr' } }]);
  const isCaller = new RegExp(Parameters.CallerCidr.AllowedPattern);
  assert.deepEqual(['198.51.100.7/32', '0.0.0.0/0', '10.0.0.0/8'].map((network) => isCaller.test(network)), [true, false, false]);
  const ingress = Object.values(made).filter(({ Type }) => Type === 'AWS::EC2::SecurityGroupIngress').map(({ Properties }) => Object.keys(Properties));
  assert.deepEqual(ingress.map((keys) => keys.some((/** @type {string} */ key) => key.startsWith('Cidr'))), [false], 'besides, hosts alone');
  assert.equal(made.Near.Properties.Strategy, 'cluster');
  const { LaunchTemplateData: launch } = made.Host.Properties;
  assert.deepEqual(launch.Placement['Fn::If'].slice(0, 2), ['IsNear', { GroupName: { Ref: 'Near' } }]);
  assert.deepEqual([launch.MetadataOptions.HttpTokens, launch.InstanceInitiatedShutdownBehavior], ['required', 'terminate']);
  const [{ Ebs: disk }, ...others] = launch.BlockDeviceMappings;
  assert.deepEqual([disk.Encrypted, disk.DeleteOnTermination, others], [true, true, []]);
  const { Properties: end } = made.End1;
  assert.deepEqual(end.ScheduleExpression, { 'Fn::Sub': 'at(${Ends})' });
  assert.match(end.Target.Arn['Fn::Sub'], /:aws-sdk:ec2:terminateInstances$/);
  const [{ Action, Condition }, ...more] = made.Ender.Properties.Policies[0].PolicyDocument.Statement;
  assert.deepEqual([Action, Condition.StringEquals, more],
    ['ec2:TerminateInstances', { 'aws:ResourceTag/aws:cloudformation:stack-id': { Ref: 'AWS::StackId' } }, []], 'its own hosts alone');
  const [when, spot] = launch.InstanceMarketOptions['Fn::If'];
  assert.deepEqual([when, spot.MarketType], ['IsSpot', 'spot']);
});

test('the playbook passes ansible-lint', () => {
  const env = { ...process.env, HOME: folder, PATH: `${BIN}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(join(BIN, 'ansible-lint'), ['--offline', '--format', 'pep8', 'playbook.yaml'], { cwd: join(ROOT, 'infra/ec2'), encoding: 'utf8', env });
  assert.equal(status, 0, stdout + stderr);
});

test('without a yes the cost is shown, and nothing is started', { skip }, async () => {
  const { code, stdout, stderr } = await make('ec2-up', 'CALLER=10.214.0.1');
  assert.equal(code, 2);
  assert.match(stdout, /At most \$3\.26 for 3 h[^]+of 2025-01-01, from infra\/ec2\/prices\.tsv, a table to be checked/);
  assert.match(stderr, /error: YES: nothing was started/);
  assert.equal(countAsked('CreateStack'), 0);
});

test('hosts come up, are set up and reached by their own keys; they are listed; they go, and nothing is left', { skip }, async () => {
  const up = await make('ec2-up', ...UP, 'CLIENTS=2', 'HOURS=2', 'CLUSTER=try');
  assert.equal(up.code, 0, up.stdout + up.stderr);
  const own = join(results, 'ec2', 'try');
  assert.equal(readFileSync(join(own, 'hosts.toml'), 'utf8').match(/\[\[hosts\]\]/g)?.length, 3);
  for (const [name, address] of [['server', '10.214.0.4'], ['client-1', '10.214.0.5'], ['client-2', '10.214.0.6']]) {
    const looked = await run('ssh', '-F', join(own, 'ssh_config'), name, 'hostname; cat /proc/sys/net/core/somaxconn /proc/sys/kernel/sched_autogroup_enabled /etc/security/limits.d/90-wscale.conf');
    const reported = looked.stdout.split('\n');
    assert.deepEqual(reported.slice(0, 3), [`h${address.split('.')[3]}`, '65535', '0'], looked.stderr);
    assert.ok(reported.includes('* - nofile 1048576'));
    assert.equal(readHost(address, 'shutdown.log'), '-P +120\n');
  }
  const launch = JSON.parse(readHost('10.214.0.4', 'launch.json'));
  assert.equal(launch.InstanceInitiatedShutdownBehavior, 'terminate');
  assert.deepEqual([launch.MetadataOptions.HttpTokens, launch.BlockDeviceMappings[0].Ebs.Encrypted], ['required', true]);

  const list = await make('ec2-list');
  assert.match(list.stdout, /^try in us-east-1: stack wscale-try, CREATE_COMPLETE; ends itself in 1 h \d\d min\n/);
  assert.equal(list.stdout.match(/ running /g)?.length, 3);
  const again = await make('ec2-up', ...UP, 'CLUSTER=try');
  assert.deepEqual([again.code, /CLUSTER: try is there already/.test(again.stderr)], [2, true]);

  const down = await make('ec2-down');
  assert.equal(down.code, 0, down.stderr);
  assert.match(down.stdout, /try: removed; nothing of it is left in us-east-1/);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
  assert.ok(!existsSync(own));
});

test('a host that shows another key than its console did is not talked to, and the stack is removed', { skip }, async () => {
  writeFileSync(join(folder, 'other-key'), '');
  const { code, stderr } = await make('ec2-up', ...UP, 'CLUSTER=other', 'HOURS=1');
  rmSync(join(folder, 'other-key'));
  assert.deepEqual([code, /error: ssh: \S+ shows another key than its console did/.test(stderr)], [2, true], stderr);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

test('where hosts can not be set up the log is kept, and named, and the hosts go', { skip }, async () => {
  const words = ['make', '--no-print-directory', 'ec2-up', ...UP, 'CLUSTER=broken', 'HOURS=1'];
  const { code, stderr } = await run('env', 'ANSIBLE_REMOTE_TMP=/proc/none', ...words);
  assert.equal(code, 2, stderr);
  const [, log] = /^error: setting up: .+; read (\S+); to look at what is there .+ KEEP=1$/m.exec(stderr) ?? [];
  assert.match(readFileSync(join(ROOT, String(log)), 'utf8'), /ERROR|unreachable=1|failed=1/, stderr);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

test('an image that is not to be had is named, before anything is made', { skip }, async () => {
  const askedBefore = countAsked('CreateStack');
  const { stderr } = await make('ec2-up', ...UP, 'IMAGE=/nope');
  assert.match(stderr, /^error: IMAGE: "\/nope" is no parameter of SSM in us-east-1; give another, /m);
  assert.equal(countAsked('CreateStack'), askedBefore);
});

test('what Amazon refuses is reported in one line with what to do; what there was by then is kept where that was asked for', { skip }, async () => {
  writeFileSync(join(folder, 'refuse'), 'GetConsoleOutput UnauthorizedOperation You are not authorized to perform this operation.\n');
  const { code, stderr } = await make('ec2-up', ...UP, 'CLUSTER=refused', 'KEEP=1');
  rmSync(join(folder, 'refuse'));
  assert.equal(code, 2);
  assert.match(stderr, /^error: Amazon, asked to GetConsoleOutput in \S+: UnauthorizedOperation: .+; these credentials may not do it; /m);
  assert.match(stderr, /^refused is kept; remove it with .\/wscale ec2 down --cluster refused --region us-east-1$/m);
  assert.match((await make('ec2-list')).stdout, /^refused in us-east-1: stack wscale-refused, CREATE_COMPLETE;/);
  assert.equal((await make('ec2-down', 'CLUSTER=refused')).code, 0);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

/**
 * @param {string} cluster
 * @returns {Promise<{pid: string, ended: Promise<Ended>}>} once its hosts run; `pid`: of the command,
 *   in the pid namespace of world.sh
 */
async function startHosts(cluster) {
  const ended = endOf(start('make', 'ec2-up', ...UP, `CLUSTER=${cluster}`));
  const path = join(results, 'ec2', cluster, 'known_hosts');
  await until(() => existsSync(path), 'its hosts', 300);
  const { stdout } = await run('pgrep', '--oldest', '-f', 'harness/main.js ec2 up');
  return { pid: stdout.trim(), ended };
}

test('Ctrl-C while hosts are set up takes the stack down', { skip }, async () => {
  const { pid: own, ended } = await startHosts('stopped');
  await run('kill', '-INT', own);
  const { stdout, stderr } = await ended;
  assert.match(stdout, /stopped: removed; nothing of it is left/, stderr);
  assert.match(stderr, /interrupted by SIGINT/);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

test('a caller that is killed while hosts are set up leaves nothing here', { skip }, async () => {
  const { pid: own, ended } = await startHosts('cut');
  const listLeft = () => readdirSync(folder).filter((name) => name.startsWith('wscale-'));
  await until(() => listLeft().some((name) => name.startsWith('wscale-ansible-')), 'Ansible', 300);
  await run('kill', '-KILL', own);
  await ended;
  await waitUntilSaid('', 'pgrep', '-f', 'ansible-playbook|agent/keeper[.]js');
  assert.deepEqual(listLeft(), []);
  assert.equal((await make('ec2-down', 'CLUSTER=cut')).code, 0);
});

test('a run whose caller is killed ends; its hosts are listed, end themselves at their hour, and what is left goes by its tags alone', { skip }, async () => {
  const lab = new Lab({ engines: ['ws'], repeats: 1, hold_s: 600 });
  const others = join(folder, 'killed'); // apart, so that the later commands lack the caller's files
  const words = ['ec2-run', 'EXPERIMENT=1', 'PROFILE=quick', ...UP, 'HOURS=3', 'SPOT=1', 'CLUSTER=orphan'];
  const ended = endOf(start('env', `WSCALE_EXPERIMENTS=${lab.experiments}`, `WSCALE_RESULTS=${others}`, 'make', '--no-print-directory', ...words));
  const trial = () => readdirSync(join(others, '01-tiny'))[0] ?? 'none';
  const isLoaded = () => existsSync(join(others, '01-tiny')) && existsSync(join(others, '01-tiny', trial(), 'trials', 'b01-ws-steady', 'raw', 'live.tsv'));
  let early = '';
  ended.then(({ stdout, stderr }) => { early = `it ended by itself: ${stdout}${stderr}`; });
  await until(() => early !== '' || isLoaded(), 'the load', 600);
  assert.equal(early, '');
  assert.match((await make('ec2-list')).stdout, /^orphan in us-east-1: stack wscale-orphan, CREATE_COMPLETE; ends itself in 2 h \d\d min\n/);

  const { stdout: own } = await run('pgrep', '--oldest', '-f', 'harness/main.js ec2 run');
  await run('kill', '-KILL', own.trim());
  await ended; // its output closes only when the experiment has ended
  rmSync(lab.root, { recursive: true });
  await waitUntilSaid('', 'pgrep', '-f', 'harness/(main|agent/main|agent/keeper)[.]js');
  const { stdout: list } = await make('ec2-list');
  assert.match(list, /^orphan in us-east-1: stack wscale-orphan, CREATE_COMPLETE; ends itself in 2 h \d\d min\n/);
  assert.equal(list.match(/ running /g)?.length, 2);

  assert.equal(JSON.parse(readHost('10.214.0.4', 'launch.json')).InstanceMarketOptions.MarketType, 'spot');
  assert.deepEqual(readHost('10.214.0.4', 'shutdown.log').split('\n').filter(Boolean).at(-1), '-P +180');
  writeFileSync(join(folder, 'hours-are-over'), '');
  await waitUntilSaid('', 'pgrep', '-f', 'sshd.*10[.]214[.]');
  rmSync(join(folder, 'hours-are-over'));
  const left = await make('ec2-list');
  assert.match(left.stdout, /^orphan in us-east-1: stack wscale-orphan, CREATE_COMPLETE/);
  assert.doesNotMatch(left.stdout, / (pending|running|stopped) /, 'no instance of it lives');

  const down = await make('ec2-down', 'CLUSTER=orphan');
  assert.deepEqual([down.code, down.stderr], [0, '']);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

test('a run brings hosts up, measures on them, keeps its bundle here, and takes them down', { skip }, async () => {
  const lab = new Lab({ engines: ['ws'], repeats: 1 });
  const words = ['ec2-run', 'EXPERIMENT=1', 'PROFILE=quick', ...UP, 'CLIENTS=2', 'CLUSTER=run'];
  const { stdout, stderr } = await run('env', `WSCALE_EXPERIMENTS=${lab.experiments}`, 'make', '--no-print-directory', ...words);
  rmSync(lab.root, { recursive: true });
  // A busy machine may fail the trial. The tests of several hosts check that it is done
  const [bundle] = readdirSync(join(results, '01-tiny')).map((name) => join(results, '01-tiny', name));
  assert.match(readFileSync(join(bundle, 'summary.txt'), 'utf8'), /OVER 3 HOSTS/, stdout + stderr);
  assert.match(readFileSync(join(bundle, 'trials', 'b01-ws-steady', 'status'), 'utf8'), /^(done|failed)/);
  assert.match(stdout, /run: removed; nothing of it is left/);
  assert.equal((await make('ec2-list')).stdout, 'us-east-1: there is nothing of the suite\n');
});

test('a run whose experiment fails takes its hosts down, and says with its exit code that it failed', { skip }, async () => {
  const askedBefore = countAsked('CreateStack');
  const { code, stdout, stderr } = await make('ec2-run', 'EXPERIMENT=3', 'PROFILE=quick', ...UP, 'SUITE=/nowhere', 'CLUSTER=run');
  assert.notEqual(code, 0, stdout);
  assert.match(stderr, /^error: /m);
  assert.match(stdout, /run: removed; nothing of it is left/);
  assert.equal(countAsked('CreateStack'), askedBefore + 1);
});

test('no host is left in a namespace', { skip }, async () => {
  await waitUntilSaid('', 'pgrep', '-f', 'sshd.*10[.]214[.]');
  assert.deepEqual(readdirSync('/etc/sysctl.d').filter((name) => name.includes('wscale')), []);
});
