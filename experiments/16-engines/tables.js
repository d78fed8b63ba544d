/** ranks.tsv: engines sorted by cost per message, at several rates; surface.tsv: cost per message at the loads of the design. */
import { MULTIPLE_COLUMNS } from '../../analysis/points/multiples.js';
import { centreCells } from '../../analysis/points/points.js';
import { COST, RANK_COLUMNS, rankEngines } from '../../analysis/points/ranks.js';
import { RATES_HZ } from '../../analysis/points/runs.js';
import { fitReference, fitSurfaces, multiplesOf } from '../../analysis/points/surface.js';

/** @import { Design, Surface } from '../../analysis/points/surface.js' */

/** Messages per second. */
const GRID_HZ = [500, 1000, 2000, 5000, 10_000, 20_000, 50_000];
const SURFACE_COLUMNS = [
  'workload', 'setting', 'era', 'engine', 'connections', 'payload_b', 'is_usual', 'total_rate_hz', 'n', ...COST, 'how', ...MULTIPLE_COLUMNS,
];

/**
 * @param {Design} design @param {Surface | undefined} reference @param {number} level of the intervals
 * @returns {Record<string, unknown>[]} of surface.tsv: a row per engine, cell and rate with a known cost
 */
const tabulate = ({ surfaces, usual, ...labels }, reference, level) =>
  surfaces.flatMap((surface) => surface.cells.flatMap(({ connections, payload_b }) => GRID_HZ.flatMap((total_rate_hz) => {
    const at = { total_rate_hz, connections, payload_b };
    const found = surface.answer(at);
    if ('why' in found || found.how === 'extrapolated') return [];
    const is_usual = connections === usual.connections && payload_b === usual.payload_b ? 'yes' : 'no';
    return [{
      ...labels, era: surface.era, engine: surface.engine, connections, payload_b, is_usual, total_rate_hz, n: found.costs.length,
      how: found.how, ...centreCells(found.costs.map(({ log }) => Math.exp(log)), COST, level),
      ...centreCells(multiplesOf(found.costs, reference, at), MULTIPLE_COLUMNS, level),
    }];
  })));

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, read, write, level }) {
  const [trials, steps, disturbed, reference, referenceSteps] = ['trials', 'steps', 'disturbed', 'reference', 'reference-steps'].map(read);
  const tables = { trials, steps, disturbed, reference, referenceSteps };
  write('ranks', RANK_COLUMNS, RATES_HZ.flatMap((total_rate_hz) => rankEngines(tables, spec, { total_rate_hz }, { level })));
  const held = fitReference(tables, spec);
  write('surface', SURFACE_COLUMNS, fitSurfaces(tables, spec).flatMap((design) => tabulate(design, held, level)));
}
