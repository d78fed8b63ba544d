/**
 * Who counted what, over several hosts: the clients of each host in their records, the kernel of the server's host on the
 * server's sockets (raw/sockets.tsv), and the lines that were shown while it ran (raw/live.tsv).
 */
import { join } from 'node:path';
import { readJson, readTsv } from '../../harness/common/files.js';
import { sumOf } from '../captures/seconds.js';

/** @typedef {Record<string, string>} Row of a table */
/** @typedef {{name: string, addresses?: string[], connections?: number}} Host of trial.json; without connections it made no load */
/**
 * @typedef {object} Served between the two looks at the server's sockets
 * @property {number} claimed_b of the messages that the clients say were answered, as they sent them; 0 where they may be compressed
 * @property {number} slack_b of them that may have been on their way, or between two readings
 * @property {number} arrived_b at the server's sockets
 * @property {HostCount[]} hosts
 */
/**
 * @typedef {object} HostCount of one client host; `up` is to the server
 * @property {number} up_b that came in on its sockets at the server
 * @property {number} up messages that its clients say they sent
 * @property {number} down_b that it acknowledged
 * @property {number} down messages that they say they received
 * @property {number} slack of either: messages that may have been between two readings
 * @property {number} [waiting] messages to the server that were not answered by then: it may not have read them yet
 */
/**
 * @typedef {{reported: number, least: number, most: number}} Live what a host's last line told, and between what it should be by the
 *   records of its clients
 */
/**
 * @typedef {{name: string, due: number, sent: number, late: number}} Sender messages of a host in the window, without those that waited
 *   for the server
 */

/** Of a second: between the readings of a client's count and of the server's kernel lie a look of ss and a round trip. */
const SLACK_S = 0.25;
/** Of a second's messages some come early in it and some late: by so many times their square root a part of it may be off. */
const SCATTER = 2;
/** A client's frame has so many bytes besides the payload, and more of a long one: RFC 6455, 5.2. */
const FRAME_B = 6;
/** The last line that was shown of a window is no older, s. */
const LIVE_WITHIN_S = 3;
/** What a line tells since the start of the load. */
const COUNTED = /** @type {const} */ (['due', 'sent', 'received']);

/** @param {string} raw @param {string} host @returns {Row[]} a line a second of its clients' own records */
const readIntervals = (raw, host) => readTsv(join(raw, 'hosts', host, 'client', 'intervals.tsv'));

/**
 * @param {Row[]} seconds @param {string} column @param {number} t_s @param {number} [beat_s] of messages that fall due all at once, at
 *   whole multiples of it
 * @returns {number} counted from the start until then
 */
function countUntil(seconds, column, t_s, beat_s) {
  const share = (/** @type {number} */ from_s) => {
    const part = Math.min(1, Math.max(0, t_s - from_s));
    const beats = (/** @type {number} */ to_s) => (beat_s ? Math.ceil(to_s / beat_s) - Math.ceil(from_s / beat_s) : 0);
    return beats(from_s + 1) > 0 ? beats(from_s + part) / beats(from_s + 1) : part;
  };
  return seconds.reduce((total, row) => total + share(Number(row.t_s)) * Number(row[column]), 0);
}

/** @param {number} most messages in a second @returns {number} of them, that may be in another count */
const slackOf = (most) => SLACK_S * most + SCATTER * Math.sqrt(most);

/**
 * @param {string} raw @param {Host[]} hosts
 * @param {{server: {options?: Record<string, string>}, client: {url?: string, arrivals?: {kind: string, period_ms?: number}}}} told of
 *   trial.json
 * @returns {Served | undefined} nothing where ss could not look, where connections began or ended meanwhile, or where one
 *   came from an address that is no host's
 */
