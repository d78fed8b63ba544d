/** The part that compares a surface's answers with a later run of the same day, at loads the surface was not fitted to. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { extent, groups, mean, rollup } from 'd3-array';
import { fitSurfaces } from '../../../analysis/points/surface.js';
import { geometricMean } from '../../../analysis/statistics/spread.js';
import { openBundle } from '../../common/bundle.js';
import { UserError } from '../../common/failure.js';
import { readTsv } from '../../common/files.js';
import { SERVERS } from '../../common/places.js';
import { tablesOf } from '../../common/tables.js';
import { measureManifest, readToml } from '../../run/duet/duet.js';
import { writeSweep } from './ranked.js';

/** @typedef {import('../../../analysis/points/surface.js').Design} Design */
/**
 * @typedef {import('../../../analysis/points/surface.js').At & {engine: string, how: string, answered?: number, measured: number,
 *   apart?: number}} Answer in µs per message; without `answered` if the surface has none, and `how` says why; `apart`: the dearest trial
 *   of the load over the cheapest, less 1, from two trials on; a trial may have several steps of a load
 */

const PLAN = readToml('check-trust', 'surface.toml');

/** @param {string[]} engines @param {number} blocks @param {boolean} isHeld take the held-out loads instead of the surface's design */
export function writeDesign(engines, blocks, isHeld) {
  const { points, workloads: { [PLAN.workload]: sweep } } = readToml(PLAN.experiment, 'experiment.toml');
  const isOfSweep = (/** @type {any} */ { workload, profiles }) => workload.includes(PLAN.workload) && (profiles?.includes('default') ?? true);
  const steps = PLAN.held.total_rate_hz.map((/** @type {number} */ total_rate_hz) => ({ total_rate_hz }));
  const held = { ...sweep, arrivals: { ...sweep.arrivals, steps } };
  const cells = isHeld ? PLAN.held.cells : points.filter(isOfSweep);
  return writeSweep(PLAN, engines, blocks, {
    points: cells.map((/** @type {any} */ { profiles: _profiles, ...cell }) => ({ ...cell, engine: engines, workload: [PLAN.workload] })),
    workloads: { [PLAN.workload]: isHeld ? held : sweep },
  });
}

/** @param {string} bundle @returns {Design[]} empty without a valid trial */
function readDesigns(bundle) {
  const [trials, steps] = ['trials', 'steps'].map((name) => join(tablesOf(bundle), `${name}.tsv`));
  return existsSync(steps) ? fitSurfaces({ trials: readTsv(trials), steps: readTsv(steps) }, openBundle(bundle).spec) : [];
}

/** @param {Design[]} designs of the surface @param {Design[]} held the held-out loads @returns {Answer[]} one per held-out load */
export function answerHeld([design], [held]) {
  if (!design || !held) return [];
  return held.surfaces.flatMap(({ engine, data }) => {
    const surface = design.surfaces.find((each) => each.engine === engine);
    // A step beyond saturation was run at a share of it, so at another rate in each trial
    const asked = data.filter(({ row }) => (row.share ?? '-') === '-');
    const loads = groups(asked, ({ row, connections, payload_b }) => `${row.total_rate_hz} ${connections} ${payload_b}`);
    return loads.flatMap(([, own]) => {
      const [{ row, connections, payload_b }] = own;
      const at = { total_rate_hz: Number(row.total_rate_hz), connections, payload_b };
      const found = surface?.answer(at);
      const [measured, answered] = [own, found && 'costs' in found ? found.costs : []].map((all) => geometricMean(all.map(({ log }) => Math.exp(log))));
      const ofTrials = [...rollup(own, (steps) => Number(mean(steps, ({ log }) => log)), (step) => step.row.trial).values()];
      const [least, most] = extent(ofTrials);
      const apart = ofTrials.length > 1 ? { apart: Math.exp(Number(most) - Number(least)) - 1 } : {};
      if (!found || 'why' in found) return [{ engine, ...at, how: found?.why ?? 'no trial stands', measured, ...apart }];
      return [{ engine, ...at, how: found.how, answered, measured, ...apart }];
    });
  });
}

/** @param {import('./measure.js').Context} context @returns {Promise<{answers: Answer[], within: number, share: number}>} */
export async function measureHeld({ size, seed, bundles }) {
  const engines = PLAN.engines.slice(0, size.surface_engines);
  const variants = engines.map((/** @type {string} */ name) => ({ name, folder: join(SERVERS, name) }));
  const measure = (/** @type {string} */ name, /** @type {boolean} */ isHeld) => measureManifest(
    { name, manifest: writeDesign(engines, size.surface_blocks, isHeld), variants, seed: isHeld ? seed + 1 : seed });
  bundles.surface = await measure('trust-surface', false);
  const answers = answerHeld(readDesigns(bundles.surface), readDesigns(await measure('trust-held', true)));
  if (answers.length === 0) throw new UserError('trust-surface: no trial stands; see reduced/dropped.tsv of the runs above, and run it on a quiet machine');
  return { answers, within: PLAN.within, share: PLAN.share };
}
