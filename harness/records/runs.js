/**
 * Further runs of a record, hours or days apart, each in the form of a record in a folder beside it. The record's own run is one of them.
 * analysis/points/runs.js evaluates them.
 */
import { isDeepStrictEqual } from 'node:util';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasOldNumbers, openBundle } from '../common/bundle.js';
import { UserError } from '../common/failure.js';
import { readTsv } from '../common/files.js';
import { recordOf } from '../common/places.js';
import { describeMachine } from './machines.js';
import { tablesOf } from '../common/tables.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{began: string, folder: string}} OneRun */

/** @param {string} experiment @returns {string} the folder of further runs of its record */
export const runsOf = (experiment) => join(dirname(recordOf(experiment)), 'runs');

/** @param {any} spec @returns {Record<string, unknown>} the conditions of its points; engines, points and blocks may differ */
function conditionsOf({ form, profile, load, cores, network, workloads, reference, phases: { repeats: _, ...phases } }) {
  const conditions = { numbers: hasOldNumbers({ form }), profile, load, cores, network: network?.kind, workloads, reference, phases };
  return JSON.parse(JSON.stringify(conditions)); // as read back: without undefined
}

/** @param {any} spec @param {any} other @returns {boolean} have they the same conditions, except for how numbers are made? */
export const isLike = (spec, other) => listDiffering(conditionsOf({ ...spec, form: other.form }), conditionsOf(other)).length === 0;

/** @param {Record<string, unknown>} a conditions @param {Record<string, unknown>} b @returns {string[]} keys that differ */
const listDiffering = (a, b) => Object.keys({ ...a, ...b }).filter((key) => !isDeepStrictEqual(a[key], b[key]));

/**
 * @param {string} path a bundle that may be a record (checkRecordable) @returns {string} the folder where it is kept as a further run
 * @throws {UserError} if its conditions, machine or versions are not the record's, or it was added before
 */
export function placeRun(path) {
  const { spec } = openBundle(path);
  const record = recordOf(spec.experiment);
  if (!existsSync(join(record, 'spec.json'))) throw new UserError(`${path}: ${spec.experiment} has no result of record; make one with record first, without --add`);
  const { spec: recorded } = openBundle(record);
  const others = listDiffering(conditionsOf(recorded), conditionsOf(spec));
  if (others.length) throw new UserError(`${path}: differs from the result of record in ${others.join(', ')}, so that it is no further run of it; record it without --add`);
  const [here, there] = [recorded, spec].map(({ environment }) => describeMachine(environment));
  if (here !== there) throw new UserError(`${path}: ran on ${there}, the record on ${here}; archive it (./wscale archive) and keep the archive beside the record: ./wscale record import`);
  const versions = Object.entries(spec.engines)
    .filter(([name, { version }]) => recorded.engines[name] && recorded.engines[name].version !== version);
  if (versions.length) throw new UserError(`${path}: has other versions than the record of ${versions.map(([name]) => name).join(', ')}, so that it is no further run of it; record it without --add`);
  if (readTsv(join(path, 'reduced', 'points.tsv')).length === 0) throw new UserError(`${path}: reduced/points.tsv has no point; go on with RESUME=1`);
  const run = join(runsOf(spec.experiment), spec.began.replaceAll(/[:.]/g, '-'));
  if (spec.began === recorded.began || existsSync(run)) throw new UserError(`${path}: is a run of the record already; give another`);
  return run;
}

/**
 * @param {string} experiment that has a record
 * @returns {OneRun[]} under the record's conditions, oldest first; runs under others stay, but are left out
 */
export function listRuns(experiment) {
  const record = recordOf(experiment);
  const { spec } = openBundle(record);
  const parent = runsOf(experiment);
  const names = globSync('*/spec.json', { cwd: parent }).map(dirname).filter((name) => !name.includes('.partial-'));
  const further = names.map((name) => openBundle(join(parent, name)))
    .filter((run) => run.spec.began !== spec.began && listDiffering(conditionsOf(spec), conditionsOf(run.spec)).length === 0)
    .map((run) => ({ began: run.spec.began, folder: run.folder }));
  return [{ began: spec.began, folder: record }, ...further].sort((a, b) => a.began.localeCompare(b.began));
}

/** @param {OneRun} run @returns {{points: Row[], trials: Row[], surface: Row[]}} its tables; `surface`: empty without one */
export function readTables({ folder }) {
  const [points, trials, surface] = ['points', 'trials', 'surface'].map((table) => readTsv(join(tablesOf(folder), `${table}.tsv`)));
  return { points, trials, surface };
}
