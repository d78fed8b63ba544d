/**
 * What a coordinator and the agent of a host say to each other (harness/agent/PROTOCOL.md): a JSON object a line. The coordinator asks
 * `{id, op, ...}` and is answered `{id, ok}` or `{id, error}`; what happens meanwhile the agent tells as `{event, ...}`.
 */
import { StringDecoder } from 'node:string_decoder';
import { TrialError, UserError } from './failure.js';

/**
 * @typedef {object} Resolved network of a spec, as a host can have it
 * @property {'veth' | 'loopback' | 'hosts'} kind `hosts`: what lies between several hosts
 * @property {boolean} [capture]
 * @property {string} [congestion] control of both ends; on loopback the machine's own, which the environment has
 * @property {'netem' | 'carried'} [link] how it gets rate and delay, where some point has them
 * @property {string} [why] it is not as the manifest wants it
 */

/** Both ends say it first; ends of two versions do not work together. */
export const PROTOCOL_VERSION = 7;

/** A coordinator asks something at least so often, an agent answers it at least so soon: else its connection is lost, and no one told. */
export const HEARTBEAT_S = { each: 10, lost: 60 };

/** What the one host is called that there is without hosts.toml. */
export const THIS_HOST = 'local';
/** Stands for the folder of a session, of which the agent alone knows the path. */
export const DIR = '{dir}';
/** Stands for the folder of the suite on the host. */
export const SUITE = '{suite}';
/** Stands for the private folder of the session's server. */
export const RUN_DIR = '{run}';
/** Stands for another, whose files are in memory. */
export const MEMORY_DIR = '{memory}';

/**
 * @param {NodeJS.ReadableStream} stream @param {(message: any) => void} take
 * @param {(error?: Error) => void} end is called when it ends, or with the reason when a line is no message: the rest is not read
 */
export function readMessages(stream, take, end) {
  let failed = false;
  const takeLine = (/** @type {string} */ line) => {
    const message = failed ? undefined : parse(line);
    if (message) return take(message);
    if (!failed) end(new UserError(`said "${line.slice(0, 200)}", which is no message`));
    failed = true;
  };
  // By hand: readline ends a line at U+2028 and U+2029 too, which JSON may hold as they are (RFC 8259, section 7)
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

/** @param {string} line @returns {any} nothing where it is no message */
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
