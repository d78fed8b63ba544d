/** `make export`: writes the numbers of a run or of published records in formats that other tools read. */
import { dirname, join, relative } from 'node:path';
import { UserError } from '../harness/common/failure.js';
import { makeFolder, readTsv, writeAtomically } from '../harness/common/files.js';
import { numberOrNull } from '../harness/common/format.js';
import { placeFor, readRun, readSource } from '../harness/records/sources.js';

/** @typedef {import('../harness/records/sources.js').Run} Run */
/** @typedef {Record<string, string>} Row */

const CSV_COLUMNS = ['experiment', 'profile', 'trial', 'block', 'era', 'engine', 'workload', 'setting', 'metric', 'value', 'valid'];

/** @param {string} cell @returns {string} quoted as in RFC 4180 */
const quote = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** @param {Run[]} runs @returns {string} one line per trial and metric; `valid` is "no" if a rule flagged the trial */
function toCsv(runs) {
  const lines = runs.flatMap(({ experiment, reduced, spec: { profile } }) => [['trials', 'yes'], ['flagged', 'no']].flatMap(([table, valid]) =>
    readTsv(join(reduced, `${table}.tsv`)).map((row) => {
      const whole = /** @type {Row} */ ({ ...row, experiment, profile, valid });
      return CSV_COLUMNS.map((column) => quote(whole[column])).join(',');
    })));
  return `${[CSV_COLUMNS.join(','), ...lines].join('\n')}\n`;
}

/** @param {Row} row of points.tsv */
const toPoint = ({ n, mean, low, high, ...names }) => (
  { ...names, n: Number(n), mean: Number(mean), low: numberOrNull(low), high: numberOrNull(high) });

/** @param {Run[]} runs @returns {string} means with intervals, verdicts, the machine and the versions */
function toJson(runs) {
  const exported = runs.map(({ experiment, reduced, spec, claims, verdicts }) => ({
    experiment, title: spec.title, profile: spec.profile, seed: spec.seed, began: spec.began, commit: spec.environment.suite?.commit,
    machine: { cpu: spec.environment.cpu, cores: spec.environment.cores, kernel: spec.environment.kernel },
    engines: Object.fromEntries(Object.entries(spec.engines).map(([name, { version, runtime, era }]) => [name, { version, runtime, era }])),
    points: readTsv(join(reduced, 'points.tsv')).map(toPoint), flagged_points: readTsv(join(reduced, 'flagged-points.tsv')).map(toPoint),
    claims, verdicts,
  }));
  return `${JSON.stringify({ runs: exported }, null, 1)}\n`;
}

/** @param {Run[]} runs @returns {string} Bencher Metric Format: benchmark, measure, value with its limits (https://bencher.dev/docs) */
function toBencher(runs) {
  /** @type {Record<string, Record<string, object>>} */
  const benchmarks = {};
  for (const { experiment, reduced, spec: { profile } } of runs) {
    for (const { engine, workload, setting, metric, mean, low, high } of readTsv(join(reduced, 'points.tsv'))) {
      const name = [experiment, ...(profile === 'paper' ? [profile] : []), engine, workload, ...(setting === '-' ? [] : [setting])].join('/');
      const limits = low === '-' ? {} : { lower_value: Number(low), upper_value: Number(high) };
      benchmarks[name] = { ...benchmarks[name], [metric]: { value: Number(mean), ...limits } };
    }
  }
  return `${JSON.stringify(benchmarks, null, 1)}\n`;
}

/** @param {Run} run @returns {Run[]} it and its `paper` record apart, each with its own verdicts: `of_record` tells which of two counts */
function splitRun(run) {
  const { paper } = run;
  if (!paper) return [run];
  const isOfRecord = (/** @type {Run['claims'][number]} */ { claim, era }, /** @type {boolean} */ isOfPaper) =>
    run.claims.some((each) => each.claim === claim && each.era === era && Boolean(each.isOfPaper) === isOfPaper);
  return [readRun(run.folder), paper].map((one) => (
    { ...one, claims: one.claims.map((judged) => ({ ...judged, of_record: isOfRecord(judged, one === paper) })) }));
}

/** @type {Record<string, {write: (runs: Run[]) => string, suffix: string}>} */
const FORMATS = { csv: { write: toCsv, suffix: 'csv' }, json: { write: toJson, suffix: 'json' }, bencher: { write: toBencher, suffix: 'bencher.json' } };

/** @param {string} from a bundle, or `record` @param {string} format @returns {string} its path @throws {UserError} */
export function writeExport(from, format) {
  if (!Object.hasOwn(FORMATS, format)) throw new UserError(`FORMAT: "${format}" is not known; use one of ${Object.keys(FORMATS).join(', ')}`);
  const known = FORMATS[format];
  const { name, runs } = readSource(from);
  const path = placeFor('exports', `${name}.${known.suffix}`);
  makeFolder(dirname(path));
  writeAtomically(path, known.write(runs.flatMap(splitRun)));
  console.log(relative(process.cwd(), path));
  return path;
}
