/** Namespaces need a privilege, or a system that gives them to users: where neither is, that is what is tested. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { spawn, spawnSync } from 'node:child_process';
import { isSecure, makeCertificate } from '../../harness/certificate.js';
import { describeCondition } from '../../harness/condition.js';
import { readJson } from '../../harness/files.js';
import { LocalHost } from '../../harness/host.js';
import { Network, resolveNetwork } from '../../harness/network.js';
import { ROOT } from '../../harness/places.js';

const folder = mkdtempSync(join(tmpdir(), 'network-test-'));
after(() => rmSync(folder, { recursive: true }));
/** @returns {string} a trial's folder for what is captured */
const makeRaw = () => mkdtempSync(join(folder, 'raw-'));
const { signal } = new AbortController();
const resolved = resolveNetwork({ kind: 'veth' });
const skip = resolved?.kind === 'veth' ? false : `no network namespaces: ${resolved?.why}`;

/** @param {string[]} inside @param {string} script of sh @returns {string} what it says */
const ask = ([command, ...rest], script) => spawnSync(command, [...rest, 'sh', '-c', script], { encoding: 'utf8' }).stdout;

/** @param {(host: LocalHost) => Promise<void>} use */
async function withHost(use) {
  const host = new LocalHost();
  try {
    await use(host);
  } finally {
    await host.close();
  }
}

test('without a network in the manifest both ends are on loopback, and nothing goes before their programs', () => withHost(async (host) => {
  const network = await Network.open(host, undefined, {}, makeRaw(), signal);
  assert.deepEqual([network.address, network.inside, network.captures], ['127.0.0.1', { client: [], server: [] }, false]);
  assert.ok(await network.findPort() > 1023);
}));

test('the two ends have one device each, with the MTU of Ethernet and no offloads, and reach each other', { skip }, () => withHost(async (host) => {
  const network = await Network.open(host, resolved, { tcp_timestamps: '0' }, makeRaw(), signal);
  for (const inside of [network.inside.client, network.inside.server]) {
    assert.match(ask(inside, 'cat /proc/net/dev'), /eth0:/);
    assert.match(ask(inside, 'PATH=$PATH:/usr/sbin:/sbin; ip link show eth0'), /mtu 1500/);
    assert.equal(ask(inside, 'PATH=$PATH:/usr/sbin:/sbin; ethtool -k eth0 | grep -Ec "^(tcp-segmentation|generic-segmentation|generic-receive)-offload: off"').trim(), '3');
    assert.equal(ask(inside, 'cat /proc/sys/net/ipv4/tcp_timestamps').trim(), '0');
  }
  const port = await network.findPort();
  const [command, ...rest] = network.inside.server;
  const answer = `require('node:net').createServer((s) => s.end('from the other end')).listen(${port}, '${network.address}', () => console.log('up'))`;
  const server = spawn(command, [...rest, process.execPath, '-e', answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  network.mark('window_start');
  const read = `require('node:net').connect(${port}, '${network.address}').pipe(process.stdout)`;
  const [enter, ...args] = network.inside.client;
  assert.equal(spawnSync(enter, [...args, process.execPath, '-e', read], { encoding: 'utf8' }).stdout, 'from the other end');
  network.mark('window_end');
  server.kill();
  await network.close(port);
  const told = readFileSync(join(network.folder, 'metrics.tsv'), 'utf8');
  // Five segments at least from the client: to open, two to acknowledge, to end; each of 54 bytes or a few more
  const [up_b, up_packets] = ['wire_up_b', 'wire_up_packets'].map((name) => Number(new RegExp(`${name}\t(\\d+)`).exec(told)?.[1]));
  assert.ok(up_packets >= 3 && up_b >= 54 * up_packets && up_b <= 74 * up_packets, told);
}));

test('the namespaces end with the process that holds them, whatever ends it', { skip }, () => withHost(async (host) => {
  const network = await Network.open(host, resolved, {}, makeRaw(), signal);
  const holder = Number(network.clientHolder);
  assert.equal(existsSync(`/proc/${holder}/net/dev`), true);
  process.kill(holder, 'SIGKILL');
  const left = () => spawnSync('sh', ['-c', `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ 2> /dev/null | grep -q ${host.runId} && echo $p; done`], { encoding: 'utf8' }).stdout
    .split('\n').filter((path) => path && readFileSync(`${path}/comm`, 'latin1').startsWith('sleep'));
  for (let look = 0; look < 100 && left().length > 0; look++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(), []);
  assert.throws(() => network.mark('window_start'), /the namespaces ended during the trial/);
}));

test('a rate is that of the link, each way', { skip }, () => withHost(async (host) => {
  const network = await Network.open(host, resolved, { rate_mbit: '1000' }, makeRaw(), signal);
  for (const inside of [network.inside.client, network.inside.server]) {
    assert.match(ask(inside, 'PATH=$PATH:/usr/sbin:/sbin; tc qdisc show dev eth0'), /^qdisc tbf .* rate 1Gbit /);
  }
}));

test('on loopback nothing is set of what a trial would be named after', () => withHost(async (host) => {
  const loopback = /** @type {const} */ ({ kind: 'loopback', why: 'not permitted' });
  await assert.rejects(Network.open(host, loopback, { rate_mbit: '1000' }, makeRaw(), signal), /rate_mbit can be set between network namespaces alone/);
}));

test('where no namespace can be made the run is on loopback, with the reason, in every caption', () => {
  const path = process.env.PATH;
  try {
    process.env.PATH = folder; // no unshare there
    const refused = resolveNetwork({ kind: 'veth' });
    assert.equal(refused?.kind, 'loopback');
    assert.match(String(refused?.why), /\S/);
    const spec = readJson(join(ROOT, 'experiments/03-engineio-vs-socketcluster/record/spec.json'));
    assert.match(describeCondition({ ...spec, network: refused }).join('\n'), /ON LOOPBACK, for this machine permits no network namespaces \(\S/);
    assert.match(describeCondition({ ...spec, network: { kind: 'veth' } }).join('\n'), /joined by a veth pair: Ethernet frames/);
  } finally {
    process.env.PATH = path;
  }
});

test('a certificate is for the address of the server, and its key is of this trial alone', () => {
  const [one, other] = ['one', 'other'].map((name) => makeCertificate(mkdtempSync(join(folder, name)), '10.213.0.1'));
  assert.match(spawnSync('openssl', ['x509', '-in', one, '-noout', '-ext', 'subjectAltName'], { encoding: 'utf8' }).stdout, /IP Address:10\.213\.0\.1/);
  assert.notEqual(readFileSync(one, 'utf8'), readFileSync(other, 'utf8'));
  assert.deepEqual([isSecure({}), isSecure({ tls: 'none' }), isSecure({ tls: '1.3' })], [false, false, true]);
});
