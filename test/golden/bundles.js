/** The committed sample, copied to where a test may write. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ROOT } from '../../harness/places.js';
import { makeAwkFolder } from '../awks.js';

const EXPERIMENT = join(ROOT, 'experiments/03-engineio-vs-socketcluster');
export const SAMPLE = join(EXPERIMENT, 'sample');
export const EXPECTED = join(EXPERIMENT, 'expected');

/** @returns {string} a bundle: the sample, without anything made from it; gone after the tests */
export function copySample() {
  const folder = mkdtempSync(join(tmpdir(), 'golden-test-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(SAMPLE, join(folder, 'bundle'), { recursive: true });
  return join(folder, 'bundle');
}

/** @param {string} bundle @param {string} awk to reduce it with */
export function reduce(bundle, awk) {
  const bin = `${bundle}-${awk}`;
  mkdirSync(bin);
  const PATH = `${makeAwkFolder(awk, bin)}:${process.env.PATH}`;
  execFileSync(join(ROOT, 'analysis/reduce.sh'), [bundle], { env: { ...process.env, PATH } });
}
