/** @typedef {{code: number | null, signal: NodeJS.Signals | null}} Exit */

/** A process started by an agent, known by its pid on that host. */
export class RemoteProcess {
  /** @param {import('./session.js').Session} session @param {number} pid */
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

  /** @returns {string} how it ended, and its last output, in words */
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
