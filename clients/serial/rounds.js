/** Runs rounds (connect, echo each size, close) and records their times. */
import { setTimeout as sleep } from 'node:timers/promises';
import random from '../common/random.cjs';
import records from '../common/records.cjs';
import { monotonic_us } from '../common/start.js';

const { KIND } = records;

/** Connections in a round, one after the other; the last one carries the echoes. */
const CONNECTIONS = 20;
/** Connections in a round of the warm-up. Many, because a JVM compiles Jetty's code for a new session only after thousands. */
const WARMUP_CONNECTIONS = 100;
/** After this many the warm-up uses CONNECTIONS. Each closed connection keeps a port in TIME_WAIT for a minute; there are 28,232 ports. */
const WARMUP_CONNECTIONS_MAX = 10_000;
/** Only one warm-up round in this many has echoes above BATCH_B_MAX: they would take most of the time, and need little warm-up. */
const WARMUP_LARGE_EACH = 4;
/** Echoes of one size in a round: up to ECHOES_MAX with BATCH_B_MAX bytes in total, but at least one. */
const ECHOES_MAX = 20;
const BATCH_B_MAX = 200_000;

/**
 * @typedef {{t_s: number, round: number, quantity: 'connect' | 'echo', size_b: number, us: number}} Sample `t_s`: its begin, since the
 *   start of the load
 */

/** @param {number} size_b @returns {number} echoes of it in a round */
export function countEchoes(size_b) {
  return Math.max(1, Math.min(ECHOES_MAX, Math.floor(BATCH_B_MAX / size_b)));
}

/**
 * @template T
 * @param {T[]} items @param {() => number} draw
 * @returns {T[]} in random order (Fisher and Yates)
 */
export function shuffle(items, draw) {
  const shuffled = [...items];
  for (let k = shuffled.length - 1; k > 0; k--) {
    const other = Math.floor(draw() * (k + 1));
    [shuffled[k], shuffled[other]] = [shuffled[other], shuffled[k]];
  }
  return shuffled;
}

/** Runs rounds with a library and keeps the samples. */
export class Rounds {
  /** @type {Sample[]} */
  samples = [];
  #round = 0;
  #connected = 0;
  #draw;

  /**
   * @param {import('./config.js').Config} config
   * @param {{ask: (command: string) => Promise<string[]>}} library
   * @param {import('../common/tally.js').Tally} tally counts events from the start on
   * @param {number} start_us CLOCK_MONOTONIC
   */
  constructor(config, library, tally, start_us) {
    this.config = config;
    this.library = library;
    this.tally = tally;
    this.start_us = start_us;
    this.#draw = random.createGenerator(config.seed, 0);
  }

  /** Runs the rounds of the warm-up until the start, then those of the load. */
  async run() {
    const { warmup_s, ramp_s, settle_s, hold_s } = this.config;
    if (warmup_s > 0) await this.#repeat(this.start_us, true);
    await sleep(Math.max(0, this.start_us - monotonic_us()) / 1000);
    this.#draw = random.createGenerator(this.config.seed, 1); // a new generator: the orders must not depend on the length of the warm-up
    await this.#repeat(this.start_us + (ramp_s + settle_s + hold_s) * 1e6, false);
  }

  /** @param {number} end_us later there is no new command, except one connect and one close @param {boolean} isWarmup */
  async #repeat(end_us, isWarmup) {
    while (monotonic_us() < end_us) {
      this.#round++;
      const connections = isWarmup && this.#connected < WARMUP_CONNECTIONS_MAX ? WARMUP_CONNECTIONS : CONNECTIONS;
      for (let k = 1; k < connections && monotonic_us() < end_us; k++) {
        await this.#connect();
        await this.#close();
      }
      await this.#connect();
      const most_b = isWarmup && this.#round % WARMUP_LARGE_EACH !== 1 ? BATCH_B_MAX : Infinity;
      for (const size_b of shuffle(this.config.sizes_b, this.#draw).filter((size) => size <= most_b)) {
        if (monotonic_us() < end_us) await this.#echo(size_b);
      }
      await this.#close();
    }
  }

  async #connect() {
    const begin_us = monotonic_us();
    const [ns] = await this.library.ask('connect');
    this.#connected++;
    const us = this.#file('connect', 0, begin_us, Number(ns));
    if (begin_us >= this.start_us) this.tally.add(KIND.OPENED, 0, begin_us, begin_us + us, 0);
  }

  async #close() {
    await this.library.ask('close');
    if (this.tally.connections.opened > this.tally.closed) this.tally.close(monotonic_us()); // not for a connection of the warm-up
  }

  /** @param {number} size_b */
  async #echo(size_b) {
    let begin_us = monotonic_us();
    const times_ns = await this.library.ask(`echo ${size_b} ${countEchoes(size_b)}`);
    for (const ns of times_ns) {
      const us = this.#file('echo', size_b, begin_us, Number(ns));
      const end_us = begin_us + us;
      this.tally.sent_b = size_b;
      if (begin_us >= this.start_us) this.tally.add(KIND.ANSWERED, size_b, begin_us, begin_us, end_us);
      begin_us = end_us; // approximate: the program checks the bytes between two echoes
    }
  }

  /** @param {Sample['quantity']} quantity @param {number} size_b @param {number} begin_us @param {number} ns @returns {number} us */
  #file(quantity, size_b, begin_us, ns) {
    const us = ns / 1000;
    this.samples.push({ t_s: (begin_us - this.start_us) / 1e6, round: this.#round, quantity, size_b, us });
    return us;
  }
}
