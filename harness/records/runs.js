/**
 * Further runs of a record, hours or days apart. Each keeps its points, and where and when it was made, in a folder beside the record. The
 * record's own run is one of them. analysis/points/runs.js evaluates them.
 */
import { isDeepStrictEqual } from 'node:util';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCost } from '../../analysis/points/multiples.js';
import { POINT_COLUMNS } from '../../analysis/points/points.js';
import { openBundle } from '../common/bundle.js';
import { UserError } from '../common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../common/files.js';
import { recordOf } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { YARDSTICKS } from '../common/yardstick.js';
import { refuseBundle } from './provenance.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{began: string, folder: string, points: Row[]}} OneRun `folder`: has its yardsticks, if any */

/** @param {string} experiment @returns {string} the folder of further runs of its record */
export const runsOf = (experiment) => join(dirname(recordOf(experiment)), 'runs');

/** @param {any} spec @returns {Record<string, unknown>} the conditions of its points; engines, points and blocks may differ */
function conditionsOf({ profile, load, cores, network, workloads, reference, phases: { repeats: _, ...phases } }) {
  const conditions = { profile, load, cores, network: network?.kind, workloads, reference, phases };
  return JSON.parse(JSON.stringify(conditions)); // as read back: without undefined
}

/** @param {Record<string, unknown>} a conditions @param {Record<string, unknown>} b @returns {string[]} keys that differ */
const listDiffering = (a, b) => Object.keys({ ...a, ...b }).filter((key) => !isDeepStrictEqual(a[key], b[key]));

/**
 * @param {string} path a finished bundle @returns {string} the run's new folder
 * @throws {UserError} if its conditions are not the record's, or it was added before
 */
export function addRun(path) {
  const { folder, spec } = openBundle(path);
  const record = recordOf(spec.experiment);
  if (!existsSync(join(record, 'spec.json'))) throw new UserError(`${path}: ${spec.experiment} has no result of record; make one with record first, without --add`);
  const problem = refuseBundle(path);
  if (problem) throw new UserError(`${path}: ${problem}`);
  const { spec: recorded } = openBundle(record);
  const others = listDiffering(conditionsOf(recorded), conditionsOf(spec));
  if (others.length) throw new UserError(`${path}: differs from the result of record in ${others.join(', ')}, so that it is no further run of it; record it without --add`);
  const points = readTsv(join(folder, 'reduced', 'points.tsv'));
  if (points.length === 0) throw new UserError(`${path}: reduced/points.tsv has no point; go on with RESUME=1`);
  const run = join(runsOf(spec.experiment), spec.began.replaceAll(/[:.]/g, '-'));
  if (spec.began === recorded.began || existsSync(run)) throw new UserError(`${path}: is a run of the record already; give another`);
  try {
    writeRun(folder, run, spec, points);
  } catch (error) {
    rmSync(run, { recursive: true, force: true });
    throw error;
  }
  return run;
}

/** @param {string} bundle @param {string} run @param {any} spec @param {Row[]} points */
function writeRun(bundle, run, spec, points) {
  mkdirSync(run, { recursive: true });
  const { began, seed, environment, chosen, engines } = spec;
  const versions = Object.fromEntries(Object.entries(engines).map(([name, { version }]) => [name, version]));
  writeTsv(join(run, 'points.tsv'), POINT_COLUMNS, points.filter(({ metric }) => isCost(metric)));
  if (existsSync(join(bundle, YARDSTICKS))) cpSync(join(bundle, YARDSTICKS), join(run, YARDSTICKS));
  writeJson(join(run, 'run.json'), { began, seed, chosen, versions, environment, conditions: conditionsOf(spec) });
}

/**
 * @param {string} experiment that has a record
 * @returns {OneRun[]} under the record's conditions, oldest first; runs under others stay, but are left out
 */
export function listRuns(experiment) {
  const record = recordOf(experiment);
  const { spec } = openBundle(record);
  const folder = runsOf(experiment);
  const further = (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []).filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, run: readJson(join(folder, name, 'run.json')) }))
    .filter(({ run }) => listDiffering(conditionsOf(spec), run.conditions).length === 0)
    .map(({ name, run }) => ({ began: run.began, folder: join(folder, name), points: readTsv(join(folder, name, 'points.tsv')) }));
  const own = { began: spec.began, folder: record, points: further.length ? readTsv(join(tablesOf(record), 'points.tsv')) : [] };
  return [own, ...further].sort((a, b) => a.began.localeCompare(b.began));
}
