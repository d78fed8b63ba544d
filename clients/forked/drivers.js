import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT, Failure } from '../common/failure.js';
import { readCpu_s } from '../common/process-cpu.js';
import { RecordReader } from './record-reader.js';
import records from '../common/records.cjs';

const DRIVER = join(import.meta.dirname, 'driver.cjs');

/** @typedef {import('node:stream').Readable} Readable */
/** @typedef {import('node:stream').Writable} Writable */

/**
 * The recorder's handle of a load process.
 */
export class Driver {
  #lastLine = 'it said nothing';
  #isFinished = false;
  #hello = Promise.withResolvers();
  #goodbye = Promise.withResolvers();
  /** @type {PromiseWithResolvers<never>} */
  #death = Promise.withResolvers();
  #where;
  #child;

  /** Its CPU time in s, read when it had finished. */
  cpu_s = 0;

  /**
   * Starts the process.
   * @param {import('./config.js').Config} config
   * @param {import('./library.js').Library} library
   * @param {number} index from 0
   * @param {(kind: number, bytes: number, a: number, b: number, c: number) => void} onRecord see records.cjs
   */
  constructor(config, library, index, onRecord) {
    const argument = JSON.stringify({ ...config, index, adapter: library.adapter });
    this.index = index;
    this.#where = `clients/forked/${library.name}: load process ${index + 1}`;
    this.#child = spawn(library.node, [DRIVER, argument], { stdio: ['pipe', 2, 'pipe', 'pipe'] });
    this.#watch();
    const reader = new RecordReader(onRecord, (kind, content) => this.#onJson(kind, content));
    /** @type {Readable} */ (this.#child.stdio[3]).on('data', (bytes) => reader.read(bytes));
  }

  /** @returns {number} */
  get pid() {
    return this.#child.pid ?? 0;
  }

  /** @returns {Promise<string>} its version of Node, once it is up */
  get hello() {
    return this.#hello.promise;
  }

  /** @returns {Promise<Object<string, number>>} counts of its errors by text, once all its records have arrived */
  get goodbye() {
    return this.#goodbye.promise;
  }

  /** @returns {Promise<never>} rejects with a Failure if it dies before it has finished */
  get death() {
    return this.#death.promise;
  }

  /** @returns {Writable} */
  get #input() {
    return /** @type {Writable} */ (this.#child.stdin);
  }

  /**
   * Sends it the start time.
   * @param {number} start_us CLOCK_MONOTONIC
   */
  go(start_us) {
    this.#input.write(`go ${start_us}\n`);
  }

  /** Closes its standard input and waits for it to exit. */
  async stop() {
    this.#input.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  /** Kills it at once. */
  kill() {
    this.#child.kill('SIGKILL');
  }

  /**
   * @param {number} kind
   * @param {any} content
   */
  #onJson(kind, content) {
    if (kind === records.KIND.HELLO) return this.#hello.resolve(content.node);
    this.#isFinished = true;
    this.cpu_s = readCpu_s(this.pid);
    this.#goodbye.resolve(content.errors);
  }

  #watch() {
    /** @type {Readable} */ (this.#child.stderr).setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      this.#lastLine = text.trim().split('\n').at(-1) || this.#lastLine;
    });
    this.#input.on('error', () => {}); // the process died: `close` reports it
    this.#child.on('error', (error) => this.#die(`cannot start: ${error.message}`));
    this.#child.on('close', (code, signal) => this.#die(`ended with ${signal ?? `code ${code}`}: ${this.#lastLine}`));
  }

  /** @param {string} how */
  #die(how) {
    if (this.#isFinished) return;
    this.#death.reject(new Failure(EXIT.internal, [`${this.#where} ${how}; run it again with WSCALE_TRACE=1 for the stack`]));
  }
}
