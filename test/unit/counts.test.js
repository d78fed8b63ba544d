/** Compares counts over several hosts: by the clients, by the server's kernel, and in lines shown during the trial. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { countBetween, parseSockets } from '../../harness/agent/sockets.js';
import { writeTsv } from '../../harness/common/files.js';
import { makePlan } from '../../harness/plan/plan.js';
import { looksWithin, untilBetweenBursts } from '../../harness/spec/arrivals.js';
import { makeSpec } from '../../harness/spec/spec.js';
import { disagreementOfLive, disagreementOfServed, readLive, readServed } from '../../analysis/trials/count-facts.js';

const folder = mkdtempSync(join(tmpdir(), 'counts-test-'));
after(() => rmSync(folder, { recursive: true }));

/** A line of `ss -tinOH state established`, with an IPv4 peer or an IPv4-mapped one. */
const socketOf = (/** @type {string} */ peer, /** @type {string} */ counts) =>
  `0      0      ${peer.startsWith('[') ? '[::ffff:10.0.0.1]' : '10.0.0.1'}:20000 ${peer}  cubic wscale:7,7 rto:201 rtt:0.05/0.01 ${counts} send 5Gbps lastsnd:3`;
const BEFORE = [
  socketOf('10.0.0.2:40000', 'bytes_sent:100 bytes_acked:100 bytes_received:200 segs_out:9 segs_in:8 data_segs_out:2 data_segs_in:3'),
  socketOf('[::ffff:10.0.0.3]:40000', 'segs_out:1 segs_in:2'), // ss leaves out counters that are 0
  socketOf('10.0.0.3:40001', 'bytes_acked:5 bytes_received:5'),
].join('\n');
const AFTER = [
  socketOf('10.0.0.2:40000', 'bytes_sent:1100 bytes_acked:1100 bytes_received:1200 segs_out:19 segs_in:18 data_segs_out:12 data_segs_in:13'),
  socketOf('[::ffff:10.0.0.3]:40000', 'bytes_acked:700 bytes_received:800 data_segs_out:7 data_segs_in:8'),
  socketOf('10.0.0.3:40002', 'bytes_acked:9 bytes_received:9'),
].join('\n');

test('what ss tells of the server\'s sockets is counted by host, on those that were there at both ends', () => {
  assert.deepEqual(countBetween(parseSockets(BEFORE), parseSockets(`${AFTER}\n`)), [
    { address: '10.0.0.2', kept: 1, began: 0, ended: 0, received_b: 1000, acked_b: 1000, segments_in: 10, segments_out: 10 },
    { address: '10.0.0.3', kept: 1, began: 1, ended: 1, received_b: 800, acked_b: 700, segments_in: 8, segments_out: 7 },
  ]);
  assert.deepEqual(countBetween(parseSockets(''), parseSockets('')), []);
});

/** @typedef {Record<string, unknown>} Row */

const HOSTS = [
  { name: 's1', addresses: ['10.0.0.1'] }, { name: 'a', addresses: ['10.0.0.2'], connections: 5 },
  { name: 'b', addresses: ['10.0.0.3', '10.0.0.4'], connections: 5 },
];
const LIVE = ['host', 't_s', 'told_s', 'due', 'sent', 'received'];
const ECHOED_B = 26;

/**
 * Writes a trial of 10 s, with the sockets read 8 s apart. Each host sends 100 messages of 20 B per second.
 * @param {{name: string, twice?: string, sockets?: Row[], lines?: Row[], each?: Partial<Record<string, Row>>}} how
 *   `twice`: the host whose clients count twice; `each`: other counts per second, by host
 * @returns {string} the trial's folder raw
 */
function record({ name, twice, sockets, lines, each = {} }) {
  const raw = join(folder, name);
  for (const host of ['a', 'b']) {
    mkdirSync(join(raw, 'hosts', host, 'client'), { recursive: true });
    const sent = host === twice ? 200 : 100;
    const seconds = Array.from({ length: 10 }, (_, t_s) => ({ t_s, due: sent, sent, received: sent, sent_b: 20 * sent, ...each[host] }));
    writeTsv(join(raw, 'hosts', host, 'client', 'intervals.tsv'), ['t_s', 'due', 'sent', 'received', 'sent_b'], seconds);
  }
  const socket = (/** @type {string} */ address, /** @type {number} */ share) => (
    { address, from_s: 1.6, to_s: 9.6, kept: 1, began: 0, ended: 0, received_b: 800 * share * ECHOED_B, acked_b: 800 * share * ECHOED_B });
  const rows = sockets ?? [socket('10.0.0.2', 1), socket('10.0.0.3', 0.5), socket('10.0.0.4', 0.5)];
  writeTsv(join(raw, 'sockets.tsv'), ['address', 'from_s', 'to_s', 'kept', 'began', 'ended', 'received_b', 'acked_b'], rows);
  const line = (/** @type {string} */ host, /** @type {number} */ t_s) => (
    { host, t_s, told_s: t_s + 0.35, due: 100 * t_s + 35, sent: 100 * t_s + 35, received: 100 * t_s + 34 });
  writeTsv(join(raw, 'live.tsv'), LIVE, lines ?? [line('a', 8), line('b', 8), line('a', 9), line('b', 9), { host: 's1', t_s: 9 }]);
  return raw;
}

