/**
 * The network between server and client of a trial: loopback, or two network namespaces joined by a veth pair or by a link of a given rate
 * and delay (infra/namespaces/hold.sh). In namespaces frames, MTU and segments are as on Ethernet, and no other traffic passes. The
 * processes that hold the namespaces or carry frames belong to the trial and end with it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { TrialError, UserError } from '../common/failure.js';
import { writeTsv } from '../common/files.js';
import { sleep } from '../common/timers.js';
import { isSlow } from '../common/shared-names.js';
import { isAlive, readStat } from '../common/stat.js';
import { HOLD, SBIN, TUN, findLink, isWritable, tryNamespaces } from './machine.js';
import { kill } from './marked.js';
import { waitUntilReady } from './ready.js';
import { RECORDERS, waitUntilStill } from './recorder.js';
import { ROOT } from '../common/places.js';

/** @typedef {import('./host.js').LocalHost} LocalHost */
/** @typedef {{kind: 'veth', capture?: boolean, congestion?: string}} Wanted Network as a manifest asks for it */
/** @typedef {import('../common/protocol.js').Resolved} Resolved */
/**
 * @typedef {{up_b: number, up_packets: number, up_dropped: number, down_b: number, down_packets: number, down_dropped: number}} Counters
 *   up: from client to server; dropped: by the sending device, whose queue was full
 */

const LOOPBACK = '127.0.0.1'; // servers bind to loopback unless told otherwise
const SERVER_ADDRESS = '10.213.0.1'; // as in infra/namespaces/hold.sh
const PORT = 20000; // free, as the server is alone in its namespace
const DEVICE = 'eth0';
/** Linux's default since 2.6.19, and most likely the source's. Some machines default to another, such as bbr. */
const CONGESTION = 'cubic';
/** Time for the packet recorder to flush its last packets, and to begin to listen. */
const [RECORDER_ENDS_WITHIN_MS, LISTENS_WITHIN_S] = [20_000, 10];

/**
 * @param {Wanted | undefined} wanted by the manifest @param {Record<string, string>[]} [links] settings of the points' networks
 * @returns {Resolved | undefined} loopback, with the reason, if this machine permits no namespaces
 * @throws {UserError} if loopback can't be captured either
 */
export function resolveNetwork(wanted, links = []) {
  if (!wanted) return undefined;
  const { congestion = CONGESTION, ...rest } = wanted;
  const why = tryNamespaces([`congestion=${congestion}`]);
  const isLinked = links.some(isSlow);
  if (isLinked) checkLink(why);
  if (why === undefined) return { ...rest, congestion, ...(isLinked && { link: findLink() }) };
  if (wanted.capture && !isRoot()) throw new UserError(`network: no network namespaces can be made here (${why}), and capturing on loopback needs root; run it as root`);
  return { ...rest, kind: 'loopback', why };
}

/** @param {string | undefined} why no namespaces can be made @throws {UserError} if no link can be made */
function checkLink(why) {
  if (why !== undefined) throw new UserError(`network: a link of a stated rate and delay is between network namespaces, and none can be made here (${why}); run it as root`);
  if (findLink() === 'netem' || isWritable(TUN)) return;
  throw new UserError(`network: a link of a stated rate and delay needs a kernel with tc-netem, or ${TUN}, which this user may not write; run it as root`);
}

const isRoot = () => process.getuid?.() === 0;

/** The places of a trial's server and client, and the network between them. */
export class Network {
  /**
   * @param {LocalHost} host @param {Resolved | undefined} resolved @param {string} raw the trial's folder of captures
   * @param {{holders?: number[], carrier?: {pid: number}, own?: string}} [where] `holders` of the namespaces: one process in the client's,
   * one in the server's; `carrier` carries frames; `own` is this host's address, if there are other hosts
   */
  constructor(host, resolved, raw, { holders, carrier, own = LOOPBACK } = {}) {
    this.host = host;
    this.folder = join(raw, 'wire');
    this.captures = resolved?.capture ?? false;
    this.pcap = join(this.folder, 'packets.pcap');
    /** For the keys of the client's TLS sessions, needed to read captured packets. */
    this.keylog = this.captures ? join(this.folder, 'keys.log') : undefined;
    this.recorder = isRoot() ? RECORDERS.root : RECORDERS.other;
    this.clientHolder = holders?.[0];
    this.serverHolder = holders?.[1];
    /** Processes that make up the link, for the capture to watch. */
    this.link = carrier ? [{ pid: carrier.pid, role: 'link', index: 1 }] : [];
    this.congestion = resolved?.congestion;
    this.inside = { client: enter(holders?.[0]), server: enter(holders?.[1]) }; // put before an argv to run it there
    this.address = holders ? SERVER_ADDRESS : own;
    this.device = holders ? DEVICE : findDevice(own);
    this.marks = /** @type {Record<string, Counters>} */ ({});
    if (resolved && (resolved.kind !== 'hosts' || this.captures)) mkdirSync(this.folder, { recursive: true });
  }

