/** Namespaces need a privilege, or a system that lets users make them. Elsewhere only the fallback is tested. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { spawn, spawnSync } from 'node:child_process';
import { makeCertificate } from '../../harness/agent/certificate.js';
import { describeCondition } from '../../report/condition.js';
import { installParts } from '../../harness/run/install.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { LocalHost } from '../../harness/agent/host.js';
import { TUN, findLink, isWritable } from '../../harness/agent/machine.js';
import { Network, listCongestion, resolveNetwork } from '../../harness/agent/network.js';
import { recordOf } from '../../harness/common/places.js';
import { isSecure } from '../../harness/run/lifecycle.js';
import { LINK_PART } from '../../harness/spec/engines.js';

const folder = mkdtempSync(join(tmpdir(), 'network-test-'));
after(() => rmSync(folder, { recursive: true }));
/** @returns {string} a folder for a trial's captures */
const makeRaw = () => mkdtempSync(join(folder, 'raw-'));
const { signal } = new AbortController();
const resolved = resolveNetwork({ kind: 'veth' });
const skip = resolved?.kind === 'veth' ? false : `no network namespaces: ${resolved?.why}`;

/** @param {string[]} inside @param {string} script of sh @returns {string} its output */
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
  const reported = readFileSync(join(network.folder, 'metrics.tsv'), 'utf8');
  // The client sends at least SYN, ACK and FIN. Each has 54 B of headers, and at most 20 B of options
  const [up_b, up_packets] = ['wire_up_b', 'wire_up_packets'].map((name) => Number(new RegExp(`${name}\t(\\d+)`).exec(reported)?.[1]));
  assert.ok(up_packets >= 3 && up_b >= 54 * up_packets && up_b <= 74 * up_packets, reported);
}));

