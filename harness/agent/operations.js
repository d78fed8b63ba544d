/** The operations of an agent: one method each, for the whole host or for one session. */
import { readFileSync } from 'node:fs';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { monotonicUs } from './clock.js';
import { compareClock, serveClock } from './clock-service.js';
import { tryQuota } from './cpu-quota.js';
import { readFacts } from './facts.js';
import { listListeners } from './listeners.js';
import { readDescriptorLimit, readMachine } from './machine.js';
import { kill } from './marked.js';
import { resolveNetwork } from './network.js';
import { Session } from './session.js';
import { Yardstick } from './yardstick.js';

/** Operations of a session, each a method of it. */
const OF_A_SESSION = [
  'put', 'makeFolder', 'listFiles', 'get', 'start', 'write', 'go', 'wait', 'certify', 'network', 'place', 'record', 'watch', 'load', 'finish', 'abort', 'close',
];

export class Operations {
  /** @param {import('./host.js').LocalHost} host @param {(event: object) => void} tell */
  constructor(host, tell) {
    let clock = /** @type {import('node:net').Server | undefined} answers other hosts */ (undefined);
    const yardstick = new Yardstick(host);
    this.sessions = /** @type {Map<string, Session>} */ (new Map());
    /** @type {Record<string, (given: any) => unknown>} */
    this.ofTheHost = {
      open: ({ name, placement = 'shared' }) => {
        if (this.sessions.has(name)) throw new UserError(`agent: open: there is a session "${name}" already; close it first`);
        this.sessions.set(name, new Session(host, name, placement, (event) => tell({ session: name, ...event })));
      },
      facts: () => readFacts(),
      list: () => host.list(),
      kill: ({ sides }) => host.killAll(sides), // in all sessions
      signal: ({ pid, signal }) => kill(pid, signal),
      port: ({ address }) => host.findFreePort(address),
      listeners: ({ port }) => listListeners(port).map(({ address }) => address),
      descriptors: () => readDescriptorLimit('self', 'soft'), // inherited by started processes; null if unlimited
      resolveNetwork: ({ wanted, links }) => resolveNetwork(wanted, links),
      machine: () => readMachine(ROOT), // for `doctor`
      yardstick: (given) => yardstick.measure(given), // the host's current speed
      tryQuota: ({ cores }) => tryQuota(cores), // why CPU quotas are impossible, if they are
      clock: () => monotonicUs(),
      serveClock: async ({ address }) => {
        clock?.close();
        const port = await host.findFreePort(address);
        clock = await serveClock(address, port);
        return port;
      },
      compareClock: (given) => compareClock(given), // with the clock of the host that serves one
      endClock: () => void clock?.close(),
      wall: () => Date.now(), // time of day in ms
      boot: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), // the same for hosts on one kernel
    };
  }

  /** @param {string} op @param {any} given @returns {unknown} the answer @throws {UserError} */
  carryOut(op, { session, ...given }) {
    const known = Object.keys(this.ofTheHost);
    if (known.includes(op)) return this.ofTheHost[op](given);
    if (!OF_A_SESSION.includes(op)) throw new UserError(`agent: "${op}" is not an operation; use one of ${[...known, ...OF_A_SESSION].join(', ')}`);
    const at = this.sessions.get(session);
    if (!at) throw new UserError(`agent: ${op}: there is no session "${session}"; open it first`);
    if (op === 'close') this.sessions.delete(session);
    return /** @type {any} */ (at)[op](given);
  }
}
