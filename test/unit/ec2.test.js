/** Hosts on EC2 without requests to Amazon: what would be requested, its price, the files, and the order of removal. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'smol-toml';
import { UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import { askMake } from '../make.js';
import { bringDown, chooseClusters } from '../../infra/ec2/down.js';
import { ClusterFolder } from '../../infra/ec2/folder.js';
import { readHostKeys } from '../../infra/ec2/host-keys.js';
import { describeEnd } from '../../infra/ec2/list.js';
import { describeCost, estimate, parsePrices, readPrices } from '../../infra/ec2/prices.js';
import { checkHours, coresOf, estimateHours } from '../../infra/ec2/run.js';
import { askForYes, chooseMachines } from '../../infra/ec2/up.js';
import { readPresets, readRequest } from '../../infra/ec2/request.js';

const folder = mkdtempSync(join(tmpdir(), 'ec2-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {() => unknown} run @returns {string[]} problems of the UserError that it throws */
function problemsOf(run) {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.problems;
  }
  return [];
}

const PRICES = [
  ['here', 'big.large', 1], ['here', 'small.large', 0.5], ['here', 'volume', 0.0730], ['here', 'public-address', 0.01], ['here', 'egress', 0.1],
  ['there', 'small.large', 0.6], ['there', 'volume', 0.146], ['there', 'public-address', 0.02], ['there', 'egress', 0.2],
].map(([region, item, usd]) => ({ as_of: '2025-01-01', region: String(region), item: String(item), unit: '-', usd: Number(usd) }));
const ORDER = { region: 'here', server: 'big.large', client: 'small.large', clients: 4, hours: 3 };

test('hosts cost what their types, volumes and public addresses do, for as long as they may live', () => {
  const { usd_h, usd, as_of } = estimate(ORDER, PRICES);
  assert.ok(Math.abs(usd_h - (1 + 4 * 0.5 + 5 * 0.003 + 5 * 0.01)) < 1e-9, String(usd_h)); // 30 GB; 730 h a month
  assert.ok(Math.abs(usd - 3 * usd_h) < 1e-9);
  assert.equal(as_of, '2025-01-01');
});

test('each command of docs/ec2.md costs what the page says, by the table of prices and the plans of today', () => {
  const rows = [...readFileSync(join(ROOT, 'docs', 'ec2.md'), 'utf8').matchAll(/^\| `make (ec2-\w+) (.*)` \| (.*) \| \$(\S+) \| \$(\S+) for (\d+) h \|$/gm)];
  assert.ok(rows.length >= 4, `${rows.length}`);
  for (const [, target, text, , hour_usd, usd, told_h] of rows) {
    const { EXPERIMENT: experiment, PROFILE = 'default', HOURS, ...given } = Object.fromEntries(text.split(' ').map((pair) => pair.split('=')));
    const asked = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
    const { machines: [machines], clients } = readRequest({ ...asked, hours: '1' });
    const cores = Math.max(...readRequest({ ...asked, hours: '1' }).machines.map(({ server }) => coresOf(server)));
    const hours = target === 'ec2-run' ? estimateHours({ experiment, passed: { profile: PROFILE }, cores }) : Number(HOURS);
    const cost = estimate({ region: 'us-east-1', ...machines, clients, hours }, readPrices());
    assert.deepEqual([hour_usd, usd, told_h].join(), [cost.usd_h.toFixed(2), cost.usd.toFixed(2), hours].join(), `${target} ${text}`);
  }
});

test('a type without a price is an error that says where it has one, and each is reported', () => {
  assert.deepEqual(problemsOf(() => estimate({ ...ORDER, server: 'odd.large', region: 'there' }, PRICES)).map((problem) => problem.split(';')[0]),
    ['PRICE: infra/ec2/prices.tsv has no price of odd.large in there (nor of any other region)']);
  assert.match(problemsOf(() => estimate({ ...ORDER, region: 'there' }, PRICES)).join(), /no price of big\.large in there \(it knows that of here\); .+PRICE=big\.large=/);
  assert.equal(problemsOf(() => estimate({ ...ORDER, region: 'nowhere' }, PRICES)).length, 2);
});

