/** A process that an agent started: a pid of its host. */
/** @typedef {{code: number | null, signal: NodeJS.Signals | null}} Exit */

export class RemoteProcess {
  /** @param {import('./session.js').Session} session @param {number} pid */
  constructor(session, pid) {
    this.session = session;
    this.pid = pid;
    this.log = '';
    /** @type {Exit | undefined} */
    this.exit = undefined;
    /** @type {PromiseWithResolvers<Exit>} */
    this.ending = Promise.withResolvers();
    this.end = 'still runs';
  }

  /** @returns {Promise<Exit>} */
  get exited() {
    return this.ending.promise;
  }

  /** @param {Exit & {end: string}} reported */
  conclude({ code, signal, end }) {
    this.end = end;
    this.exit ??= { code, signal };
    this.ending.resolve(this.exit);
  }

  /** @returns {string} how it ended and the last thing it said, for a person */
  describeEnd() {
    return this.end;
  }

  /** @param {NodeJS.Signals} signal to the process alone: it answers for its descendants */
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
