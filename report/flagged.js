/** Flagged trials: a point without valid trials shows their numbers with a mark. They never decide a claim. */
import { join } from 'node:path';
import { readTsv } from '../harness/common/files.js';
import { adviseOn, findRule } from '../analysis/trials/validity.js';
import { AGAIN } from '../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{engine: string, workload: string, setting: string}} Point */

/** Follows a number of flagged trials. */
export const MARK = '*';
/** Trials or steps named for each reason. The tables have the others. */
const NAMED_MAX = 3;

/**
 * @param {string} reduced folder of tables
 * @returns {(point: Point) => {rows: Row[], isFlagged: boolean}} a point's rows of points.tsv; without a valid trial, of
 *   flagged-points.tsv
 */
export function standingOf(reduced) {
  const [points, flagged] = ['points', 'flagged-points'].map((table) => readTsv(join(reduced, `${table}.tsv`)));
  return ({ engine, workload, setting }) => {
    const isOf = (/** @type {Row} */ row) => row.engine === engine && row.workload === workload && row.setting === setting;
    const rows = points.filter(isOf);
    if (rows.length) return { rows, isFlagged: false };
    const instead = flagged.filter(isOf);
    return { rows: instead, isFlagged: instead.length > 0 };
  };
}

/** @param {Row[]} dropped rows of dropped.tsv @returns {[string, Row[]][]} by reason, the most frequent first */
const groupReasons = (dropped) => [...Map.groupBy(dropped, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);

/** Of a trial that failed before it was run once more. */
const ATTEMPT = /\.attempt-\d+$/;

/** @param {Row[]} plan @param {Row[]} dropped rows of dropped.tsv @returns rows of trials without a valid repeat, and how many have one */
export function splitRepaired(plan, dropped) {
  const baseOf = (/** @type {string} */ trial) => trial.replace(ATTEMPT, '').replace(AGAIN, '');
  const left = new Set(dropped.map(({ trial }) => trial));
  const failed = new Set(dropped.filter(({ trial }) => ATTEMPT.test(trial)).map(({ trial }) => trial.replace(ATTEMPT, '')));
  const isSecond = (/** @type {string} */ trial) => AGAIN.test(trial) || failed.has(trial);
  const stand = new Set(plan.map(({ trial }) => trial).filter((trial) => isSecond(trial) && !left.has(trial)).map(baseOf));
  const open = dropped.filter(({ trial }) => !stand.has(baseOf(trial)) && !ATTEMPT.test(trial)); // where all failed: the last
  return { open, repaired: new Set(dropped.map(({ trial }) => baseOf(trial)).filter((base) => stand.has(base))).size };
}

/** @param {Row[]} plan @param {Row[]} dropped rows of dropped.tsv @returns how many trials were planned and are flagged, and by what */
export function countFlagged(plan, dropped) {
  const groups = groupReasons(splitRepaired(plan, dropped).open.filter(({ reason }) => findRule(reason)));
  const count = (/** @type {Row[]} */ rows) => new Set(rows.map(({ trial }) => trial.replace(AGAIN, ''))).size;
  return { planned: count(plan), trials: count(groups.flatMap(([, rows]) => rows)), groups };
}

/** @param {Row[]} plan @param {Row[]} dropped rows of dropped.tsv @returns how many trials are flagged, why, and what to do; '' if none */
export function describeFlagged(plan, dropped) {
  const { planned, trials, groups } = countFlagged(plan, dropped);
  if (trials === 0) return '';
  const why = groups.map(([reason, rows]) => `${reason} ${rows.length}`).join(', ');
  const todo = adviseOn(groups.map(([reason]) => reason)).join('; ');
  return `${trials} of ${planned} trials are flagged (${why}): where no other trial of a point stands their numbers are shown with ${MARK}, and no claim is judged by them; what to do: ${todo}; then run again`;
}

/** @param {Row[]} rows @param {string} table @param {(row: Row) => string} tell @returns {string} the first, and how many more */
function nameFirst(rows, table, tell) {
  const more = rows.length > NAMED_MAX ? [`and ${rows.length - NAMED_MAX} more in reduced/${table}.tsv`] : [];
  return [...rows.slice(0, NAMED_MAX).map(tell), ...more].join(', ');
}

/** @param {Row[]} rows of one reason @returns {string} */
const tellBounds = (rows) => [...new Set(rows.map(({ bound }) => bound))].join(' or ');

/** @param {Row[]} disturbed rows of disturbed.tsv @returns {string[]} one line per rule, with the first steps that it flags */
export const listDisturbed = (disturbed) => groupReasons(disturbed).map(([reason, rows]) => {
  const what = rows[0].leaves === 'latency' ? 'latencies left out' : 'left out of their trials';
  const steps = nameFirst(rows, 'disturbed', ({ trial, step, total_rate_hz, value }) => `step ${step} (${total_rate_hz} msg/s) of ${trial} ${value}`);
  return `${what}: ${reason} (bound ${tellBounds(rows)}): ${steps}; ${adviseOn([reason]).join('; ')}`;
});

/** @param {Row[]} dropped rows of dropped.tsv @returns {string[]} one line per reason, with its first trials */
export const listDropped = (dropped) => groupReasons(dropped).map(([reason, rows]) => {
  const bound = rows[0].bound === '-' ? '' : ` (bound ${tellBounds(rows)})`;
  return `left out: ${reason}${bound}: ${nameFirst(rows, 'dropped', ({ trial, value }) => `${trial}${value === '-' ? '' : ` ${value}`}`)}`;
});