/** @param {string} raw @param {Record<string, string>} [options] @param {string} [url] @returns {number | undefined} */
function weighServed(raw, options, url) {
  const served = readServed(raw, HOSTS, { server: { options }, client: { url } });
  return served && disagreementOfServed(served);
}

/** @param {string} raw @returns {number} */
const weighLive = (raw) => disagreementOfLive(readLive(raw, HOSTS, 10) ?? []);

test('clients, the server\'s kernel and who watched agree on a sound trial', () => {
  const raw = record({ name: 'sound' });
  assert.equal(weighServed(raw), 0);
  assert.equal(weighLive(raw), 0);
});

test('a host whose clients count twice disagrees with both', () => {
  const raw = record({ name: 'twice', twice: 'b' });
  assert.ok(Number(weighServed(raw)) > 0.2, `${weighServed(raw)}`);
  assert.ok(weighLive(raw) > 0.3, `${weighLive(raw)}`);
});

test('clients that claim more bytes than came to the server are found, unless messages are compressed on their way', () => {
  const socket = (/** @type {string} */ address) => (
    { address, from_s: 1.6, to_s: 9.6, kept: 1, began: 0, ended: 0, received_b: 800 * 10, acked_b: 800 * 10 });
  const raw = record({ name: 'lost', sockets: [socket('10.0.0.2'), socket('10.0.0.3')] });
  assert.ok(Number(weighServed(raw)) > 0.4);
  assert.equal(weighServed(raw, { deflate: 'on' }), 0);
});

test('clients that all count twice are found by the frames that their messages must have had', () => {
  const each = { due: 200, sent: 200, received: 200, sent_b: 400 };
  const socket = (/** @type {string} */ address) => (
    { address, from_s: 1.6, to_s: 9.6, kept: 1, began: 0, ended: 0, received_b: 800 * 8, acked_b: 800 * 8 });
  const raw = record({ name: 'all-twice', each: { a: each, b: each }, sockets: [socket('10.0.0.2'), socket('10.0.0.3')] });
  assert.equal(weighServed(raw), 0, 'by the payload, of two bytes, nothing can be said');
  assert.ok(Number(weighServed(raw, {}, 'ws://10.0.0.1:1')) > 0.3);
});

test('what a server that is behind has not read is no disagreement', () => {
  const behind = { received: 40 };
  const socket = (/** @type {string} */ address, /** @type {number} */ read) => (
    { address, from_s: 1.6, to_s: 9.6, kept: 1, began: 0, ended: 0, received_b: 8 * read * ECHOED_B, acked_b: 8 * 40 * ECHOED_B });
  const raw = record({ name: 'behind', each: { a: behind, b: behind }, sockets: [socket('10.0.0.2', 42), socket('10.0.0.3', 70)] });
  assert.equal(weighServed(raw, {}, 'ws://10.0.0.1:1'), 0);
});

/** Peaks of 800 messages at 2, 4, 6 and 8 s. */
const BURSTS = { kind: 'bursts', period_ms: 2000 };
const peaks = (/** @type {number} */ each) => Array.from({ length: 10 }, (_, t_s) => {
  const sent = t_s % 2 === 0 && t_s > 0 ? each : 0;
  return { t_s, due: sent, sent, received: sent, sent_b: 20 * sent };
});

/**
 * @param {string} name @param {[number, number]} looks when the sockets are read, s
 * @param {number} bursts peaks between them @param {number} [claimed] messages per peak, as counted by host b's clients
 */
function weighPeaks(name, [from_s, to_s], bursts, claimed = 800) {
  const socket = (/** @type {string} */ address) => (
    { address, from_s, to_s, kept: 1, began: 0, ended: 0, received_b: bursts * 800 * ECHOED_B, acked_b: bursts * 800 * ECHOED_B });
  const raw = record({ name, sockets: [socket('10.0.0.2'), socket('10.0.0.3')] });
  for (const [host, each] of /** @type {[string, number][]} */ ([['a', 800], ['b', claimed]])) {
    writeTsv(join(raw, 'hosts', host, 'client', 'intervals.tsv'), ['t_s', 'due', 'sent', 'received', 'sent_b'], peaks(each));
  }
  const served = readServed(raw, HOSTS, { server: {}, client: { url: 'ws://10.0.0.1:1', arrivals: BURSTS } });
  return served && disagreementOfServed(served);
}

