/**
 *   fits.tsv    elasticities of the server's CPU use with rate, connections and size
 *   judged.tsv  the differences of elasticities that decide T12: from 1 kB to 500 kB, the source's sizes
 */
import { judgedColumns } from '../../analysis/points/comparisons.js';
import { FIT_COLUMNS, fitAll } from '../../analysis/points/fits.js';
import { listElasticities } from './elasticities.js';

/** The nearest measured sizes around each of the source's sizes, in bytes: shown with the verdict. */
const NEAR = ['81-4000', '250000-700000'];
/** The chord of T12, between the source's two sizes. */
const CHORD = '1000-500000';
const JUDGED = ['period_minus_size', 'connections_minus_size'];

/** @param {Record<string, string>[]} fits @returns {Record<string, unknown>[]} rows of judged.tsv */
function judge(fits) {
  const shown = JUDGED.flatMap((parameter) => fits.filter((row) => row.parameter === parameter && row.setting === `payload_b=${CHORD}`));
  return shown.map(({ era, workload, setting, law, parameter, engine: of, n, value: mean, low, high, degrees, se: error }) => ({
    claim: 'T12', era, workload, setting, metric: `${law}_${parameter}`, of, criterion: '>0', n, mean, low, high,
    ...(low !== '-' && { scale: 'linear', degrees }), error,
  }));
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ read, write, level }) {
  write('fits', FIT_COLUMNS, fitAll(listElasticities(read('trials'), NEAR, [CHORD]), level));
  const judged = judge(read('fits'));
  write('judged', judgedColumns(judged), judged);
}
