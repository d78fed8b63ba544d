/** What the raw capture of a trial says, as the validity rules need it. Reads files only. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { HOST_TICKS } from './accounts.js';
import { readJson, readTsv } from './files.js';
import { ROOT } from './places.js';

/** @typedef {{pid: number, side: string, role: string, index: number, cpu_s: number}} Usage CPU of a process in the window */
/**
 * @typedef {object} Facts
 * @property {number} window_s between the two marks, by the monotonic clock
 * @property {number} mark_late_ms by how much the later of the marks was read after its time
 * @property {Usage[]} usage
 * @property {number} lost processes of server or client that one mark has and the other has not
 * @property {{busy: number, steal: number, total: number}} machine_s CPU seconds in the window, over all cores
 * @property {number} clock_step_ms wall clock against monotonic clock
 * @property {boolean} closed was the load closed?
 * @property {number} outstanding messages, over all connections, in closed load
 * @property {number} top_cpu_s mean of top's samples in the window, as CPU seconds of it; NaN without samples
 * @property {{due: number, sent: number, received: number, missing: number, wrong: number, late: number, service_mean_us: number}} window
 * @property {{failed_local: number, dropped_local: number}} connections
 */

/** @typedef {import('./spec.js').Spec} Spec */

/** @param {string} folder of a trial @param {Spec} spec @returns {Facts} */
export function readFacts(folder, spec) {
  const raw = join(folder, 'raw');
  const accounts = readTsv(join(raw, 'accounts.tsv'));
  const summary = readJson(join(raw, 'client', 'summary.json'));
  const { client } = readJson(join(folder, 'trial.json'));
  const machine = readMachineFacts(readTsv(join(raw, 'host.tsv')), spec);
  const closed = client.arrivals.kind === 'closed';
  return {
    ...machine,
    ...readUsage(accounts),
    closed,
    outstanding: closed ? client.arrivals.outstanding * summary.connections.open_at_end : 0,
    top_cpu_s: readTop(raw, spec) * machine.window_s,
    window: summary.window,
    connections: summary.connections,
  };
}

/** @param {Record<string, string>[]} accounts @returns {{usage: Usage[], lost: number}} */
function readUsage(accounts) {
  /** @param {string} mark */
  const at = (mark) => new Map(accounts.filter((row) => row.mark === mark).map((row) => [row.pid, row]));
  const [before, after] = [at('window_start'), at('window_end')];
  const usage = [...after.values()].filter(({ pid }) => before.has(pid)).map((row) => ({
    pid: Number(row.pid), side: row.side, role: row.role, index: Number(row.index),
    cpu_s: (Number(row.cpu_ns) - Number(before.get(row.pid)?.cpu_ns)) / 1e9,
  }));
  const inOne = [...before.values(), ...after.values()].filter(({ pid }) => before.has(pid) !== after.has(pid));
  return { usage, lost: inOne.filter(({ side }) => side !== 'capture').length };
}

/** Linux reports /proc/stat in hundredths of a second on every architecture (USER_HZ, see time(7)). */
const TICKS_PER_S = 100;

/** @param {Record<string, string>[]} host @param {Spec} spec */
function readMachineFacts(host, { phases }) {
  const [begin, from, to] = ['start', 'window_start', 'window_end'].map((mark) => host.find((row) => row.mark === mark) ?? {});
  const seconds = (/** @type {string} */ name) => (Number(to[name]) - Number(from[name])) / TICKS_PER_S;
  const total = HOST_TICKS.reduce((sum, name) => sum + seconds(name), 0);
  const sinceBegin = (/** @type {Record<string, string>} */ row) => (Number(row.t_us) - Number(begin.t_us)) / 1e3;
  const planned = (phases.ramp_s + phases.settle_s) * 1e3;
  return {
    window_s: (Number(to.t_us) - Number(from.t_us)) / 1e6,
    mark_late_ms: Math.max(Math.abs(sinceBegin(from) - planned), Math.abs(sinceBegin(to) - planned - phases.hold_s * 1e3)),
    clock_step_ms: Math.abs((Number(to.wall_us) - Number(to.t_us)) - (Number(from.wall_us) - Number(from.t_us))) / 1e3,
    machine_s: { total, steal: seconds('steal'), busy: total - seconds('idle') - seconds('iowait') - seconds('steal') },
  };
}

/** @param {string} raw @param {Spec} spec @returns {number} mean cores in use by servers and clients, by top */
function readTop(raw, { phases }) {
  const program = join(ROOT, 'analysis', 'top-to-series.awk');
  const inputs = ['samplers.tsv', 'threads.tsv', 'top.txt'].map((name) => join(raw, name));
  const from = phases.ramp_s + phases.settle_s;
  const [header, ...rows] = execFileSync('awk', ['-f', program, ...inputs], { encoding: 'utf8' }).trimEnd().split('\n');
  const column = Object.fromEntries(header.split('\t').map((name, index) => [name, index]));
  let sum = 0;
  const seconds = new Set();
  for (const cells of rows.map((line) => line.split('\t'))) {
    const t = Number(cells[column.t_s]);
    if (t - 1 < from - 0.5 || t > from + phases.hold_s + 0.5 || cells[column.side] === 'capture') continue;
    seconds.add(t);
    sum += Number(cells[column.cpu_pct]) / 100;
  }
  return sum / seconds.size;
}
