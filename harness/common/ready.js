/** The `ready` line of a server or a client (servers/CONTRACT.md, clients/CONTRACT.md). */
import { TrialError } from './failure.js';

/** @typedef {{pid: number, role: string, index: number}} Announced */
/** @typedef {{engine?: string, version?: string, port?: number, processes: Announced[]}} Ready */

/** Seconds that a server or a client may take to be ready: Node 0.10 with dozens of processes on two cores takes some. */
export const READY_WITHIN_S = 60;

/** @param {string} text after the word @returns {Ready} @throws {TrialError} */
export function parseReady(text) {
  try {
    const ready = JSON.parse(text);
    if (isReady(ready)) return ready;
  } catch {
    // reported below
  }
  throw new TrialError(`its ready line is not as the contract has it: ready ${text.slice(0, 200)}`);
}

/** Roles are in tables and in names of files. */
const ROLE = /^[a-z][a-z0-9-]{0,39}$/;
/** Engine and version are printed. */
const WORDS = /^[\x20-\x7e]{1,100}$/;
/** More than any machine has cores for. */
const PROCESSES_MAX = 10_000;

/** @param {any} ready @returns {boolean} is each field well-formed? Pid 1 is older than any server, so it is refused */
function isReady({ engine, version, processes }) {
  const isCount = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;
  return [engine, version].every((text) => text === undefined || (typeof text === 'string' && WORDS.test(text)))
    && Array.isArray(processes) && processes.length <= PROCESSES_MAX
    && processes.every((each) => isCount(each?.pid) && each.pid > 1 && isCount(each.index) && typeof each.role === 'string' && ROLE.test(each.role));
}