test('a given price replaces the table\'s; in a region that the table lacks, other items cost the most of any region', () => {
  const { usd_h } = estimate({ ...ORDER, region: 'nowhere' }, PRICES, { 'big.large': 2, 'small.large': 1 });
  assert.ok(Math.abs(usd_h - (2 + 4 + 5 * 0.006 + 5 * 0.02)) < 1e-9, String(usd_h));
  assert.deepEqual(parsePrices('c7i.large=0.09, m7i.large=1'), { 'c7i.large': 0.09, 'm7i.large': 1 });
  assert.deepEqual(problemsOf(() => parsePrices('c7i.large 0.1')).length, 2);
});

test('what is shown has the date of the prices, that they are to be checked, and what a spot instance is', () => {
  const text = describeCost(ORDER, estimate(ORDER, PRICES), true);
  assert.match(text, /At most \$9\.20 for 3 h/);
  assert.match(text, /of 2025-01-01, from infra\/ec2\/prices\.tsv, a table to be checked/);
  assert.match(text, /Spot instances cost less/);
  assert.doesNotMatch(describeCost(ORDER, estimate(ORDER, PRICES), false), /Spot/);
});

test('the table has the types that are usual and those of every preset, in some region, each once', () => {
  const prices = readPrices();
  const keys = prices.map(({ region, item }) => `${region} ${item}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(prices.every(({ usd, as_of }) => usd > 0 && /^\d{4}-\d\d-\d\d$/.test(as_of)));
  const types = readPresets().flatMap(({ server, client, server_today, client_today }) => [server, client, server_today, client_today]);
  for (const type of [...types, 'c7i.4xlarge', 'c7i.2xlarge']) assert.ok(keys.includes(`us-east-1 ${type}`), type);
});

test('everything that is wrong with a request is reported at once', () => {
  const given = { server: 'c7g.large', client: 'big', clients: '101', hours: '0', caller: '0.0.0.0/0', cluster: 'A', image: 'x', preset: 'none', price: 'a', zone: '1' };
  const reported = problemsOf(() => readRequest(given)).map((problem) => problem.split(':')[0]);
  assert.deepEqual(reported, ['SERVER', 'CLIENT', 'CLIENTS', 'HOURS', 'IMAGE', 'CALLER', 'ZONE', 'CLUSTER', 'PRESET', 'PRICE']);
});

test('processors that are not x86-64 are refused by their types, and no others', () => {
  const isRefused = (/** @type {string} */ server) => problemsOf(() => readRequest({ server })).length > 0;
  assert.deepEqual(['a1.large', 'c7g.large', 'c7gn.4xlarge', 'm8gd.large', 't4g.micro', 'im4gn.large'].filter((type) => !isRefused(type)), []);
  assert.deepEqual(['c7i.large', 'g5.xlarge', 'g4dn.xlarge', 'm7i-flex.large', 'c3.8xlarge', 't3.micro'].filter(isRefused), []);
});

test('a request has usual values, and what is given by itself goes before the preset', () => {
  const { machines, clients, hours, caller, image } = readRequest({ caller: '198.51.100.7' });
  assert.deepEqual(machines, [{ server: 'c7i.4xlarge', client: 'c7i.2xlarge' }]);
  assert.deepEqual({ clients, hours, caller }, { clients: 1, hours: 3, caller: '198.51.100.7/32' });
  assert.match(image, /^\/aws\/service\/debian\/release\/12\//);
  assert.deepEqual(readRequest({ preset: 'thesis-concurrent', client: 'c7i.large' }).machines,
    [{ server: 'c3.8xlarge', client: 'c7i.large' }, { server: 'c7i.8xlarge', client: 'c7i.large' }]);
});

/** @param {[string, string][]} offers type and zone @returns {any} an Amazon that offers only these */
const offering = (offers) => ({ region: 'here', askAll: async () => offers.map(([InstanceType, Location]) => ({ InstanceType, Location })) });

test("a preset's own machines are taken where one zone has both, else today's nearest, else none", async (context) => {
  const log = context.mock.method(console, 'log', () => {});
  const request = readRequest({ preset: 'readme-concurrent' });
  const old = /** @type {[string, string][]} */ ([['m3.2xlarge', 'b'], ['c3.8xlarge', 'b'], ['m7i.2xlarge', 'a'], ['c7i.8xlarge', 'a']]);
  assert.deepEqual(await chooseMachines(offering(old), request), { server: 'm3.2xlarge', client: 'c3.8xlarge', zone: 'b' });
  assert.equal(log.mock.callCount(), 0);
  assert.deepEqual(await chooseMachines(offering(old.slice(1)), request), { server: 'm7i.2xlarge', client: 'c7i.8xlarge', zone: 'a' });
  assert.match(String(log.mock.calls[0].arguments[0]), /m3\.2xlarge and c3\.8xlarge are not to be had in here/);
  await assert.rejects(chooseMachines(offering([['m7i.2xlarge', 'a'], ['c7i.8xlarge', 'b']]), request), /no zone of here has m3\.2xlarge with c3\.8xlarge, or m7i/);
});

test('hosts are taken in the zone that is given; where it lacks a type the zones that have both are told', async () => {
  const offers = /** @type {[string, string][]} */ (['a', 'b'].flatMap((zone) => ['c7i.large', 'm7i.large'].map((type) => [type, zone])));
  const choose = (/** @type {string} */ zone) => chooseMachines(offering(offers), readRequest({ server: 'c7i.large', client: 'm7i.large', zone: `us-east-1${zone}` }));
  offers.forEach((offer) => { offer[1] = `us-east-1${offer[1]}`; });
  assert.equal((await choose('b')).zone, 'us-east-1b');
  await assert.rejects(choose('c'), /^Error: ZONE: "us-east-1c" does not have c7i\.large with m7i\.large in here; give one of us-east-1a, us-east-1b, or leave it out$/);
});

test('nothing is started without a yes: where there is no terminal YES=1 is asked for', async () => {
  await askForYes(true);
  if (!process.stdin.isTTY) await assert.rejects(askForYes(false), /YES: nothing was started, .+; give YES=1/);
});

test("a host's keys are those between the marks of its console, whatever goes before each; without the second mark there are none", () => {
  const block = ['-----BEGIN SSH HOST KEY KEYS-----', 'ci-info: ecdsa-sha2-nistp256 AAAAE2Vj= root@ip', 'ssh-ed25519 AAAAC3Nz root@ip', '-----END SSH HOST KEY KEYS-----'];
  assert.deepEqual(readHostKeys(`ssh-rsa AAAAother\r\n${block.join('\r\n')}\r\nlogin:`), ['ecdsa-sha2-nistp256 AAAAE2Vj=', 'ssh-ed25519 AAAAC3Nz']);
  assert.deepEqual(readHostKeys(block.slice(0, 3).join('\n')), []);
});

test('hosts.toml and the configuration of ssh name each host, its address, its key, and check it', () => {
  const own = new ClusterFolder('try');
  own.path = join(folder, 'ec2', 'try');
  assert.match(own.makeKey(), /^ssh-ed25519 AAAA\S+ wscale$/);
  assert.equal(statSync(own.path).mode & 0o777, 0o700);
  const hosts = ['server', 'client-1'].map((name, index) => ({ id: `i-${index}`, name, cluster: 'try', type: 't', state: 'running', private: `10.214.0.${index + 4}` }));
  own.writeSsh(hosts.map((host, index) => ({ host, at: `198.51.100.${index}`, keys: ['ssh-ed25519 AAAA'] })), 'admin');
  assert.equal(readFileSync(own.at('known_hosts'), 'utf8'), '198.51.100.0 ssh-ed25519 AAAA\n198.51.100.1 ssh-ed25519 AAAA\n');
  const { stdout } = spawnSync('ssh', ['-G', '-F', own.at('ssh_config'), 'client-1'], { encoding: 'utf8' });
  for (const line of ['hostname 198.51.100.1', 'user admin', 'stricthostkeychecking true', 'passwordauthentication no', `identityfile ${own.at('id')}`]) {
    assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`);
  }
  assert.deepEqual(JSON.parse(JSON.stringify(parse(readFileSync(own.writeHosts(hosts), 'utf8')))), { ssh_config: 'ssh_config', hosts: [
    { name: 'server', ssh: 'server', role: 'server', address: '10.214.0.4' }, { name: 'client-1', ssh: 'client-1', role: 'client', address: '10.214.0.5' },
  ] });
  assert.match(readFileSync(own.writeHosts(hosts, '/srv/wscale'), 'utf8'), /suite = "\/srv\/wscale"/);
});

