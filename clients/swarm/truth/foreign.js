/** Checks against independent servers and proxies, over TLS and with compression: all counts, a wrong byte, a stall. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS } from './bench.js';
import { NO_OPENSSL, makeCertificate } from './certificate.js';
import { checkCounts, checkDeflated, checkSecured } from './counts.js';
import { PEERS, PROXIES, findLack, install, putBefore } from './peers.js';
import { checkOpenStall, stall } from './times.js';

/** @typedef {import('./bench.js').Bench} Bench */
/** @typedef {import('./bench.js').Load} Load */
/** @typedef {import('./peers.js').Peer} Peer */
/** @typedef {import('./peers.js').Proxy} Proxy */
/** @typedef {import('./verdicts.js').Verdicts} Verdicts */
/** @typedef {import('./checks.js').Check} Check */

/** Long enough for the last answer on a busy machine: this is no check of speed. */
const DRAIN_S = 30;
/** About 10,000 messages, 2,000 a second, which Python can answer too. Java's JIT compiles while they settle. @type {Load} */
const LOAD = {
  connections: 50, arrivals: { kind: 'constant', period_ms: 25 }, settle_s: 3, hold_s: 2, payload: { type: 'text', bytes: 500 }, drain_s: DRAIN_S,
};
const ONE_IN = 100;

const NO_TAKEOVER = { server_no_context_takeover: true, client_no_context_takeover: true };
/** @typedef {{how: string, isSecured: boolean, deflate?: object}} Way */
/** @type {Way[]} */
const WAYS = [
  { how: 'TLS', isSecured: true },
  { how: 'deflate', isSecured: false, deflate: {} },
  { how: 'deflate without takeover', isSecured: false, deflate: NO_TAKEOVER },
  { how: 'TLS and deflate', isSecured: true, deflate: {} },
];
/** Windows smaller than zlib's default. Netty with the JDK's zlib declines them, and Python's peers choose their own. */
const SMALL_WINDOWS = { how: 'small windows', isSecured: false, deflate: { server_max_window_bits: 9, client_max_window_bits: 9 } };

/** @param {Bench} bench */
const folderOf = (bench, /** @type {string} */ name) => {
  const folder = join(bench.folder, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** @param {Peer} peer @returns {Check} */
const checkPeer = (peer) => async (bench, verdicts) => {
  const lack = await install(peer, bench.signal);
  if (lack) return verdicts.skip(peer.title, lack);
  const files = makeCertificate(folderOf(bench, `${peer.name}-files`));
  for (const way of peer.name === 'ws' ? [...WAYS, SMALL_WINDOWS] : WAYS) {
    const run = `${peer.title}, ${way.how}`;
    if (way.isSecured && !files) verdicts.skip(run, NO_OPENSSL);
    else await checkWay(bench, verdicts, { peer, way, run, files: way.isSecured ? files : undefined });
  }
  if (files) await checkPeersStall(bench, verdicts, peer, files);
};

/**
 * The stall over TLS with compression.
 * @param {Bench} bench @param {Verdicts} verdicts @param {Peer} peer @param {NonNullable<ReturnType<typeof makeCertificate>>} files
 */
async function checkPeersStall(bench, verdicts, peer, files) {
  const serve = (/** @type {string[]} */ ...faults) => ({ server: [...peer.argv, '0', files.certificate, files.key, ...faults] });
  await checkOpenStall(bench, verdicts, `${peer.title}, stall`, {
    load: { tls: { ca: files.certificate }, deflate: {} }, isSlow: true, base: serve(), stalled: () => serve(...stall()),
  });
}

/**
 * @param {Bench} bench @param {Verdicts} verdicts
 * @param {{peer: Peer, way: Way, run: string, files: ReturnType<typeof makeCertificate>}} what `files`: only for TLS
 */
async function checkWay(bench, verdicts, { peer, way: { how, deflate }, run, files }) {
  const server = [...peer.argv, String(ONE_IN), ...(files ? [files.certificate, files.key] : [])];
  const load = { ...LOAD, ...(deflate ? { deflate } : {}), ...(files ? { tls: { ca: files.certificate } } : {}) };
  const found = await bench.run(`${peer.name}-${how.replaceAll(' ', '-')}`, [], load, { server });
  checkCounts(verdicts, run, found, { wrong: found.counts.corrupted });
  verdicts.moreThan(`${run}: wrong bytes by the server`, found.counts.corrupted, 0);
  if (files) checkSecured(verdicts, run, found, LOAD.connections);
  if (deflate) checkDeflated(verdicts, run, found);
}

/**
 * Checks swarm over a proxy that ends TLS before three servers: truth-server with drops and wrong bytes, truth-server with
 * stalls, and Node's ws with compression.
 * @param {Proxy} proxy @returns {Check}
 */
const checkProxy = (proxy) => async (bench, verdicts) => {
  const folder = folderOf(bench, `${proxy.name}-files`);
  const files = makeCertificate(folder);
  const lack = findLack(proxy) ?? (files ? undefined : NO_OPENSSL);
  if (lack || !files) return verdicts.skip(proxy.title, String(lack));
  const tls = { ca: files.certificate };
  const before = (/** @type {string[]} */ ...server) => ({ server: putBefore(proxy, folder, files, server) });
  const truthServer = join(PROGRAMS, 'truth-server');
  for (const [fault, count, counter] of /** @type {const} */ ([['drop', 'dropped', 'missing'], ['corrupt', 'corrupted', 'wrong']])) {
    const run = `${proxy.title}, ${fault}`;
    const drainS = fault === 'drop' ? 2 : DRAIN_S; // dropped answers never come
    const found = await bench.run(`${proxy.name}-${fault}`, [], { ...LOAD, drain_s: drainS, tls }, before(truthServer, `--${fault}`, String(ONE_IN)));
    checkCounts(verdicts, run, found, { [counter]: found.counts[count] });
    verdicts.moreThan(`${run}: ${count} by the server`, found.counts[count], 0);
    checkSecured(verdicts, run, found, LOAD.connections);
  }
  await checkOpenStall(bench, verdicts, `${proxy.title}, stall`, { load: { tls }, base: before(truthServer), stalled: () => before(truthServer, ...stall()) });
  await checkProxiedDeflate(bench, verdicts, { proxy, tls, before });
};

/**
 * @param {Bench} bench @param {Verdicts} verdicts
 * @param {{proxy: Proxy, tls: {ca: string}, before: (...server: string[]) => {server: string[]}}} how
 */
async function checkProxiedDeflate(bench, verdicts, { proxy, tls, before }) {
  const [ws] = PEERS;
  const run = `${proxy.title}, deflate`;
  const lack = await install(ws, bench.signal);
  if (lack) return verdicts.skip(run, lack);
  const found = await bench.run(`${proxy.name}-deflate`, [], { ...LOAD, deflate: {}, tls }, before(...ws.argv, String(ONE_IN)));
  checkCounts(verdicts, run, found, { wrong: found.counts.corrupted });
  verdicts.moreThan(`${run}: wrong bytes by the server`, found.counts.corrupted, 0);
  checkDeflated(verdicts, run, found);
}

/** @type {[string, Check][]} */
export const FOREIGN_CHECKS = [
  ...PEERS.map((peer) => /** @type {[string, Check]} */ ([peer.name, checkPeer(peer)])),
  ...PROXIES.map((proxy) => /** @type {[string, Check]} */ ([proxy.name, checkProxy(proxy)])),
];
