/** One run: starts a server and a generator, and checks that both counted the same messages. */
import { TrialError } from '../../../harness/common/failure.js';
import { runHandshakes, runK6, runLimit, runOpensslTime, runSwarm } from './generators.js';
import { LOADS, MESSAGE_B } from './plan.js';
import { startEchoServer, startUws } from './servers.js';

/** @typedef {import('./plan.js').Closed} Closed */
/** @typedef {import('./generators.js').Place} Place */
/** @typedef {import('./generators.js').Values} Values */
/** @typedef {import('../../../harness/agent/host.js').LocalHost} LocalHost */

/** @type {Record<import('./plan.js').Generator, (place: Place, load: any, baseline?: string) => Promise<Values>>} */
const RUN = {
  limit: runLimit,
  tcp: (place, load) => runSwarm(place, 'tcp', load),
  ws: (place, load) => runSwarm(place, 'ws', load),
  baseline: (place, load, baseline) => runSwarm(place, 'ws', load, baseline),
  uws: (place, load) => runSwarm(place, 'ws', load),
  k6: runK6,
  'tls-limit': runLimit,
  wss: (place, load) => runSwarm(place, 'wss', load),
  'deflate-limit': runLimit,
  deflate: (place, load) => runSwarm(place, 'ws', load),
  's-time': runOpensslTime,
  tls: runHandshakes,
};

/** Generators without WebSocket. @type {import('./plan.js').Generator[]} */
const SPEAK_TCP = ['limit', 'tcp', 'tls-limit', 'deflate-limit', 's-time', 'tls'];

/**
 * @param {LocalHost} host @param {import('./plan.js').Planned} planned @param {string} folder @param {number} windowS
 * @param {number} seed @param {AbortSignal} signal @param {string} [baseline] path of another swarm
 * @returns {Promise<Values>}
 * @throws {TrialError} when the run fails, or when server and generator disagree on the number of messages
 */
export async function carryOut(host, { load: id, generator }, folder, windowS, seed, signal, baseline) {
  const load = LOADS[id];
  const serving = generator === 'uws' ? await startUws(host, folder, signal)
    : await startEchoServer(host, SPEAK_TCP.includes(generator) ? 'tcp' : 'websocket', folder, signal, isSecured(load));
  const values = await RUN[generator]({ host, address: serving.address, folder, windowS, seed, signal }, load, baseline);
  const echoedB = await serving.stop();
  const isDeflated = load.kind === 'closed' && load.isDeflated; // the server knows only the compressed length
  if (echoedB === undefined || isDeflated || load.kind === 'handshakes') return values;
  const served = echoedB / MESSAGE_B;
  checkCounts(values.counted, served, load);
  return { ...values, served };
}

/** @param {import('./plan.js').Load} load */
const isSecured = (load) => load.kind === 'handshakes' || (load.kind === 'closed' && load.isSecured === true);

/**
 * The server may have echoed at most as many more messages as were outstanding when the generator ended.
 * @param {number} counted @param {number} served @param {import('./plan.js').Load} load
 * @throws {TrialError}
 */
function checkCounts(counted, served, load) {
  const out = load.kind === 'closed' ? load.connections * load.outstanding : 0;
  if (served < counted || served - counted > out) {
    throw new TrialError(`the generator counted ${counted} answers, the server echoed ${served} messages; at most ${out} can have been out`);
  }
}