test('hosts of a run live longer than its plan takes, and fewer hours are refused with how many would do', () => {
  const task = { experiment: '5', passed: { profile: 'paper' } };
  const hours = estimateHours(task);
  assert.ok(hours >= 3, String(hours));
  const all = ['m3.medium', 'c7i.xlarge', 'c7i.4xlarge', 'c3.8xlarge', 'c7i.metal-24xl'].map(coresOf);
  assert.deepEqual(all, [1, 4, 16, 32, 64]);
  assert.ok(estimateHours({ ...task, cores: 32 }) > estimateHours({ ...task, cores: 2 }), 'more cores run more');
  const [two, every] = ['ws gorilla', undefined].map((engines) => estimateHours({ experiment: '16', passed: { profile: 'paper', ...(engines && { engines }) } }));
  assert.ok(two < every, `two engines ${two} h, all ${every} h`);
  assert.equal(estimateHours({ ...task, passed: { profile: 'paper', patience: '120' } }), hours + 2);
  checkHours(task, hours);
  assert.match(problemsOf(() => checkHours(task, 1)).join(), new RegExp(`^HOURS: 1 is less than experiment 5 takes in profile paper.+; give HOURS=${hours}$`));
});

test('the end of a cluster is given relative to now', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(describeEnd('2026-01-01T02:05:00Z', now), 'in 2 h 05 min');
  assert.equal(describeEnd('2025-12-31T23:00:00Z', now), '1 h 00 min ago');
  assert.equal(describeEnd('-', now), 'unknown');
});

