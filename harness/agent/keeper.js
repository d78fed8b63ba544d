/**
 * The keeper outlives the harness. Its standard input is a pipe from the harness. However the harness ends, `kill -9` included, the kernel
 * closes the pipe. Then the keeper kills the run's processes and removes its private folders.
 *
 *     node keeper.js RUN_ID FOLDER...
 */
import { rmSync } from 'node:fs';
import { killMarked } from './marked.js';

const [runId, ...folders] = process.argv.slice(2);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});
process.stdin.resume();
process.stdin.on('end', async () => {
  await killMarked(runId);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit(0);
});
