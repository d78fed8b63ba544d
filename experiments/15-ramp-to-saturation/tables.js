/**
 *   seconds.tsv  what clients saw in each second of a ramp
 *   medians.tsv  the same over trials: medians, and the middle half of the trials
 *   knees.tsv    where latency left its level, trial by trial; ramps.tsv: the same over trials, with intervals
 * judged.tsv   C3: twice as many clients over half as many; C4: the knee against what is answered beyond it, of each
 *              block the mean of its
 *                ramps, for C4 is of the server and not of how many clients there are
 */
import { group, mean } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { COMPARISON_COLUMNS, FOUND_COLUMNS, compare } from '../../analysis/points/comparisons.js';
import { POINT_COLUMNS, computePoints, nameOfPoint } from '../../analysis/points/points.js';
import { formatSetting, parseSetting } from '../../harness/common/setting.js';
import { METRIC_ROW, findKnees } from './knees.js';
import { MEDIAN_COLUMNS, SECOND_COLUMNS, computeMedians, listSeconds } from './seconds.js';

/** @typedef {Record<string, string>} Row */

/**
 * A server answers no more than falls due: where a ramp ends short of this, C4's ratio can hardly fall below 0.8
 * whatever the server does.
 */
const GOES_ON_MIN = 1.25 / 0.8;
const C3 = ['plateau_hz', 'level_p50_ms'];

/** @param {string} setting @returns {[others: string, clients: number]} */
function splitClients(setting) {
  const { client_processes: clients, ...others } = parseSetting(setting);
  return [formatSetting(others), Number(clients)];
}

/**
 * @param {Row[]} knees
 * @returns {Row[]} of each block the geometric mean over its ramps, as a trial with the rest of their setting
 */
function averageBlocks(knees) {
  const ratios = knees.filter(({ metric }) => metric === 'knee_to_plateau').map((row) => ({ ...row, setting: splitClients(row.setting)[0] }));
  const blocks = group(ratios, (row) => `${row.block}\t${nameOfPoint(/** @type {any} */ (row))}`);
  return [...blocks.values()].map((rows, index) => ({
    ...rows[0], trial: `block-${index + 1}`, value: digitsOf(Math.exp(Number(mean(rows, ({ value }) => Math.log(Number(value)))))),
  }));
}

/** @param {Row[]} plan @returns {Row[]} rows of the claims, for each engine of the plan */
function listComparisons(plan) {
  const points = [...group(plan, ({ era, engine, setting }) => [era, engine, setting].join('\t')).values()].map(([{ era, engine, workload, setting }]) => {
    const [others, clients] = splitClients(setting);
    return { era, engine, workload, setting, others, clients };
  });
  const servers = group(points, ({ era, engine, workload, others }) => [era, workload, others, engine].join('\t'));
  const ofServers = [...servers.values()].map(([{ era, engine, workload, others }]) => (
    { claim: 'C4', era, workload, setting: others, metric: 'knee_to_plateau', of: engine, to: '-', criterion: '0.8..1.25' }));
  const ofClients = points.flatMap((more) => points
    .filter((less) => more.engine === less.engine && more.others === less.others && more.clients === 2 * less.clients)
    .flatMap((less) => C3.map((metric) => ({
      claim: 'C3', era: more.era, workload: more.workload, setting: more.setting, metric, of: more.engine,
      to: less.engine, to_setting: less.setting, to_metric: metric, criterion: '0.95..1.05',
    }))));
  return /** @type {Row[]} */ ([...ofServers, ...ofClients]);
}

/** @param {Row[]} knees @param {string} engine @returns {boolean} do most of its ramps end soon after their knee? */
function isShort(knees, engine) {
  const ends = knees.filter((row) => row.metric === 'due_to_knee' && row.engine === engine).map(({ value }) => Number(value) < GOES_ON_MIN);
  return ends.filter(Boolean).length > ends.length / 2;
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ plan, read, write, rawOf, hasCaptures, level }) {
  const standing = new Set(read('trials').map(({ trial }) => trial));
  if (hasCaptures) write('seconds', SECOND_COLUMNS, plan.filter(({ trial }) => standing.has(trial)).flatMap((row) => listSeconds(row, rawOf(row.trial))));
  const seconds = read('seconds');
  write('medians', MEDIAN_COLUMNS, computeMedians(seconds));
  const knees = findKnees(seconds);
  write('knees', METRIC_ROW, knees);
  write('ramps', POINT_COLUMNS, computePoints(knees, level));
  const judged = compare(listComparisons(plan), [...knees, ...averageBlocks(knees)], level);
  write('judged', [...COMPARISON_COLUMNS, ...FOUND_COLUMNS, 'needs'],
    judged.map((row) => ({ ...row, needs: row.claim === 'C4' && isShort(knees, String(row.of)) ? '8 cores' : '-' })));
}
