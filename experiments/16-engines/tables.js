/** ranks.tsv: engines sorted by what a message costs, at several rates. */
import { RANK_COLUMNS, rankEngines } from '../../analysis/points/ranks.js';

/** Messages a second. */
const RATES_HZ = [1000, 5000, 20_000];

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, read, write, level }) {
  const [trials, steps, disturbed] = ['trials', 'steps', 'disturbed'].map(read);
  write('ranks', RANK_COLUMNS, RATES_HZ.flatMap((total_rate_hz) => rankEngines({ trials, steps, disturbed }, spec, { total_rate_hz }, { level })));
}
