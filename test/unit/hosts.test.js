/** Several hosts: hosts.toml, the share of the load that each host gets, and the merge of their records. */
import { listSeconds } from '../../experiments/15-ramp-to-saturation/seconds.js';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import hdr from 'hdr-histogram-js';
import { formatLog } from '../../clients/common/record-files.js';
import { UserError } from '../../harness/common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { folderOf, mergeRecords } from '../../harness/run/merge.js';
import { splitLoad } from '../../harness/run/split.js';
import { quote } from '../../harness/run/way.js';
import { readHosts } from '../../harness/spec/hosts.js';
import { listPoints } from '../../harness/spec/points.js';
import { makeSpec } from '../../harness/spec/spec.js';
import { spreadSpec } from '../../harness/spec/spread.js';
import { describePlainly } from '../../report/condition.js';
import { listComparisons } from '../../analysis/claims/verdict.js';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'hosts-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {string} role @param {string} address @param {string} [more] */
const host = (name, role, address, more = '') => `[[hosts]]\nname = "${name}"\nssh = "root@${name}"\nrole = "${role}"\naddress = "${address}"\n${more}\n`;
const SOUND = host('s1', 'server', '10.0.0.1') + host('c1', 'client', '10.0.0.2', 'leave_cores = 1') + host('c2', 'client', '10.0.0.3', 'addresses = ["10.0.0.4"]');

/** @param {string} text @returns {ReturnType<typeof readHosts>} */
function read(text) {
  const path = join(folder, 'hosts.toml');
  writeFileSync(path, text);
  return readHosts(path);
}

/** @param {string} text @returns {string[]} what is wrong with it */
function refuse(text) {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UserError) return error.problems.map((problem) => problem.replace(/^.*hosts\.toml: /, ''));
  }
  throw new Error('it was not refused');
}

test('hosts.toml is read with its defaults, and the example that is to be copied is sound', () => {
  writeFileSync(join(folder, 'own'), '');
  const { folder: where, ssh_config, hosts } = read(`ssh_config = "own"\n${SOUND}`);
  assert.deepEqual([where, ssh_config, hosts.map(({ name }) => name)], ['wscale', join(folder, 'own'), ['s1', 'c1', 'c2']]);
  assert.equal(readHosts(join(ROOT, 'hosts.example.toml')).hosts.length, 3);
});

for (const [what, text, why] of /** @type {[string, string, RegExp][]} */ ([
  ['an unknown key', `${SOUND}user = "x"\n`, /unknown key "user"; known here: name, ssh, exec, role/],
  ['a missing address', '[[hosts]]\nname = "a"\nssh = "a"\nrole = "both"\n', /"address" is missing; add it/],
  ['an impossible address', host('a', 'both', '10.0.0.300'), /address: "10.0.0.300" is not the IPv4 address of one host/],
  ['an address that stands for all', host('a', 'both', '0.0.0.0'), /address: "0.0.0.0" is not the IPv4 address of one host/],
  ['a folder outside the home', `folder = "/etc"\n${SOUND}`, /^folder: "\/etc" is not a folder of each host's home, without "\.\."; correct it$/],
  ['a folder above the home', `folder = "a/../../b"\n${SOUND}`, /^folder: "a\/\.\.\/\.\.\/b" is not a folder/],
  ['two servers', SOUND + host('s2', 'both', '10.0.0.9'), /^hosts: s1, s2 have the role "server" or "both"; leave it to one$/],
  ['no client', host('s1', 'server', '10.0.0.1'), /^hosts: none has the role "client"; give it to one, or "both" to the server$/],
  ['no server', host('c1', 'client', '10.0.0.1'), /^hosts: none has the role "server"; give it to one$/],
  ['a name of two', SOUND + host('c1', 'client', '10.0.0.9'), /^hosts: "c1" is the name of two; give each its own$/],
  ['an address of two', SOUND + host('c3', 'client', '10.0.0.4'), /^hosts: 10.0.0.4 is an address of two; give each its own$/],
  ['an option for a destination', SOUND.replace('root@c1', '-oProxyCommand=x'), /ssh: "-oProxyCommand=x" is not what stands behind `ssh`: .+ no option: ssh_config names a file of those; correct it$/],
])) test(`hosts.toml with ${what} is refused, with the next step`, () => assert.match(refuse(text)[0], why));

test('all errors of hosts.toml come at once: of each host, of all together, and of the files that it names', () => {
  const one = host('s1', 'server', '10.0.0.1', 'leave_cores = -1') + host('s1', 'both', '10.0.0.1', 'user = "x"') + host('c1', 'client', '10.0.0.300');
  assert.deepEqual(refuse(`ssh_config = "none"\nfolder = "a b"\n${one}`).map((problem) => problem.replace(/ (must|is not (a|the)|unknown key "user").*/, ' $1')), [
    'folder: "a b" is not a', 'hosts.0.leave_cores: -1 must', 'hosts.1: unknown key "user"', 'hosts.2.address: "10.0.0.300" is not the',
    'hosts: "s1" is the name of two; give each its own', 'hosts: 10.0.0.1 is an address of two; give each its own',
    'hosts: s1, s1 have the role "server" or "both"; leave it to one',
    'ssh_config: "none" is no file from here; correct it, or leave it out for your own configuration',
  ]);
  assert.deepEqual(refuse(SOUND.replace('"server"', '"sever"')), ['hosts.0.role: "sever" is not known; use one of server, client, both'], 'it may be the server');
  for (const odd of ['hosts = 1', 'hosts = [1]', 'hosts = []', '[[hosts]]\nname = 1\naddresses = 2\n']) assert.ok(refuse(odd).length > 0, odd);
});

test('all that is wrong with hosts.toml is said at once', () => {
  const problems = refuse(`folder = "/etc"\n${SOUND.replace('10.0.0.2', '0.0.0.0')}${host('c1', 'server', '10.0.0.9')}`);
  assert.deepEqual(problems.map((problem) => problem.split(/: |; /)[1]), ['"/etc" is not a folder of each host\'s home, without ".."',
    '"0.0.0.0" is not the IPv4 address of one host (1.0.0.0 to 223.255.255.255)', '"c1" is the name of two', 's1, c1 have the role "server" or "both"']);
});

test('where there is no hosts.toml the message says what to copy', () => {
  assert.throws(() => readHosts(join(folder, 'none.toml')), /none\.toml: no such file; copy hosts\.example\.toml/);
});

const LOAD = {
  url: 'ws://10.0.0.1:20000', connections: 100, processes: 4, connect_rate_hz: 50, churn_hz: 20, max_connecting: 40, seed: 4294967295, behaviour: 'echo',
  arrivals: { kind: 'constant', period_ms: 100 },
};
/** @param {number} at @returns {import('../../harness/spec/hosts.js').Host} */
const client = (at) => ({ name: `c${at}`, ssh: `c${at}`, role: 'client', address: `10.0.1.${at + 1}` });
const many = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => client(at));

