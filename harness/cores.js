/**
 * Cores: where the processes of a trial run. Where the machine has enough, each server process is pinned to a core of its own;
 * where not, a core is *emulated*: the process gets a share of one by CPU quota, and the load is scaled by that share. Emulated
 * cores lie on all real ones but the last, which is the load's, so that the generator does not wait for one.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { CpuQuota, NoQuota } from './cpu-quota.js';
import { TrialError, UserError } from './failure.js';
import { listPoints, resolveConditions } from './points.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./parties.js').Announced} Announced */

/** The load has the last core, and the server all others. */
const APART = 'apart';
/** What carries frames has the last core: it takes all of it. The load has the one before, if the server keeps one; else they share it. */
const LINK = 'link';
/** Supervisors, which the sources do not count among the cores. */
const UNCOUNTED = 'master';

/**
 * @param {Spec} spec
 * @param {number} [available] cores
 * @returns {Spec['cores']} with how it is done on this machine; one way for all points of an experiment, so that they compare
 * @throws {UserError} when the emulated cores would not fit the real ones
 */
export function resolveCores(spec, available = os.availableParallelism()) {
  if (!spec.cores) return undefined;
  const { placement, share } = spec.cores;
  const needed = (/** @type {Spec['cores']} */ cores) => listPoints(spec).map((point) => {
    const { placement: at, processes, client_processes } = resolveConditions({ ...spec, cores }, point);
    const servers = at.startsWith('own') ? countServing(processes) : 1;
    return { at, servers, all: servers + client_processes };
  });
  const mode = Math.max(...needed({ placement, share, mode: 'real' }).map(({ all }) => all)) <= available ? 'real' : 'emulated';
  const most = Math.max(0, ...needed({ placement, share, mode }).filter(({ at }) => at === 'own-emulated').map(({ servers }) => servers));
  if (most * share > Math.max(1, available - 1)) {
    throw new UserError(`cores.share: ${most} processes of ${share} of a core leave no core of ${available} to the load; lower it to ${Math.floor((100 * Math.max(1, available - 1)) / most) / 100}`);
  }
  return { placement, share, mode };
}

/** @param {Record<string, number>} processes @returns {number} */
const countServing = (processes) => Object.entries(processes).reduce((sum, [role, count]) => sum + (role === UNCOUNTED ? 0 : count), 0);

/** The cores of one trial: taken when the parties are ready, given back when they are gone. */
export class Cores {
  /** @param {string} placement such as "own-emulated" @param {number} share of a core, where it is emulated */
  constructor(placement, share) {
    const [whose, how] = placement.split('-');
    this.whose = whose; // one core for all, each process its own, all but the load's, or shared
    this.how = whose === APART || whose === LINK ? whose : how; // real or emulated
    this.share = share;
    /** @type {CpuQuota[]} */
    this.quotas = [];
    /** @type {Set<number>} server processes that have a quota */
    this.confined = new Set();
    /** @type {Set<number>} real cores that server processes are pinned to */
    this.taken = new Set();
    /** @type {Record<'server' | 'client', Set<number>>} who makes room for the link when the load begins */
    this.beforeLink = { server: new Set(), client: new Set() };
  }

