/** Results of record: what a bundle found, kept small in the tree, and thesis-results.md made from all of them. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { describeCondition, describeVersions } from './condition.js';
import { UserError } from '../common/failure.js';
import { FORMATS_OF_RECORD, makeFigures } from './figures.js';
import { readJson, readTsv, writeAtomically } from '../common/files.js';
import { hasFindings, renderFindings } from './findings.js';
import { renderFront } from './front.js';
import { CLAIMS, EXPERIMENTS, ROOT } from '../common/places.js';
import { packTables, tablesOf } from '../common/tables.js';
import { estimateExperimentS } from '../plan/plan.js';
import { describeProvenance, refuseBundle, writeProvenance } from './provenance.js';
import { describeClaim, describeComparison, describeRows, headMean, summariseVerdicts } from './report.js';
import { listExperiments, makeSpec } from '../spec/spec.js';
import { formatDuration, formatInterval, formatTable } from '../common/format.js';

/** @typedef {import('../judge/verdict.js').Verdict} Verdict */
/** @typedef {import('../judge/claims.js').ClaimVerdict} ClaimVerdict */

const PLOTS = join(ROOT, 'plots');
/** What every bundle has that ended. */
const NEEDED = ['spec.json', 'plan.tsv', 'comparisons.tsv', 'verdict.json', ...['trials', 'points', 'compared', 'load', 'dropped'].map((name) => `reduced/${name}.tsv`)];

/** Large, and its medians are in load.tsv. */
const LEFT_OUT = 'series.tsv';

/** @param {string} experiment @returns {string} where its result of record is */
const recordFolder = (experiment) => join(EXPERIMENTS, experiment, 'record');

/** What a bundle has that was judged anew. */
const REJUDGED = 'rejudged.tsv';

/**
 * Make a bundle the result of record of its experiment: its tables and figures are copied into the tree.
 * @param {string} path
 * @throws {UserError} when the bundle is a quick look, or not whole, or its code is not that of a commit
 */
export async function recordBundle(path) {
  const { folder, spec } = openBundle(path);
  checkRecordable(path, spec);
  const record = recordFolder(spec.experiment);
  const kept = join(EXPERIMENTS, spec.experiment, `.record-${process.pid}`);
  try {
    await copyRecord(folder, kept);
    rmSync(record, { recursive: true, force: true });
    renameSync(kept, record);
  } finally {
    rmSync(kept, { recursive: true, force: true });
  }
  await drawRecord(spec.experiment);
  writeThesisResults();
  console.log(`${relative(process.cwd(), record)}: the result of record is now ${path}`);
}

/** @param {string} path @param {any} spec @throws {UserError} */
function checkRecordable(path, spec) {
  if (spec.profile === 'quick') throw new UserError(`${path}: a quick look is no result of record; run PROFILE=default or paper`);
  for (const name of NEEDED) {
    if (!existsSync(join(path, name))) throw new UserError(`${path}: ${name} is missing: the run did not end; go on with RESUME=1`);
  }
  const unfinished = readTsv(join(path, 'reduced', 'dropped.tsv')).filter(({ reason }) => reason === 'planned' || reason === 'running');
  if (unfinished.length) throw new UserError(`${path}: ${unfinished.length} trial(s) were not run; go on with RESUME=1`);
  const problem = refuseBundle(path);
  if (problem) throw new UserError(`${path}: ${problem}`);
}

/** @param {string} folder a bundle @param {string} record */
export async function copyRecord(folder, record) {
  mkdirSync(join(record, 'reduced'), { recursive: true });
  const tables = readdirSync(join(folder, 'reduced')).filter((name) => name !== LEFT_OUT).map((name) => `reduced/${name}`);
  const noted = [REJUDGED].filter((name) => existsSync(join(folder, name)));
  for (const name of new Set([...NEEDED, ...tables, ...noted])) cpSync(join(folder, name), join(record, name));
  packTables(record);
  await writeProvenance(folder, record);
}

/** @param {string} experiment @param {string} folder @returns {boolean} is that its result of record? */
export const isRecord = (experiment, folder) => resolve(folder) === resolve(recordFolder(experiment));

