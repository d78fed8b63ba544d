/** The committed samples of experiments, unpacked into temporary folders. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { inflateSync } from 'node:zlib';
import { POINT_COLUMNS, computePoints } from '../../analysis/points/points.js';
import { unpack } from '../../harness/common/archive.js';
import { readTsv, writeTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { expectedOf, sampleOf } from './places.js';
import { listExperiments } from '../../harness/spec/spec.js';
import { makeAwkFolder } from '../awks.js';

/** by-hand.test.js computes the numbers of its sample again. */
const FIRST = '03-engineio-vs-socketcluster';

export const EXPECTED = expectedOf(FIRST);

/** @returns {string[]} the experiments that have a sample */
export const listSampled = () => listExperiments().filter((name) => existsSync(sampleOf(name)));

/**
 * @param {string} [experiment] @param {string} [sample] its path
 * @returns {string} a bundle without reduced tables and figures, removed after the tests
 */
export function copySample(experiment = FIRST, sample = sampleOf(experiment)) {
  const folder = mkdtempSync(join(tmpdir(), 'golden-test-'));
  after(() => rmSync(folder, { recursive: true }));
  unpack(sample, join(folder, 'bundle'));
  return join(folder, 'bundle');
}

/**
 * Gives a bundle of a sample the tables that are committed, instead of reducing it. Of means only a digest is committed: they are computed.
 * @param {string} experiment @param {string} bundle
 */
export function copyTables(experiment, bundle) {
  const reduced = join(bundle, 'reduced');
  cpSync(join(expectedOf(experiment), 'reduced'), reduced, { recursive: true });
  writeTsv(join(reduced, 'points.tsv'), POINT_COLUMNS, computePoints(readTsv(join(reduced, 'trials.tsv'))));
}

/** @param {string} bundle @param {string} awk to reduce it with */
export function reduce(bundle, awk) {
  const bin = `${bundle}-${awk}`;
  mkdirSync(bin);
  const PATH = `${makeAwkFolder(awk, bin)}:${process.env.PATH}`;
  execFileSync(process.execPath, [join(ROOT, 'analysis/analyse.js'), bundle], { env: { ...process.env, PATH } });
}

/**
 * Cairo compresses the date of a PDF from version 1.18 on. Then the streams are unpacked, to leave out the date.
 * @param {string} path of a figure @returns {string} its content, to compare
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
