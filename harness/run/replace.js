/** A flagged trial is run once more; with patience, one that the machine disturbed until it stands. Of a duet its pair is. */
import { join } from 'node:path';
import { openBundle, readFlags, readStatus, trialFolder } from '../common/bundle.js';
import { writeTsv } from '../common/files.js';
import { isOfMachine } from '../../analysis/trials/validity.js';
import { AGAIN, PLAN_COLUMNS, asPlanned, estimateTrialS, nameGroup } from '../plan/plan.js';

/** @typedef {import('../plan/plan.js').Planned} Planned */

const REPLACED_SHARE_MAX = 0.1; // at most this share of a plan is run again, so that a run ends when it was said to

/**
 * A trial that was flagged is run once more at the end of its block (placeRepeated), with the same draws of load, so that
 * a disturbance of the machine does not cost a block its comparison. The flagged one stays on disk and in dropped.tsv. There is a
 * limit to how many, and a replacement has none of its own, save while there is patience: for trials of which each flag is the
 * machine's (steal, foreign CPU), never the load's, so that what is run again does not depend on what was measured.
 * @param {string} bundle @param {Planned} planned
 * @param {number} [patience_s] that all replacements of the bundle may take, by the plan's estimate, beyond that limit
 * @returns {Planned | undefined} the replacement, already in plan.tsv
 */
export function replaceFlagged(bundle, planned, patience_s = 0) {
  const flags = readFlags(trialFolder(bundle, planned.trial));
  if (flags.length === 0) return undefined;
  const { spec, plan } = openBundle(bundle);
  const replacement = { ...planned, order: plan.length + 1, trial: nameReplacement(planned.trial) };
  if (plan.some(({ trial }) => trial === replacement.trial)) return undefined;
  const replaced = plan.filter(({ trial }) => AGAIN.test(trial));
  const isWithinShare = replaced.length + 1 <= (plan.length - replaced.length) * REPLACED_SHARE_MAX;
  const all_s = [...replaced.map(asPlanned), replacement].reduce((sum, each) => sum + estimateTrialS(spec, each), 0);
  const isPatient = flags.every(isOfMachine) && all_s <= patience_s;
  if (!isPatient && (AGAIN.test(planned.trial) || !isWithinShare)) return undefined;
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, [...plan, replacement]);
  return replacement;
}

/**
 * What is run again is held against the other trials of its block, the reference's among them; hours later the machine charges another
 * price.
 * @param {Planned[]} todo in the order of blocks @param {number} index of the trial that was flagged
 * @param {boolean} isBeside is a pair run again, directly after the first? @returns {number} where in `todo` its repetition goes
 */
export const placeRepeated = (todo, index, isBeside) =>
  1 + (isBeside ? index : todo.findLastIndex(({ block }) => block === todo[index].block));

/** Of a duet so large a share may be run again: what it repeats are pairs, and only blocks that stand can tell anything. */
const REPEATED_SHARE_MAX = 0.3;

/** @param {string} trial @returns {string} '' of the first attempt, then "-again", "-again2", … */
export const roundOf = (trial) => AGAIN.exec(trial)?.[0] ?? '';

/**
 * Where engines are compared as neighbours (a duet), a flagged trial is run again together with the one that it is compared with,
 * directly after both: a pair that is minutes apart is a pair of two moments. Each flagged one with the first of its group; all, where
 * that is flagged.
 * @param {string} bundle @param {Planned} planned that was done
 * @returns {Planned[]} what comes next, already there in plan.tsv; none as long as others of its group are to come
 */
export function repeatBeside(bundle, planned) {
  const { spec, plan: rows } = openBundle(bundle);
  const plan = rows.map(asPlanned);
  const keyOf = (/** @type {Planned} */ each) => [each.block, roundOf(each.trial), nameGroup(spec.beside, each)].join('\t');
  const group = plan.filter((each) => keyOf(each) === keyOf(planned));
  if (group.some(({ trial }) => readStatus(bundle, trial) !== 'done')) return [];
  const isFlagged = (/** @type {Planned} */ { trial }) => readFlags(trialFolder(bundle, trial)).length > 0;
  const firsts = spec.beside.map((/** @type {string[]} */ [first]) => first);
  const isFirst = (/** @type {Planned} */ { engine }) => firsts.includes(engine);
  const isWhole = group.some((each) => isFirst(each) && isFlagged(each));
  const wanted = group.some(isFlagged) ? group.filter((each) => isWhole || isFirst(each) || isFlagged(each)) : [];
  const repeated = wanted.map((each) => ({ ...each, trial: nameReplacement(each.trial) }));
  const isThere = plan.some(({ trial }) => repeated.some((each) => each.trial === trial));
  const before = plan.filter(({ trial }) => AGAIN.test(trial)).length;
  if (isThere || before + repeated.length > (plan.length - before) * REPEATED_SHARE_MAX) return [];
  const place = Math.max(...group.map(({ order }) => order));
  const whole = plan.toSpliced(place, 0, ...repeated).map((each, index) => ({ ...each, order: index + 1 }));
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, whole);
  return whole.slice(place, place + repeated.length);
}

/** @param {string} trial @returns {string} b01-ws, b01-ws-again, b01-ws-again2, … */
function nameReplacement(trial) {
  const [ending, count] = AGAIN.exec(trial) ?? [];
  return ending === undefined ? `${trial}-again` : trial.replace(AGAIN, `-again${Number(count || 1) + 1}`);
}