  /**
   * @param {LocalHost} host @param {Resolved | undefined} resolved
   * @param {Record<string, string>} asked settings for hold.sh, such as tcp_timestamps; they need namespaces @param {string} raw
   * @param {AbortSignal} signal @param {string} [own] address of this host, if there are other hosts @throws {TrialError}
   */
  static async open(host, resolved, asked, raw, signal, own) {
    if (resolved?.kind !== 'veth') {
      const [name] = Object.keys(asked);
      if (name) throw new TrialError(`${name} can be set only between network namespaces, and there are none here`);
      return new Network(host, resolved, raw, { own });
    }
    const { congestion, link } = resolved;
    const settings = { ...(congestion && { congestion }), ...(link && { link }), ...asked };
    const started = await host.start({
      argv: [HOLD, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)],
      cwd: ROOT, side: 'capture', stdout: join(raw, 'namespaces.out'), stderr: join(raw, 'namespaces.err'),
    });
    const { processes } = await waitUntilReady(started, 'the network', signal);
    const holders = processes.filter(({ role }) => role === 'namespace').map(({ pid }) => pid);
    return new Network(host, resolved, raw, { holders, carrier: processes.find(({ role }) => role === 'link') });
  }

  /** A free port for the server. */
  async findPort() {
    return this.clientHolder ? PORT : this.host.findFreePort(this.address);
  }

  /** Begin to record packets if the experiment asks for it. @param {number} port of the server @param {AbortSignal} signal */
  async startCapture(port, signal) {
    if (!this.captures) return;
    // The client's own marks (clients/exchange) are UDP packets
    const filter = `tcp port ${port} or udp port ${port}`;
    const { name, argv, listens } = this.recorder;
    const sampler = await this.host.start({
      argv: [...this.inside.client, ...argv(this.device, this.pcap, filter)],
      cwd: this.folder, side: 'capture', stdout: join(this.folder, `${name}.out`), stderr: join(this.folder, `${name}.err`),
    });
    this.sampler = sampler;
    for (let waited_ms = 0; !listens.test(readFileSync(sampler.launch.stderr, 'utf8')); waited_ms += 10) {
      if (sampler.exit) throw new TrialError(`packets can not be captured: ${name} ${sampler.describeEnd()}`);
      if (waited_ms > LISTENS_WITHIN_S * 1000) throw new TrialError(`${name} did not listen within ${LISTENS_WITHIN_S} s; read wire/${name}.err`);
      await sleep(10, signal);
    }
  }

  /** Read the counters. Only a namespace's are the trial's own; a capture is more exact. @param {string} mark */
  mark(mark) {
    if (this.clientHolder && this.serverHolder && !this.captures) this.marks[mark] = readCounters(this.clientHolder, this.serverHolder);
  }

  /** @returns {Record<string, number>} counters of this host's device, including other traffic */
  readOwn() {
    const counters = readDevice('self', this.device);
    return { received_b: counters[0], received_packets: counters[1], sent_b: counters[8], sent_packets: counters[9] };
  }

  /** Set the link's rate and delay at the start of the load. Warm-up does not need them. */
  slowDown() {
    for (const { pid } of this.link) {
      if (!isAlive(readStat(pid))) throw new TrialError('the link ended before the load; read namespaces.err');
      kill(pid, 'SIGUSR1');
    }
  }

  /** Writes both ends' view of open connections to wire/sockets.txt. @throws {TrialError} if one has another control */
  checkCongestion() {
    if (!this.congestion || !this.clientHolder) return;
    const reports = [this.inside.client, this.inside.server].map(([command, ...rest]) => {
      const { status, stdout, stderr, error } = spawnSync(command, [...rest, 'ss', '-tinH', ...BETWEEN], { encoding: 'utf8', env: SBIN });
      if (status !== 0) throw new TrialError(`the congestion control of connections can't be read: ss: ${error?.message ?? stderr.trim()}; see that iproute2 is there`);
      return stdout;
    });
    const sockets = reports.join('\n'); // if the last connection ends, ss omits its details and the newline
    writeFileSync(join(this.folder, 'sockets.txt'), sockets);
    const [other] = listCongestion(sockets).filter((name) => name !== this.congestion);
    if (other) throw new TrialError(`a connection has the congestion control ${other} in the place of ${this.congestion}; read wire/sockets.txt`);
  }

  /** Writes packets.tsv (pcap-to-packets.sh), and the window's bytes. @param {number} port @throws {TrialError} if packets were lost */
  async close(port) {
    const { window_start: from, window_end: to } = this.marks;
    if (from && to) {
      const names = /** @type {(keyof Counters)[]} */ (Object.keys(from));
      writeTsv(join(this.folder, 'metrics.tsv'), ['metric', 'value'], names.map((name) => ({ metric: `wire_${name}`, value: to[name] - from[name] })));
    }
    if (!this.sampler) return;
    await waitUntilStill(this.pcap);
    this.sampler.signal('SIGINT');
    await this.sampler.endWithin(RECORDER_ENDS_WITHIN_MS);
    const lost = this.recorder.countLost(readFileSync(this.sampler.launch.stderr, 'utf8'));
    if (lost === 0) return this.#dissect(port);
    throw new TrialError(`${this.recorder.name} lost ${lost > 0 ? lost : 'an unknown number of'} packets; run it on a less busy machine`);
  }

  /** @param {number} port */
  async #dissect(port) {
    const dissecting = await this.host.start({
      argv: [join(ROOT, 'analysis', 'captures', 'pcap-to-packets.sh'), this.folder, String(port)],
      cwd: this.folder, side: 'capture', stdout: join(this.folder, 'dissect.out'), stderr: join(this.folder, 'dissect.err'),
    });
    const { code } = await dissecting.exited;
    if (code !== 0) throw new TrialError(`packets can not be read: pcap-to-packets ${dissecting.describeEnd()}`);
  }
}

