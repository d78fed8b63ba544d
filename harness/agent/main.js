/**
 * The agent of a host: it alone starts processes there, reads /proc and /sys, makes namespaces, and knows the host's clock. It is asked
 * on standard input and answers on standard output (common/protocol.js). When its standard input ends it kills what it started, removes
 * what it made, and ends; where it can't, for it was killed, its keeper does.
 *
 *     node harness/agent/main.js
 */
import { UserError } from '../common/failure.js';
import { PROTOCOL_VERSION, readMessages, tellError, writeMessage } from '../common/protocol.js';
import { LocalHost } from './host.js';
import { Operations } from './operations.js';

const tell = (/** @type {object} */ message) => writeMessage(process.stdout, message);
const host = new LocalHost();
const operations = new Operations(host, tell);
let greeted = false;

/** @param {{version?: unknown}} hello @throws {UserError} */
function greet({ version }) {
  if (version !== PROTOCOL_VERSION) {
    throw new UserError(`agent: this host's speaks version ${PROTOCOL_VERSION} of the protocol, the coordinator ${version}; bring both to the same commit`);
  }
  greeted = true;
  return { version: PROTOCOL_VERSION };
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
  try {
    tell({ id, ok: await answer(asked) ?? null });
  } catch (error) {
    tell({ id, error: tellError(error) });
  }
}, end);
