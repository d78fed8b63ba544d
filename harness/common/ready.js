/** The `ready` line of a server or a client (servers/CONTRACT.md, clients/CONTRACT.md). */
import { TrialError } from './failure.js';

/** @typedef {{pid: number, role: string, index: number}} Announced */
/** @typedef {{engine?: string, version?: string, port?: number, processes: Announced[]}} Ready */

/** Seconds that a party may take to be ready: Node 0.10 with dozens of processes on two cores takes some. */
export const READY_WITHIN_S = 60;

/** Roles are cells of tables, and parts of metrics' names. @param {any} announced @returns {boolean} */
const hasRole = (announced) => typeof announced?.role === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(announced.role);

/** @param {string} text what follows the word @returns {Ready} @throws {TrialError} */
export function parseReady(text) {
  try {
    const ready = JSON.parse(text);
    if (Array.isArray(ready.processes) && ready.processes.every(hasRole)) return ready;
  } catch {
    // said below
  }
  throw new TrialError(`its ready line is not as the contract has it: ready ${text.slice(0, 200)}`);
}