/** An Amazon with a cluster of one host. It deletes the stack only if `isWhole`. @param {boolean} isWhole @param {string} [name] */
function makeAmazon(isWhole, name = 'try') {
  let [hosts, stacks] = [1, 1];
  /** @type {string[]} */
  const asked = [];
  const Tags = [{ Key: 'project', Value: 'wscale' }, { Key: 'wscale:cluster', Value: name }];
  const stack = { StackId: 'id', StackName: 'wscale-try', StackStatus: 'CREATE_COMPLETE', Tags };
  return {
    region: 'here', asked,
    ask: async (/** @type {string} */ _service, /** @type {string} */ command) => {
      asked.push(command);
      if (command === 'TerminateInstances') hosts = 0;
      if (command === 'DeleteStack' && !isWhole) throw new UserError('refused');
      if (command === 'DeleteStack') stacks = 0;
      if (command === 'DescribeStacks' && !stacks) throw new UserError('id does not exist');
      return { Stacks: [stack] };
    },
    askAll: async (/** @type {string} */ _service, /** @type {string} */ command) => ({
      DescribeStacks: stacks ? [stack] : [], DescribeTags: [],
      DescribeInstances: hosts ? [{ Instances: [{ InstanceId: 'i', State: { Name: 'running' }, Tags }] }] : [],
    })[command],
  };
}

