/**
 * Runs programs on the coordinator's machine to their end: filters, gnuplot, git, tar, installations, queries of versions. It hands out no
 * process, so it can't start those of a trial: the agent of their host does.
 */
import './surroundings.js';
import { execFile, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { INTERRUPTED, Interrupted } from './failure.js';
import { ROOT } from './places.js';

/** Maximum output, such as the tables of a long run. */
const OUTPUT_B_MAX = 2 ** 28;

/** @typedef {{cwd?: string, env?: NodeJS.ProcessEnv, input?: string, timeout?: number}} How `timeout` in ms */
/**
 * @typedef {{status: number | null, stdout: string, stderr: string, error?: Error, signal?: NodeJS.Signals | null}} Ended
 *   `error`: it did not run, or not to its end; `signal`: it was ended by one
 */

/**
 * @param {string[]} argv @param {How} [how] @returns {Ended}
 * @throws {Interrupted} by Ctrl-C, which a terminal sends to the program as well: its end is no answer
 */
export function runProgram([program, ...rest], how) {
  const { status, stdout, stderr, error, signal } = spawnSync(program, rest, { ...how, encoding: 'utf8', maxBuffer: OUTPUT_B_MAX });
  if (signal === 'SIGINT' || status === INTERRUPTED) throw new Interrupted('SIGINT');
  return { status, stdout: stdout ?? '', stderr: stderr ?? '', error, signal };
}

const runFile = promisify(execFile);

/**
 * The same, asynchronously and without standard input.
 * @param {string[]} argv @param {How & {signal?: AbortSignal}} [how] @returns {Promise<Ended>}
 */
export async function runBeside([program, ...rest], how) {
  try {
    const running = runFile(program, rest, { ...how, encoding: 'utf8', maxBuffer: OUTPUT_B_MAX });
    running.child.stdin?.end();
    return { status: 0, ...await running };
  } catch (error) {
    how?.signal?.throwIfAborted();
    const { code, stdout = '', stderr = '' } = /** @type {any} */ (error);
    return { status: typeof code === 'number' ? code : null, stdout, stderr, error: /** @type {Error} */ (error) };
  }
}

/** @param {Ended} ended @returns {string} the last line that it said, or why it said none */
export const lastWords = ({ stderr, error }) => stderr.trim().split('\n').pop() || error?.message || 'nothing';

/** @param {Ended} ended @param {string} otherwise @returns {string} the next step: make room if the disk was full */
export const nextAfter = ({ stdout, stderr }, otherwise) =>
  (/No space left|ENOSPC/.test(stdout + stderr) ? `make room on the disk, where it writes or in ${tmpdir()} (TMPDIR)` : otherwise);

/** Timeout of a query for a version: a program that does not know the flag may begin to serve. */
const TELLS_WITHIN_MS = 10_000;

/** The version of a program that can't be run. */
export const ABSENT = 'absent';

/** @param {string[]} argv @param {How} [how] @returns {string} its first line; ABSENT when it can't be run */
export function firstLine(argv, how) {
  const { status, stdout } = runProgram(argv, { cwd: ROOT, timeout: TELLS_WITHIN_MS, ...how });
  return status === 0 ? stdout.split('\n')[0].trim() : ABSENT;
}
