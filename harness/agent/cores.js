/** Cores: where the processes of a trial run. Places are pins (taskset) to real cores; none is emulated. */
import { spawnSync } from 'node:child_process';
import { readAllowedCores } from './allowed.js';
import { TrialError, UserError } from '../common/failure.js';
import { ALONE, LINK } from '../common/placements.js';
import { isAlive, readStat } from '../common/stat.js';

/** @typedef {import('../common/ready.js').Announced} Announced */

const UNCOUNTED = 'master'; // supervisors, which the sources do not count among the cores

export class Cores {
  /** @param {string} placement one of common/placements.js @param {number[]} [available] cores that a trial may use here */
  constructor(placement, available = readAllowedCores()) {
    this.placement = placement;
    this.available = available;
    /** @type {Set<number>} cores that server processes are pinned to, and the load is to leave alone */
    this.taken = new Set();
    /** @type {Record<'server' | 'client', Set<number>>} who makes room for the link when the load begins */
    this.beforeLink = { server: new Set(), client: new Set() };
  }

  /** Processes that replace others get their places. @param {Announced[]} servers @param {number[]} [others] that no one announced */
  placeServer(servers, others = []) {
    if (this.placement === 'shared') return;
    const serving = servers.filter(({ role }) => role !== UNCOUNTED);
    const placed = chooseCores(this.placement, serving, this.available);
    for (const [pid, cores] of placed) pin(pid, cores);
    const alone = this.#partsLoad() ? [] : serving.filter((process) => isAlone(this.placement, process));
    for (const { pid } of alone) for (const core of placed.get(pid) ?? []) this.taken.add(core);
    const supervising = servers.filter(({ role }) => role === UNCOUNTED).map(({ pid }) => pid);
    const rest = [...supervising, ...others.filter((pid) => !placed.has(pid))];
    for (const pid of rest) pin(pid, this.#coresOfTheRest());
    [...placed.keys(), ...rest].forEach((pid) => this.beforeLink.server.add(pid));
  }

  /** @param {{pid: number}[]} clients and what else is not the server's */
  placeClient(clients) {
    if (this.placement === 'shared') return;
    const cores = this.#partsLoad() ? this.available.slice(-1) : coresBesides(this.taken, this.available);
    for (const { pid } of clients) {
      pin(pid, cores);
      this.beforeLink.client.add(pid);
    }
  }

  /** @param {{pid: number}[]} samplers beside the load; but where that shares the server's core they are to leave both alone */
  placeSamplers(samplers) {
    if (this.placement === LINK) samplers.forEach(({ pid }) => pin(pid, this.available.slice(-1)));
    else this.placeClient(samplers);
  }

  /**
   * Make room for the link, when the load begins: until then server and client warm up on cores apart, for on one a compiler of either
   * stands in the way of both.
   * @param {{pid: number}[]} carriers of frames (network.js)
   */
  placeLink(carriers) {
    if (this.placement !== LINK) return;
    const { server, client } = splitForLink(this.available);
    this.beforeLink.server.forEach((pid) => pin(pid, server));
    this.beforeLink.client.forEach((pid) => pin(pid, client));
    carriers.forEach(({ pid }) => pin(pid, this.available.slice(-1)));
  }

  /** Has the load the last core, and the server all others? */
  #partsLoad() {
    return this.placement === 'apart' || this.placement === LINK;
  }

  #coresOfTheRest() {
    if (this.#partsLoad()) return allButLast(this.available);
    return this.placement.startsWith(ALONE) ? coresBesides(this.taken, this.available) : this.available.slice(0, 1);
  }
}

/** @param {string} placement @param {Pick<Announced, 'role'>} process @returns {boolean} has it a core without the load? */
const isAlone = (placement, { role }) => !placement.startsWith(ALONE) || placement === `${ALONE}${role}`;

/**
 * @param {string} placement as the constructor takes it, but not `shared` @param {Announced[]} serving @param {number[]} available cores
 * @returns {Map<number, number[]>} process to its cores; where there are too few, they are shared in turn
 */
export function chooseCores(placement, serving, available) {
  if (placement === 'apart' || placement === LINK) return new Map(serving.map(({ pid }) => [pid, allButLast(available)]));
  const alone = serving.filter((process) => isAlone(placement, process));
  const chosen = new Map(alone.map(({ pid }, index) => [pid, [available[placement === 'one' ? 0 : index % available.length]]]));
  const rest = coresBesides(new Set([...chosen.values()].flat()), available);
  return new Map(serving.map(({ pid }) => [pid, chosen.get(pid) ?? rest]));
}

/** @param {Set<number>} taken @param {number[]} available @returns {number[]} the others, or the last one */
function coresBesides(taken, available) {
  const free = available.filter((core) => !taken.has(core));
  return free.length ? free : available.slice(-1);
}

/** @param {number[]} available @returns {number[]} */
const allButLast = (available) => (available.length > 1 ? available.slice(0, -1) : available);

/** taskset stops at a thread that ended since it listed them, and says no more than that: it is asked again so often. */
const PIN_ATTEMPTS = 20;

/** @param {number} pid with all its threads @param {number[]} cores @throws {TrialError} */
function pin(pid, cores) {
  let why = '';
  for (let attempt = 0; attempt < PIN_ATTEMPTS && isAlive(readStat(pid)); attempt++) {
    const { status, stderr, error } = spawnSync('taskset', ['-a', '-p', '-c', cores.join(','), String(pid)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    if (status === 0) return;
    why = error?.message ?? stderr.trim();
    if (!why.includes('No such process')) break;
  }
  if (isAlive(readStat(pid))) throw new TrialError(`process ${pid} can't be placed on core ${cores.join(', ')}: ${why}`);
}

/** Keep this process, and what it starts, off the last cores. @param {number} count @throws {UserError} where none is left */
export function leaveCores(count) {
  const available = readAllowedCores();
  if (count >= available.length) throw new UserError(`leave_cores: ${count} of ${available.length} cores leaves none for a trial; leave fewer`);
  pin(process.pid, available.slice(0, -count));
}

/** @param {number[]} cores that may be used @returns {{server: number[], client: number[]}} without the last of several, the link's */
export function splitForLink(cores) {
  const measured = cores.length > 1 ? cores.slice(0, -1) : cores;
  return measured.length > 1 ? { server: measured.slice(0, -1), client: measured.slice(-1) } : { server: measured, client: measured };
}