  /**
   * Place what is not placed yet; processes that replace others get the places of those.
   * @param {Announced[]} servers @param {number[]} [others] pids of the server that no one announced
   * @throws {TrialError}
   */
  placeServer(servers, others = []) {
    if (this.how === undefined) return;
    const supervising = servers.filter(({ role }) => role === UNCOUNTED).map(({ pid }) => pid);
    const serving = servers.filter(({ role }) => role !== UNCOUNTED).map(({ pid }) => pid);
    try {
      [...supervising, ...others].forEach((pid) => pin(pid, this.how === 'real' ? [0] : allButLast()));
      if (this.how === LINK) [...supervising, ...others, ...serving].forEach((pid) => this.beforeLink.server.add(pid));
      if (this.how === 'emulated') this.#limit(serving, [...supervising, ...others]);
      else serving.forEach((pid, index) => pin(pid, this.how === 'real' ? [this.#coreOf(index)] : allButLast()));
    } catch (error) {
      if (error instanceof NoQuota) throw new TrialError(`no emulated cores: ${error.message}; run as root, or on a machine with cores enough`);
      throw error;
    }
  }

  /** @param {{pid: number}[]} clients and what else is not the server's */
  placeClient(clients) {
    if (this.how === undefined) return;
    const cores = range(os.availableParallelism());
    if (this.how === LINK) clients.forEach(({ pid }) => this.beforeLink.client.add(pid));
    const free = cores.filter((core) => this.how === 'real' && !this.taken.has(core));
    for (const { pid } of clients) pin(pid, free.length ? free : cores.slice(-1));
  }

  /** @param {{pid: number}[]} samplers beside the load; but where that shares the server's core they are to leave both alone */
  placeSamplers(samplers) {
    if (this.how === LINK) samplers.forEach(({ pid }) => pin(pid, range(os.availableParallelism()).slice(-1)));
    else this.placeClient(samplers);
  }

  /**
   * Make room for the link, when the load begins: until then server and client warm up on cores apart, for on one a compiler of either
   * stands in the way of both.
   * @param {{pid: number}[]} carriers of frames (network.js)
   */
  placeLink(carriers) {
    if (this.how !== LINK) return;
    const cores = range(os.availableParallelism());
    const { server, client } = splitForLink(cores);
    this.beforeLink.server.forEach((pid) => pin(pid, server));
    this.beforeLink.client.forEach((pid) => pin(pid, client));
    carriers.forEach(({ pid }) => pin(pid, cores.slice(-1)));
  }

  /** @param {number[]} serving @param {number[]} others share the one core, where there is one; else they are free of any */
  #limit(serving, others) {
    const groups = this.whose === 'one' ? [[...serving, ...others]] : serving.map((pid) => [pid]);
    groups.forEach((pids, index) => {
      const quota = (this.quotas[index] ??= new CpuQuota(this.share));
      pids.filter((pid) => !this.confined.has(pid)).forEach((pid) => {
        quota.add(pid);
        pin(pid, allButLast());
        this.confined.add(pid);
      });
    });
  }

  /** @param {number} index of a serving process @returns {number} */
  #coreOf(index) {
    const core = this.whose === 'one' ? 0 : index % os.availableParallelism();
    this.taken.add(core);
    return core;
  }

  /** When the processes are gone. @returns {Promise<boolean>} false when a group would not go: the keeper, or the next run, tries again */
  async remove() {
    const gone = await Promise.all(this.quotas.map((quota) => quota.remove()));
    return !gone.includes(false);
  }
}

/** taskset stops at a thread that ended since it listed them, and says no more than that: it is asked again so often. */
const PIN_ATTEMPTS = 20;

/** @param {number} pid with all its threads @param {number[]} cores @throws {TrialError} */
function pin(pid, cores) {
  let why = '';
  for (let attempt = 0; attempt < PIN_ATTEMPTS && isAlive(pid); attempt++) {
    const { status, stderr, error } = spawnSync('taskset', ['-a', '-p', '-c', cores.join(','), String(pid)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    if (status === 0) return;
    why = error?.message ?? stderr.trim();
    if (!why.includes('No such process')) break;
  }
  if (isAlive(pid)) throw new TrialError(`process ${pid} can't be placed on core ${cores.join(', ')}: ${why}`);
}

/** @param {number} pid @returns {boolean} false too when it has ended and its parent did not take note yet */
function isAlive(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

/**
 * @param {number[]} cores of the machine
 * @returns {{server: number[], client: number[]}} without the last, which is the link's, where there are two
 */
export function splitForLink(cores) {
  const measured = cores.length > 1 ? cores.slice(0, -1) : cores;
  return measured.length > 1 ? { server: measured.slice(0, -1), client: measured.slice(-1) } : { server: measured, client: measured };
}

/** @returns {number[]} the real cores that are not the load's */
function allButLast() {
  const cores = range(os.availableParallelism());
  return cores.length > 1 ? cores.slice(0, -1) : cores;
}

/** @param {number} count @returns {number[]} 0 to count - 1 */
const range = (count) => Array.from({ length: count }, (_, index) => index);
