/** ranks.tsv: engines sorted by cost per message, at several rates; surface.tsv: cost per message at the loads of the design. */
import { RANK_COLUMNS, rankEngines } from '../../analysis/points/ranks.js';
import { fitSurfaces } from '../../analysis/points/surface.js';
import { SURFACE_COLUMNS, fitReference, tabulate } from '../../analysis/points/surface-table.js';

/** Messages per second. */
const RATES_HZ = [1000, 5000, 20_000];
const GRID_HZ = [500, 1000, 2000, 5000, 10_000, 20_000, 50_000];

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, read, write, level }) {
  const [trials, steps, disturbed, reference, referenceSteps] = ['trials', 'steps', 'disturbed', 'reference', 'reference-steps'].map(read);
  const tables = { trials, steps, disturbed, reference, referenceSteps };
  write('ranks', RANK_COLUMNS, RATES_HZ.flatMap((total_rate_hz) => rankEngines(tables, spec, { total_rate_hz }, { level })));
  const held = fitReference(tables, spec);
  write('surface', SURFACE_COLUMNS, fitSurfaces(tables, spec).flatMap((design) => tabulate(design, held, GRID_HZ, level)));
}
