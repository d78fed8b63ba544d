import records from './records.cjs';
import { Seconds, createSecond, elapsed } from './seconds.js';

const { KIND } = records;

/** JSON of the ping's data, `{"param":"pong"}` (listing A.1 of the thesis). */
const PING_B = Buffer.byteLength(JSON.stringify({ param: 'pong' }));

/** @typedef {Pick<import('./config.js').Config, 'behaviour' | 'payload'> & import('./seconds.js').Needed} Needed */

/**
 * Counts the records of all drivers for each second and for the window.
 */
export class Tally extends Seconds {
  /**
   * @param {Needed} config
   * @param {number} start_us CLOCK_MONOTONIC
   */
  constructor(config, start_us) {
    super(config, start_us);
    this.sent_b = config.behaviour === 'echo' ? config.payload.bytes : PING_B;
    this.closed = 0;
    this.window = { due: 0, unsent_remote: 0, sent: 0, received: 0, missing: 0, wrong: 0, late: 0, latency_sum_us: 0, service_sum_us: 0 };
  }

  /**
   * Counts one record. The meaning of its times depends on the kind, see records.cjs.
   * @param {number} kind
   * @param {number} bytes
   * @param {number} a
   * @param {number} b
   * @param {number} c
   * @throws {Error} if its times run backwards: the clock is wrong
   */
  add(kind, bytes, a, b, c) {
    switch (kind) {
      case KIND.ANSWERED: return this.#addAnswer(bytes, a, b, c, 0);
      case KIND.WRONG: return this.#addAnswer(bytes, a, b, c, 1);
      case KIND.MISSING: return void this.#addSent(a, b);
      case KIND.UNSENT: return this.#addUnsent(a, bytes);
      case KIND.STRAY: return this.#addStray(a);
      case KIND.EXTRA: return this.#addExtra(bytes, a);
      case KIND.OPENED: return this.open(a, b);
      case KIND.FAILED_LOCAL: return this.#addFailed('failed_local', b);
      case KIND.FAILED_REMOTE: return this.#addFailed('failed_remote', b);
      case KIND.DROPPED_LOCAL: return this.#addDropped('dropped_local', b);
      case KIND.DROPPED_REMOTE: return this.#addDropped('dropped_remote', b);
      default: throw new Error(`a record of unknown kind ${kind}`);
    }
  }

  /**
   * @param {number} bytes
   * @param {number} intended_us
   * @param {number} actual_us
   * @param {number} received_us
   * @param {0 | 1} wrong
   */
  #addAnswer(bytes, intended_us, actual_us, received_us, wrong) {
    const latency_us = elapsed(intended_us, received_us);
    const service_us = elapsed(actual_us, received_us);
    const filed = this.#addSent(intended_us, actual_us);
    filed.latency.recordValue(Math.round(latency_us));
    filed.service.recordValue(Math.round(service_us));
    const arrived = this.secondOf(received_us);
    arrived.received++;
    arrived.received_b += bytes;
    arrived.wrong += wrong;
    if (!this.#isInWindow(intended_us)) return;
    this.window.received++;
    this.window.wrong += wrong;
    this.window.latency_sum_us += latency_us;
    this.window.service_sum_us += service_us;
  }

  /** @param {number} received_us */
  #addStray(received_us) {
    this.secondOf(received_us).wrong++;
    if (this.#isInWindow(received_us)) this.window.wrong++;
  }

  /** @param {number} bytes @param {number} received_us */
  #addExtra(bytes, received_us) {
    this.secondOf(received_us).received_b += bytes;
  }

  /** @param {number} intended_us @param {number} remote 1 when the other side lost the connection */
  #addUnsent(intended_us, remote) {
    this.#addDue(intended_us);
    if (this.#isInWindow(intended_us)) this.window.unsent_remote += remote;
  }

  /**
   * @param {number} intended_us
   * @param {number} actual_us
   */
  #addSent(intended_us, actual_us) {
    const departed = this.secondOf(actual_us);
    departed.sent++;
    departed.sent_b += this.sent_b;
    const late = elapsed(intended_us, actual_us) > this.late_us ? 1 : 0;
    if (this.#isInWindow(intended_us)) {
      this.window.sent++;
      this.window.late += late;
    }
    const due = this.#addDue(intended_us);
    due.late += late;
    return due;
  }

  /** @param {number} intended_us */
  #addDue(intended_us) {
    if (this.#isInWindow(intended_us)) this.window.due++;
    const second = this.secondOf(intended_us);
    second.due++;
    return second;
  }

  /**
   * Counts a connection that was closed on purpose.
   * @param {number} time_us
   */
  close(time_us) {
    this.closed++;
    this.secondOf(time_us).connected--;
  }

  /**
   * @param {'failed_local' | 'failed_remote'} counter
   * @param {number} time_us
   */
  #addFailed(counter, time_us) {
    this.connections[counter]++;
    this.secondOf(time_us).failed++;
  }

  /**
   * @param {'dropped_local' | 'dropped_remote'} counter
   * @param {number} time_us
   */
  #addDropped(counter, time_us) {
    this.connections[counter]++;
    const second = this.secondOf(time_us);
    second.dropped++;
    second.connected--;
  }

  /** @param {number} intended_us */
  #isInWindow(intended_us) {
    return intended_us >= this.windowFrom_us; // no upper bound: the load ends with the window
  }

  /**
   * @param {number} t_s integer
   * @returns {object} the progress report: totals over the seconds before t_s (CONTRACT.md, While it runs)
   */
  progress(t_s) {
    const over = this.seconds.slice(0, t_s);
    const sum = (/** @type {import('./seconds.js').Counter} */ counter) => over.reduce((total, second) => total + second[counter], 0);
    const counts = Object.fromEntries((/** @type {const} */ (['connected', 'due', 'sent', 'received'])).map((counter) => [counter, sum(counter)]));
    const { latency } = over.at(-1) ?? createSecond();
    if (latency.totalCount === 0) return { t_s, ...counts };
    return { t_s, ...counts, latency_p50_us: latency.getValueAtPercentile(50), latency_p99_us: latency.getValueAtPercentile(99) };
  }

  /**
   * @returns {{connections: object, window: object}} as in summary.json
   */
  summarise() {
    const { latency_sum_us, service_sum_us, ...counts } = this.window;
    const { opened, ...lost } = this.connections;
    return {
      connections: { asked: this.asked, opened, open_at_end: opened - this.closed - lost.dropped_local - lost.dropped_remote, ...lost },
      window: {
        ...counts,
        missing: counts.sent - counts.received,
        latency_mean_us: counts.received ? latency_sum_us / counts.received : null,
        service_mean_us: counts.received ? service_sum_us / counts.received : null,
      },
    };
  }
}
