/**
 * Counters of the server's sockets, from its host's kernel. Engines do not count messages for us: counting costs CPU, differently in each.
 * So ss(8) runs twice in the window, at times given by harness/spec/arrivals.js. Its output is parsed only after the load.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from './clock.js';
import { writeTsv } from '../common/files.js';

const ENDS_WITHIN_MS = 5000; // for ss, which ends long before
/** Our column names for ss's counters; ss leaves out counters that are 0. */
const COUNTED = { received_b: 'bytes_received', acked_b: 'bytes_acked', segments_in: 'data_segs_in', segments_out: 'data_segs_out' };
const COLUMNS = ['address', 'from_s', 'to_s', 'kept', 'began', 'ended', ...Object.keys(COUNTED)];

/** @typedef {Record<keyof typeof COUNTED, number>} Counts Counters of one socket since it was opened */

/** @param {string} text of `ss -tinOH`, one line per socket @returns {Map<string, Counts>} by peer address and port */
export function parseSockets(text) {
  return new Map(text.split('\n').filter((line) => line.trim()).map((line) => {
    const [, peer = ''] = line.match(/\S+:\d+(?=\s)/g) ?? [];
    const read = (/** @type {string} */ name) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
    const counts = Object.fromEntries(Object.entries(COUNTED).map(([name, counter]) => [name, read(counter)]));
    return [peer, /** @type {Counts} */ (counts)];
  }));
}

/** @param {string} peer such as "10.0.0.3:4711" or "[::ffff:10.0.0.3]:4711" @returns {string} its address */
const addressOf = (peer) => peer.slice(0, peer.lastIndexOf(':')).replace(/^\[(?:::ffff:)?(.*)\]$/, '$1');

/**
 * @param {Map<string, Counts>} before @param {Map<string, Counts>} after
 * @returns {Record<string, string | number>[]} a row per peer address: differences over the sockets present both times
 */
export function countBetween(before, after) {
  const byAddress = Map.groupBy(new Set([...before.keys(), ...after.keys()]), addressOf);
  return [...byAddress].map(([address, peers]) => {
    const kept = peers.filter((peer) => before.has(peer) && after.has(peer));
    const sum = (/** @type {keyof Counts} */ name) =>
      kept.reduce((total, peer) => total + (after.get(peer)?.[name] ?? 0) - (before.get(peer)?.[name] ?? 0), 0);
    const sums = Object.keys(COUNTED).map((name) => [name, sum(/** @type {keyof Counts} */ (name))]);
    const only = (/** @type {Map<string, Counts>} */ one) => peers.filter((peer) => one.has(peer)).length - kept.length;
    return { address, kept: kept.length, began: only(after), ended: only(before), ...Object.fromEntries(sums) };
  });
}

/** Reads the sockets of one trial's server, if its clients are on other hosts. */
export class Sockets {
  /** @param {import('./host.js').LocalHost} host @param {string} folder of the trial @param {number} port of the server */
  constructor(host, folder, port) {
    this.host = host;
    this.folder = folder;
    this.port = port;
    this.looks = /** @type {{started: import('./host.js').Started, path: string, at_s: number}[]} */ ([]);
  }

  /** Start ss without waiting for it. @param {number} startUs of the load */
  async look(startUs) {
    const path = join(this.folder, `sockets-${this.looks.length + 1}.txt`);
    const argv = ['ss', '-tinOH', 'state', 'established', 'sport', '=', `:${this.port}`];
    const at_s = (monotonicUs() - startUs) / 1e6; // may be later than planned
    const started = await this.host.start({ argv, cwd: this.folder, side: 'capture', stdout: path, stderr: `${path}.err` });
    this.looks.push({ started, path, at_s });
  }

  /** Write sockets.tsv, if ss succeeded both times. */
  async finish() {
    const { looks } = this;
    const exits = await Promise.all(looks.map(({ started }) => started.endWithin(ENDS_WITHIN_MS)));
    if (looks.length === 2 && exits.every((exit) => exit?.code === 0)) {
      const [before, after] = looks.map(({ path }) => parseSockets(readFileSync(path, 'latin1')));
      const [from_s, to_s] = looks.map(({ at_s }) => at_s.toFixed(3));
      writeTsv(join(this.folder, 'sockets.tsv'), COLUMNS, countBetween(before, after).map((row) => ({ ...row, from_s, to_s })));
    }
    for (const { path } of looks) [path, `${path}.err`].filter((each) => existsSync(each)).forEach((each) => rmSync(each));
  }
}