test('connections, rates and processes are split over hosts, and add up to the load', () => {
  for (const count of [1, 3, 7, 50, 100]) {
    const shares = splitLoad(LOAD, many(count), {});
    const sum = (/** @type {string} */ key) => shares.reduce((total, { config }) => total + config[key], 0);
    assert.equal(sum('connections'), 100);
    assert.ok(Math.abs(sum('connect_rate_hz') - 50) < 1e-9);
    assert.ok(Math.abs(sum('churn_hz') - 20) < 1e-9);
    assert.ok(shares.every(({ config }) => config.max_connecting >= 1) && Math.abs(sum('max_connecting') - 40) <= shares.length);
    assert.equal(sum('processes'), Math.max(4, count));
    assert.equal(new Set(shares.map(({ config }) => config.seed)).size, count, 'each host draws its own');
    for (const { config: { seed } } of shares) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32, String(seed));
    assert.deepEqual(shares[0].config.arrivals, LOAD.arrivals);
  }
  assert.deepEqual(splitLoad(LOAD, many(1), {})[0].config, LOAD, 'what is not split is as it was');
});

test('where a point says how many clients there are, no more hosts than that make its load', () => {
  const shares = splitLoad(LOAD, many(7), {}, true).map(({ config: { processes, connections } }) => [processes, connections]);
  assert.deepEqual(shares, Array(4).fill([1, 25]));
  assert.deepEqual(splitLoad({ ...LOAD, processes: 1 }, many(3), {}, true).map(({ config }) => config.connections), [100], 'one client is one');
  const sizes = splitLoad(LOAD, many(3), {}, true).map(({ config: { processes } }) => processes);
  assert.deepEqual(sizes, [2, 1, 1]);
});

test('hosts take turns in connecting, so that all connections are due when those of one host would be', () => {
  const shares = splitLoad(LOAD, many(4), { takes: ['connect_phase'] });
  const due_s = shares.flatMap(({ config: { connections, connect_rate_hz, connect_phase } }) => (
    Array.from({ length: connections }, (_, k) => (k + connect_phase) / connect_rate_hz))).sort((a, b) => a - b);
  assert.ok(due_s.every((at_s, k) => Math.abs(at_s - k / 50) < 1e-9), due_s.join());
  assert.ok(!('connect_phase' in splitLoad(LOAD, many(1), { takes: ['connect_phase'] })[0].config));
});

