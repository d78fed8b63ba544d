/** transports.tsv: bytes per update and delays of each point, on one line. */
import { group } from 'd3-array';
import { POINT, nameOfPoint } from '../../analysis/points/points.js';

/** @type {Record<string, string>} metrics by name in the table */
const SHOWN = { b: 'wire_b_per_update', p50_ms: 'latency_p50_ms', p99_ms: 'latency_p99_ms' };
const COLUMNS = Object.keys(SHOWN).flatMap((name) => [name, `${name}_low`, `${name}_high`]);

/** @param {Record<string, string>[]} points @returns {Record<string, string>[]} "-" for missing values */
export function listTransports(points) {
  const shown = group(points.filter(({ metric }) => Object.values(SHOWN).includes(metric)), nameOfPoint);
  return [...shown.values()].map((rows) => ({
    ...rows[0],
    ...Object.fromEntries(Object.entries(SHOWN).flatMap(([name, metric]) => {
      const { mean = '-', low = '-', high = '-' } = rows.find((row) => row.metric === metric) ?? {};
      return [[name, mean], [`${name}_low`, low], [`${name}_high`, high]];
    })),
  }));
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export const makeTables = ({ read, write }) => write('transports', [...POINT, 'n', ...COLUMNS], listTransports(read('points')));
