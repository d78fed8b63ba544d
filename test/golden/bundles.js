/** The committed samples, one of each experiment, unpacked to where a test may write. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { inflateSync } from 'node:zlib';
import { unpack } from '../../harness/common/archive.js';
import { ROOT, expectedOf, sampleOf } from '../../harness/common/places.js';
import { listExperiments } from '../../harness/spec/spec.js';
import { makeAwkFolder } from '../awks.js';

/** The one that is reckoned again by hand. */
const FIRST = '03-engineio-vs-socketcluster';

export const EXPECTED = expectedOf(FIRST);

/** @returns {string[]} the experiments that have a sample */
export const listSampled = () => listExperiments().filter((name) => existsSync(sampleOf(name)));

/**
 * @param {string} [experiment] @param {string} [sample] its path
 * @returns {string} a bundle: the sample, without anything made from it; gone after the tests
 */
export function copySample(experiment = FIRST, sample = sampleOf(experiment)) {
  const folder = mkdtempSync(join(tmpdir(), 'golden-test-'));
  after(() => rmSync(folder, { recursive: true }));
  unpack(sample, join(folder, 'bundle'));
  return join(folder, 'bundle');
}

/** @param {string} bundle @param {string} awk to reduce it with */
export function reduce(bundle, awk) {
  const bin = `${bundle}-${awk}`;
  mkdirSync(bin);
  const PATH = `${makeAwkFolder(awk, bin)}:${process.env.PATH}`;
  execFileSync(process.execPath, [join(ROOT, 'analysis/analyse.js'), bundle], { env: { ...process.env, PATH } });
}

/**
 * Cairo packs the date of a PDF from 1.18 on, where it can't be changed in place: what is drawn is then compared, of its unpacked streams.
 * @param {string} path of a figure @returns {string}
 */
export function readDrawn(path) {
  const bytes = readFileSync(path);
  const text = bytes.toString('latin1');
  if (!path.endsWith('.pdf') || text.includes('/CreationDate')) return text;
  const streams = [...text.matchAll(/<<(?:(?!endobj)[^])*?\/FlateDecode[^]*?stream\r?\n/g)].filter(([head]) => !head.includes('/XRef'));
  const unpacked = streams.map(({ index, 0: head }) => inflateSync(bytes.subarray(index + head.length)).toString('latin1'));
  assert.ok(unpacked.some((stream) => stream.includes('/CreationDate')), path);
  return unpacked.join('').replace(/\(D:\d+Z?/, '');
}
