/**
 * Counts of a trial on several hosts: by the clients of each host in their records, by the server's kernel on its sockets
 * (raw/sockets.tsv), and by the lines shown during the trial (raw/live.tsv).
 */
import { join } from 'node:path';
import { readJson, readTsv } from '../../harness/common/files.js';
import { sumOf } from '../captures/seconds.js';

/** @typedef {Record<string, string>} Row of a table */
/** @typedef {{name: string, addresses?: string[], connections?: number}} Host in trial.json; without `connections` it made no load */
/**
 * @typedef {object} Served between the two readings of the server's sockets
 * @property {number} claimed_b bytes sent, of messages that the clients report as answered; 0 if they may be compressed
 * @property {number} slack_b tolerance, for bytes in flight or between two readings
 * @property {number} arrived_b at the server's sockets
 * @property {HostCount[]} hosts
 */
/**
 * @typedef {object} HostCount of one client host; `up` is to the server
 * @property {number} up_b received on its sockets at the server
 * @property {number} up messages sent, by its clients' count
 * @property {number} down_b acknowledged by the host
 * @property {number} down messages received, by its clients' count
 * @property {number} slack tolerance each way, for messages between two readings
 * @property {number} [waiting] messages to the server without an answer yet: the server may not have read them
 */
/**
 * @typedef {{reported: number, least: number, most: number}} Live a count in a host's last line, and its bounds by the records of
 *   the host's clients
 */
/**
 * @typedef {{name: string, due: number, sent: number, late: number}} Sender messages of a host in the window, except those that waited
 *   for the server
 */

/** Time between the readings of a client's count and of the server's kernel, s: one run of ss and a round trip. */
const SLACK_S = 0.25;
/** Messages are spread unevenly over a second: a part of it may be off by this many times the square root of their number. */
const SCATTER = 2;
/** Bytes of a client's frame besides the payload; a long payload needs more: RFC 6455, 5.2. */
const FRAME_B = 6;
/** The last line shown in a window is at most this old, s. */
const LIVE_WITHIN_S = 3;
/** Columns of a line that count from the start of the load. */
const COUNTED = /** @type {const} */ (['due', 'sent', 'received']);

/** @param {string} raw @param {string} host @returns {Row[]} one row per second, from its clients' own records */
const readIntervals = (raw, host) => readTsv(join(raw, 'hosts', host, 'client', 'intervals.tsv'));

/**
 * @param {Row[]} seconds @param {string} column @param {number} t_s @param {number} [burst_s] period, if messages fall due all at once
 *   at its multiples
 * @returns {number} the count from the start until `t_s`
 */
function countUntil(seconds, column, t_s, burst_s) {
  const share = (/** @type {number} */ from_s) => {
    const part = Math.min(1, Math.max(0, t_s - from_s));
    const bursts = (/** @type {number} */ to_s) => (burst_s ? Math.ceil(to_s / burst_s) - Math.ceil(from_s / burst_s) : 0);
    return bursts(from_s + 1) > 0 ? bursts(from_s + part) / bursts(from_s + 1) : part;
  };
  return seconds.reduce((total, row) => total + share(Number(row.t_s)) * Number(row[column]), 0);
}

/** @param {number} most messages in a second @returns {number} how many of them another count may include or miss */
const slackOf = (most) => SLACK_S * most + SCATTER * Math.sqrt(most);

/**
 * @param {string} raw @param {Host[]} hosts
 * @param {{server: {options?: Record<string, string>}, client: {url?: string, arrivals?: {kind: string, period_ms?: number}}}} told from
 *   trial.json
 * @returns {Served | undefined} undefined if ss failed, if connections began or ended meanwhile, or if one came from an unknown address
 */
