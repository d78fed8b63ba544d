/** Injects a fault: kills a process of the server under load, and measures how long its replacement takes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from './clock.js';
import { TrialError } from '../common/failure.js';
import { writeTsv } from '../common/files.js';
import { kill } from './marked.js';

const LOOK_EACH_US = 20_000; // polling interval for the server's announcement of a replacement

/**
 * `kill -9` of the first worker, as in claim R5. Returns near the end of the window.
 * @param {object} given @param {import('./capture.js').Capture} given.capture @param {string} given.folder of the records
 * @param {number} given.startUs
 * @param {{at_s: number, to_s: number}} given.fault when to kill, and until when to wait for a replacement, since the start
 * @param {(us: number) => Promise<unknown>} given.until
 * @param {() => number | undefined} given.announce takes in announced replacements; returns when it read one, if any
 */
export async function injectFault({ capture, folder, startUs, fault: { at_s, to_s }, until, announce }) {
  await until(startUs + at_s * 1e6);
  const victim = [...capture.watched.values()].find(({ side, role, index }) => side === 'server' && role === 'worker' && index === 1);
  if (!victim) throw new TrialError('fault kill-worker: the server announced no worker 1; take the point out');
  mkdirSync(join(folder, 'fault'), { recursive: true }); // tells the validity rules why a process is missing
  const killedUs = monotonicUs();
  kill(victim.pid, 'SIGKILL');
  const isReplaced = () => [...capture.watched.values()].some(({ pid, role, index }) => role === 'worker' && index === 1 && pid !== victim.pid);
  const endUs = startUs + to_s * 1e6 - 10 * LOOK_EACH_US;
  let toldUs = NaN;
  while (!isReplaced() && monotonicUs() < endUs) {
    await until(monotonicUs() + LOOK_EACH_US);
    toldUs = announce() ?? toldUs;
  }
  const metrics = isReplaced() ? [{ metric: 'respawn_s', value: (toldUs - killedUs) / 1e6 }] : [];
  writeTsv(join(folder, 'fault', 'metrics.tsv'), ['metric', 'value'], metrics);
}
