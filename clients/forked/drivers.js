import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT, Failure } from './failure.js';
import { readCpu_s } from './process-cpu.js';
import { RecordReader } from './record-reader.js';
import records from './records.cjs';

const DRIVER = join(import.meta.dirname, 'driver.cjs');

/**
 * A load process, seen from the recorder.
 */
export class Driver {
  #lastLine = 'it said nothing';
  #isFinished = false;

  /**
   * Starts it.
   * @param {object} config as read
   * @param {object} library as read
   * @param {number} index from 0
   * @param {function(number, number, number, number, number)} onRecord see records.cjs
   */
  constructor(config, library, index, onRecord) {
    const argument = JSON.stringify({ ...config, index, adapter: library.adapter });
    this.index = index;
    this.library = library;
    this.child = spawn(library.node, [DRIVER, argument], { stdio: ['pipe', 2, 'pipe', 'pipe'] });
    /** Rejects when it dies before its time. */
    this.died = new Promise((resolve, reject) => this.#watch(reject));
    /** The Node version it runs on. */
    this.hello = new Promise((resolve) => (this.sayHello = resolve));
    /** Its errors, counted, when all its records are here. */
    this.goodbye = new Promise((resolve) => (this.sayGoodbye = resolve));
    const reader = new RecordReader(onRecord, (kind, content) => this.#onJson(kind, content));
    this.child.stdio[3].on('data', (bytes) => reader.read(bytes));
  }

  /** @returns {number} */
  get pid() {
    return this.child.pid;
  }

  /**
   * Sets the start.
   * @param {number} start_us CLOCK_MONOTONIC
   */
  go(start_us) {
    this.child.stdin.write(`go ${start_us}\n`);
  }

  /** Lets it end, which the end of its standard input tells it to. */
  async stop() {
    this.child.stdin.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }

  /** Ends it at once. */
  kill() {
    this.child.kill('SIGKILL');
  }

  #onJson(kind, content) {
    if (kind === records.KIND.HELLO) return this.sayHello(content.node);
    this.#isFinished = true;
    this.cpu_s = readCpu_s(this.pid);
    return this.sayGoodbye(content.errors);
  }

  #watch(reject) {
    const where = `clients/forked/${this.library.name}`;
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      this.#lastLine = text.trim().split('\n').at(-1) || this.#lastLine;
    });
    this.child.stdin.on('error', () => {}); // it died: `close` says so
    this.child.on('error', (error) => reject(new Failure(EXIT.internal, [`${where}: load process ${this.index + 1}: ${error.message}; check the runtime ${this.library.runtime}`])));
    this.child.on('close', (code, signal) => {
      if (this.#isFinished) return;
      const how = signal ? `signal ${signal}` : `code ${code}`;
      reject(new Failure(EXIT.internal, [`${where}: load process ${this.index + 1} ended with ${how}: ${this.#lastLine}; run it again with WSCALE_TRACE=1 for the stack`]));
    });
  }
}