export function readServed(raw, hosts, { server: { options = {} }, client: { url = '', arrivals } }) {
  const rows = readTsv(join(raw, 'sockets.tsv'));
  const makers = hosts.filter(({ connections }) => connections);
  const isKnown = ({ address = '' }) => makers.some(({ addresses }) => addresses?.includes(address));
  if (rows.length === 0 || !rows.every(isKnown) || sumOf(rows, 'began') + sumOf(rows, 'ended') > 0) return undefined;
  const [from_s, to_s] = [Number(rows[0].from_s), Number(rows[0].to_s)];
  const frame_b = url.startsWith('ws') ? FRAME_B : 0;
  const beat_s = arrivals?.kind === 'beats' ? Number(arrivals.period_ms) / 1000 : undefined;
  const all = makers.map(({ name, addresses = [] }) => {
    const seconds = readIntervals(raw, name);
    const until = (/** @type {string} */ column, /** @type {number} */ t_s) => countUntil(seconds, column, t_s, beat_s);
    const between = (/** @type {string} */ column) => until(column, to_s) - until(column, from_s);
    // Between two beats no more is under way than what is late of one
    const isNear = ({ t_s = '' }) => !beat_s || [from_s, to_s].some((look_s) => Number(t_s) === Math.floor(look_s));
    const most = (/** @type {string} */ column) => seconds.filter(isNear).reduce((top, row) => Math.max(top, Number(row[column])), 0);
    const own = rows.filter(({ address }) => addresses.includes(address));
    const [up, down] = [between('sent'), between('received')];
    const each_b = up > 0 ? frame_b + between('sent_b') / up : 0;
    return {
      up_b: sumOf(own, 'received_b'), up, down_b: sumOf(own, 'acked_b'), down, waiting: Math.max(0, up - down),
      slack: slackOf(Math.max(most('sent'), most('received'))),
      // What was answered has come there; the rest may still wait before a server that is behind
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
 * @returns {Live[] | undefined} nothing where no client tells a line
 */
export function readLive(raw, hosts, to_s) {
  const lines = readTsv(join(raw, 'live.tsv')).filter(({ due = '-' }) => due !== '-');
  if (lines.length === 0) return undefined;
  return hosts.filter(({ connections }) => connections).flatMap(({ name }) => {
    const { t_s = '0', told_s = '0', ...last } = /** @type {Row} */ (lines.findLast(({ host }) => host === name) ?? {});
    const seconds = readIntervals(raw, name);
    // A line has what was counted until its time, or a moment after, and tells of the second before that for sure
    const from_s = Math.floor(Math.max(Math.floor(Number(told_s)) - 1, to_s - LIVE_WITHIN_S));
    const until_s = Math.max(Math.ceil(Number(told_s)), Number(t_s) + 1);
    return COUNTED.map((column) => ({
      reported: Number(last[column] ?? 0), least: countUntil(seconds, column, from_s), most: countUntil(seconds, column, until_s),
    }));
  });
}

/** @param {number} here @param {number} there @param {number} besides that is neither's @returns {number} their difference, as a share */
export const disagreement = (here, there, besides) => Math.max(0, Math.abs(here - there) - besides) / Math.max(1, here, there);

/**
 * Bytes of a message are those of all hosts together: what one host's clients count is to be what came of it.
 * @param {HostCount[]} hosts @param {'up' | 'down'} way @returns {number} the worst of them, as a share
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

/** @param {Served} served @returns {number} by how much the server's kernel and the clients differ, as a share */
export function disagreementOfServed({ claimed_b, slack_b, arrived_b, hosts }) {
  const unheard = Math.max(0, claimed_b - slack_b - arrived_b) / Math.max(1, claimed_b);
  return Math.max(unheard, differWay(hosts, 'up'), differWay(hosts, 'down'));
}

/** @param {Live[]} live @returns {number} by how much the most wrong of the lines is, as a share */
export const disagreementOfLive = (live) =>
  Math.max(...live.map(({ reported, least, most }) => Math.max(0, least - reported, reported - most) / Math.max(1, most)));

/** @param {string} raw @param {Host[]} hosts @returns {Sender[]} what each that made load says of its sends */
export function readSenders(raw, hosts) {
  return hosts.filter(({ connections }) => connections).map(({ name }) => {
    const { due, unsent_remote = 0, sent, late, late_remote = 0 } = readJson(join(raw, 'hosts', name, 'client', 'summary.json')).window;
    return { name, due: due - unsent_remote, sent, late: late - late_remote };
  });
}

/** @param {Sender[]} senders @returns {{name: string, share: number}} the one of whose messages most were late, or not sent */
export function findSlowest(senders) {
  const shares = senders.map(({ name, due, sent, late }) => ({ name, share: due > 0 ? (late + Math.max(0, due - sent)) / due : 0 }));
  return shares.reduce((slowest, each) => (each.share > slowest.share ? each : slowest), { name: 'none', share: 0 });
}
