import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'smol-toml';
import { EXIT, Failure } from '../common/failure.js';

const LIBRARIES = import.meta.dirname;
const RUNTIMES = join(LIBRARIES, '..', '..', 'runtimes');

/** A library's program. It reads commands line by line and answers each with one line. README.md defines the commands. */
export class Library {
  #lastLine = 'it said nothing';
  #isStopping = false;
  /** @type {PromiseWithResolvers<never>} */
  #death = Promise.withResolvers();
  #child;
  /** @type {AsyncIterator<string>} */
  #answers;

  /**
   * Starts the program.
   * @param {import('./config.js').Config} config
   * @throws {Failure} 64 if there is no such library
   */
  constructor({ library: name, url, nodelay = 'on', reading = 'stream', tls, ca }) {
    const folder = join(LIBRARIES, name);
    if (!/^[a-z0-9.-]+$/.test(name) || !existsSync(join(folder, 'client.toml'))) {
      throw new Failure(EXIT.settings, [`clients/serial: library "${name}" has no client.toml; name a folder of clients/serial/`]);
    }
    const { runtime, start: [program, ...rest] } = /** @type {any} */ (parse(readFileSync(join(folder, 'client.toml'), 'utf8')));
    const path = `${join(RUNTIMES, runtime, 'bin')}:${process.env.PATH}`;
    const settings = { WSCALE_URL: url, WSCALE_NODELAY: nodelay, WSCALE_READING: reading, ...(ca && { WSCALE_TLS: tls, WSCALE_CA: ca }) };
    const env = { ...process.env, PATH: path, ...settings };
    this.name = name;
    this.#child = spawn(program, rest, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#watch();
  }

  /** @returns {number} */
  get pid() {
    return this.#child.pid ?? 0;
  }

  /**
   * @param {string} [command] without one, waits for the program's first line, which says that it is up
   * @returns {Promise<string[]>} the words of its answer, without the first
   * @throws {Failure} 70 if it exits instead
   */
  async ask(command) {
    if (command) this.#child.stdin.write(`${command}\n`);
    const { value } = await Promise.race([this.#answers.next(), this.#death.promise]);
    return value === undefined ? this.#death.promise : value.split(' ').slice(1);
  }

  /** Closes its standard input and waits for it to exit. */
  async stop() {
    this.#isStopping = true;
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  /** Kills it at once. */
  kill() {
    this.#child.kill('SIGKILL');
  }

  #watch() {
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      this.#lastLine = text.trim().split('\n').at(-1) || this.#lastLine;
    });
    this.#child.stdin.on('error', () => {}); // the program died: `close` reports it
    this.#child.on('error', (error) => this.#die(`cannot start: ${error.message}`));
    this.#child.on('close', (code, signal) => this.#die(`ended with ${signal ?? `code ${code}`}: ${this.#lastLine}`));
    this.#death.promise.catch(() => {}); // it may exit while no `ask` waits
  }

  /** @param {string} how */
  #die(how) {
    if (this.#isStopping) return;
    this.#death.reject(new Failure(EXIT.internal, [`clients/serial/${this.name}: ${how}; read client.err beside the records`]));
  }
}
