/** The `ready` line of a server or a client (servers/CONTRACT.md, clients/CONTRACT.md). */
import { TrialError } from './failure.js';

/** @typedef {{pid: number, role: string, index: number}} Announced */
/** @typedef {{engine?: string, version?: string, port?: number, processes: Announced[]}} Ready */

/** Seconds that a party may take to be ready: Node 0.10 with dozens of processes on two cores takes some. */
export const READY_WITHIN_S = 60;

/** @param {string} text what follows the word @returns {Ready} @throws {TrialError} */
export function parseReady(text) {
  try {
    const ready = JSON.parse(text);
    if (Array.isArray(ready.processes)) return ready;
  } catch {
    // said below
  }
  throw new TrialError(`its ready line is not as the contract has it: ready ${text.slice(0, 200)}`);
}
