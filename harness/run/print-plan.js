/** `--plan`: lists the trials of a run and their estimated duration. Starts nothing. */
import { relative } from 'node:path';
import { findNewestBundle, openBundle, readStatus } from '../common/bundle.js';
import { formatDuration } from '../common/format.js';
import { ROOT } from '../common/places.js';
import { asPlanned, estimatePlanS, makePlan } from '../plan/plan.js';
import { describePrecision } from '../plan/precision.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */

/** @param {Spec} spec @param {boolean} resume list what is left of the newest run @returns {number} exit code */
export function printPlan(spec, resume) {
  if (resume) {
    const bundle = findNewestBundle(spec.experiment, spec.profile);
    const begun = openBundle(bundle);
    const left = begun.plan.map(asPlanned).filter(({ trial }) => readStatus(bundle, trial) !== 'done');
    const done = begun.plan.length - left.length;
    printTrials(begun.spec, left, `, ${done} of ${begun.plan.length} done before in ${relative(ROOT, bundle)}`);
  } else {
    printTrials(spec, makePlan(spec), '');
  }
  return 0;
}

/** @param {Spec} spec @param {import('../plan/plan.js').Planned[]} plan @param {string} note */
function printTrials(spec, plan, note) {
  for (const { order, trial } of plan) console.log(`${order}\t${trial}`);
  console.log(`${plan.length} trials, about ${formatDuration(estimatePlanS(spec, plan))}, seed ${spec.seed}${note}`);
  if (spec.precision) console.log(describePrecision(spec.precision));
}
