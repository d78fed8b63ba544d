/** The load of a trial as its host sees it: begun by the host's clock, its accounts read at marks of it, and a line told each second. */
import { strike } from './fault.js';
import { ClientSeconds } from './client-seconds.js';
import { Seconds } from './seconds.js';
import { monotonicUs, sleepUntil } from './clock.js';
import { parseReady } from '../common/ready.js';

/**
 * @typedef {object} Load all times in seconds since its start
 * @property {number} [lead_us] from now to the start: the warm-up, and for the samplers to start
 * @property {number} [start_us] by this host's clock, in its place, where other hosts start at the same time
 * @property {number[]} go pids of those that make it, and of what runs beside
 * @property {number} [server] pid of the one that announces processes; none where it is on another host
 * @property {[string, number][]} marks when the accounts are read; the last is the window's end
 * @property {number[]} [looks] when to look at the server's sockets, where clients are on other hosts
 * @property {{at_s: number, to_s: number}} [fault] the first worker is killed
 */
/** @typedef {import('./network.js').Network} Network */
/** @typedef {import('./capture.js').Capture} Capture */
/** @typedef {import('./sockets.js').Sockets} Sockets */
/** @typedef {{session: import('./session.js').Session, network: Network, capture: Capture, sockets?: Sockets}} Loaded */

/** How long before a mark to look for processes that no one announced. */
const LOOK_US = 100_000;

/** Returns at the last mark. @param {Loaded} loaded @param {Load} load */
export async function carryLoad({ session, network, capture, sockets }, { lead_us, start_us, go, server, marks, looks = [], fault }) {
  const startUs = session.go({ pids: go, lead_us, start_us });
  const lines = server === undefined ? undefined : session.linesOf(server, 'ready');
  const until = (/** @type {number} */ us) => sleepUntil(us, session.signal);
  const announce = () => {
    const line = lines?.readLast();
    if (line === undefined) return undefined;
    const toldUs = monotonicUs(); // what follows looks at all processes
    const { processes } = parseReady(line);
    const serving = processes.map((process) => ({ ...process, side: 'server' }));
    session.checkOwn(serving);
    session.cores.placeServer(processes);
    capture.announce(serving);
    return toldUs;
  };
  const clients = new ClientSeconds(go.map((pid) => session.linesOf(pid, 'second')));
  const seconds = new Seconds(capture, startUs, server ?? go[0], session.tell, clients);
  capture.begin(startUs);
  capture.refresh();
  const walk = async () => {
    await until(startUs);
    capture.mark('start');
    session.cores.placeLink(network.link);
    network.slowDown();
    seconds.begin();
    for (const [name, at_s] of marks) {
      const atUs = startUs + at_s * 1e6;
      if (name === 'window_end' && fault) await strike({ capture, folder: session.folder, startUs, fault, until, announce });
      await until(atUs - LOOK_US);
      if (name === 'window_start') network.checkCongestion();
      announce();
      if (name.startsWith('window')) session.listeners?.check();
      capture.refresh();
      await until(atUs);
      capture.mark(name);
      network.mark(name);
    }
  };
  const lookAtSockets = async () => {
    for (const at_s of looks) await until(startUs + at_s * 1e6).then(() => sockets?.look(startUs));
  };
  await Promise.all([walk(), lookAtSockets()]).finally(() => seconds.end());
}
