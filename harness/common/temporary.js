/** Temporary folders. They go when this process ends, also by a signal that nothing else here handles. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './failure.js';
import { PID_NAMESPACE } from './stat.js';

/** @returns {string} how names of this process's folders begin: those of a process that was killed are removed by the next agent */
export const ownPrefix = () => `wscale-${PID_NAMESPACE}-${process.pid}-`;

/** @type {Set<string>} */
const folders = new Set();

/** @param {string} folder made by makeTemporary */
export function removeTemporary(folder) {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

const removeAll = () => folders.forEach(removeTemporary);

/** Must be called before there is anything to remove. */
function listen() {
  process.once('exit', removeAll);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    const end = () => {
      if (process.listenerCount(signal) > 1) return; // a run, or a program in the foreground: it ends by itself, and then exits
      process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, end);
  }
}

let listens = false;

/** @param {string} what it is for, a word @returns {string} a new folder, removed at the latest when this process ends */
export function makeTemporary(what) {
  if (!listens) listen();
  listens = true;
  const path = join(tmpdir(), `${ownPrefix()}${what}-`);
  try {
    const folder = mkdtempSync(path);
    folders.add(folder);
    return folder;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new UserError(`TMPDIR: ${tmpdir()} is no folder; set it to one that can be written`);
  }
}