/** Draw the figures of record into plots/. @param {string} experiment */
export async function drawRecord(experiment) {
  const record = recordFolder(experiment);
  rmSync(join(record, 'figures'), { recursive: true, force: true }); // by `make figures`, in every format
  await makeFigures(record, FORMATS_OF_RECORD);
  const plots = join(PLOTS, experiment);
  rmSync(plots, { recursive: true, force: true });
  cpSync(join(record, 'figures'), plots, { recursive: true });
  rmSync(join(record, 'figures'), { recursive: true });
}

/** Between these lines of an experiment's README stands what its result of record found. */
const FINDINGS = { begin: '<!-- findings: written by make record -->', end: '<!-- end of findings -->' };

/**
 * @param {string} experiment
 * @returns {string} its README with the findings of its result of record in their place
 * @throws {UserError} when the place is missing, or the template asks for what is not there
 */
export function renderReadme(experiment) {
  const path = join(EXPERIMENTS, experiment, 'README.md');
  const [before, ...rest] = readFileSync(path, 'utf8').split(FINDINGS.begin);
  const after = rest.join('').split(FINDINGS.end)[1];
  if (after === undefined) throw new UserError(`experiments/${experiment}/README.md: has no place for the findings; add the lines ${FINDINGS.begin} and ${FINDINGS.end}`);
  return `${before}${FINDINGS.begin}\n\n${renderFindings(experiment, recordFolder(experiment)).trim()}\n\n${FINDINGS.end}${after}`;
}

/** @returns {string[]} the experiments that have a result of record */
const listRecorded = () => listExperiments().filter((name) => existsSync(join(recordFolder(name), 'verdict.json')));

/** Write thesis-results.md, and what was found into the READMEs of the experiments. */
export function writeThesisResults() {
  for (const name of listRecorded().filter(hasFindings)) writeAtomically(join(EXPERIMENTS, name, 'README.md'), renderReadme(name));
  writeAtomically(join(ROOT, 'README.md'), renderFront(listRecorded()));
  writeAtomically(join(ROOT, 'thesis-results.md'), makeThesisResults());
  console.log('thesis-results.md');
}

/** @returns {string} thesis-results.md, from the results of record alone */
export function makeThesisResults() {
  const recorded = listRecorded();
  /** @type {ClaimVerdict[]} */
  const judged = recorded.flatMap((name) => readJson(join(recordFolder(name), 'verdict.json')).claims);
  return [
    '# Results',
    '',
    'Generated by `make thesis-results` from the results of record in `experiments/*/record`; no number is typed by hand.',
    '',
    'A row is **reproduced** when the 95 % interval (97.5 % where a run was looked at twice) lies wholly on the claim\'s side of the criterion,',
    '**not reproduced** when it lies wholly on',
    'the other, **inconclusive** when it straddles the criterion or there are fewer than three trials, and it **needs more cores** where this',
    'machine has too few to show it. Beside what is inconclusive stands what would decide it: the trials after which the interval would leave',
    'the criterion, did they spread as those that there are about the same centre; with as many the odds are about even. Where those are more than',
    '100 and the criterion is that one is more than the other, it stands beside them how far apart the two can be.',
    '',
    'The mean is the geometric one, with Student\'s t on logarithms (of values of 0 or less the arithmetic mean, with Student\'s t on the values);',
    'ratios are taken within a block of trials that had the same draws of load. [docs/intervals.md](docs/intervals.md) has how often such an interval',
    'holds the truth. Exponents and the parameters of laws (T12, T19) have intervals of least squares, the parameter and Student\'s t times its standard',
    'error; their n counts the trials of all points that a curve goes through, and so do the trials that would decide them.',
    'Where a claim is of what is possible at all (T13, R2), one trial can show it, and what stands in brackets is the least and the most of the trials.',
    '',
    'A claim has one verdict an era, over its rows: it is reproduced when all of them are, not reproduced when one is not, at 5 % for all of them together',
    '(Holm\'s procedure); else inconclusive. Where its rows are variants ("one is enough") it is reproduced when one is, and not when none is.',
    '',
    '## Every claim',
    '',
    ...claimTable(judged),
    ...recorded.flatMap(experimentSection),
    '',
  ].join('\n');
}