/** @param {string} address of this host @returns {string} its device @throws {UserError} if it has none */
function findDevice(address) {
  if (address === LOOPBACK) return 'lo';
  const devices = networkInterfaces();
  const found = Object.keys(devices).find((name) => devices[name]?.some((each) => each.address === address));
  if (found) return found;
  const own = Object.values(devices).flat().filter((each) => each?.family === 'IPv4').map((each) => each?.address);
  throw new UserError(`address: ${address} is not one of this host's, which has ${own.join(', ')}; correct it in hosts.toml`);
}

/** @param {number} [pid] a process in the namespace @returns {string[]} */
function enter(pid) {
  if (pid === undefined) return [];
  const user = isRoot() ? [] : [`--user=/proc/${pid}/ns/user`, '--preserve-credentials'];
  return ['nsenter', `--net=/proc/${pid}/ns/net`, ...user, '--'];
}

/** Excludes an end's connections with itself, such as a server's with its database: they pass no wire. */
const BETWEEN = ['not', 'src', '127.0.0.0/8'];

/** @param {string} sockets of `ss -ti`, with an indented line per connection that names the control @returns {string[]} each once */
export const listCongestion = (sockets) =>
  [...new Set([...sockets.matchAll(/^[ \t]+(?:ts |sack |ecn |ecnseen |fastopen )*(\w+)/gm)].map(([, name]) => name))];

/** @param {number} client @param {number} server each a process in its namespace @returns {Counters} */
function readCounters(client, server) {
  const [near, far] = [readDevice(client), readDevice(server)];
  return { up_b: near[8], up_packets: near[9], up_dropped: near[11], down_b: near[0], down_packets: near[1], down_dropped: far[11] };
}

/** @param {number | 'self'} pid in a namespace @param {string} [device] @returns {number[]} its numbers; see proc(5), /proc/net/dev */
function readDevice(pid, device = DEVICE) {
  const path = `/proc/${pid}/net/dev`;
  if (!existsSync(path)) throw new TrialError('the namespaces ended during the trial; read namespaces.err');
  const line = readFileSync(path, 'latin1').split('\n').find((row) => row.trim().startsWith(`${device}:`));
  if (!line) throw new TrialError(`the device ${device} is gone from ${path}; see what removed it`);
  return line.split(':')[1].trim().split(/\s+/).map(Number);
}