export function readServed(raw, hosts, { server: { options = {} }, client: { url = '', arrivals } }) {
  const rows = readTsv(join(raw, 'sockets.tsv'));
  const makers = hosts.filter(({ connections }) => connections);
  const isKnown = ({ address = '' }) => makers.some(({ addresses }) => addresses?.includes(address));
  if (rows.length === 0 || !rows.every(isKnown) || sumOf(rows, 'began') + sumOf(rows, 'ended') > 0) return undefined;
  const [from_s, to_s] = [Number(rows[0].from_s), Number(rows[0].to_s)];
  const frame_b = url.startsWith('ws') ? FRAME_B : 0;
  const burst_s = arrivals?.kind === 'bursts' || arrivals?.kind === 'beats' ? Number(arrivals.period_ms) / 1000 : undefined;
  const all = makers.map(({ name, addresses = [] }) => {
    const seconds = readIntervals(raw, name);
    const until = (/** @type {string} */ column, /** @type {number} */ t_s) => countUntil(seconds, column, t_s, burst_s);
    const between = (/** @type {string} */ column) => until(column, to_s) - until(column, from_s);
    // Between two bursts only late messages are in flight, so only the seconds of the two readings matter
    const isNear = ({ t_s = '' }) => !burst_s || [from_s, to_s].some((look_s) => Number(t_s) === Math.floor(look_s));
    const most = (/** @type {string} */ column) => seconds.filter(isNear).reduce((top, row) => Math.max(top, Number(row[column])), 0);
    const own = rows.filter(({ address }) => addresses.includes(address));
    const [up, down] = [between('sent'), between('received')];
    const each_b = up > 0 ? frame_b + between('sent_b') / up : 0;
    return {
      up_b: sumOf(own, 'received_b'), up, down_b: sumOf(own, 'acked_b'), down, waiting: Math.max(0, up - down),
      slack: slackOf(Math.max(most('sent'), most('received'))),
      // Answered messages have arrived; a server that is behind may not have read the rest
      claimed_b: each_b * Math.min(up, down), slack_b: each_b * slackOf(most('sent')),
    };
  });
  const total = (/** @type {'claimed_b' | 'slack_b' | 'up_b'} */ name) => all.reduce((sum, each) => sum + each[name], 0);
  const isCompressed = options.deflate === 'on';
  return {
    claimed_b: isCompressed ? 0 : total('claimed_b'), slack_b: total('slack_b'), arrived_b: total('up_b'),
    hosts: all.map(({ claimed_b: _claimed, slack_b: _slack, ...host }) => host),
  };
}

/**
 * @param {string} raw @param {Host[]} hosts @param {number} to_s end of the window
 * @returns {Live[] | undefined} undefined if no client reports counts
 */
export function readLive(raw, hosts, to_s) {
  const lines = readTsv(join(raw, 'live.tsv')).filter(({ due = '-' }) => due !== '-');
  if (lines.length === 0) return undefined;
  return hosts.filter(({ connections }) => connections).flatMap(({ name }) => {
    const { t_s = '0', told_s = '0', ...last } = /** @type {Row} */ (lines.findLast(({ host }) => host === name) ?? {});
    const seconds = readIntervals(raw, name);
    // A line counts at least up to the second before its time, and at most until a moment after it
    const from_s = Math.floor(Math.max(Math.floor(Number(told_s)) - 1, to_s - LIVE_WITHIN_S));
    const until_s = Math.max(Math.ceil(Number(told_s)), Number(t_s) + 1);
    return COUNTED.map((column) => ({
      reported: Number(last[column] ?? 0), least: countUntil(seconds, column, from_s), most: countUntil(seconds, column, until_s),
    }));
  });
}

/** @param {number} here @param {number} there @param {number} besides tolerance @returns {number} excess of the difference, as a share */
export const disagreement = (here, there, besides) => Math.max(0, Math.abs(here - there) - besides) / Math.max(1, here, there);

/**
 * Compares each host's bytes with its clients' message count, at the mean bytes per message over all hosts.
 * @param {HostCount[]} hosts @param {'up' | 'down'} way @returns {number} the largest disagreement of a host, as a share
 */
function differWay(hosts, way) {
  const bytes = hosts.reduce((sum, host) => sum + host[/** @type {const} */ (`${way}_b`)], 0);
  const messages = hosts.reduce((sum, host) => sum + host[way], 0);
  if (messages === 0) return 0;
  const each_b = bytes / messages;
  return Math.max(...hosts.map((host) => {
    const besides = host.slack + (way === 'up' ? host.waiting ?? 0 : 0);
    return disagreement(host[/** @type {const} */ (`${way}_b`)], each_b * host[way], each_b * besides);
  }));
}

/** @param {Served} served @returns {number} the largest disagreement between the server's kernel and the clients, as a share */
export function disagreementOfServed({ claimed_b, slack_b, arrived_b, hosts }) {
  const unheard = Math.max(0, claimed_b - slack_b - arrived_b) / Math.max(1, claimed_b);
  return Math.max(unheard, differWay(hosts, 'up'), differWay(hosts, 'down'));
}

/** @param {Live[]} live @returns {number} the largest error of a count, as a share */
export const disagreementOfLive = (live) =>
  Math.max(...live.map(({ reported, least, most }) => Math.max(0, least - reported, reported - most) / Math.max(1, most)));

/** @param {string} raw @param {Host[]} hosts @returns {Sender[]} what each host with load reports of its sends */
export function readSenders(raw, hosts) {
  return hosts.filter(({ connections }) => connections).map(({ name }) => {
    const { due, unsent_remote = 0, sent, late, late_remote = 0 } = readJson(join(raw, 'hosts', name, 'client', 'summary.json')).window;
    return { name, due: due - unsent_remote, sent, late: late - late_remote };
  });
}

/** @param {Sender[]} senders @returns {{name: string, share: number}} the host with the largest share of messages late or not sent */
export function findSlowest(senders) {
  const shares = senders.map(({ name, due, sent, late }) => ({ name, share: due > 0 ? (late + Math.max(0, due - sent)) / due : 0 }));
  return shares.reduce((slowest, each) => (each.share > slowest.share ? each : slowest), { name: 'none', share: 0 });
}
