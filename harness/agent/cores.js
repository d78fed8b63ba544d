/** Pins the processes of a trial to cores (taskset). All cores are real; none is emulated. */
import { spawnSync } from 'node:child_process';
import { readAllowedCores } from './allowed.js';
import { TrialError, UserError } from '../common/failure.js';
import { ALONE, LINK } from '../common/placements.js';
import { isAlive, readStat } from '../common/stat.js';

/** @typedef {import('../common/ready.js').Announced} Announced */

const UNCOUNTED = 'master'; // supervisors: the sources do not count a core for them

export class Cores {
  /** @param {string} placement one of common/placements.js */
  constructor(placement) {
    this.placement = placement;
    this.available = readAllowedCores();
    this.taken = /** @type {Set<number>} cores with pinned server processes, not for the load */ (new Set());
    this.isLinked = false;
    /** @type {Record<'server' | 'client', Set<number>>} pids to move when the link takes its core */
    this.beforeLink = { server: new Set(), client: new Set() };
  }

  /** Also called for replacements of dead processes. @param {Announced[]} servers @param {number[]} [others] unannounced */
  placeServer(servers, others = []) {
    if (this.placement === 'shared') return;
    const serving = servers.filter(({ role }) => role !== UNCOUNTED);
    const placed = this.isLinked // a replacement under load
      ? new Map(serving.map(({ pid }) => [pid, splitForLink(this.available).server]))
      : chooseCores(this.placement, serving, this.available);
    for (const [pid, cores] of placed) pin(pid, cores);
    const alone = this.#partsLoad() ? [] : serving.filter((process) => isAlone(this.placement, process));
    for (const { pid } of alone) for (const core of placed.get(pid) ?? []) this.taken.add(core);
    const supervising = servers.filter(({ role }) => role === UNCOUNTED).map(({ pid }) => pid);
    const rest = [...supervising, ...others.filter((pid) => !placed.has(pid))];
    for (const pid of rest) pin(pid, this.#coresOfTheRest());
    [...placed.keys(), ...rest].forEach((pid) => this.beforeLink.server.add(pid));
  }

  /** @param {{pid: number}[]} clients and other processes that are not the server's */
  placeClient(clients) {
    if (this.placement === 'shared') return;
    for (const { pid } of clients) {
      pin(pid, this.#coresBeside());
      this.beforeLink.client.add(pid);
    }
  }

  /** @returns {number[] | undefined} of samplers: beside the load, but with a link on the link's core; undefined: any */
  coresOfSamplers() {
    return this.placement === 'shared' ? undefined : this.#coresBeside();
  }

  /** Off the server's. */
  #coresBeside() {
    return this.#partsLoad() ? this.available.slice(-1) : coresBesides(this.taken, this.available);
  }

  /**
   * Make room for the link when the load begins. Until then server and client warm up on separate cores: on a shared core, each one's JIT
   * compiler would delay both.
   * @param {{pid: number}[]} carriers processes that carry frames (network.js)
   */
  placeLink(carriers) {
    if (this.placement !== LINK) return;
    const { server, client } = splitForLink(this.available);
    this.isLinked = true;
    this.beforeLink.server.forEach((pid) => pin(pid, server));
    this.beforeLink.client.forEach((pid) => pin(pid, client));
    carriers.forEach(({ pid }) => pin(pid, this.available.slice(-1)));
  }

  /** Whether the load has the last core, and the server all others. */
  #partsLoad() {
    return this.placement === 'apart' || this.placement === LINK;
  }

  #coresOfTheRest() {
    if (this.isLinked) return splitForLink(this.available).server;
    if (this.#partsLoad()) return allButLast(this.available);
    return this.placement.startsWith(ALONE) ? coresBesides(this.taken, this.available) : this.available.slice(0, 1);
  }
}

/** @param {string} placement @param {Pick<Announced, 'role'>} process @returns {boolean} whether the load keeps off its core */
const isAlone = (placement, { role }) => !placement.startsWith(ALONE) || placement === `${ALONE}${role}`;

/**
 * @param {string} placement as the constructor takes it, but not `shared` @param {Announced[]} serving @param {number[]} available cores
 * @returns {Map<number, number[]>} cores by pid; processes share cores round-robin if there are too few
 */
export function chooseCores(placement, serving, available) {
  if (placement === 'apart' || placement === LINK) return new Map(serving.map(({ pid }) => [pid, allButLast(available)]));
  const alone = serving.filter((process) => isAlone(placement, process));
  const chosen = new Map(alone.map(({ pid }, index) => [pid, [available[placement === 'one' ? 0 : index % available.length]]]));
  const rest = coresBesides(new Set([...chosen.values()].flat()), available);
  return new Map(serving.map(({ pid }) => [pid, chosen.get(pid) ?? rest]));
}

/** @param {Set<number>} taken @param {number[]} available @returns {number[]} the other cores, or the last one */
function coresBesides(taken, available) {
  const free = available.filter((core) => !taken.has(core));
  return free.length ? free : available.slice(-1);
}

/** @param {number[]} available @returns {number[]} */
const allButLast = (available) => (available.length > 1 ? available.slice(0, -1) : available);

/** taskset fails if a thread ends after it was listed, without saying more. It is then retried. */
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

/** Keep this process and its children off the last cores. @param {number} count @throws {UserError} if none is left */
export function leaveCores(count) {
  const available = readAllowedCores();
  if (count >= available.length) throw new UserError(`leave_cores: ${count} of ${available.length} cores leaves none for a trial; leave fewer`);
  pin(process.pid, available.slice(0, -count));
}

/** @param {number[]} cores to use @returns {{server: number[], client: number[]}} without the last of several, left to the link */
export function splitForLink(cores) {
  const measured = allButLast(cores);
  return { server: allButLast(measured), client: measured.slice(-1) };
}
