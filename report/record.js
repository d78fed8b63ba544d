/** Records: the results of a bundle, kept small in the tree. results.js writes them up. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, parse, relative } from 'node:path';
import { checkEnded, isOutdated, openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readEntries } from './figures/entries.js';
import { Source } from './figures/source.js';
import { FORMATS_OF_RECORD, makeFigures } from './figures.js';
import { readTsv, writeAtomically, writeTsv } from '../harness/common/files.js';
import { checkNumbers } from './finding-numbers.js';
import { YARDSTICKS } from '../harness/common/yardstick.js';
import { readFindings } from './findings.js';
import { ARE_OWN, ROOT, figuresOf, numberOfExperiment, recordOf, resultsOf } from '../harness/common/places.js';
import { packTables } from '../harness/common/tables.js';
import { estimateHereS } from '../harness/plan/plan.js';
import { writeChanges } from './changes.js';
import { writeClaims } from './claims-table.js';
import { packCaptures } from '../harness/records/captures.js';
import { REFLAGGED, REJUDGED, keepHashes, refuseBundle, writeProvenance } from '../harness/records/provenance.js';
import { placeRun } from '../harness/records/runs.js';
import { writeRuns } from './runs.js';
import { isAllOfPaper, makeResults, makeThesisResults } from './results.js';
import { listRecorded, readJudging, readRun } from '../harness/records/sources.js';
import { listExperiments } from '../harness/spec/spec.js';
import { formatDuration, formatTable } from '../harness/common/format.js';

/** Files of every finished bundle. */
const NEEDED = ['spec.json', 'plan.tsv', 'comparisons.tsv', 'verdict.json', ...['trials', 'points', 'compared', 'load', 'dropped'].map((name) => `reduced/${name}.tsv`)];

/** Not copied: it is large, and load.tsv has its medians. */
const LEFT_OUT = 'series.tsv';
/** Large, and read by figures alone: only rows that one draws are kept. */
const FOR_FIGURES = ['system', 'threads'];

/** Captures of a further run, unless its reference and one trial are more: all records together have 6 MB. */
const FURTHER_CAPTURES_MAX_B = 90_000;

/**
 * Make a bundle the record of its experiment: copy its tables into the tree, and draw its figures there. A bundle of `paper` has its own
 * record beside the one of `default` (readJudging of sources.js joins them).
 * @param {string} path
 * @throws {UserError} if the bundle is a smoke run, is incomplete, or its code was not committed; the record is then unchanged
 */
export async function recordBundle(path) {
  const { spec } = openBundle(path);
  checkRecordable(path, spec);
  const record = recordOf(spec.experiment, spec.profile);
  await keepBundle(path, record, undefined, (partial) => writeChanges(record, partial));
  await drawRecord(spec);
  writeThesisResults();
  console.log(`${relative(process.cwd(), record)}: the result of record is now ${path}`);
  for (const problem of checkNumbers(readJudging(spec.experiment), readFindings(spec.experiment))) {
    console.error(`warning: experiments/${spec.experiment}/findings.toml: ${problem}; write the finding anew`);
  }
}

/** Add a bundle to the runs of its record, which stays as it is. @param {string} path @throws {UserError} like recordBundle */
export async function recordFurther(path) {
  checkRecordable(path);
  const run = placeRun(path);
  await keepBundle(path, run, FURTHER_CAPTURES_MAX_B);
  writeThesisResults();
  console.log(`${relative(process.cwd(), run)}: ${path} is a further run of the record now`);
}

/**
 * Copy a bundle into the form of a record, in place of what is there.
 * @param {string} folder a bundle @param {string} kept @param {number} [captures_max_b]
 * @param {(partial: string) => void} [finish] before it takes its place
 */