test('a capture that is closed at once has every packet, to the last', { skip }, () => withHost(async (host) => {
  const network = await Network.open(host, { .../** @type {any} */ (resolved), capture: true }, {}, makeRaw(), signal);
  const port = await network.findPort();
  await network.startCapture(port, signal);
  const [command, ...rest] = network.inside.server;
  const answer = `require('node:net').createServer((s) => s.end(Buffer.alloc(300000))).listen(${port}, '${network.address}', () => console.log('up'))`;
  const server = spawn(command, [...rest, process.execPath, '-e', answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const [enter, ...args] = network.inside.client;
  const read = `require('node:net').connect(${port}, '${network.address}').resume().on('close', () => process.exit())`;
  assert.equal(spawnSync(enter, [...args, process.execPath, '-e', read]).status, 0);
  await network.close(port);
  server.kill();
  const down = readTsv(join(network.folder, 'packets.tsv')).filter(({ direction, again }) => direction === 'down' && again === '0');
  assert.equal(down.reduce((sum, { stream_b }) => sum + Number(stream_b), 0), 300000);
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

const canLink = resolved?.kind === 'veth' && (findLink() === 'netem' || isWritable(TUN));
const linked = canLink ? resolveNetwork({ kind: 'veth' }, [{ rtt_us: '0' }]) : undefined;
const noTap = !canLink && 'no TAP devices, and no tc-netem';

const ANSWER = `const udp = require('node:dgram').createSocket('udp4');
  udp.on('message', (bytes, { port, address }) => udp.send(bytes, port, address));
  udp.bind(9, '10.213.0.1', () => console.log('up'));
  require('node:net').createServer((socket) => socket.pipe(socket)).listen(10, '10.213.0.1')`;
/** Prints the minimum of 30 echoes in us: only the link can delay them all. */
const ECHO_US = (/** @type {number} */ size_b) => `const udp = require('node:dgram').createSocket('udp4');
  let [least, left, sent] = [Infinity, 30, 0n];
  const send = () => { sent = process.hrtime.bigint(); udp.send(Buffer.alloc(${size_b}), 9, '10.213.0.1'); };
  udp.on('message', () => {
    least = Math.min(least, Number(process.hrtime.bigint() - sent) / 1000);
    if (--left) send(); else { console.log(least); process.exit(); }
  });
  send()`;

/**
 * @param {Network} network
 * @param {(client: (script: string) => string) => void} use gets a function that runs JavaScript at the client's end
 */
async function withAnswerer(network, use) {
  const [command, ...rest] = network.inside.server;
  const server = spawn(command, [...rest, process.execPath, '-e', ANSWER], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const [enter, ...args] = network.inside.client;
  try {
    use((script) => spawnSync(enter, [...args, process.execPath, '-e', script], { encoding: 'utf8', timeout: 20_000 }).stdout);
  } finally {
    server.kill();
  }
}

test('a link adds its round trip when the load begins, and each frame takes its time on the wire', { skip: skip || noTap }, () => withHost(async (host) => {
  if (linked?.link === 'carried') await installParts([LINK_PART], () => {});
  for (const [rtt_us, size_b, least_us] of [[0, 1, 0], [100, 1, 100], [1000, 1, 1000], [0, 1400, 2 * 11.7]]) {
    const network = await Network.open(host, linked, { rtt_us: String(rtt_us), rate_mbit: '1000' }, makeRaw(), signal);
    network.slowDown();
    await withAnswerer(network, (client) => {
      const echo_us = Number(client(ECHO_US(size_b)));
      assert.ok(echo_us >= least_us, `${echo_us} us at a round trip of ${rtt_us}`);
    });
    network.mark('window_start');
    assert.deepEqual([network.marks.window_start.up_dropped, network.marks.window_start.down_dropped], [0, 0]);
    assert.ok(network.marks.window_start.up_packets >= 30);
    await host.killAll(['capture']);
  }
}));

test('what carries frames ends with the process that holds the namespaces', { skip: skip || noTap || linked?.link !== 'carried' }, () => withHost(async (host) => {
  const network = await Network.open(host, linked, { rtt_us: '100' }, makeRaw(), signal);
  const [{ pid }] = network.link;
  process.kill(Number(network.clientHolder), 'SIGKILL');
  for (let look = 0; look < 100 && isCarrying(pid); look++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isCarrying(pid), false);
}));

/** @param {number} pid @returns {boolean} false for a zombie too */
function isCarrying(pid) {
  return existsSync(`/proc/${pid}/status`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
}

test('both ends of a connection have the congestion control that the manifest wants, and another is an error', { skip }, () => withHost(async (host) => {
  const network = await Network.open(host, resolveNetwork({ kind: 'veth', congestion: 'reno' }), {}, makeRaw(), signal);
  const hold = "const socket = require('node:net').connect(10, '10.213.0.1', () => { console.log('up'); setTimeout(() => process.exit(), 20_000); }); socket.on('error', () => {})";
  const [command, ...rest] = network.inside.server;
  const server = spawn(command, [...rest, process.execPath, '-e', ANSWER], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const [enter, ...args] = network.inside.client;
  const client = spawn(enter, [...args, process.execPath, '-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(client.stdout, 'data');
  network.checkCongestion();
  const reported = readFileSync(join(network.folder, 'sockets.txt'), 'utf8');
  assert.equal(reported.match(/^\s+.*\breno\b/gm)?.length, 2, reported);
  network.congestion = 'cubic';
  assert.throws(() => network.checkCongestion(), /has the congestion control reno in the place of cubic; read wire\/sockets\.txt/);
  client.kill();
  server.kill();
}));

test('the congestion control of a socket is found, whatever flags precede it', () => {
  assert.deepEqual(listCongestion('ESTAB 0 0 10.213.0.2:1 10.213.0.1:2\n\t cubic wscale:10,10 rto:208\nESTAB 0 0 a b\n\t ts sack bbr wscale:7,7\n'), ['cubic', 'bbr']);
  // a closing connection shows none
  assert.deepEqual(listCongestion('FIN-WAIT-2 0 0 a b\n\t\nESTAB 0 0 a b\n\t cubic wscale:10,10\n'), ['cubic']);
  assert.deepEqual(listCongestion(''), []);
});

test('where no point has a link none is looked for, and a congestion control is set all the same', { skip }, () => {
  assert.deepEqual(resolveNetwork({ kind: 'veth' }, [{}, { tcp_timestamps: '0' }]), { kind: 'veth', congestion: 'cubic' });
  assert.ok(['netem', 'carried'].includes(String(linked?.link)));
});

test('a caption says what the link is, and the congestion control', () => {
  const spec = readJson(join(recordOf('03-engineio-vs-socketcluster'), 'spec.json'));
  const caption = (/** @type {any} */ network) => describeCondition({ ...spec, network }).join('\n');
  assert.match(caption({ kind: 'veth', congestion: 'cubic', link: 'carried' }), /a process carries frames between two TAP devices.*; congestion control cubic/);
  assert.match(caption({ kind: 'veth', congestion: 'cubic', link: 'netem' }), /tc-netem at both ends/);
  assert.doesNotMatch(caption({ kind: 'veth' }), /congestion|link/);
});

test('on loopback a setting of the link is refused', () => withHost(async (host) => {
  const loopback = /** @type {const} */ ({ kind: 'loopback', why: 'not permitted' });
  await assert.rejects(Network.open(host, loopback, { rate_mbit: '1000' }, makeRaw(), signal), /rate_mbit can be set only between network namespaces/);
}));

test('where no namespace can be made the run is on loopback, with the reason, in every caption', () => {
  const path = process.env.PATH;
  try {
    process.env.PATH = folder; // no unshare there
    const refused = resolveNetwork({ kind: 'veth' });
    assert.equal(refused?.kind, 'loopback');
    assert.match(String(refused?.why), /\S/);
    const spec = readJson(join(recordOf('03-engineio-vs-socketcluster'), 'spec.json'));
    assert.match(describeCondition({ ...spec, network: refused }).join('\n'), /ON LOOPBACK, for this machine permits no network namespaces \(\S/);
    assert.match(describeCondition({ ...spec, network: { kind: 'veth' } }).join('\n'), /joined by a veth pair: Ethernet frames/);
  } finally {
    process.env.PATH = path;
  }
});

test('a certificate is for the address of the server, and its key is of this trial alone', () => {
  const [one, other] = ['one', 'other'].map((name) => makeCertificate(mkdtempSync(join(folder, name)), '10.213.0.1'));
  assert.match(spawnSync('openssl', ['x509', '-in', one.path, '-noout', '-ext', 'subjectAltName'], { encoding: 'utf8' }).stdout, /IP Address:10\.213\.0\.1/);
  assert.notEqual(one.pem, other.pem);
  assert.deepEqual([isSecure({}), isSecure({ tls: 'none' }), isSecure({ tls: '1.3' })], [false, false, true]);
});
