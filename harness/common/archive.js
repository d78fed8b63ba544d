/**
 * Archives in the tree: many files as one .tar.xz, a third smaller than with gzip. The same files give the same bytes, so that
 * git sees only real changes.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { Interrupted, UserError } from './failure.js';
import { nextAfter, runProgram } from './programs.js';

/** Leaves out the order of a folder, and the owners and times of its files. */
const SAME_BYTES = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=gnu'];

/**
 * Written whole, or not at all.
 * @param {string} archive its path @param {string} folder @param {string[]} [names] entries of the folder; all by default
 */
export function pack(archive, folder, names = readdirSync(folder).sort()) {
  const partial = `${archive}.partial-${process.pid}`;
  try {
    runTar(archive, '--create', '--use-compress-program=xz -9e -T1', ...SAME_BYTES, `--file=${partial}`, `--directory=${folder}`, '--', ...names);
    renameSync(partial, archive);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** @param {string} archive @param {string} folder to unpack into, made if missing */
export function unpack(archive, folder) {
  mkdirSync(folder, { recursive: true });
  runTar(archive, '--extract', '--xz', '--no-same-owner', `--file=${archive}`, `--directory=${folder}`);
}

/** @param {string} archive @param {string[]} options @throws {UserError} */
function runTar(archive, ...options) {
  const ended = runProgram(['tar', ...options]);
  const { status, stderr, error, signal } = ended;
  if (status === 0) return;
  if (signal) throw new Interrupted(signal);
  const next = nextAfter(ended, 'restore the file with git checkout, or make it anew');
  throw new UserError(`${archive}: tar failed: ${(stderr || String(error?.message)).trim().split('\n')[0]}; ${next}`);
}
