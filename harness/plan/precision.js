/**
 * Adds blocks until claims are decided or known precisely enough, at looks fixed beforehand. Each look is another chance of
 * an error, so the intervals of such a run have the level 1 - 0.05 / looks (Bonferroni).
 */
import { findReference } from '../spec/reference.js';
import { AGAIN } from '../common/setting.js';
import { estimateTrialS, makePlan } from './plan.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('./plan.js').Planned} Planned */
/**
 * @typedef {{claim: string, verdict: string, scale?: string, n: number, mean: number | null, low: number | null, high: number | null,
 *   of: string, to: string, workload: string, setting: string, to_setting?: string}} Verdict on a row of a claim (verdict.js)
 */
/** @typedef {{look: number, added: Planned[], why: string}} Decision `look`: blocks at this or the next look; `added`: empty at the end */

/**
 * Depends only on what is on disk, so that a resumed run decides as it would have without the break.
 * @param {Spec} spec @param {Planned[]} plan as far as it was carried out @param {Verdict[]} verdicts on that @returns {Decision}
 */
export function decideBlocks(spec, plan, verdicts) {
  const look = Math.max(...plan.map(({ block }) => block));
  const stop = (/** @type {string} */ why) => ({ look, added: [], why });
  if (!spec.precision) return stop('its blocks are fixed');
  const { looks, ratio_half_width, budget_min } = spec.precision;
  const open = verdicts.filter((row) => isOpen(row, ratio_half_width));
  if (open.length === 0) return stop('each claim is decided, or its interval is as narrow as was asked');
  const next = looks.find((blocks) => blocks > look);
  if (next === undefined) return stop(`this was the last look, with ${describeOpen(open)}`);
  const added = planBlocks(spec, plan, { from: look, to: next, open });
  if (added.length === 0) return stop(`no point can have more blocks, with ${describeOpen(open)}`);
  const first = plan.filter(({ trial }) => !AGAIN.test(trial)); // repeats on a noisy machine are not in the budget
  const minutes = [...first, ...added].reduce((sum, planned) => sum + estimateTrialS(spec, planned), 0) / 60;
  if (minutes > budget_min) return stop(`the next look would come after ${Math.ceil(minutes)} min, and ${budget_min} are allowed, with ${describeOpen(open)}`);
  return { look: next, added, why: describeOpen(open) };
}

/** @param {Verdict[]} open @returns {string} */
const describeOpen = (open) => `${open.length} row${open.length === 1 ? '' : 's'} open (${[...new Set(open.map(({ claim }) => claim))].join(', ')})`;

/** Inconclusive with an interval that is still too wide: more trials may decide it. @param {Verdict} row @param {number} wanted */
function isOpen({ verdict, scale, n, mean, low, high }, wanted) {
  if (verdict !== 'inconclusive' || scale === 'range' || n === 0) return false;
  if (mean === null || low === null || high === null) return true;
  if (scale === 'log') return Math.log(high / low) / 2 > Math.log1p(wanted);
  return (high - low) / 2 > wanted * Math.abs(mean);
}

/**
 * A plan of more blocks begins with the plan of fewer, so adding blocks does not change earlier ones. Of the reference's points, only
 * those needed by added trials are added.
 * @param {Spec} spec @param {Planned[]} plan @param {{from: number, to: number, open: Verdict[]}} added blocks after `from`, up to `to`
 */
function planBlocks(spec, plan, { from, to, open }) {
  const whole = makePlan({ ...spec, phases: { ...spec.phases, repeats: to } });
  const first = whole.filter(({ block }) => block === 1); // each point once
  const parts = new Set(open.flatMap((row) => listParts(row, first)));
  const nameOf = (/** @type {import('../spec/points.js').Point | undefined} */ point) => `${point?.workload}\t${point?.setting}`;
  const held = new Set(first.filter(({ point }) => parts.has(point)).map((planned) => nameOf(findReference(spec, planned))));
  const takesPart = (/** @type {Planned} */ planned) =>
    (planned.engine === spec.reference?.engine ? held.has(nameOf(planned)) : parts.has(planned.point));
  return whole.filter((planned) => planned.block > from && takesPart(planned))
    .map((planned, index) => ({ ...planned, order: plan.length + index + 1 }));
}

/**
 * The two points of a ratio. An experiment's own row, such as one of a fit, names no single points: its parts are all points of its
 * engines under its workload, or under any.
 * @param {Verdict} row @param {Planned[]} plan @returns {number[]} points
 */
function listParts({ of, to, workload, setting, to_setting = setting }, plan) {
  const ends = [{ engine: of, setting }, { engine: to, setting: to_setting }];
  const isEnd = (/** @type {Planned} */ planned) =>
    planned.workload === workload && ends.some(({ engine, setting: at }) => planned.engine === engine && planned.setting === at);
  const named = plan.filter(isEnd);
  const ofEngines = plan.filter(({ engine }) => engine === of || engine === to);
  const ofBoth = ofEngines.filter((planned) => planned.workload === workload);
  const parts = [named, ofBoth, ofEngines].find(({ length }) => length > 0) ?? [];
  return [...new Set(parts.map(({ point }) => point))];
}

/** @param {import('../spec/spec.js').Precision} precision @returns {string} the text of `PLAN=1` */
export const describePrecision = ({ looks, ratio_half_width, budget_min }) =>
  `${looks[0]} to ${looks.at(-1)} blocks: looked at after ${looks.join(', ')}, until each claim is decided or known to within ${100 * ratio_half_width} %, or ${budget_min} min are over`;
