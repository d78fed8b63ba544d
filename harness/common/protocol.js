/**
 * The protocol of a coordinator and the agent of a host (harness/agent/PROTOCOL.md): one JSON object per line. The coordinator sends
 * `{id, op, ...}`. The agent answers `{id, ok}` or `{id, error}`, and reports events as `{event, ...}`.
 */
import { StringDecoder } from 'node:string_decoder';
import { TrialError, UserError } from './failure.js';

/**
 * @typedef {object} Resolved network of a spec, as a host can have it
 * @property {'veth' | 'loopback' | 'hosts'} kind `hosts`: the network between several hosts
 * @property {boolean} [capture]
 * @property {string} [congestion] control of both ends; on loopback the machine's own, recorded in the environment
 * @property {'netem' | 'carried'} [link] how it gets rate and delay, if some point has them
 * @property {string} [why] it differs from the manifest
 */

/** Both ends send it first. Ends with different versions do not work together. */
export const PROTOCOL_VERSION = 7;

/** A coordinator asks an agent every `each` seconds. Silence for `lost` seconds means that the connection broke without an error. */
export const HEARTBEAT_S = { each: 10, lost: 60 };

/** The name of the only host without hosts.toml. */
export const THIS_HOST = 'local';
/** Placeholder for the folder of a session. Only the agent knows its path. */
export const DIR = '{dir}';
/** Placeholder for the suite's folder on the host. */
export const SUITE = '{suite}';
/** Placeholder for the private folder of the session's server. */
export const RUN_DIR = '{run}';
/** Placeholder for another private folder, with files in memory. */
export const MEMORY_DIR = '{memory}';

/**
 * @param {NodeJS.ReadableStream} stream @param {(message: any) => void} take
 * @param {(error?: Error) => void} end called at the end, or with the reason if a line is no message: the rest is not read
 */
export function readMessages(stream, take, end) {
  let failed = false;
  const takeLine = (/** @type {string} */ line) => {
    const message = failed ? undefined : parse(line);
    if (message) return take(message);
    if (!failed) end(new UserError(`said "${line.slice(0, 200)}", which is no message`));
    failed = true;
  };
  // By hand: readline also splits at U+2028 and U+2029, which JSON may contain (RFC 8259, section 7)
  const decoder = new StringDecoder('utf8');
  let rest = /** @type {string[]} */ ([]);
  stream.on('data', (bytes) => {
    const [first, ...others] = decoder.write(/** @type {Buffer} */ (bytes)).split('\n');
    rest.push(first);
    for (const next of others) {
      takeLine(rest.join(''));
      rest = [next];
    }
  });
  stream.on('close', () => {
    if (rest.some(Boolean)) takeLine(rest.join(''));
    if (!failed) end();
  });
}

/** @param {string} line @returns {any} undefined if it is no message */
function parse(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** @param {NodeJS.WritableStream | null} stream @param {object} message */
export function writeMessage(stream, message) {
  stream?.write(`${JSON.stringify(message)}\n`);
}

/** @typedef {{kind: 'trial' | 'user' | 'fault', message: string, stack?: string, syscall?: string}} ErrorMessage */

/** @param {any} error @returns {ErrorMessage} */
export function tellError(error) {
  if (error instanceof UserError) return { kind: 'user', message: error.message };
  if (error instanceof TrialError) return { kind: 'trial', message: error.message };
  return { kind: 'fault', message: String(error?.message), stack: error?.stack, syscall: error?.syscall };
}

/** @param {ErrorMessage} sent @returns {Error} as it was thrown */
export function remakeError({ kind, message, stack, syscall }) {
  if (kind === 'user') return new UserError(message);
  if (kind === 'trial') return new TrialError(message);
  return Object.assign(new Error(message), { ...(stack && { stack }), ...(syscall && { syscall }) });
}
