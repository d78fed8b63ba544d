/** The coordinator's end of a session (harness/agent/session.js): the processes and files of one trial on one host. */
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { TrialError } from '../common/failure.js';

/** @typedef {{code: number | null, signal: NodeJS.Signals | null}} Exit */

/** A process started by an agent, known by its pid on that host. */
export class RemoteProcess {
  /** @param {Session} session @param {number} pid */
  constructor(session, pid) {
    this.session = session;
    this.pid = pid;
    this.log = '';
    this.end = 'still runs';
    this.exit = /** @type {Exit | undefined} */ (undefined);
    this.ending = /** @type {PromiseWithResolvers<Exit>} */ (Promise.withResolvers());
    this.exited = this.ending.promise;
  }

  /** @param {Exit & {end: string}} reported */
  conclude({ code, signal, end }) {
    this.end = end;
    this.exit ??= { code, signal };
    this.ending.resolve(this.exit);
  }

  /** @returns {string} how it ended, and why by its standard error, in words */
  describeEnd() {
    return this.end;
  }

  /** @param {NodeJS.Signals} signal sent to the process alone; it must end its descendants itself */
  signal(signal) {
    return this.session.agent.signal(this.pid, signal);
  }

  /** @param {string} line to its standard input */
  write(line) {
    return this.session.ask('write', { pid: this.pid, text: `${line}\n` });
  }

  closeInput() {
    return this.session.ask('write', { pid: this.pid, isLast: true });
  }
}

export class Session {
  /**
   * @param {import('./agent.js').Agent} agent @param {string} name @param {AbortSignal} [signal] ends all waiting
   * @param {import('../spec/hosts.js').Host} [host] if there are several
   */
  constructor(agent, name, signal, host) {
    this.agent = agent;
    this.name = name;
    this.signal = signal;
    this.host = host;
    this.processes = /** @type {Map<number, RemoteProcess>} */ (new Map());
    this.onSecond = (/** @type {any} */ _second) => {};
    this.onWritten = (/** @type {{name: string, text: string}} */ _written) => {};
  }

  /** @param {string} op @param {Record<string, unknown>} [given] @returns {Promise<any>} */
  async ask(op, given) {
    this.signal?.throwIfAborted();
    const answer = this.agent.ask(op, { session: this.name, ...given });
    const { signal } = this;
    if (!signal) return answer;
    const aborted = Promise.withResolvers();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    return Promise.race([answer, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
  }

  /** @param {string} event @param {any} content */
  take(event, content) {
    if (event === 'second') return this.onSecond(content);
    if (event === 'written') return this.onWritten(content);
    this.#processOf(content.pid).conclude(content);
  }

  /** The agent has ended. @param {Error} error */
  end({ message }) {
    for (const started of this.processes.values()) started.conclude({ code: null, signal: null, end: `was lost: ${message}` });
  }

  /** @param {number} pid @returns {RemoteProcess} created at its first message: its end may be reported before its start */
  #processOf(pid) {
    const started = this.processes.get(pid) ?? new RemoteProcess(this, pid);
    this.processes.set(pid, started);
    return started;
  }

  /** @param {Record<string, unknown> & {log: string}} launch as harness/agent/session.js expects it @returns {Promise<RemoteProcess>} */
  async start(launch) {
    const { pid } = await this.ask('start', launch);
    return Object.assign(this.#processOf(pid), { log: launch.log });
  }

  /** @param {string} name of a file @param {number} size_b @param {(part: Buffer) => void} take */
  async #read(name, size_b, take) {
    for (let from_b = 0; from_b < size_b;) {
      const part = Buffer.from((await this.agent.ask('get', { session: this.name, name, from_b })).base64, 'base64');
      if (part.length === 0) return; // the file became shorter
      take(part);
      from_b += part.length;
    }
  }

  /** @param {string} name of a small file @returns {Promise<string>} */
  async read(name) {
    const parts = /** @type {Buffer[]} */ ([]);
    await this.#read(name, Infinity, (part) => parts.push(part));
    return Buffer.concat(parts).toString();
  }

  /** Copy all files here. @param {string} folder an existing one */
  async collect(folder) {
    const { folders, files } = await this.agent.ask('listFiles', { session: this.name });
    for (const name of [...folders, ...files.map((/** @type {{name: string}} */ file) => file.name)]) {
      const isInside = !relative(folder, resolve(folder, name)).startsWith('..');
      if (!isInside) throw new TrialError(`an agent names a file outside its session: ${JSON.stringify(name)}; see what runs on its host`);
    }
    for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
    for (const { name, size_b } of files) {
      const file = openSync(join(folder, name), 'w');
      try {
        await this.#read(name, size_b, (part) => writeFileSync(file, part));
        fsyncSync(file); // before the trial is called done
      } finally {
        closeSync(file);
      }
    }
  }

  /** End all pending operations and all processes, even after the signal was aborted. */
  async abort() {
    await this.agent.ask('abort', { session: this.name });
  }

  /** Remove what is left on the host, including files. */
  async close() {
    await this.agent.ask('close', { session: this.name });
    this.agent.sessions.delete(this.name);
  }
}
