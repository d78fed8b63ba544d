/**
 * Records processes and machine during the load. For the figures, the field's tools sample once a second (top as in the thesis,
 * section 2.3). For the numbers, the kernel's exact accounts are read at the marks.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countDescriptors, readMachine, readProcess } from './accounts.js';
import { monotonicUs } from './clock.js';
import { TrialError } from '../common/failure.js';
import { formatRows } from '../common/files.js';
import { HOST_TICKS } from '../common/shared-names.js';

/** @typedef {{pid: number, side: string, role: string, index: number}} Watched */

const ENDS_WITHIN_MS = 5000; // for a sampler to flush its last lines

const THREAD_COLUMNS = ['mark', 't_s', 'pid', 'tid', 'cpu_ns', 'wait_ns'];
const WIRE_COLUMNS = ['mark', 'received_b', 'received_packets', 'sent_b', 'sent_packets'];
const MACHINE_COLUMNS = ['mark', 't_us', 'wall_us', 'run_ns', 'packet_ns', 'kernel_kb', 'throttled_us', ...HOST_TICKS];
const ACCOUNT_COLUMNS = ['mark', 't_us', 'pid', 'side', 'role', 'index', 'cpu_ns', 'wait_ns', 'ticks', 'voluntary', 'involuntary', 'rss_kb', 'descriptors'];

/**
 * The samplers. `top -p` takes at most 20 processes, so top shows the whole machine, and the reduction picks ours. It runs by threads
 * (`-H`), as in the thesis. procps 4.0.2 misreports first threads; analysis/captures/top-to-series.awk corrects it.
 * @param {string} pids comma-separated @returns {Record<string, string[]>}
 */
const samplers = (pids) => ({
  top: ['top', '-b', '-H', '-d', '1', '-w', '200'],
  pidstat: ['pidstat', '-u', '-r', '-w', '-h', '-H', '-p', pids, '1'],
  sar: ['sar', '-u', 'ALL', '-P', 'ALL', '-w', '-q', '-n', 'DEV', '-n', 'SOCK', '-n', 'TCP', '1'],
});

/** Records the processes of one trial, from `start` to `stop`. */
export class Capture {
  /**
   * @param {import('./host.js').LocalHost} host @param {string} raw the trial's folder of captures
   * @param {object} [how]
   * @param {() => Record<string, number>} [how.readWire] reads the counters of the load's device, kept at each mark in device.tsv
   * @param {(name: string, text: string) => void} [how.tell] receives everything written, as the folder may be lost before it is fetched
   * @param {number[]} [how.cores] of the samplers and their children, off the server's; by default any
   */
  constructor(host, raw, { readWire, tell = () => {}, cores } = {}) {
    this.host = host;
    this.raw = raw;
    this.tell = tell;
    this.readWire = readWire;
    this.by = cores ? ['taskset', '-c', cores.join(',')] : [];
    this.watched = /** @type {Map<number, Watched>} */ (new Map());
    this.samplers = /** @type {import('./host.js').Started[]} */ ([]);
    this.startUs = NaN;
    /** @type {Map<number, number>} pid to its number of descriptors at the last refresh */
    this.descriptors = new Map();
    this.launches = /** @type {{sampler: string, launch_us: number}[]} */ ([]);
  }

  /** @param {Watched[]} processes as announced by servers and clients */
  async start(processes) {
    this.announce(processes);
    this.#findUnannounced();
    // On hosts with clients only, all watched processes end before the samplers do; pidstat would exit with the last one
    const pids = [...this.watched.keys(), ...(this.readWire ? [process.pid] : [])].join(',');
    for (const [name, argv] of Object.entries(samplers(pids))) await this.#sample(name, argv);
    this.watched.set(process.pid, { pid: process.pid, side: 'capture', role: 'agent', index: 1 });
  }

  /** @param {string} name @param {string[]} argv */
  async #sample(name, argv) {
    const output = join(this.raw, `${name}.txt`);
    this.launches.push({ sampler: name, launch_us: Math.round(monotonicUs()) });
    const env = { S_TIME_FORMAT: 'ISO', S_COLORS: 'never' };
    const started = await this.host.start({ argv: [...this.by, ...argv], cwd: this.raw, side: 'capture', env, stdout: output, stderr: join(this.raw, `${name}.err`) });
    this.samplers.push(started);
    this.watched.set(started.pid, { pid: started.pid, side: 'capture', role: name, index: 1 });
  }

  /** Processes missing from `ready` lines use CPU as well: they are watched as "other". */
  #findUnannounced() {
    for (const { pid, side } of this.host.list()) {
      if (this.watched.has(pid)) continue;
      const role = side === 'client' ? 'otherclient' : 'other'; // roles are counted by name
      this.watched.set(pid, { pid, side, role, index: pid });
    }
  }

  /** Set the start of the load; marks follow it. @param {number} startUs */
  begin(startUs) {
    this.startUs = startUs;
    this.#write('accounts.tsv', ACCOUNT_COLUMNS);
    this.#write('threads.tsv', THREAD_COLUMNS);
    if (this.readWire) this.#write('device.tsv', WIRE_COLUMNS);
    this.#write('host.tsv', MACHINE_COLUMNS, [{ mark: 'planned', t_us: startUs }]); // the start given to the client
    this.#write('samplers.tsv', ['sampler', 'launched_s'], this.launches.map(({ sampler, launch_us }) => (
      { sampler, launched_s: this.#sinceStart_s(launch_us) })));
  }

  /** Not synced, so that the disk does not delay the marks. @param {string} name @param {string[]} columns @param {any[]} [rows] */
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

  /** Read everything at one moment, then write. @param {string} mark start, window_start, window_end, or the end of a step (sweep.js) */
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

  /** Add processes announced later, such as replacements of dead ones. @param {Watched[]} processes */
  announce(processes) {
    for (const watched of processes) this.watched.set(watched.pid, watched);
  }

  /**
   * Find new processes and count descriptors just before a mark. At the mark itself only CPU is read, since the load may close connections
   * there. A process seen at only one end of the window flags the trial.
   */
  refresh() {
    this.#findUnannounced();
    for (const pid of this.watched.keys()) this.descriptors.set(pid, countDescriptors(pid));
  }

  /** @throws {TrialError} if a sampler ended early */
  async stop() {
    for (const sampler of this.samplers) {
      if (sampler.exit) throw new TrialError(`${sampler.launch.argv[this.by.length]} ended during the trial: it ${sampler.describeEnd()}`);
      sampler.signal('SIGINT'); // pidstat and sar flush on it
    }
    await Promise.all(this.samplers.map((sampler) => sampler.endWithin(ENDS_WITHIN_MS)));
  }
}
