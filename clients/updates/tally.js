/** Counts the events of all clients for each second and for the window (clients/CONTRACT.md, Records). */
import { Seconds, elapsed } from '../common/seconds.js';

/** @typedef {{isEmpty: boolean, request_b: number, response_b: number}} Answer to a poll, with bytes of both headers */

/** The tally of one run. */
export class Tally extends Seconds {
  /** @param {import('./config.js').Config} config @param {number} start_us CLOCK_MONOTONIC */
  constructor(config, start_us) {
    super(config, start_us);
    this.clock_offset_us = config.clock_offset_us;
    this.window = { due: 0, unsent_remote: 0, sent: 0, received: 0, wrong: 0, late: 0, latency_sum_us: 0 };
    /** The lowest and highest number of the updates made in the window. */
    this.made = { first: Infinity, last: -Infinity };
    this.arrived = 0;
    this.answers = { all: 0, empty: 0, request_b: 0, response_b: 0 };
  }

  /** @param {boolean} isOpen whether it was @param {boolean} isLocal whether this host caused it @param {number} time_us */
  lose(isOpen, isLocal, time_us) {
    const second = this.secondOf(time_us);
    this.connections[`${isOpen ? 'dropped' : 'failed'}_${isLocal ? 'local' : 'remote'}`]++;
    if (isOpen) second.connected--;
    second[isOpen ? 'dropped' : 'failed']++;
  }

  /** Counts a request due before the end. @param {number} due_us @param {number} sent_us */
  send(due_us, sent_us) {
    const late = elapsed(due_us, sent_us) > this.late_us ? 1 : 0;
    const due = this.secondOf(due_us);
    due.due++;
    due.late += late;
    this.secondOf(sent_us).sent++;
    if (due_us < this.windowFrom_us) return;
    this.window.due++;
    this.window.sent++;
    this.window.late += late;
  }

  /** @param {Answer} answer @param {number} time_us when it was complete */
  answer({ isEmpty, request_b, response_b }, time_us) {
    if (!this.#isInWindow(time_us)) return;
    this.answers.all++;
    if (!isEmpty) return;
    this.answers.empty++;
    this.answers.request_b += request_b;
    this.answers.response_b += response_b;
  }

  /** @param {number} number @param {number} made_there_us by the server's clock @param {number} arrived_us @param {number} bytes */
  receive(number, made_there_us, arrived_us, bytes) {
    // Another host's clock is known only to some µs, so the result may be negative: no update arrives before it is made
    const made_us = this.clock_offset_us ? Math.min(made_there_us - this.clock_offset_us, arrived_us) : made_there_us;
    const delay_us = elapsed(made_us, arrived_us);
    if (this.#isInWindow(arrived_us)) this.arrived++;
    if (made_us >= this.end_us) return; // made during the drain
    const made = this.secondOf(made_us);
    made.latency.recordValue(Math.round(delay_us));
    made.service.recordValue(Math.round(delay_us));
    const arrived = this.secondOf(arrived_us);
    arrived.received++;
    arrived.received_b += bytes;
    if (!this.#isInWindow(made_us)) return;
    this.made = { first: Math.min(this.made.first, number), last: Math.max(this.made.last, number) };
    this.window.received++;
    this.window.latency_sum_us += delay_us;
  }

  /** Counts an update that was malformed or not the next one. @param {number} arrived_us */
  refuse(arrived_us) {
    this.secondOf(arrived_us).wrong++;
    if (this.#isInWindow(arrived_us)) this.window.wrong++;
  }

  /** @param {number} time_us */
  #isInWindow(time_us) {
    return time_us >= this.windowFrom_us && time_us < this.end_us;
  }

  /** @returns {{connections: object, window: object, metrics: Record<string, number>}} as in summary.json */
  summarise() {
    const { latency_sum_us, ...counts } = this.window;
    const { opened, ...lost } = this.connections;
    const updates = Math.max(0, this.made.last - this.made.first + 1);
    const missing = opened * updates - counts.received;
    const mean_us = counts.received ? latency_sum_us / counts.received : null;
    return {
      connections: { asked: this.asked, opened, open_at_end: opened - lost.dropped_local - lost.dropped_remote, ...lost },
      window: { ...counts, wrong: counts.wrong + missing, missing, latency_mean_us: mean_us, service_mean_us: mean_us },
      metrics: { updates_received: this.arrived, ...this.#summariseAnswers() },
    };
  }

  /** @returns {Record<string, number>} empty if no request was answered */
  #summariseAnswers() {
    const { all, empty, request_b, response_b } = this.answers;
    if (all === 0) return {};
    if (empty === 0) return { requests: all, polls_empty: 0 };
    const [http_request_header_b, http_response_header_b] = [request_b / empty, response_b / empty];
    return {
      requests: all, polls_empty: empty,
      http_request_header_b, http_response_header_b, http_poll_header_b: http_request_header_b + http_response_header_b,
    };
  }
}
