/**
 * Who listens on the server's port. With SO_REUSEPORT (socket(7)) a second server of the same user may join it, and the kernel gives it a
 * share of the connections: none of them would be missed, nor would what they cost.
 */
import { closeSync, existsSync, openSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { TrialError } from '../common/failure.js';
import { readProc } from '../common/stat.js';

const LISTEN = '0A';
const CHUNK_B = 4096;
const MAPPED = /^0{16}FFFF0000/; // an IPv4 address on a socket of IPv6, as Java's are: RFC 4291, section 2.5.5.2

/** @typedef {{address: string, inode: string}} Listener */

/** @param {string} path of /proc/net/tcp or tcp6, where what listens stands first @returns {string[][]} its lines of that, in columns */
function readFirst(path) {
  if (!existsSync(path)) return [];
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(CHUNK_B);
    const isListening = (/** @type {string[]} */ [, , , state]) => state === LISTEN;
    let text = '';
    for (;;) {
      const count = readSync(descriptor, bytes, 0, CHUNK_B, null);
      text += bytes.toString('latin1', 0, count);
      const rows = text.split('\n').slice(1, -1).map((line) => line.trim().split(/\s+/));
      if (count === 0 || rows.some((row) => !isListening(row))) return rows.filter(isListening);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** @param {number} port @param {number | 'self'} [pid] in its namespace @returns {Listener[]} addresses in hex, as in /proc/net/tcp */
export function listListeners(port, pid = 'self') {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['tcp', 'tcp6'].flatMap((name) => readFirst(`/proc/${pid}/net/${name}`))
    .filter(([, local]) => local.endsWith(suffix))
    .map(([, local, , , , , , , , inode]) => ({ address: local.slice(0, -suffix.length).replace(MAPPED, ''), inode }));
}

/** @param {number | string} pid @returns {string[] | undefined} inodes of its sockets; nothing where it may not be looked at */
function listSockets(pid) {
  try {
    const names = readdirSync(`/proc/${pid}/fd`);
    return names.flatMap((name) => /^socket:\[(\d+)\]$/.exec(readTarget(`/proc/${pid}/fd/${name}`))?.[1] ?? []);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EACCES' ? undefined : [];
  }
}

/** @param {string} path */
function readTarget(path) {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed meanwhile
  }
}

/** Of the server of one trial. */
export class Listeners {
  /**
   * @param {number} port @param {number | 'self'} place a process in the server's network namespace, which outlives the server's own
   * @param {() => number[]} listOwn all processes of the server, as they are now
   */
  constructor(port, place, listOwn) {
    this.port = port;
    this.place = place;
    this.listOwn = listOwn;
    /** @type {Set<string>} inodes that were seen to be the server's: its descriptors are read when there are others, and not each time */
    this.known = new Set();
  }

  /** @throws {TrialError} when one listens that is no process of the server */
  check() {
    const others = () => listListeners(this.port, this.place).map(({ inode }) => inode).filter((inode) => !this.known.has(inode));
    if (others().length === 0) return;
    const own = this.listOwn().map(listSockets);
    own.flat().forEach((inode) => inode && this.known.add(inode));
    const [foreign] = others();
    if (foreign === undefined || own.includes(undefined)) return; // a socket may be of one that is another user's
    throw new TrialError(`port ${this.port} has another listener than the server, ${describeOwner(foreign)}: `
      + 'it would be given some of the connections; end it, and run again');
  }
}

/** @param {string} inode of a socket @returns {string} whose it is, for a person */
function describeOwner(inode) {
  const pid = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).find((name) => listSockets(name)?.includes(inode));
  return pid ? `process ${pid} (${readProc(`${pid}/comm`).trim()})` : 'of a process that may not be looked at';
}
