/**
 * The coordinator's end of an agent (harness/agent/main.js). The agent is a process on this host, reached by a pipe, or on another host,
 * reached by ssh or another command. The protocol is the same.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { TrialError, UserError } from '../common/failure.js';
import { AGENT_INSIDE, ROOT } from '../common/places.js';
import { HEARTBEAT_S, PROTOCOL_VERSION, THIS_HOST, readMessages, remakeError, writeMessage } from '../common/protocol.js';
import { within } from '../common/timers.js';
import { Session } from './session.js';
import { lastLine } from './way.js';

/**
 * @typedef {{name: string, program: string, argv: string[], env: NodeJS.ProcessEnv, leave_cores?: number,
 *   metrics?: {address: string, port: number}, reach: () => Promise<void>, whyLost: () => Promise<string | undefined>}} Way to the agent of
 *   another host, called `name`. `argv` starts the agent by `program` (such as ssh). No trial may use `leave_cores`. `metrics` is where the
 *   agent answers Prometheus on its host. `reach` restores a broken connection; `whyLost` explains one, if it is broken
 */

const HELLO_WITHIN_MS = 60_000; // allows for a slow connection to a busy host
const SAYS_WITHIN_MS = 2000; // for the exit code and stderr of a program whose stdout has ended
const ASKED_WITHIN_MS = 10_000; // to find out whether a host still exists; the command may have to ask a cluster
const ENDS_WITHIN_MS = 20_000; // only for another host, which may be gone
const BY_A_SIGNAL = 128; // a shell adds this to the number of a signal
const BY_HAND = 'run `node harness/agent/main.js` on its host to see why';

/** The connection to an agent is lost; the agent itself may still run. */
class LinkError extends TrialError {}

/** @param {Error} error raised before the agent said hello @returns {never} */
function explain(error) {
  if (error instanceof LinkError) throw new UserError(`hosts: ${error.message}; look at the network on the way, then give the command again`);
  if (!(error instanceof TrialError)) throw error;
  throw new UserError(`agent: ${error.message}; ${BY_HAND}`);
}

/** @param {string} host @param {Error} error as the agent reported it @returns {Error} with the name of the host */
function placed(host, error) {
  if (!host) return error;
  if (error instanceof UserError) return new UserError(error.problems.map((problem) => `hosts: ${host}: ${problem}`));
  error.message = `host ${host}: ${error.message}`;
  return error;
}

/** One host's agent, as the coordinator sees it. */
export class Agent {
  /**
   * @param {string[]} [inside] put before the agent's argv, such as a command that enters namespaces @param {Way} [way] to another host
   * @param {{address: string, port: number}} [metrics] where the agent answers Prometheus
   */
  constructor(inside = AGENT_INSIDE, way, metrics = way?.metrics) {
    this.inside = inside;
    this.way = way;
    this.metrics = metrics;
    this.name = way?.name ?? ''; // empty for this host
    this.said = '';
    /** @type {Promise<import('./session.js').Exit>} how the started process (the agent, or the program that reaches it) exited */
    this.ended = Promise.resolve({ code: 0, signal: null });
    this.noMetrics = /** @type {string | undefined} why the agent does not answer Prometheus although asked to */ (undefined);
    this.failure = /** @type {TrialError | undefined} why the agent is gone */ (undefined);
    this.isUp = false; // said hello, and not asked to end
    this.isClosing = false; // asked to end
    this.isLost = false; // ended unasked, and not reconnected since
    this.asked = 0;
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.sessions = /** @type {Map<string, Session>} */ (new Map());
  }

  /** @param {ConstructorParameters<typeof Agent>} args @throws {UserError} if the agent speaks another version of the protocol */
  static async start(...args) {
    const agent = new Agent(...args);
    await agent.connect();
    return agent;
  }

