/** The load of a trial on one host: starts by the host's clock, reads the accounts at marks, and sends a line each second. */
import { injectFault } from './fault.js';
import { ClientSeconds } from './client-seconds.js';
import { Seconds } from './seconds.js';
import { monotonicUs, sleepUntil } from './clock.js';
import { parseReady } from '../common/ready.js';

/**
 * @typedef {{lead_us?: number, start_us?: number, go: number[], server?: number, marks: [string, number][], looks?: number[],
 *   fault?: {at_s: number, to_s: number}}} Load Times are in seconds since the start of the load. The start is after `lead_us` (warm-up and
 *   start of samplers), or at `start_us` of this host's clock if several hosts start together. `go`: pids of clients and companion.
 *   `server`: pid of the process that announces the server's, if on this host. `marks`: when to read the accounts; the last is the window's
 *   end. `looks`: when to read the server's sockets, if clients are on other hosts. `fault`: when to kill the first worker
 */
/**
 * @typedef {{session: import('./session.js').Session, network: import('./network.js').Network, capture: import('./capture.js').Capture,
 *   sockets?: import('./sockets.js').Sockets}} Loaded
 */

const LOOK_US = 100_000; // how long before a mark to look for unannounced processes

/** Resolves at the last mark. @param {Loaded} loaded @param {Load} load */
export async function runLoad({ session, network, capture, sockets }, { lead_us, start_us, go, server, marks, looks = [], fault }) {
  const startUs = session.go({ pids: go, lead_us, start_us });
  const lines = server === undefined ? undefined : session.linesOf(server, 'ready');
  const until = (/** @type {number} */ us) => sleepUntil(us, session.signal);
  const announce = () => {
    const line = lines?.readLast();
    if (line === undefined) return undefined;
    const toldUs = monotonicUs(); // before the next steps, which read all processes
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
      if (name === 'window_end' && fault) await injectFault({ capture, folder: session.folder, startUs, fault, until, announce });
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
