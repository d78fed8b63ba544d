/** A flagged trial is run once more; with patience, one that the machine disturbed until it stands. */
import { join } from 'node:path';
import { openBundle, readFlags, trialFolder } from '../common/bundle.js';
import { writeTsv } from '../common/files.js';
import { isOfMachine } from '../../analysis/trials/validity.js';
import { AGAIN, PLAN_COLUMNS, asPlanned, estimateTrialS } from '../plan/plan.js';

/** @typedef {import('../plan/plan.js').Planned} Planned */

const REPLACED_SHARE_MAX = 0.1; // at most this share of a plan is run again, so that a run ends when it was said to

/**
 * A trial that was flagged is run once more at the end of the plan, with the same block and the same draws of load, so that
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

/** @param {string} trial @returns {string} b01-ws, b01-ws-again, b01-ws-again2, … */
function nameReplacement(trial) {
  const [ending, count] = AGAIN.exec(trial) ?? [];
  return ending === undefined ? `${trial}-again` : trial.replace(AGAIN, `-again${Number(count || 1) + 1}`);
}
