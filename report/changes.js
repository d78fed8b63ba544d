/** Verdicts that differ between a new record and the previous one, and why. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { readJson, readTsv, writeTsv } from '../harness/common/files.js';
import { inMarkdown } from '../harness/common/format.js';
import { listMachines } from '../harness/records/machines.js';
import { readRun } from '../harness/records/sources.js';
import { describeNumber, findHeadline, nameWays } from './cards.js';
import { readFindings } from './findings.js';

/** @typedef {Pick<import('../harness/records/sources.js').Run, 'experiment' | 'spec' | 'verdicts' | 'claims'>} Run */
/** @typedef {import('../analysis/claims/summary.js').ClaimVerdict} ClaimVerdict */
/** @typedef {Record<string, string>} Row */

const CHANGED = 'changed.tsv';
/** Why a verdict changed if it tests something else. */
const OTHER_ROWS = 'its rows or its criterion are others';
const COLUMNS = ['claim', 'era', 'was', 'was_number', 'of', 'is', 'is_number', 'why'];

/** @param {Run} run @param {ClaimVerdict} judged @returns {import('../analysis/claims/verdict.js').Verdict[]} its rows */
const rowsOf = ({ verdicts }, { claim, era }) => verdicts.filter((row) => row.claim === claim && row.era === era);

/** @param {Run} run @param {ClaimVerdict} judged @returns {string} the criterion of each row */
const criteriaOf = (run, judged) => rowsOf(run, judged).map(({ metric, of, to, criterion }) => [metric, of, to, criterion].join(' ')).sort().join('\n');

/** @param {Run} before @param {ClaimVerdict} was @param {Run} after @param {ClaimVerdict} is @returns {string} */
function whyChanged(before, was, after, is) {
  if (was.verdict === 'not run') return 'it was not run before';
  if (criteriaOf(before, was) !== criteriaOf(after, is)) return OTHER_ROWS;
  const [ways, waysNow] = [nameWays(was.found), nameWays(is.found)];
  return ways === waysNow ? 'measured anew' : `found another way: ${waysNow || 'none'}, before ${ways || 'none'}`;
}

/** @param {Run} before the previous record @param {Run} after @returns {Row[]} of changed.tsv */
export function listChanges(before, after) {
  const findings = readFindings(after.experiment);
  const numberOf = (/** @type {Run} */ run, /** @type {ClaimVerdict} */ judged) =>
    describeNumber(findHeadline(judged, rowsOf(run, judged), findings));
  return after.claims.flatMap((is) => {
    const was = before.claims.find(({ claim, era }) => claim === is.claim && era === is.era);
    if (!was || was.verdict === is.verdict) return [];
    return [{
      claim: is.claim, era: is.era, was: was.verdict, was_number: numberOf(before, was), of: before.spec.began.slice(0, 10),
      is: is.verdict, is_number: numberOf(after, is), why: whyChanged(before, was, after, is),
    }];
  });
}

/** @param {string} folder @returns {Run} without its tables: they are about to be replaced */
function readJudged(folder) {
  const { spec } = openBundle(folder);
  return { ...readJson(join(folder, 'verdict.json')), experiment: spec.experiment, spec };
}

/** Write into a new record how its verdicts differ from the previous one's. @param {string} record @param {string} kept the new one */
export function writeChanges(record, kept) {
  if (existsSync(join(record, 'verdict.json'))) writeTsv(join(kept, CHANGED), COLUMNS, listChanges(readJudged(record), readJudged(kept)));
}

/**
 * @param {string} record @param {ClaimVerdict[]} claims as they are shown: another record may judge some
 * @returns {string[]} a sentence for each reason, with the old numbers; first verdicts are left out
 */
export function describeChanged(record, claims) {
  const isShown = (/** @type {Row} */ { claim, era, is }) =>
    claims.some((judged) => judged.claim === claim && judged.era === era && judged.verdict === is && !judged.isOfPaper);
  const changed = readTsv(join(record, CHANGED)).filter((row) => row.was !== 'not run' && isShown(row));
  const groups = Map.groupBy(changed, ({ of, why }) => `Verdicts that differ from the record of ${of}, ${why}`);
  return [...groups].map(([title, rows]) =>
    `${title}: ${rows.map(({ claim, era, was, was_number }) => `${claim} ${era} (was ${was}, ${was_number})`).join(', ')}.`);
}

/** @param {Run} here the record @returns {string[]} lines of Markdown; none where no other machine ran it */
export function describeMachines(here) {
  const others = listMachines(here.experiment);
  if (others.length === 0) return [];
  const lines = others.map(({ folder, spec, machine }) => {
    const changes = listChanges(here, readRun(folder)).map(({ claim, era, was, was_number, is, is_number, why: reason }) => {
      const why = was === 'needs more cores' ? `${spec.environment.cores} cores are enough` : reason === OTHER_ROWS ? reason : 'another machine';
      return `${claim}, ${era}: ${is} (${is_number}), here ${was} (${was_number}): ${why}`;
    });
    const [day, commit] = [spec.began.slice(0, 10), spec.environment.suite.commit.slice(0, 12)];
    return `- **${inMarkdown(machine)}**, ${day}, commit ${commit}: ${changes.length ? inMarkdown(`${changes.join('; ')}.`) : 'every verdict as here.'}`;
  });
  return ['## On other machines', '', ...lines, ''];
}