test('sockets are read between two peaks, so that clients and server count the same messages', () => {
  assert.deepEqual(looksWithin(BURSTS, { from_s: 2, to_s: 9 }), [3.5, 7.5]);
  assert.equal(weighPeaks('peaks', [3.5, 7.5], 2), 0);
  assert.equal(weighPeaks('peaks-early', [3.5, 8.2], 3), 0, 'a peak is before the look or behind it, not a fifth of it');
});

test('a host that counts its peaks twice disagrees, and so does one of which a peak is missing at the server', () => {
  assert.ok(Number(weighPeaks('peaks-twice', [3.5, 7.5], 2, 1600)) > 0.2);
  assert.ok(Number(weighPeaks('peaks-lost', [3.5, 7.5], 1)) > 0.3);
});

test('with other loads, or with less than a whole period of bursts, sockets are read near the ends of the window', () => {
  assert.deepEqual(looksWithin({ kind: 'constant', period_ms: 2000 }, { from_s: 2, to_s: 9 }), [2.05, 8.6]);
  assert.deepEqual(looksWithin({ kind: 'closed' }, { from_s: 2, to_s: 3 }), [2.05, 2.6]);
  assert.deepEqual(looksWithin(BURSTS, { from_s: 2, to_s: 3 }), [2.05, 2.6]);
});

test('a window begins between two peaks where whole seconds allow it, in every profile of an experiment that has them', () => {
  assert.deepEqual([2, 3, 42].map((from_s) => untilBetweenBursts(BURSTS, from_s)), [1, 0, 1]);
  assert.deepEqual([untilBetweenBursts({ kind: 'bursts', period_ms: 1000 }, 2), untilBetweenBursts({ kind: 'constant', period_ms: 2000 }, 2)], [0, 0]);
  for (const profile of /** @type {const} */ (['quick', 'default', 'paper'])) {
    for (const { from_s, to_s } of makePlan(makeSpec('14-spread-of-messages', profile, 1))) assert.deepEqual([from_s % 2, to_s % 2], [1, 1], profile);
  }
});

test('a message or two at a time, early or late in their second, are no disagreement', () => {
  const few = { due: 2, sent: 2, received: 2, sent_b: 40 };
  const socket = (/** @type {string} */ address, /** @type {number} */ messages) => (
    { address, from_s: 7.95, to_s: 9.95, kept: 1, began: 0, ended: 0, received_b: messages * ECHOED_B, acked_b: messages * ECHOED_B });
  const line = { host: 'a', t_s: 8, told_s: 8.2, due: 16, sent: 16, received: 16 };
  const raw = record({
    name: 'few', each: { a: few, b: few }, sockets: [socket('10.0.0.2', 2), socket('10.0.0.3', 6)], lines: [line, { ...line, host: 'b' }],
  });
  assert.equal(weighServed(raw, {}, 'ws://10.0.0.1:1'), 0);
  assert.equal(weighLive(raw), 0);
});

test('a host of which nothing was shown disagrees, where others were', () => {
  const line = { host: 'a', t_s: 9, told_s: 9.35, due: 935, sent: 935, received: 934 };
  assert.ok(weighLive(record({ name: 'unseen', lines: [line] })) > 0.5);
});

test('a server is not judged if its sockets could not be read, changed, or belong to an unknown host', () => {
  const socket = { address: '10.0.0.2', from_s: 1, to_s: 2, kept: 1, began: 0, ended: 0, received_b: 1, acked_b: 1 };
  for (const [name, sockets] of /** @type {[string, Row[]][]} */ ([
    ['none', []], ['changed', [{ ...socket, ended: 1 }]], ['foreign', [socket, { ...socket, address: '10.9.9.9' }]],
  ])) assert.equal(weighServed(record({ name, sockets })), undefined, name);
});

test('lines that end before the window does, or tell too much, disagree; clients that tell none are not asked', () => {
  const line = { host: 'a', t_s: 4, told_s: 4.35, due: 435, sent: 435, received: 434 };
  assert.ok(weighLive(record({ name: 'early', lines: [line] })) > 0.1);
  assert.ok(weighLive(record({ name: 'much', lines: [{ ...line, t_s: 9, told_s: 9.35, due: 1300, sent: 935, received: 934 }] })) > 0.2);
  assert.equal(readLive(record({ name: 'silent', lines: [{ host: 'a', t_s: 9 }] }), HOSTS, 10), undefined);
});
