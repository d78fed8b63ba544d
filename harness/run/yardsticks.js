/**
 * Measures the speed of the hosts during a run (harness/yardstick): before its first trial, between blocks and after the last block, never
 * within a trial. Each row is written at once. A resumed run keeps its rows and adds one at the point where it continues, since it does so
 * at another time.
 */
import { TrialError } from '../common/failure.js';
import { THIS_HOST } from '../common/protocol.js';
import { within } from '../common/timers.js';
import { readYardsticks, writeYardsticks } from '../common/yardstick.js';

/** @typedef {import('../common/yardstick.js').Measured} Measured */

const ANSWERS_WITHIN_S = 120; // the yardstick ends itself long before

export class Yardsticks {
  /**
   * @param {Pick<import('./fleet.js').Fleet, 'members'>} fleet @param {number} length_s of each @param {string} bundle
   * @param {AbortSignal} signal @param {(line: string) => void} tell
   */
  constructor(fleet, length_s, bundle, signal, tell) {
    this.fleet = fleet;
    this.bundle = bundle;
    this.signal = signal;
    this.tell = tell;
    this.length_s = length_s;
    this.isFirst = true; // no trial was run yet in this process
    this.rows = /** @type {any[]} */ (readYardsticks(bundle));
    this.absent = ''; // the last reported reason for a missing reading
  }

  /** @param {{block: number}} planned the next trial */
  async beforeTrial({ block }) {
    const newest = Math.max(0, ...this.rows.map((row) => Number(row.block)));
    const position = block > newest ? (newest === 0 ? 'before' : 'between') : 'resumed';
    if (position !== 'resumed' || this.isFirst) await this.#measure(position, block);
    this.isFirst = false;
  }

  /** @param {number} block the last one */
  async afterLast(block) {
    await this.#measure('after', block);
  }

  /** @param {Measured['position']} position @param {number} block */
  async #measure(position, block) {
    const start = new Date().toISOString();
    const readings = await Promise.all((await this.#listMachines()).map((agent) => this.#ask(agent)));
    for (const { host, absent, charges } of readings) {
      if (charges) this.rows.push({ block, position, start, host, ...charges });
      else if (absent !== this.absent) this.tell(`no yardstick${host === THIS_HOST ? '' : ` of ${host}`}: ${this.absent = absent}`);
    }
    if (readings.some(({ charges }) => charges)) writeYardsticks(this.bundle, this.rows);
  }

  /** Two hosts on one kernel would disturb each other. @returns {Promise<import('./agent.js').Agent[]>} one per kernel */
  async #listMachines() {
    const agents = this.fleet.members.map(({ agent }) => agent);
    if (agents.length === 1) return agents;
    const boots = await Promise.all(agents.map((agent) => agent.ask('boot').catch(() => agent.name)));
    return agents.filter((_agent, index) => boots.indexOf(boots[index]) === index);
  }

  /** @param {import('./agent.js').Agent} agent @returns {Promise<{host: string, absent: string, charges?: any}>} */
  async #ask(agent) {
    const host = agent.name || THIS_HOST;
    try {
      const asked = agent.ask('yardstick', { length_s: this.length_s });
      const reading = await within(asked, 1000 * ANSWERS_WITHIN_S, this.signal);
      return { host, absent: `no answer within ${ANSWERS_WITHIN_S} s`, ...reading };
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof TrialError) return { host, absent: error.message }; // the next trial reports a lost agent
      throw error;
    }
  }
}
