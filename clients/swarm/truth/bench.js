/** One run: truth-server with a fault, swarm with a load, and the reports of both. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from '../../../harness/agent/clock.js';
import { within } from '../../../harness/common/timers.js';
import { TrialError } from '../../../harness/common/failure.js';
import { readJson, writeJson } from '../../../harness/common/files.js';
import { STOP_WITHIN_S } from '../../../harness/run/lifecycle.js';
import { waitUntilReady } from '../../../harness/agent/ready.js';
import { ROOT } from '../../../harness/common/places.js';
import { readCompany, shareOfOthers } from './company.js';
import { readLog } from './log.js';

/** @typedef {import('../../../harness/agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../../../harness/agent/host.js').Started} Started */
/** @typedef {import('./log.js').Log} Log */

/**
 * @typedef {object} Load the keys of clients/CONTRACT.md that differ between runs
 * @property {number} connections
 * @property {{kind: 'constant', period_ms: number} | {kind: 'poisson', rate_hz_per_connection: number} |
 *   {kind: 'closed', outstanding: number}} arrivals
 * @property {number} hold_s
 * @property {number} [settle_s] @property {number} [drain_s] @property {{type: string, bytes: number}} [payload]
 * @property {number} [max_outstanding]
 * @property {{ca: string}} [tls] @property {object} [deflate]
 */

/** @typedef {'received' | 'answered' | 'dropped' | 'duplicated' | 'reordered' | 'corrupted' | 'closed' | 'stalls' | 'received_b'} Count */

/**
 * @typedef {object} Found
 * @property {any} summary swarm's summary.json
 * @property {Log} latency of the window, from the intended time, µs
 * @property {Log} service of the window, from the actual time, µs
 * @property {Record<Count, number>} counts the server's, printed at its end
 * @property {number} others share of the cores' time that other processes used
 */

export const PROGRAMS = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'clients/swarm/target'), 'release');

/**
 * All connections are due within the first tenth of a second, and up well before the window. The server's listener queues 128
 * handshakes. More at a time would delay some by a second, for a SYN retry.
 */
const COMMON = {
  dialect: 'websocket', behaviour: 'echo', processes: 1, connect_rate_hz: 10_000, max_connecting: 100, warmup_s: 0, ramp_s: 0, settle_s: 1,
  payload: { type: 'text', bytes: 20 }, seed: 1, late_ms: 1, drain_s: 1,
};
/** Time from `go` to the start. */
const START_AFTER_US = 200_000;
/** Patience beyond swarm's phases: a starved generator ends late. */
const PATIENCE_S = 60;

export class Bench {
  /** @param {LocalHost} host @param {string} folder for one subfolder per run @param {AbortSignal} signal */
  constructor(host, folder, signal) {
    this.host = host;
    this.folder = folder;
    this.signal = signal;
  }

  /**
   * Runs a server and swarm, and reads the results.
   * @param {string} name of the run
   * @param {string[]} faults options of truth-server
   * @param {Load} load
   * @param {object} [otherwise]
   * @param {(argv: string[]) => string[]} [otherwise.confine] wraps swarm's command line
   * @param {string[]} [otherwise.server] command line of another server than truth-server
   * @returns {Promise<Found>}
   * @throws {TrialError} when the server or swarm fails
   */
  async run(name, faults, load, { confine = (argv) => argv, server: argv = [join(PROGRAMS, 'truth-server'), ...faults] } = {}) {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    try {
      const server = await this.#start('server', argv, folder);
      const ready = /** @type {{port?: number}} */ (await this.#waitFor(server));
      const config = { ...COMMON, ...load, url: `${load.tls ? 'wss' : 'ws'}://127.0.0.1:${ready.port}`, out: folder };
      writeJson(join(folder, 'client.json'), config);
      const pids = this.host.list().map(({ pid }) => pid);
      const before = readCompany(pids);
      await this.#load(await this.#start('client', confine([join(PROGRAMS, 'swarm'), join(folder, 'client.json')]), folder), config);
      const after = readCompany(pids);
      const records = readRecords(folder, config.settle_s);
      const others = shareOfOthers(before, after, sumCpuS(records.summary));
      return { ...records, others, counts: await this.#stop(server) };
    } finally {
      await this.host.killAll(['server', 'client']);
    }
  }

  /** @param {'server' | 'client'} side @param {string[]} argv @param {string} folder @returns {Promise<Started>} */
  #start(side, argv, folder) {
    const [stdout, stderr] = [join(folder, `${side}.out`), join(folder, `${side}.err`)];
    return this.host.start({ argv, cwd: folder, side, stdout, stderr, stdin: 'pipe' });
  }

  /** @param {Started} started */
  #waitFor(started) {
    return waitUntilReady(started, `the ${started.launch.side}`, this.signal);
  }

  /** @param {Started} client @param {{settle_s: number, hold_s: number, drain_s: number}} config */
  async #load(client, { settle_s: settleS, hold_s: holdS, drain_s: drainS }) {
    await this.#waitFor(client);
    client.child.stdin?.write(`go ${Math.round(monotonicUs() + START_AFTER_US)}\n`);
    const exit = await within(client.exited, (settleS + holdS + drainS + PATIENCE_S) * 1000, this.signal);
    if (!exit) throw new TrialError(`swarm still runs ${PATIENCE_S} s after its end`);
    if (exit.code !== 0) throw new TrialError(`swarm did not finish: it ${client.describeEnd()}`);
  }

  /** @param {Started} server @returns {Promise<Found['counts']>} */
  async #stop(server) {
    server.signal('SIGTERM');
    const exit = await within(server.exited, STOP_WITHIN_S * 1000, this.signal);
    if (exit?.code !== 0) throw new TrialError(`the server did not stop cleanly: it ${server.describeEnd()}`);
    return JSON.parse(readFileSync(server.launch.stdout, 'utf8').trimEnd().split('\n').pop() ?? '');
  }
}

/** @param {{processes: {cpu_s: number}[]}} summary @returns {number} CPU time of swarm */
export const sumCpuS = ({ processes }) => processes.reduce((sum, { cpu_s: cpuS }) => sum + cpuS, 0);

/** @param {string} folder @param {number} fromS where the window begins @returns {Omit<Found, 'counts' | 'others'>} */
function readRecords(folder, fromS) {
  return {
    summary: readJson(join(folder, 'summary.json')),
    latency: readLog(join(folder, 'latency.hlog'), fromS),
    service: readLog(join(folder, 'service.hlog'), fromS),
  };
}
