/**
 * The agent of a host: it alone starts processes there, reads /proc and /sys, makes namespaces, and knows the host's clock. It is asked
 * on standard input and answers on standard output (common/protocol.js). When its standard input ends, or a coordinator of another host
 * is silent for too long, it kills what it started, removes what it made, and ends; where it can't, for it was killed, its keeper does.
 *
 *     node harness/agent/main.js
 */
import '../common/surroundings.js';
import { tmpdir } from 'node:os';
import { UserError } from '../common/failure.js';
import { PROTOCOL_VERSION, readMessages, tellError, writeMessage } from '../common/protocol.js';
import { leaveCores } from './cores.js';
import { LocalHost } from './host.js';
import { HostMetrics } from './exporter.js';
import { Operations } from './operations.js';

const tell = (/** @type {object} */ message) => {
  metrics?.take(/** @type {any} */ (message));
  writeMessage(process.stdout, message);
};
/** @type {HostMetrics | undefined} where the coordinator asks for them */
let metrics;
const host = makeHost();
const operations = new Operations(host, tell);
let greeted = false;
let heardMs = performance.now();

/** @returns {LocalHost} or its end: where it can make no folder, there is nothing to answer with */
function makeHost() {
  try {
    return new LocalHost();
  } catch (error) {
    console.error(`error: agent: ${/** @type {Error} */ (error).message}; make room in ${tmpdir()}, or set TMPDIR to a folder that has some`);
    process.exit(2);
  }
}

/** With nothing under way, a coordinator may reduce and draw for so long. */
const IDLE_S = 3600;
const LOOK_EACH_MS = 5000;

/** A connection may die so that neither end is told: see "Blocked and dead connections" of RFC 1122, 4.2.3.6. @param {number} lost_s */
function endWhenLost(lost_s) {
  setInterval(() => {
    const limit_s = operations.sessions.size ? lost_s : IDLE_S;
    if (performance.now() - heardMs > limit_s * 1000) end();
  }, LOOK_EACH_MS);
}

/**
 * @param {{version?: unknown, leave_cores?: number, lost_s?: number, metrics?: {host: string, address: string, port: number}}} hello
 *   `leave_cores`: so many of the last are for no trial; `lost_s`: the coordinator asks something more often than that; `metrics`: where
 *   it answers Prometheus, and what it calls its host
 * @throws {UserError}
 */
async function greet({ version, leave_cores = 0, lost_s, metrics: wanted }) {
  if (version !== PROTOCOL_VERSION) {
    throw new UserError(`agent: this host's speaks version ${PROTOCOL_VERSION} of the protocol, the coordinator ${version}; bring both to the same commit`);
  }
  if (leave_cores > 0) leaveCores(leave_cores);
  if (lost_s) endWhenLost(lost_s);
  greeted = true;
  if (!wanted) return { version: PROTOCOL_VERSION };
  metrics = new HostMetrics(wanted.host);
  return { version: PROTOCOL_VERSION, no_metrics: await metrics.listen(wanted) };
}

/** @param {{op: string} & Record<string, any>} asked @returns {Promise<unknown>} */
async function answer({ op, ...given }) {
  if (op === 'hello') return greet(given);
  if (!greeted) throw new UserError(`agent: "${op}" was asked before "hello"; say hello with the version of the protocol first`);
  return operations.carryOut(op, given);
}

let ending = false;
async function end() {
  if (ending) return;
  ending = true;
  await host.close();
  process.exit(0);
}

process.stdout.on('error', () => {}); // the coordinator may be gone before its end of our input is closed
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, end);
readMessages(process.stdin, async ({ id, ...asked }) => {
  heardMs = performance.now();
  try {
    tell({ id, ok: await answer(asked) ?? null });
  } catch (error) {
    tell({ id, error: tellError(error) });
  }
}, end);
