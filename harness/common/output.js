/** What is printed may find no reader (`| head -1`) or no room (`> /dev/full`). Neither is a fault of the suite's. */

/** The exit code of a run that was stopped, which has said why. */
const INTERRUPTED = 130;

/** @type {NodeJS.ErrnoException | undefined} */
let ended;
/** @type {Set<(error: NodeJS.ErrnoException) => void>} */
const listeners = new Set();

/** @param {(error: NodeJS.ErrnoException) => void} tell @returns {() => void} to call when it need not be told any more */
export function onOutputEnd(tell) {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

/**
 * The end of a program: its exit code is that of what it did; where its output had no room, an error, for no one has read all of it. A
 * reader who has gone has read what he wanted.
 * @param {Promise<number>} done @param {(error: any) => number} explain what an error means
 */
export async function finish(done, explain) {
  process.stderr.on('error', () => {}); // there is no one to tell
  process.stdout.on('error', (error) => { // from now on, what can't be printed is passed over, and whoever asked for it is told once
    if (ended) return;
    ended = error;
    for (const tell of listeners) tell(error);
  });
  const code = await done.catch(explain);
  await new Promise((resolve) => process.stdout.write('', resolve)); // that something could not be printed is told after it
  const isLost = ended !== undefined && ended.code !== 'EPIPE' && code !== INTERRUPTED;
  if (isLost) console.error(`error: standard output: ${ended?.message}; make room, or print elsewhere`);
  process.exit(isLost ? 2 : code);
}
