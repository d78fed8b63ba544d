/** Reruns flagged trials once. With patience, trials disturbed by the machine are rerun until valid. A duet reruns whole pairs. */
import { join } from 'node:path';
import { openBundle, readFlags, readStatus, trialFolder } from '../common/bundle.js';
import { writeTsv } from '../common/files.js';
import { isOfMachine } from '../../analysis/trials/validity.js';
import { AGAIN } from '../common/setting.js';
import { PLAN_COLUMNS, asPlanned, estimateTrialS, nameGroup } from '../plan/plan.js';

/** @typedef {import('../plan/plan.js').Planned} Planned */

const REPLACED_SHARE_MAX = 0.1; // at most this share of a plan is rerun, so that a run ends about when predicted

/**
 * A flagged trial is rerun once at the end of its block (placeRepeated), with the same draws of load. So a disturbance by the machine does
 * not cost a block its comparison. The flagged trial stays on disk and in dropped.tsv. The number of reruns is limited, and a rerun is
 * not rerun itself. Patience lifts both limits, but only for trials whose flags all blame the machine (steal, foreign CPU), never the load:
 * what is rerun must not depend on what was measured.
 * @param {string} bundle @param {Planned} planned
 * @param {number} [patience_s] estimated seconds that all reruns of the bundle together may take beyond that limit
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
 * A rerun is compared with the other trials of its block, including the reference's. It must run soon after them: the machine's speed
 * changes over hours.
 * @param {Planned[]} todo in the order of blocks @param {number} index of the flagged trial
 * @param {boolean} isBeside whether a pair is rerun, directly after the first @returns {number} index in `todo` for the rerun
 */
export const placeRepeated = (todo, index, isBeside) =>
  1 + (isBeside ? index : todo.findLastIndex(({ block }) => block === todo[index].block));

/** Largest share of a duet's plan to rerun. It is high because pairs are rerun, and only blocks with valid pairs are of use. */
const REPEATED_SHARE_MAX = 0.3;

/** @param {string} trial @returns {string} '' for the first attempt, then "-again", "-again2", … */
export const roundOf = (trial) => AGAIN.exec(trial)?.[0] ?? '';

/**
 * Where engines are compared as neighbours (a duet), a flagged trial is rerun together with the one it is compared with, directly after
 * both: trials minutes apart are no pair. Each flagged version is rerun with the first of its group. If the first is flagged, the whole
 * group is rerun.
 * @param {string} bundle @param {Planned} planned a trial that is done
 * @returns {Planned[]} the next trials, already in plan.tsv; none while other trials of the group are pending
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
