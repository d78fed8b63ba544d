/** ranks.tsv: engines sorted by what a message costs, at several rates. */
import { AT_LEAST_COLUMN, RANK_COLUMNS, rankEngines } from '../../analysis/points/ranks.js';

/** Messages a second. */
const RATES_HZ = [1000, 5000, 20_000];

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ read, write, level }) {
  const [trials, steps, disturbed] = ['trials', 'steps', 'disturbed'].map(read);
  const isTold = trials.some(({ metric }) => metric === 'saturation_at_least');
  write('ranks', [...RANK_COLUMNS, ...(isTold ? [AT_LEAST_COLUMN] : [])],
    RATES_HZ.flatMap((total_rate_hz) => rankEngines(trials, steps, total_rate_hz, level, disturbed)));
}
