/**
 * `make check-trust`: plants faults of known size and measures them with the suite. docs/validation.md then shows for each what was planted
 * and what the suite reported. Measurements are kept in results/check-trust/<stamp>/; the page and its figures are made from them.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UserError } from '../../common/failure.js';
import { readJson, writeJson } from '../../common/files.js';
import { formatDuration, formatTable } from '../../common/format.js';
import { writePart } from '../../common/marks.js';
import { RESULTS, ROOT } from '../../common/places.js';
import { readSuite } from '../../run/environment.js';
import { listExperiments } from '../../spec/spec.js';
import { drawMarks } from './figure.js';
import { describeBounds } from '../../../report/condition.js';
import { LOAD, SIZES, askHost } from './measure.js';
import { describeTrust } from './document.js';
import { PARTS } from './parts.js';

/** @typedef {import('./measure.js').Context} Context */
/** @typedef {import('./parts.js').Part & {outcome: import('./outcomes.js').Outcome}} JudgedPart */

/** @param {import('./parts.js').Part} part @param {Context} context @returns {Promise<JudgedPart>} */
async function carryOut(part, context) {
  console.log(`\ncheck-trust: ${part.title}`);
  try {
    const measured = await part.measure(context);
    writeJson(join(context.folder, `${part.name}.json`), measured);
    return { ...part, outcome: part.judge(measured) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...part, outcome: { passed: null, said: `nothing: ${error.problems[0]}`, columns: [], rows: [], marks: [] } };
  }
}

const VALIDATION = 'docs/validation.md';
const KEPT = join(RESULTS, 'check-trust');

/**
 * @param {{profile?: keyof typeof SIZES, seed?: number, part?: string}} options `part`: one of PARTS, to measure it alone
 * @returns {Promise<number>} exit code: 1 if the suite did not report what was planted
 */
export async function checkTrust({ profile = 'full', seed = 20261122, part }) {
  const wanted = PARTS.filter(({ name }) => part === undefined || part === name);
  const began = new Date();
  const began_ms = performance.now();
  const folder = join(KEPT, began.toISOString().replace(/[-:]/g, '').replace(/\..*/, 'Z'));
  mkdirSync(folder, { recursive: true });
  const { facts, noQuota } = await askHost();
  if (noQuota && wanted.some(({ name }) => name === 'starved')) console.log(`check-trust: no control group can be made here (${noQuota}): the starved generator is left out; run it as root to have it`);
  /** @type {Context} */
  const context = { size: SIZES[profile], seed, folder, noQuota, bundles: {} };
  /** @type {JudgedPart[]} */
  const parts = [];
  for (const each of wanted) parts.push(await carryOut(each, context)); // in order: the recomputation reads the earlier parts' bundles
  const took = formatDuration((performance.now() - began_ms) / 1e3);
  const run = { profile, seed, part, began: began.toISOString().slice(0, 10), took, ...describeMachine(facts) };
  writeJson(join(folder, 'run.json'), { ...run, bundles: context.bundles });
  console.log(`\n${describeOutcomes(parts)}\n\n${await (part === undefined ? writePage([run], parts) : joinPage())} (${relative(ROOT, folder)})`);
  return parts.some(({ outcome }) => outcome.passed === false) ? 1 : 0;
}

/** @param {JudgedPart[]} parts @returns {string} a table of all parts, preceded by a single part's rows */
function describeOutcomes(parts) {
  const all = formatTable(['planted', 'as it must be', 'the suite says'], parts.map(({ title, outcome: { passed, said } }) =>
    [title, passed === null ? 'can not tell' : passed ? 'yes' : 'NO', said]));
  const [{ outcome: { columns, rows } }] = parts;
  return parts.length === 1 && rows.length ? `${formatTable(columns, rows)}\n\n${all}` : all;
}

/** Write the page from the newest whole run and later runs of single parts. @returns {Promise<string>} a message about it */
async function joinPage() {
  const kept = readdirSync(KEPT).sort().map((stamp) => join(KEPT, stamp)).filter((folder) => existsSync(join(folder, 'run.json')))
    .map((folder) => ({ folder, run: readJson(join(folder, 'run.json')) }))
    .filter(({ folder, run }) => run.profile === 'full' && (run.part === undefined || existsSync(join(folder, `${run.part}.json`))));
  const from = kept.findLastIndex(({ run }) => run.part === undefined);
  if (from < 0) return `${VALIDATION} stays as it is: no whole run is kept here`;
  const since = kept.slice(from);
  const joined = since.filter(({ run }, index) => since.findLastIndex((other) => other.run.part === run.part) === index);
  const parts = PARTS.flatMap((part) => {
    const measured = joined.map(({ folder }) => join(folder, `${part.name}.json`)).findLast((path) => existsSync(path));
    return measured ? [{ ...part, outcome: part.judge(readJson(measured)) }] : [];
  });
  return writePage(joined.map(({ run }) => run), parts);
}

/** @param {Record<string, any>} facts of this host @returns {{machine: string, commit: string}} */
function describeMachine({ cpu, cores, kernel }) {
  const { suite } = readSuite(listExperiments()[0]); // any will do: all share the harness's code
  const changed = suite.changed?.length ? `, and ${suite.changed.length} changed file(s)` : '';
  return { machine: `${cores} cores (${cpu}, ${kernel})`, commit: `${suite.commit?.slice(0, 12) ?? 'unknown'}${changed}` };
}

/** @param {Omit<import('./document.js').Run, 'bounds'>[]} runs the first of all parts @param {JudgedPart[]} parts */
async function writePage([run, ...alone], parts) {
  const bounds = describeBounds(LOAD); // those looser than usual
  const figures = join(ROOT, 'docs', 'trust');
  rmSync(figures, { recursive: true, force: true });
  mkdirSync(figures);
  for (const { name, outcome, figure } of parts) {
    const { profile, began, machine, commit, seed } = alone.findLast(({ part }) => part === name) ?? run;
    const description = `make check-trust (${profile}) on ${began}, ${machine}, commit ${commit}, seed ${seed}; ${bounds}`;
    if (outcome.marks.length) await drawMarks(figures, name, outcome, figure, description);
  }
  writePart(join(ROOT, VALIDATION), 'by make check-trust', describeTrust({ ...run, bounds }, parts, alone));
  return VALIDATION;
}