test('hosts end before their stack goes', async (context) => {
  const [log, error] = [context.mock.method(console, 'log', () => {}), context.mock.method(console, 'error', () => {})];
  const whole = /** @type {any} */ (makeAmazon(true));
  assert.deepEqual(await chooseClusters(whole, { all: false }), ['try']);
  await assert.rejects(chooseClusters(whole, { cluster: 'other', all: false }), /CLUSTER: there is no other in here \(try\)/);
  assert.equal(await bringDown(whole, ['try']), 0);
  assert.deepEqual(whole.asked.filter((/** @type {string} */ name) => !name.startsWith('Describe')), ['TerminateInstances', 'DeleteStack']);
  assert.match(String(log.mock.calls.at(-1)?.arguments[0]), /^try: removed; nothing of it is left in here/);
  assert.equal(error.mock.callCount(), 0);
});

test('what a tag says is no name of a cluster unless it is one: it would be a folder to remove', async () => {
  for (const name of ['../..', '', '-', 'Try']) {
    assert.deepEqual(await chooseClusters(/** @type {any} */ (makeAmazon(true, name)), { all: true }), [], name);
  }
});

test('a stack that does not go is reported, with exit code 1, and its hosts have ended', async (context) => {
  const error = context.mock.method(console, 'error', () => {});
  const broken = /** @type {any} */ (makeAmazon(false));
  assert.equal(await bringDown(broken, ['try'], 1), 1);
  assert.ok(broken.asked.includes('TerminateInstances'));
  assert.deepEqual(error.mock.calls.map(({ arguments: [line] }) => line), [
    'error: refused', 'left: stack wscale-try, CREATE_COMPLETE of try',
    "error: ec2 down: 1 thing is left in here; give the command again, or remove it in Amazon's console",
  ]);
});

test('make refuses a variable that ec2-up does not take', () => {
  assert.throws(() => askMake(['ec2-up', 'CLIENT_COUNT=3']), { message: /^ec2 up: CLIENT_COUNT is none of its variables/ });
  assert.deepEqual(askMake(['ec2-up', 'CLIENTS=3', 'HOURS=2']).argv, ['ec2', 'up', '--clients=3', '--hours=2']);
});

const OUTLIVED = `
  import { spawn } from 'node:child_process';
  import { Signals } from ${JSON.stringify(join(ROOT, 'infra/ec2/signals.js'))};
  const child = spawn('sleep', ['300'], { detached: true });
  const stopPassing = new Signals().passTo(child.pid);
  child.on('close', () => { stopPassing(); console.log('over'); });
  console.log(child.pid);
`;

/**
 * @returns {Promise<{caller: import('node:child_process').ChildProcess, group: number}>} a process, and the process
 *   group that it passes signals to
 */
async function startPassing() {
  const caller = spawn(process.execPath, ['--input-type=module', '--eval', OUTLIVED], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = await once(/** @type {import('node:stream').Readable} */ (caller.stdout), 'data');
  return { caller, group: Number(String(pid)) };
}

test('if a process that passes signals is killed, the process group that they go to gets a SIGINT', async () => {
  const { caller, group } = await startPassing();
  assert.ok(existsSync(`/proc/${group}/exe`));
  caller.kill('SIGKILL');
  for (let look = 0; look < 3000 && existsSync(`/proc/${group}/exe`); look++) await new Promise((done) => setTimeout(done, 20));
  assert.ok(!existsSync(`/proc/${group}/exe`));
});

test('a process that passes signals exits once its process group has exited', async () => {
  const { caller, group } = await startPassing();
  process.kill(group, 'SIGTERM');
  assert.deepEqual(await once(caller, 'exit'), [0, null]);
});
