/** A flagged trial is run once more. */
import { join } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { writeTsv } from '../common/files.js';
import { readFlags } from '../judge/validity.js';
import { PLAN_COLUMNS } from '../plan/plan.js';
import { trialFolder } from './status.js';

/** @typedef {import('../plan/plan.js').Planned} Planned */

/** At most this share of a plan is run again, so that a run ends when it was said to. */
const REPLACED_SHARE_MAX = 0.1;
/** What the name of a replacement ends with. */
const AGAIN = '-again';

/**
 * A trial that was flagged is run once more at the end of the plan, with the same block and the same draws of load, so that
 * a disturbance of the machine does not cost a block its comparison. The flagged one stays on disk and in dropped.tsv, and a
 * replacement has none of its own. There is a limit to how many.
 * @param {string} bundle @param {Planned} planned
 * @returns {Planned | undefined} the replacement, already in plan.tsv
 */
export function replaceFlagged(bundle, planned) {
  if (planned.trial.endsWith(AGAIN) || readFlags(trialFolder(bundle, planned.trial)).length === 0) return undefined;
  const { plan } = openBundle(bundle);
  const replacement = { ...planned, order: plan.length + 1, trial: planned.trial + AGAIN };
  const replaced = plan.filter(({ trial }) => trial.endsWith(AGAIN));
  if (replaced.length + 1 > (plan.length - replaced.length) * REPLACED_SHARE_MAX) return undefined;
  if (replaced.some(({ trial }) => trial === replacement.trial)) return undefined;
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, [...plan, replacement]);
  return replacement;
}
