/** The address for watching a run: parses WATCH, and publishes the address to `make watch` in a file of the results. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UserError } from '../common/failure.js';
import { writeAtomically } from '../common/files.js';
import { RESULTS, ROOT } from '../common/places.js';

/** One per results folder, like its lock (common/bundle.js): only one run at a time measures into it. */
const FILE = join(RESULTS, '.watch');

/** A file of results may come from anyone. */
const OURS = /^http:\/\/127\.0\.0\.1:\d{4,5}\/$/;

/** @param {string} [text] of WATCH @returns {number | undefined} the port, 0 for any free one; undefined for none @throws {UserError} */
export function parseWatch(text = '1') {
  if (['0', 'no', 'false'].includes(text)) return undefined;
  if (text === '1') return 0;
  if (isPort(text)) return Number(text);
  throw new UserError(`WATCH: "${text}" is neither 0 (none), 1 (any port) nor a port from 1024 to 65535; give one`);
}

/** @param {string} text */
const isPort = (text) => /^\d{4,5}$/.test(text) && Number(text) >= 1024 && Number(text) < 65536;

/** @param {string} [text] of METRICS @returns {number | undefined} port where this host's agent answers Prometheus @throws {UserError} */
export function parseMetrics(text) {
  if (text === undefined) return undefined;
  if (isPort(text)) return Number(text);
  throw new UserError(`METRICS: "${text}" is no port from 1024 to 65535; give one, such as METRICS=9465`);
}

/** @param {string} url @returns {() => void} call it when the address is closed */
export function announce(url) {
  try {
    writeAtomically(FILE, `${url}\n`);
  } catch {
    // ignored: even with a full disk, users have the address from the output
  }
  return () => rmSync(FILE, { force: true });
}

/** @returns {string} address for watching the current run @throws {UserError} if there is none */
export function findAddress() {
  const told = existsSync(FILE) ? readFileSync(FILE, 'utf8').trim() : '';
  if (OURS.test(told)) return told;
  throw new UserError(`watch: nothing runs: there is no address in ${relative(ROOT, FILE)}; start a run in another terminal, such as ./wscale run 3 --profile quick`);
}
