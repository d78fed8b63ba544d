/**
 * The capture: what is watched while the load runs. Sampled once a second by the field's tools for the figures
 * (top as in the thesis, section 2.3), and read exactly from the kernel at the marks for the numbers.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countDescriptors, readMachine, readProcess } from './accounts.js';
import { monotonicUs } from './clock.js';
import { TrialError } from '../common/failure.js';
import { formatRows } from '../common/files.js';
import { HOST_TICKS } from '../common/shared-names.js';

/** @typedef {{pid: number, side: string, role: string, index: number}} Watched */

const ENDS_WITHIN_MS = 5000; // for a sampler to write its last lines

const THREAD_COLUMNS = ['mark', 't_s', 'pid', 'tid', 'cpu_ns'];
const WIRE_COLUMNS = ['mark', 'received_b', 'received_packets', 'sent_b', 'sent_packets'];
const MACHINE_COLUMNS = ['mark', 't_us', 'wall_us', 'run_ns', 'packet_ns', 'kernel_kb', 'throttled_us', ...HOST_TICKS];
const ACCOUNT_COLUMNS = ['mark', 't_us', 'pid', 'side', 'role', 'index', 'cpu_ns', 'wait_ns', 'ticks', 'voluntary', 'involuntary', 'rss_kb', 'descriptors'];

/**
 * The samplers. `top -p` takes twenty processes at most, so top shows all of the machine, and the reduction picks ours. By threads (`-H`),
 * as in the thesis: what procps 4.0.2 says of first threads analysis/captures/top-to-series.awk puts right.
 * @param {string} pids comma-separated @returns {Record<string, string[]>}
 */
const samplers = (pids) => ({
  top: ['top', '-b', '-H', '-d', '1', '-w', '200'],
  pidstat: ['pidstat', '-u', '-r', '-w', '-h', '-H', '-p', pids, '1'],
  sar: ['sar', '-u', 'ALL', '-P', 'ALL', '-w', '-q', '-n', 'DEV', '-n', 'SOCK', '-n', 'TCP', '1'],
});

/** Watches the processes of one trial, from `start` to `stop`. */
export class Capture {
  /**
   * @param {import('./host.js').LocalHost} host @param {string} raw the trial's folder for what is captured
   * @param {() => Record<string, number>} [readWire] what has passed the device of the load, to be kept at each mark: device.tsv
   * @param {(name: string, text: string) => void} [tell] is told what is written, as the folder may go before it is fetched
   */
  constructor(host, raw, readWire, tell = () => {}) {
    this.host = host;
    this.raw = raw;
    this.tell = tell;
    this.readWire = readWire;
    /** @type {Map<number, Watched>} */
    this.watched = new Map();
    /** @type {import('./host.js').Started[]} */
    this.samplers = [];
    this.startUs = NaN;
    /** @type {Map<number, number>} process to the descriptors that it held at the last look */
    this.descriptors = new Map();
    this.launches = /** @type {{sampler: string, launch_us: number}[]} */ ([]);
  }

  /** @param {Watched[]} processes what servers and clients said of themselves */
  async start(processes) {
    this.announce(processes);
    this.#findUnannounced();
    // Where clients alone are watched all of them end before the samplers do, and pidstat with the last that it was given
    const pids = [...this.watched.keys(), ...(this.readWire ? [process.pid] : [])].join(',');
    for (const [name, argv] of Object.entries(samplers(pids))) await this.#sample(name, argv);
    this.watched.set(process.pid, { pid: process.pid, side: 'capture', role: 'agent', index: 1 });
  }