export async function keepBundle(folder, kept, captures_max_b, finish = () => {}) {
  const partial = `${kept}.partial-${process.pid}`;
  try {
    await copyRecord(folder, partial, captures_max_b);
    finish(partial);
    keepHashes(partial);
    rmSync(kept, { recursive: true, force: true });
    renameSync(partial, kept);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Reads no packed table. @param {string} path @param {any} [spec] @throws {UserError} if the bundle can't become a record */
export function checkRecordable(path, spec = openBundle(path).spec) {
  if (existsSync(join(path, 'record.sha256'))) throw new UserError(`${path}: is a record already; give a run's folder under results/`);
  if (spec.profile === 'quick') throw new UserError(`${path}: a smoke run can't become a result of record; run PROFILE=default or paper`);
  checkEnded(path, NEEDED);
  const unfinished = readTsv(join(path, 'reduced', 'dropped.tsv')).filter(({ reason }) => reason === 'planned' || reason === 'running');
  if (unfinished.length) throw new UserError(`${path}: ${unfinished.length} trial(s) were not run; go on with RESUME=1`);
  if (isOutdated(path)) throw new UserError(`${path}: its tables are older than its trials; go on with RESUME=1`);
  const problem = refuseBundle(path);
  if (problem) throw new UserError(`${path}: ${problem}`);
}

/** @param {string} folder a bundle @param {string} record @param {number} [captures_max_b] */
async function copyRecord(folder, record, captures_max_b) {
  mkdirSync(join(record, 'reduced'), { recursive: true });
  const tables = readdirSync(join(folder, 'reduced')).filter((name) => name !== LEFT_OUT).map((name) => `reduced/${name}`);
  const noted = [REJUDGED, REFLAGGED, YARDSTICKS].filter((name) => existsSync(join(folder, name)));
  for (const name of new Set([...NEEDED, ...tables, ...noted])) cpSync(join(folder, name), join(record, name));
  keepDrawn(record);
  packTables(record);
  await writeProvenance(folder, record);
  packCaptures(folder, record, captures_max_b);
}

/** @param {string} record with unpacked tables */
export function keepDrawn(record) {
  const { spec, plan } = openBundle(record);
  const source = new Source(record, spec, plan);
  const entries = Object.values(readEntries(spec.experiment));
  for (const name of FOR_FIGURES) {
    const path = join(record, 'reduced', `${name}.tsv`);
    if (!existsSync(path)) continue;
    // A figure of load over time draws the threads of its panels, where they were sampled
    const drawing = entries.flatMap(({ table, kind, where, panels }) => {
      if (kind !== 'load' || name !== 'threads') return table === name ? [where] : [];
      return (Array.isArray(panels) ? panels : []).map((panel) => ({ ...where, ...panel.where }));
    });
    const drawn = new Set(drawing.flatMap((each) => source.select(name, each)));
    const kept = source.rows(name).filter((row) => drawn.has(row));
    if (kept.length === 0) rmSync(path);
    else writeTsv(path, readFileSync(path, 'utf8').split('\n', 1)[0].split('\t'), kept);
  }
}

/**
 * @param {{experiment: string, profile: import('../harness/spec/spec.js').Profile}} spec @param {string} figure its file
 * @returns {boolean} is it kept in the tree? Of `paper`, whose figures are large, those that a finding shows; of `default` those that
 *   the page has no twin of from `paper`, or that another document shows
 */
export function isFigureKept({ experiment, profile }, figure) {
  const { name } = parse(figure);
  if (profile !== 'paper') return !isTwin(experiment, name) || isShown(join(figuresOf(recordOf(experiment)), name));
  const judged = readRun(recordOf(experiment, profile)).claims.filter(({ verdict }) => verdict !== 'not run').map(({ claim }) => claim);
  const { claims, also, paper } = readFindings(experiment);
  const shown = [also?.figure, paper?.figure, ...judged.map((claim) => claims[claim]?.figure)];
  return shown.includes(name);
}

/** @param {string} experiment @param {string} name of a figure @returns {boolean} is its page of `paper`, which has it, too? */
const isTwin = (experiment, name) =>
  existsSync(join(figuresOf(recordOf(experiment, 'paper')), `${name}.svg`)) && isAllOfPaper(readJudging(experiment));

/** @param {string} figure its path without an ending @returns {boolean} does a document beside the pages of results show it? */
const isShown = (figure) => ['README.md', ...globSync('docs/*.md', { cwd: ROOT })]
  .some((name) => readFileSync(join(ROOT, name), 'utf8').includes(`${relative(ROOT, figure)}.`));

/** Redraw the figures of a record. @param {{experiment: string, profile: import('../harness/spec/spec.js').Profile}} spec */
export async function drawRecord({ experiment, profile }) {
  const record = recordOf(experiment, profile);
  const figures = figuresOf(record);
  rmSync(figures, { recursive: true, force: true }); // they are of the tables before
  await makeFigures(record, FORMATS_OF_RECORD);
  for (const name of readdirSync(figures).filter((each) => !isFigureKept({ experiment, profile }, each))) rmSync(join(figures, name));
}

/** Write claims.tsv, the RESULTS.md of each experiment and, for the suite's own experiments, thesis-results.md. */
export function writeThesisResults() {
  writeClaims();
  for (const name of listRecorded()) {
    writeRuns(name);
    writeAtomically(resultsOf(name), makeResults(name));
  }
  if (!ARE_OWN) return;
  writeAtomically(join(ROOT, 'thesis-results.md'), makeThesisResults());
  console.log('thesis-results.md, records/*/RESULTS.md');
}

/** Print each experiment with the time each profile takes. @param {boolean} [asJson] */
export function printExperiments(asJson = false) {
  const rows = listExperiments().map((name) => {
    const times = /** @type {const} */ (['quick', 'default', 'paper']).map((profile) => formatDuration(estimateHereS(name, profile)));
    return [String(numberOfExperiment(name)), name, ...times];
  });
  if (asJson) {
    const objects = rows.map(([number, folder, quick, usual, paper]) => ({ number: Number(number), folder, quick, default: usual, paper }));
    return console.log(JSON.stringify(objects, null, 2));
  }
  console.log(formatTable(['experiment', 'folder', 'quick', 'default', 'paper'], rows));
}
