/**
 * judged.tsv for T14: the coefficient of variation of the balancers' CPU use, when the kernel decides which one accepts. It
 * includes all balancers; the ratio of the busiest to the idlest would use only two. With few cores, two processes seldom
 * want to accept at the same moment, so the imbalance does not show.
 */
import { group } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare, judgedColumns } from '../../analysis/points/comparisons.js';
import { variationOf } from '../../analysis/statistics/spread.js';

const METRIC = 'balancer_cpu_cv';
const CORES_NEEDED = 8;
const MIXES = ['9+21+1', '12+18+1'];

/**
 * @param {Record<string, string>[]} processes of processes.tsv
 * @returns {Record<string, string>[]} one row per trial with at least 2 balancers
 */
export function listVariations(processes) {
  const balancers = processes.filter(({ side, role }) => side === 'server' && role === 'balancer');
  return [...group(balancers, ({ trial }) => trial).values()].flatMap((rows) => {
    const value = variationOf(rows.map(({ cpu_cores }) => Number(cpu_cores)));
    return rows.length > 1 && Number.isFinite(value) ? [{ ...rows[0], metric: METRIC, value: digitsOf(value) }] : [];
  });
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, read, write, level }) {
  const needs = spec.environment.cores < CORES_NEEDED ? `${CORES_NEEDED} cores` : '-';
  const trials = listVariations(read('processes'));
  const comparisons = MIXES.map((mix) => ({
    claim: 'T14', era: '2014', workload: 'described', setting: `processes=${mix},scheduling=none`, metric: METRIC, of: 'socketcluster-2014',
    to: '-', criterion: '>0.5', needs,
  }));
  const judged = compare(comparisons, trials, level);
  write('judged', [...judgedColumns(judged), 'needs'], judged);
}
