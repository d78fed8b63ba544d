/**
 * Checks who listens on the server's port. With SO_REUSEPORT (socket(7)) a second server of the same user may join, and the kernel gives it
 * a share of the connections. Those would not fail, but their cost would be missing from the numbers.
 */
import { closeSync, existsSync, openSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { TrialError } from '../common/failure.js';
import { readProc } from '../common/stat.js';

const LISTEN = '0A';
const CHUNK_B = 4096;
const MAPPED = /^0{16}FFFF0000/; // an IPv4 address on an IPv6 socket, as used by Java: RFC 4291, section 2.5.5.2

/** @typedef {{address: string, inode: string}} Listener */

/** @param {string} path of /proc/net/tcp or tcp6, which list listeners first @returns {string[][]} listeners' lines, in columns */
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

/** @param {number | string} pid @returns {string[] | undefined} inodes of its sockets; undefined if access is denied */
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
    return ''; // closed meanwhile
  }
}

/** Listeners on the port of one trial's server. */
export class Listeners {
  /**
   * @param {number} port @param {number | 'self'} place a process in the server's network namespace that outlives the server
   * @param {() => number[]} listOwn lists the server's current processes
   */
  constructor(port, place, listOwn) {
    this.port = port;
    this.place = place;
    this.listOwn = listOwn;
    /** @type {Set<string>} inodes known to be the server's: its descriptors are read only if others appear */
    this.known = new Set();
  }

  /** @throws {TrialError} if a process that is not the server's listens */
  check() {
    const others = () => listListeners(this.port, this.place).map(({ inode }) => inode).filter((inode) => !this.known.has(inode));
    if (others().length === 0) return;
    const own = this.listOwn().map(listSockets);
    own.flat().forEach((inode) => inode && this.known.add(inode));
    const [foreign] = others();
    if (foreign === undefined || own.includes(undefined)) return; // it may belong to a process of the server under another user
    throw new TrialError(`port ${this.port} has another listener than the server, ${describeOwner(foreign)}: `
      + 'it would be given some of the connections; end it, and run again');
  }
}

/** @param {string} inode of a socket @returns {string} its owner, in words */
function describeOwner(inode) {
  const pid = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).find((name) => listSockets(name)?.includes(inode));
  return pid ? `process ${pid} (${readProc(`${pid}/comm`).trim()})` : 'of a process that may not be looked at';
}