test('a load that can not be split, or has too few connections, is made by the first hosts', () => {
  assert.deepEqual(splitLoad({ ...LOAD, connections: 2 }, many(3), {}).map(({ host: name }) => name), ['c0', 'c1']);
  assert.equal(splitLoad(LOAD, many(3), { rounds: true }).length, 1);
  assert.equal(splitLoad({ ...LOAD, behaviour: 'broadcast' }, many(3), {}).length, 1);
});

test('clients connect from the addresses of their host, where they can be told to', () => {
  const [own] = many(1);
  const more = { ...own, addresses: ['10.0.2.1'] };
  assert.deepEqual(splitLoad(LOAD, [more], { takes: ['local_addresses'] })[0].config.local_addresses, ['10.0.1.1', '10.0.2.1']);
  assert.ok(!('local_addresses' in splitLoad(LOAD, [more], {})[0].config));
  assert.ok(!('local_addresses' in splitLoad(LOAD, [own], { takes: ['local_addresses'] })[0].config));
});

const COUNTS = ['connected', 'failed', 'dropped', 'due', 'sent', 'received', 'wrong', 'sent_b', 'received_b'];

/** @param {string} raw @param {string} name of the host @param {{received: number, latency_us: number, seconds: number}} recorded */
function record(raw, name, { received, latency_us, seconds }) {
  const own = join(folderOf(raw, name), 'client');
  mkdirSync(own, { recursive: true });
  writeTsv(join(own, 'intervals.tsv'), ['t_s', ...COUNTS], Array.from({ length: seconds }, (_, t_s) => (
    { t_s, ...Object.fromEntries(COUNTS.map((key) => [key, 0])), connected: 10, received })));
  const logs = Array.from({ length: seconds }, () => {
    const histogram = hdr.build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
    histogram.recordValueWithCount(latency_us, received);
    return histogram;
  });
  for (const log of ['latency', 'service', 'connect']) writeFileSync(join(own, `${log}.hlog`), formatLog(logs, 1e12));
  writeJson(join(own, 'summary.json'), {
    client: 'some', connections: { asked: 10, opened: 10, reconnect_max_us: null }, hold_s: seconds,
    window: { received: received * seconds, latency_mean_us: latency_us, service_mean_us: latency_us },
    processes: [{ pid: 7, role: 'client', index: 1, cpu_s: 1 }], errors: { refused: 1 },
  });
  writeTsv(join(own, 'connections.tsv'), ['connection', 'due'], [{ connection: 0, due: 5 }, { connection: 1, due: 6 }]);
  if (name === 'a') writeTsv(join(own, 'pages.tsv'), ['page', 'ms'], [{ page: 'x', ms: 5 }]); // a table of one generator alone
  writeTsv(join(folderOf(raw, name), 'accounts.tsv'), ['mark', 'pid', 'side'], [{ mark: 'start', pid: 7, side: 'client' }]);
}

test('the records of hosts are merged: counts are added, means are over all messages, histograms go into one log', async () => {
  const raw = join(folder, 'raw');
  record(raw, 'a', { received: 90, latency_us: 100, seconds: 2 });
  record(raw, 'b', { received: 10, latency_us: 1100, seconds: 3 });
  writeTsv(join(raw, 'accounts.tsv'), ['mark', 'pid', 'side'], [{ mark: 'start', pid: 7, side: 'server' }]);
  mergeRecords(raw, ['a', 'b'], 's');
  const seconds = readTsv(join(raw, 'client', 'intervals.tsv'));
  assert.deepEqual(seconds.map(({ t_s, connected, received }) => [t_s, connected, received]), [['0', '20', '100'], ['1', '20', '100'], ['2', '20', '10']]);
  const { client: name, connections, window, processes, errors, hold_s } = readJson(join(raw, 'client', 'summary.json'));
  assert.deepEqual([name, connections, hold_s, errors], ['some', { asked: 20, opened: 20, reconnect_max_us: null }, 3, { refused: 2 }]);
  assert.equal(window.received, 210);
  assert.equal(window.latency_mean_us, (180 * 100 + 30 * 1100) / 210);
  assert.deepEqual(processes.map((/** @type {any} */ each) => `${each.host}:${each.pid}`), ['a:7', 'b:7']);
  assert.deepEqual(readTsv(join(raw, 'client', 'connections.tsv')).map(({ connection }) => connection), ['0', '1', '2', '3']);
  assert.deepEqual(readTsv(join(raw, 'client', 'pages.tsv')).map(({ ms }) => ms), ['5'], 'whatever tables a generator has are kept');
  assert.deepEqual(readTsv(join(raw, 'accounts.tsv')).map(({ pid }) => pid), ['7', 'a:7', 'b:7'], 'processes of two hosts may have one number');
  const merged = hdr.build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
  const log = new hdr.HistogramLogReader(readFileSync(join(raw, 'client', 'latency.hlog'), 'utf8'));
  let [lines, last] = [0, -Infinity];
  for (let each = log.nextIntervalHistogram(); each; each = log.nextIntervalHistogram(), lines++) {
    assert.ok(each.startTimeStampMsec >= last, 'in the order of time');
    last = each.startTimeStampMsec;
    merged.add(/** @type {any} */ (each));
  }
  assert.deepEqual([lines, merged.totalCount, merged.getValueAtPercentile(50), merged.getValueAtPercentile(90)], [5, 210, 100, 1100]);
});