/** @param {ClaimVerdict[]} judged @returns {string[]} */
function claimTable(judged) {
  const rows = readTsv(CLAIMS).map(({ claim, source, section, words, published, criterion }) => {
    const own = judged.filter((each) => each.claim === claim);
    const where = section === '-' ? source : `${source} ${section}`;
    return `| ${claim} | ${where} | ${words} | ${published} | ${criterion} | ${summarise(own)} |`;
  });
  return ['| id | source | claim | published | criterion | verdict |', '| --- | --- | --- | --- | --- | --- |', ...rows];
}

/**
 * @param {ClaimVerdict[]} judged of one claim
 * @returns {string} by era, such as "2014: **reproduced** (of 4 rows 4 reproduced; all must hold)"
 */
function summarise(judged) {
  if (judged.length === 0) return 'not run';
  const inOrder = [...judged].sort((a, b) => a.era.localeCompare(b.era));
  return inOrder.map(({ era, verdict, ...rest }) => `${era}: **${verdict}** (${describeRows(rest)})`).join('; ');
}

/** @param {string} experiment @returns {string[]} */
function experimentSection(experiment) {
  const { spec } = openBundle(recordFolder(experiment));
  /** @type {{verdicts: Verdict[], claims: ClaimVerdict[]}} */
  const { verdicts, claims } = readJson(join(recordFolder(experiment), 'verdict.json'));
  const dropped = readTsv(join(tablesOf(recordFolder(experiment)), 'dropped.tsv'));
  const figures = readdirSync(join(PLOTS, experiment)).filter((name) => name.endsWith('.svg')).sort();
  return [
    '', `## Experiment ${Number(experiment.split('-')[0])}: ${spec.title}`, '',
    `${spec.question} (${spec.source}; [the experiment](experiments/${experiment}/README.md))`, '',
    ...describeCondition(spec, readTsv(join(recordFolder(experiment), 'plan.tsv'))).map((line) => `${line}.  `), '',
    ...describeVersions(spec).map((line) => `- ${line}`), '',
    ...describeProvenance(recordFolder(experiment)).map((line) => `${line}.  `), '',
    ...(hasFindings(experiment) ? [renderFindings(experiment, recordFolder(experiment)), ''] : []),
    ...(claims.length ? ['The verdicts, over all rows of a claim:', '', ...claims.map((claim) => `- ${describeClaim(claim)}`), ''] : []),
    ...verdictLines(verdicts), '',
    dropped.length ? `Left out: ${dropped.map(({ trial, reason, value, bound }) => `${trial} (${reason}${value === '-' ? '' : ` ${value}, bound ${bound}`})`).join(', ')}.` : 'No trial was left out.', '',
    ...figures.map((name) => `![${name.replace('.svg', '')}](plots/${experiment}/${name})`),
  ];
}

/** @param {Verdict[]} verdicts @returns {string[]} the rows that were judged, in words and as a table */
function verdictLines(verdicts) {
  if (verdicts.length === 0) return ['No row of a claim is judged: no trial that the claims ask for was run.'];
  return [
    'In short, the range of the means over the workloads:', '', ...summariseVerdicts(verdicts).map((line) => `- ${line}`), '',
    `| claim | era | workload | what | criterion | ${headMean(verdicts)} | n | verdict | what would decide it |`, '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...verdicts.map((row) => `| ${row.claim} | ${row.era} | ${row.workload} | \`${describeComparison(row)}\` | ${row.criterion} | ${formatInterval(row)} | ${row.n} | **${row.verdict}** | ${row.decided_by ?? ''} |`),
  ];
}

/** Print each experiment with the time each profile takes. */
export function printExperiments() {
  const rows = listExperiments().map((name) => {
    const times = /** @type {const} */ (['quick', 'default', 'paper']).map((profile) => estimate(name, profile));
    return [String(Number(name.split('-')[0])), name, ...times];
  });
  console.log(formatTable(['make experiment-', 'folder', 'quick', 'default', 'paper'], rows));
}

/** @param {string} name @param {import('../spec/spec.js').Profile} profile @returns {string} */
function estimate(name, profile) {
  const spec = makeSpec(name, profile, 0);
  return formatDuration(estimateExperimentS(spec));
}