  #spawn() {
    const [command, ...rest] = this.way?.argv ?? [...this.inside, process.execPath, join(ROOT, 'harness', 'agent', 'main.js')];
    // Its own session: a terminal's signals reach only the coordinator, which then ends the agent
    const child = spawn(command, rest, { cwd: ROOT, env: this.way?.env ?? process.env, detached: true, stdio: ['pipe', 'pipe', this.way ? 'pipe' : 'inherit'] });
    this.said = '';
    child.stderr?.setEncoding('utf8').on('data', (data) => { this.said = `${this.said}${data}`.slice(-1000); });
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    return child;
  }

  /** Starts an agent unless one is connected. */
  async connect() {
    if (this.child) return;
    [this.isLost, this.isClosing] = [false, false];
    await this.way?.reach();
    const child = this.#spawn();
    this.child = child;
    child.stdin?.on('error', () => {}); // the end of stdout reports a failure
    child.once('error', (error) => this.#fail(child, this.#lose(`did not start: ${error.message}`)));
    readMessages(/** @type {import('node:stream').Readable} */ (child.stdout), (message) => this.#take(message), async (error) => {
      child.stdin?.end();
      this.#fail(child, error ? this.#lose(error.message) : await this.#explainEnd());
    });
    const { metrics } = this;
    const more = {
      ...(this.way && { leave_cores: this.way.leave_cores, lost_s: HEARTBEAT_S.lost }),
      ...(metrics && { metrics: { host: this.name || THIS_HOST, ...metrics } }),
    };
    const hello = await within(this.ask('hello', { version: PROTOCOL_VERSION, ...more }).catch(explain), HELLO_WITHIN_MS);
    this.noMetrics = hello?.no_metrics;
    this.isUp = hello?.version === PROTOCOL_VERSION;
    if (this.isUp) return this.#beat(child);
    child.stdin?.end();
    const problem = hello ? `it speaks version ${hello.version} of the protocol, not ${PROTOCOL_VERSION}; bring its host to the same commit`
      : `it said no hello within ${HELLO_WITHIN_MS / 1000} s; ${BY_HAND}`;
    throw placed(this.name, new UserError(`agent: ${problem}`));
  }

  /** @param {string} how @returns {TrialError} */
  #lose(how) {
    return new TrialError(`the agent of ${this.#who} ${how}`);
  }

  /** @returns {Promise<TrialError>} whether the agent or the connection ended, and why */
  async #explainEnd() {
    if (!this.way || this.isClosing) return this.#lose('ended');
    const { code, signal } = await within(this.ended, SAYS_WITHIN_MS) ?? { code: null, signal: null };
    if (signal) return new LinkError(`the link to ${this.#who} was lost: its ${this.way.program} was killed by ${signal}`);
    const why = await within(this.way.whyLost(), ASKED_WITHIN_MS);
    if (why) return new LinkError(`the link to ${this.#who} was lost: ${why}`);
    const [killer] = Object.entries(constants.signals).find(([, number]) => code === BY_A_SIGNAL + number) ?? [];
    const said = lastLine(this.said);
    return this.#lose(killer ? `was killed by ${killer}` : `ended with exit code ${code}${said ? `: ${said}` : ''}`);
  }

  /** An agent that does not answer in time is lost, even if ssh still runs. @param {import('node:child_process').ChildProcess} child */
  async #beat(child) {
    if (!this.way) return;
    const timer = setInterval(async () => {
      if (this.child !== child) return clearInterval(timer);
      const answered = await within(this.ask('clock').catch(() => 0), HEARTBEAT_S.lost * 1000);
      if (answered !== undefined) return;
      this.#fail(child, this.#lose(`did not answer within ${HEARTBEAT_S.lost} s`));
      child.kill();
    }, HEARTBEAT_S.each * 1000).unref();
  }

  /** @param {any} message */
  #take({ id, ok, error, event, session, ...content }) {
    if (event) return this.sessions.get(session)?.take(event, this.name ? { ...content, host: this.name } : content);
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) asked?.reject(placed(this.name, remakeError(error)));
    else asked?.resolve(ok);
  }

  get #who() {
    return this.name ? `host ${this.name}` : 'the host';
  }

  /** @param {import('node:child_process').ChildProcess} child @param {TrialError} failure */
  #fail(child, failure) {
    if (this.child !== child) return; // already reported
    this.child = undefined;
    [this.isLost, this.isUp] = [this.isUp, false];
    this.failure = failure;
    for (const { reject } of this.waiting.values()) reject(failure);
    for (const session of this.sessions.values()) session.end(failure);
    this.waiting.clear();
    this.sessions.clear();
  }

  /** @param {string} op @param {Record<string, unknown>} [given] @returns {Promise<any>} */
  ask(op, given = {}) {
    return new Promise((resolve, reject) => {
      if (!this.child) return reject(new TrialError(this.failure?.message ?? `the agent of ${this.#who} has ended`));
      const id = ++this.asked;
      this.waiting.set(id, { resolve, reject });
      writeMessage(this.child.stdin, { id, op, ...given });
    });
  }

  /** @param {string} name @param {{placement?: string, signal?: AbortSignal, host?: import('../spec/hosts.js').Host}} [how] */
  async open(name, { placement, signal, host } = {}) {
    await this.connect();
    const session = new Session(this, name, signal, host);
    this.sessions.set(name, session);
    await this.ask('open', { name, placement });
    return session;
  }

  /** @returns {Promise<{pid: number, side: string}[]>} the processes started there that still run */
  list() {
    return this.ask('list');
  }

  /** @param {string[]} [sides] all if absent @returns {Promise<number>} how many were still alive */
  kill(sides) {
    return this.ask('kill', { sides });
  }

  /** @param {number} pid @param {NodeJS.Signals} signal */
  signal(pid, signal) {
    return this.ask('signal', { pid, signal });
  }

  /** @param {string} address @returns {Promise<number>} */
  findFreePort(address) {
    return this.ask('port', { address });
  }

  /** @returns {Promise<void>} when no process is left: after a kill of agent and keeper together, a new agent cleans up what they left */
  async close() {
    if (this.isLost) await this.connect().catch(() => {}); // the host may be gone
    [this.isUp, this.isClosing] = [false, true];
    const { child } = this;
    if (!child) return;
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    const gone = hasExited ? Promise.resolve() : new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    if (!this.way) return void await gone;
    await within(gone, ENDS_WITHIN_MS);
    child.kill('SIGKILL');
  }
}
