/**
 * Rows of T22: what a message costs a balancer, over what it costs a worker, each alone on a core, at the source's rate
 * as described: a ping each 2.5 s from each of 2,400 connections.
 */
import { group } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare } from '../../analysis/points/comparisons.js';
import { Curve, stands } from '../../analysis/statistics/curve.js';

/** @typedef {Record<string, string>} Row */

const RATE_HZ = 960;
const ROLES = ['balancer', 'worker'];
const METRIC = 'balancer_to_worker';
const ROW = {
  claim: 'T22',
  era: '2014',
  workload: 'sweep',
  setting: `rate_hz=${RATE_HZ}`, // over all connections; the row is known by this name in older verdicts
  metric: METRIC,
  of: 'socketcluster-2014',
  to: '-',
  to_setting: '-',
  to_metric: '-',
  criterion: '0.67..1.5',
  needs: '-',
  published: '1',
};

/** @param {Row[]} steps of one role in one trial @returns {number} cores that it uses at the rate; 0 where its curve has no two steps */
function coresOf(steps) {
  const curve = Curve.of(steps);
  return curve.points.length < 2 ? 0 : curve.coresAt(RATE_HZ);
}

/**
 * @param {Row[]} steps of steps.tsv
 * @returns {Row[]} as trials.tsv: the ratio of each block in which both roles were measured, each alone on its core
 */
export function listBalance(steps) {
  const own = steps.filter(({ engine, side, backlog_s }) => engine === ROW.of && side === 'server' && stands(backlog_s));
  const alone = own.filter((row) => Number(row.batch) === 1 && row['setting.cores'] === `alone-${row.role}`);
  return [...group(alone, ({ block }) => block)].flatMap(([block, rows]) => {
    const [balancer, worker] = ROLES.map((role) => coresOf(rows.filter((row) => row.role === role)));
    if (!(balancer > 0 && worker > 0)) return [];
    const { workload, setting } = ROW;
    return [{ ...rows[0], block, workload, setting, metric: METRIC, value: digitsOf(balancer / worker) }];
  });
}

/** @param {Row[]} steps @param {number} level @returns {Record<string, unknown>[]} of judged.tsv: nothing where no block has both */
export function judgeBalance(steps, level) {
  const ratios = listBalance(steps);
  return ratios.length ? compare([ROW], ratios, level) : [];
}
