/**
 * Sends one line per second of the load to followers. It is coarse, based on the kernel's ticks, and part of no result, but for the rule
 * live-agrees. It is read in the middle of a second, away from the marks, and costs one file read per process.
 */
import { readFileSync } from 'node:fs';
import { ClientSeconds } from './client-seconds.js';
import { monotonicUs } from './clock.js';
import { readStat } from '../common/stat.js';

const TICKS_PER_S = 100; // USER_HZ, see time(7): hundredths of a second on every architecture
const OFFSET_US = 500_000; // after each whole second
const LATE_US = 100_000; // a line later than this was delayed, so the load may be delayed as well

export class Seconds {
  /**
   * @param {import('./capture.js').Capture} capture @param {number} startUs when the load begins
   * @param {number} within pid of the server, or of a client if the server is on another host
   * @param {(event: object) => void} tell @param {ClientSeconds} [clients]
   */
  constructor(capture, startUs, within, tell, clients = new ClientSeconds([])) {
    this.capture = capture;
    this.startUs = startUs;
    this.within = within;
    this.tell = tell;
    this.clients = clients;
    this.second = 0;
    this.last = /** @type {{us: number, ticks: Map<number, number>, segments: number} | undefined} */ (undefined);
    this.warnings = /** @type {Set<string>} */ (new Set());
  }

  begin() {
    const dueUs = this.startUs + this.second * 1e6 + OFFSET_US;
    this.timer = setTimeout(() => {
      if (monotonicUs() - dueUs > LATE_US) this.warnings.add('late');
      this.#read();
      this.second++;
      this.begin();
    }, Math.max(0, (dueUs - monotonicUs()) / 1000));
  }

  end() {
    clearTimeout(this.timer);
  }

  #read() {
    const { established, segments } = readTcp(this.within);
    const now = { us: monotonicUs(), ticks: this.#readTicks(), segments };
    const { last } = this;
    this.last = now;
    const seconds = last ? (now.us - last.us) / 1e6 : 0;
    const segments_hz = last && Math.round((now.segments - last.segments) / seconds);
    const rates = last && { segments_hz, cores: this.#sumCores(last.ticks, now.ticks, seconds) };
    const client = this.clients.read();
    this.tell({ event: 'second', t_s: this.second, established, ...rates, ...(client && { client, told_s: this.clients.told_s }), warnings: [...this.warnings] });
  }

  /** @returns {Map<number, number>} ticks by pid */
  #readTicks() {
    const ticks = new Map();
    for (const { pid, side, role } of this.capture.watched.values()) {
      const found = readStat(pid)?.ticks;
      if (found === undefined) this.warnings.add(`${side} ${role} ended`);
      else ticks.set(pid, found);
    }
    return ticks;
  }

  /** @param {Map<number, number>} before @param {Map<number, number>} after @param {number} seconds between them */
  #sumCores(before, after, seconds) {
    /** @type {Record<string, number>} */
    const cores = {};
    for (const { pid, role } of this.capture.watched.values()) {
      const used = (after.get(pid) ?? NaN) - (before.get(pid) ?? NaN);
      if (used >= 0) cores[role] = (cores[role] ?? 0) + used;
    }
    return Object.fromEntries(Object.entries(cores).map(([role, ticks]) => [role, Number((ticks / TICKS_PER_S / seconds).toFixed(2))]));
  }
}

/** @param {number} pid in the network namespace. On loopback each connection counts twice (RFC 4022, tcpCurrEstab and tcpInSegs) */
function readTcp(pid) {
  try {
    const lines = readFileSync(`/proc/${pid}/net/snmp`, 'latin1').split('\n').filter((line) => line.startsWith('Tcp: '));
    const [names, values] = lines.map((line) => line.split(' '));
    const value = (/** @type {string} */ name) => Number(values[names.indexOf(name)]);
    return { established: value('CurrEstab'), segments: value('InSegs') };
  } catch {
    return { established: NaN, segments: NaN }; // the process has ended
  }
}
