/**
 * The agent of a host. Only it starts processes there, reads /proc and /sys, makes namespaces, and knows the host's clock. Requests come on
 * standard input, answers go to standard output (common/protocol.js). When standard input ends, or a remote coordinator is silent too long,
 * the agent kills its processes, removes its files, and exits. If it was killed itself, its keeper does so.
 *
 *     node harness/agent/main.js
 */
import '../common/surroundings.js';
import { tmpdir } from 'node:os';
import { UserError, printable } from '../common/failure.js';
import { PROTOCOL_VERSION, readMessages, tellError, writeMessage } from '../common/protocol.js';
import { leaveCores } from './cores.js';
import { LocalHost } from './host.js';
import { HostMetrics } from './exporter.js';
import { Operations } from './operations.js';

const tell = (/** @type {object} */ message) => {
  metrics?.take(/** @type {any} */ (message));
  writeMessage(process.stdout, message);
};
/** @type {HostMetrics | undefined} if the coordinator asks for them */
let metrics;
const host = makeHost();
const operations = new Operations(host, tell);
let greeted = false;
let heardMs = performance.now();

/** @returns {LocalHost} exits if no folder can be made: then nothing can be answered */
function makeHost() {
  try {
    return new LocalHost();
  } catch (error) {
    console.error(`error: agent: ${/** @type {Error} */ (error).message}; make room in ${tmpdir()}, or set TMPDIR to a folder that has some`);
    process.exit(2);
  }
}

const IDLE_S = 3600; // longest silence without a session, while the coordinator reduces and plots
const LOOK_EACH_MS = 5000;

/** A connection can die without notice to either end (keep-alives: RFC 1122, 4.2.3.6). @param {number} lost_s */
function endWhenLost(lost_s) {
  setInterval(() => {
    const limit_s = operations.sessions.size ? lost_s : IDLE_S;
    if (performance.now() - heardMs > limit_s * 1000) end();
  }, LOOK_EACH_MS);
}

/**
 * @param {{version?: unknown, leave_cores?: number, lost_s?: number, metrics?: {host: string, address: string, port: number}}} hello
 *   `leave_cores`: number of last cores kept from trials; `lost_s`: the coordinator sends something more often; `metrics`: where to answer
 *   Prometheus, and the host's name there
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
/** @param {unknown} [why] an error, or a signal */
async function end(why) {
  if (ending) return;
  if (why instanceof Error) console.error(printable(`error: agent: ${why.message}`));
  ending = true;
  await host.close();
  process.exit(0);
}

process.stdout.on('error', () => {}); // the coordinator may be gone before our standard input ends
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, end);
readMessages(process.stdin, async ({ id, ...asked }) => {
  heardMs = performance.now();
  try {
    tell({ id, ok: await answer(asked) ?? null });
  } catch (error) {
    tell({ id, error: tellError(error) });
  }
}, end);
