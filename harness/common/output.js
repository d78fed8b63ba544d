/** Output may find no reader (`| head -1`) or no room (`> /dev/full`). Neither is a fault of the suite. */
import { INTERRUPTED } from './failure.js';

/** @type {NodeJS.ErrnoException | undefined} */
let ended;
/** @type {Set<(error: NodeJS.ErrnoException) => void>} */
const listeners = new Set();

/** @param {(error: NodeJS.ErrnoException) => void} tell @returns {() => void} removes the listener */
export function onOutputEnd(tell) {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

/**
 * Ends the program with the exit code of its work. If its output had no room, that is an error, since no one has read all of it. A reader
 * that has gone has read enough.
 * @param {Promise<number>} done @param {(error: any) => number} explain what an error means
 */
export async function finish(done, explain) {
  process.stderr.on('error', () => {}); // there is no one to tell
  process.stdout.on('error', (error) => { // drop further output, and tell each listener once
    if (ended) return;
    ended = error;
    for (const tell of listeners) tell(error);
  });
  const code = await done.catch(explain);
  await new Promise((resolve) => process.stdout.write('', resolve)); // errors of earlier output come before this
  const isLost = ended !== undefined && ended.code !== 'EPIPE' && code !== INTERRUPTED;
  if (isLost) console.error(`error: standard output: ${ended?.message}; make room, or print elsewhere`);
  process.exit(isLost ? 2 : code);
}