  /** @param {string} name @param {string[]} argv */
  async #sample(name, argv) {
    const output = join(this.raw, `${name}.txt`);
    this.launches.push({ sampler: name, launch_us: Math.round(monotonicUs()) });
    const env = { S_TIME_FORMAT: 'ISO', S_COLORS: 'never' };
    const started = await this.host.start({ argv, cwd: this.raw, side: 'capture', env, stdout: output, stderr: join(this.raw, `${name}.err`) });
    this.samplers.push(started);
    this.watched.set(started.pid, { pid: started.pid, side: 'capture', role: name, index: 1 });
  }

  /** A process that no `ready` line named costs all the same: it is watched as "other". */
  #findUnannounced() {
    for (const { pid, side } of this.host.list()) {
      if (this.watched.has(pid)) continue;
      const role = side === 'client' ? 'otherclient' : 'other'; // roles are counted by name
      this.watched.set(pid, { pid, side, role, index: pid });
    }
  }

  /** Say when the load begins: until then nothing is marked. @param {number} startUs */
  begin(startUs) {
    this.startUs = startUs;
    this.#write('accounts.tsv', ACCOUNT_COLUMNS);
    this.#write('threads.tsv', THREAD_COLUMNS);
    if (this.readWire) this.#write('device.tsv', WIRE_COLUMNS);
    this.#write('host.tsv', MACHINE_COLUMNS, [{ mark: 'planned', t_us: startUs }]); // the start that the client was given
    this.#write('samplers.tsv', ['sampler', 'launched_s'], this.launches.map(({ sampler, launch_us }) => (
      { sampler, launched_s: this.#sinceStart_s(launch_us) })));
  }

  /** Not synced: a disk is not to keep the marks waiting. @param {string} name @param {string[]} columns @param {any[]} [rows] */
  #write(name, columns, rows = []) {
    const text = `${columns.join('\t')}\n${formatRows(columns, rows)}`;
    writeFileSync(join(this.raw, name), text);
    this.tell(name, text);
  }

  /** @param {string} name @param {string[]} columns @param {Record<string, unknown>[]} rows */
  #append(name, columns, rows) {
    const text = formatRows(columns, rows);
    appendFileSync(join(this.raw, name), text);
    this.tell(name, text);
  }

  /** @param {number} us */
  #sinceStart_s(us) {
    return ((us - this.startUs) / 1e6).toFixed(3);
  }

  /** All are read at one moment, and written then. @param {string} mark start, window_start, window_end, or an end of a step (sweep.js) */
  mark(mark) {
    const machine = { mark, ...readMachine() };
    const wire = this.readWire?.();
    /** @type {Record<string, unknown>[][]} */
    const [accounts, threads] = [[], []];
    for (const watched of this.watched.values()) {
      const account = readProcess(watched.pid);
      if (!account) continue;
      const t_us = Math.round(monotonicUs());
      const descriptors = this.descriptors.get(watched.pid) ?? 0;
      accounts.push({ mark, t_us, ...watched, ...account, descriptors });
      threads.push(...account.threads.map((thread) => ({ mark, t_s: this.#sinceStart_s(t_us), pid: watched.pid, ...thread })));
    }
    this.#append('host.tsv', MACHINE_COLUMNS, [machine]);
    this.#append('accounts.tsv', ACCOUNT_COLUMNS, accounts);
    this.#append('threads.tsv', THREAD_COLUMNS, threads);
    if (this.readWire) this.#append('device.tsv', WIRE_COLUMNS, [{ mark, ...wire }]);
  }

  /** Processes that the server announced since: replacements of some that died. @param {Watched[]} processes */
  announce(processes) {
    for (const watched of processes) this.watched.set(watched.pid, watched);
  }

  /**
   * Note what appeared since the last look, and who holds how many descriptors, just before a mark: at the mark itself only CPU is read,
   * for the load may end its connections there. What only one end of the window has flags the trial.
   */
  refresh() {
    this.#findUnannounced();
    for (const pid of this.watched.keys()) this.descriptors.set(pid, countDescriptors(pid));
  }

  /** @throws {TrialError} when a sampler had ended */
  async stop() {
    for (const sampler of this.samplers) {
      if (sampler.exit) throw new TrialError(`${sampler.launch.argv[0]} ended during the trial: it ${sampler.describeEnd()}`);
      sampler.signal('SIGINT'); // pidstat and sar flush on it
    }
    await Promise.all(this.samplers.map((sampler) => sampler.endWithin(ENDS_WITHIN_MS)));
  }
}
