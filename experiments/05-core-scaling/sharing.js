/** Rows of T10: what workers and balancers use together, at one load, where there are more of them. */
import { group } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare } from '../../analysis/points/comparisons.js';
import { settingsIn } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */

const METRIC = 'shared_cpu_cores';
/** "30 to 50 %" of six processes, after 50 % of four. */
const PUBLISHED = '1.2';
const SHARED = ['balancer', 'worker'];
const ROWS = [
  { era: '2014', of: 'socketcluster-2014', setting: 'processes=3+3+1', to_setting: 'processes=2+2+1' },
  { era: 'today', of: 'socketcluster-14', setting: 'processes=3+1', to_setting: 'processes=2+1' },
];

/**
 * @param {Row[]} trials of trials.tsv
 * @param {Map<string, {role: string, count: number}[]>} roles of each engine, in the order of a mix
 * @returns {Row[]} more of trials.tsv: cores in use by all processes that the load is shared among
 */
export function listShared(trials, roles) {
  const counted = trials.filter((row) => Object.keys(settingsIn(row)).join() === 'processes' && /_cpu_cores_mean$/.test(row.metric));
  return [...group(counted, ({ trial }) => trial).values()].map((rows) => {
    const counts = rows[0]['setting.processes'].split('+').map(Number);
    const cores = (roles.get(rows[0].engine) ?? []).map(({ role }, index) => {
      const mean = rows.find(({ metric }) => metric === `${role}_cpu_cores_mean`)?.value ?? 0;
      return SHARED.includes(role) ? Number(mean) * counts[index] : 0;
    });
    return { ...rows[0], metric: METRIC, value: digitsOf(cores.reduce((sum, each) => sum + each, 0)) };
  });
}

/**
 * @param {Row[]} trials
 * @param {Map<string, {role: string, count: number}[]>} roles
 * @param {number} level
 * @returns {Record<string, unknown>[]} of judged.tsv: those of which there are trials
 */
export function judgeSharing(trials, roles, level) {
  const shared = listShared(trials, roles);
  const comparisons = ROWS.filter(({ of, setting }) => shared.some((row) => row.engine === of && row.setting === setting));
  const rows = comparisons.map((row) => ({
    claim: 'T10',
    workload: 'described',
    metric: METRIC,
    to: row.of,
    to_metric: METRIC,
    criterion: '>1.05',
    published: PUBLISHED,
    needs: '-',
    ...row,
  }));
  return compare(rows, shared, level);
}