test('percentiles of a second are over the messages of all hosts', () => {
  const bundle = join(folder, 'merged');
  const raw = join(bundle, 'trials', 't', 'raw');
  record(raw, 'a', { received: 90, latency_us: 100, seconds: 2 });
  record(raw, 'b', { received: 40, latency_us: 1100, seconds: 3 });
  writeTsv(join(raw, 'accounts.tsv'), ['mark', 'pid', 'side'], [{ mark: 'start', pid: 7, side: 'server' }]);
  mergeRecords(raw, ['a', 'b'], 's');
  const planned = { trial: 't', block: '1', era: 'today', engine: 'e', workload: 'w', setting: '-', to_s: '3' };
  assert.deepEqual(listSeconds(planned, raw).map(({ t_s, received, latency_p50_ms }) => [t_s, received, latency_p50_ms]),
    [['0', '130', 0.1], ['1', '130', 0.1], ['2', '40', 1.1]]);
});

test('over hosts each point runs once, on the network between them; points with too few client addresses are left out', () => {
  const { hosts } = read(SOUND);
  const linked = spreadSpec(makeSpec('11-websocket-vs-tcp', 'quick', 1), hosts);
  const settings = listPoints(linked.spec).map(({ engine, setting }) => `${engine} ${setting}`);
  assert.equal(new Set(settings).size, settings.length);
  assert.ok(settings.includes('ws -') && settings.includes('tcp-node reading=whole'), settings.join('; '));
  assert.match(linked.notes.join(), /rate_mbit, rtt_us: the network between hosts is not changed/);
  assert.deepEqual(linked.spec.network, { kind: 'hosts' });
  assert.deepEqual(linked.spec.hosts?.map(({ name, role }) => `${name} ${role}`), ['s1 server', 'c1 client', 'c2 client']);
  assert.ok(!JSON.stringify(linked.spec.hosts).includes('ssh'), 'the way to a host is no part of a record');
  const addressed = spreadSpec(makeSpec('08-socketcluster-throughput', 'default', 1), hosts);
  assert.match(addressed.notes.join(), /\d+ points are left out: they want more addresses of clients than the 3 of hosts\.toml/);
});

test('over hosts a claim whose source names no link is judged once, on their network; a claim on a stated link is not', () => {
  const { hosts } = read(SOUND);
  const spec = makeSpec('11-websocket-vs-tcp', 'default', 1);
  const rows = listComparisons(spreadSpec(spec, hosts).spec);
  assert.deepEqual([...new Set(rows.map(({ claim }) => claim))], ['B3', 'B4', 'B5']);
  assert.deepEqual([...new Set(rows.map(({ setting, to_setting }) => `${setting} ${to_setting}`))], ['- -', '- reading=whole']);
  const keys = rows.map((row) => JSON.stringify(row));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(rows.length < listComparisons(spec).length);
  const ofLinks = { ...spec, claims: spec.claims.map(({ any_link: _, ...claim }) => claim) };
  assert.deepEqual(listComparisons(spreadSpec(ofLinks, hosts).spec), []);
});

test('a caption says what lay between server and client, over hosts too', () => {
  const { spec } = spreadSpec(makeSpec('11-websocket-vs-tcp', 'quick', 1), read(SOUND).hosts);
  const brief = describePlainly(/** @type {any} */ ({ ...spec, environment: { cores: 8, hypervisor: 'no' } }), [], []);
  assert.match(brief, /; 8 cores of 3 hosts, processes \w+\.|; 8 cores of 3 hosts, shared/);
  assert.doesNotMatch(brief, /loopback/);
});

test('the cores of the server\'s host say which points can be run', () => {
  const count = (/** @type {number} */ cores) =>
    listPoints(makeSpec('05-core-scaling', 'paper', 1, undefined, { cores })).filter(({ setting }) => setting.includes('cores=own')).length;
  assert.equal(count(2), 0);
  assert.ok(count(16) > 0);
});

test('a shell takes a quoted word for one', () => {
  assert.equal(quote("it's $HOME"), "'it'\\''s $HOME'");
});
