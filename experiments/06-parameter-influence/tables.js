/**
 *   fits.tsv    elasticities of the server's CPU use with rate, connections and size
 *   judged.tsv  the differences of elasticities that decide T12: from 1 kB to 500 kB, the source's sizes
 *   sizes.tsv   elasticity of the size between neighbouring sizes
 *   source.tsv  the source's load: connections of all clients, their period, and files/s, also in thousands
 */
import { group, pairs } from 'd3-array';
import { COMPARISON_COLUMNS, FOUND_COLUMNS } from '../../analysis/points/comparisons.js';
import { FIT_COLUMNS, fitAll } from '../../analysis/points/fits.js';
import { POINT, nameOfPoint } from '../../analysis/points/points.js';
import { settingWithout } from '../../harness/common/setting.js';
import { listElasticities } from './elasticities.js';

/** @typedef {Record<string, string>} Row */

/** The nearest measured sizes around each of the source's sizes, in bytes: shown with the verdict. */
const NEAR = ['81-4000', '250000-700000'];
/** The range of T12, between the source's two sizes. */
const CHORD = '1000-500000';
const JUDGED = ['period_minus_size', 'connections_minus_size'];

/** @param {Row[]} fits @returns {Record<string, unknown>[]} rows of judged.tsv */
function judge(fits) {
  const shown = JUDGED.flatMap((parameter) => fits.filter((row) => row.parameter === parameter && row.setting === `payload_b=${CHORD}`));
  return shown.map(({ era, workload, setting, law, parameter, engine: of, n, value: mean, low, high, degrees, se: error }) => ({
    claim: 'T12', era, workload, setting, metric: `${law}_${parameter}`, of, criterion: '>0', n, mean, low, high,
    ...(low !== '-' && { scale: 'linear', degrees }), error,
  }));
}

/**
 * @param {Row[]} points
 * @returns {Record<string, unknown>[]} local elasticities: an exponent over a wide range is a mean, and hides where it is
 *   small or near 1
 */
export function listSizes(points) {
  const costs = points.filter(({ metric, mean }) => metric === 'server_cpu_s_per_1k' && Number(mean) > 0).flatMap((row) => {
    const size_b = Number(row['setting.payload_b'] ?? 0);
    return size_b > 0 ? [{ ...row, setting: settingWithout(row, 'payload_b'), size_b, cost: Number(row.mean) }] : [];
  });
  return [...group(costs, (row) => nameOfPoint(/** @type {any} */ (row))).values()].flatMap((rows) =>
    pairs([...rows].sort((a, b) => a.size_b - b.size_b)).map(([from, to]) => ({
      ...from, from_b: from.size_b, to_b: to.size_b,
      elasticity: (Math.log(to.cost / from.cost) / Math.log(to.size_b / from.size_b)).toFixed(4),
    })));
}

/** @param {any} spec */
function describeSource({ source_phases, load, workloads }) {
  const connections = source_phases.connections * load.client_processes;
  const { period_ms } = workloads.described.arrivals;
  return { connections, period_ms, files_hz: (1000 * connections) / period_ms, files_khz: connections / period_ms };
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, read, write, level }) {
  write('fits', FIT_COLUMNS, fitAll(listElasticities(read('trials'), [...NEAR, CHORD]), level));
  write('judged', [...COMPARISON_COLUMNS, ...FOUND_COLUMNS], judge(read('fits')));
  write('sizes', [...POINT, 'from_b', 'to_b', 'elasticity'], listSizes(read('points')));
  const source = describeSource(spec);
  write('source', Object.keys(source), [source]);
}
