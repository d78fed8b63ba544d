/**
 * `make check-trust`: faults of known size are planted, the suite measures, and docs/trust.md says of each what was planted and what the
 * suite said. What each part measured is kept in results/check-trust/<stamp>/, from which the page and its figures are made.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'smol-toml';
import { readFacts } from '../../agent/facts.js';
import { Interrupted, UserError } from '../../common/failure.js';
import { writeAtomically, writeJson } from '../../common/files.js';
import { formatDuration, formatTable } from '../../common/format.js';
import { RESULTS, ROOT } from '../../common/places.js';
import { readSuite } from '../../run/environment.js';
import { listExperiments } from '../../spec/spec.js';
import { drawMarks } from './draw.js';
import { describeBounds } from '../../show/condition.js';
import { LOAD, SIZES, tryQuota } from './measure.js';
import { describeTrust } from './page.js';
import { PARTS } from './parts.js';

/** @typedef {import('./measure.js').Context} Context */
/** @typedef {import('./judge.js').Outcome} Outcome */
/** @typedef {import('./parts.js').Part & {outcome: Outcome}} JudgedPart */

/** @param {string} why @returns {Outcome} of a part that could not be measured */
const tellNothing = (why) => ({ passed: null, said: `nothing: ${why}`, columns: [], rows: [], marks: [] });

/** @param {import('./parts.js').Part} part @param {Context} context @returns {Promise<JudgedPart>} */
async function carryOut(part, context) {
  console.log(`\ncheck-trust: ${part.title}`);
  try {
    const measured = await part.measure(context);
    writeJson(join(context.folder, `${part.name}.json`), measured);
    return { ...part, outcome: part.judge(measured) };
  } catch (error) {
    if (error instanceof Interrupted || !(error instanceof UserError)) throw error;
    return { ...part, outcome: tellNothing(error.problems[0]) };
  }
}

/**
 * @param {{profile?: string, seed?: number}} [options] `profile`: a key of SIZES
 * @returns {Promise<number>} exit code: 1 where the suite did not say what was planted
 * @throws {UserError}
 */
export async function checkTrust({ profile = 'full', seed = 20261122 } = {}) {
  if (!(profile in SIZES)) throw new UserError(`TRUST: "${profile}" is not known; use one of ${Object.keys(SIZES).join(', ')}`);
  const began = new Date();
  const began_ms = performance.now();
  const folder = join(RESULTS, 'check-trust', began.toISOString().replace(/[-:]/g, '').replace(/\..*/, 'Z'));
  mkdirSync(folder, { recursive: true });
  const noQuota = await tryQuota();
  if (noQuota) console.log(`check-trust: no control group can be made here (${noQuota}): the starved generator is left out; run it as root to have it`);
  /** @type {Context} */
  const context = { size: SIZES[profile], seed, folder, bundles: {} };
  /** @type {JudgedPart[]} */
  const parts = [];
  for (const part of PARTS) parts.push(await carryOut(part, context)); // the last reads what the others left
  const took = formatDuration((performance.now() - began_ms) / 1e3);
  const run = { profile, seed, began: began.toISOString().slice(0, 10), took, bounds: describeLoadBounds(), ...describeMachine() };
  writeJson(join(folder, 'run.json'), { ...run, bundles: context.bundles });
  writePage(run, parts);
  console.log(`\n${formatTable(['planted', 'as it must be', 'the suite says'], parts.map(({ title, outcome: { passed, said } }) =>
    [title, passed === null ? 'can not tell' : passed ? 'yes' : 'NO', said]))}\n\ndocs/trust.md (${relative(ROOT, folder)})`);
  return parts.some(({ outcome }) => outcome.passed === false) ? 1 : 0;
}

/** @returns {string} bounds of validity that are looser than usual, of all that is measured; see condition.js */
const describeLoadBounds = () => describeBounds(/** @type {any} */ (parse(readFileSync(LOAD, 'utf8'))));

/** @returns {{machine: string, commit: string}} */
function describeMachine() {
  const { cpu, cores, kernel } = readFacts();
  const { suite } = readSuite(listExperiments()[0]); // whichever: of all the code of the harness is the same
  const changed = suite.changed?.length ? `, and ${suite.changed.length} changed file(s)` : '';
  return { machine: `${cores} cores (${cpu}, ${kernel})`, commit: `${suite.commit?.slice(0, 12) ?? 'unknown'}${changed}` };
}

/** @param {import('./page.js').Run} run @param {JudgedPart[]} parts */
function writePage(run, parts) {
  const figures = join(ROOT, 'docs', 'trust');
  rmSync(figures, { recursive: true, force: true });
  mkdirSync(figures);
  const description = `make check-trust (${run.profile}) on ${run.began}, ${run.machine}, commit ${run.commit}, seed ${run.seed}; ${run.bounds}`;
  for (const { name, outcome, figure } of parts) {
    if (outcome.marks.length) drawMarks(join(figures, `${name}.svg`), outcome, figure, description);
  }
  writeAtomically(join(ROOT, 'docs', 'trust.md'), describeTrust(run, parts));
}
