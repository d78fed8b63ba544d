/** Faults that a trial brings about: a process of the server is killed under load, and how long it takes to be replaced is measured. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from './clock.js';
import { TrialError } from '../common/failure.js';
import { writeTsv } from '../common/files.js';
import { kill } from './marked.js';

/** When in the window: early, so that those who lost their connection can be seen to come back. */
const AT_SHARE_OF_WINDOW = 0.1;
/** How often to look whether the server announced a replacement. */
const LOOK_EACH_US = 20_000;

/** @param {{from_s: number, to_s: number}} planned @returns {number} seconds from the start of the load */
export const faultAt = ({ from_s, to_s }) => from_s + AT_SHARE_OF_WINDOW * (to_s - from_s);

/**
 * `kill -9` of the first worker, as claim R5 has it; returns when the window is nearly over.
 * @param {object} given
 * @param {import('./capture.js').Capture} given.capture
 * @param {string} given.raw
 * @param {number} given.startUs
 * @param {{from_s: number, to_s: number}} given.planned
 * @param {(us: number) => Promise<unknown>} given.until
 * @param {() => void} given.announce looks for replacements and takes them in
 */
export async function strike({ capture, raw, startUs, planned, until, announce }) {
  const at_s = faultAt(planned);
  const { to_s } = planned;
  await until(startUs + at_s * 1e6);
  const victim = [...capture.watched.values()].find(({ side, role, index }) => side === 'server' && role === 'worker' && index === 1);
  if (!victim) throw new TrialError('fault kill-worker: the server announced no worker 1; take the point out');
  mkdirSync(join(raw, 'fault'), { recursive: true }); // by which the rules know that a process is missed for a reason
  const killedUs = monotonicUs();
  kill(victim.pid, 'SIGKILL');
  const isReplaced = () => [...capture.watched.values()].some(({ pid, role, index }) => role === 'worker' && index === 1 && pid !== victim.pid);
  const endUs = startUs + to_s * 1e6 - 10 * LOOK_EACH_US;
  while (!isReplaced() && monotonicUs() < endUs) {
    await until(monotonicUs() + LOOK_EACH_US);
    announce();
  }
  const metrics = isReplaced() ? [{ metric: 'respawn_s', value: (monotonicUs() - killedUs) / 1e6 }] : [];
  writeTsv(join(raw, 'fault', 'metrics.tsv'), ['metric', 'value'], metrics);
}
