/** The part that ranks an engine and its slower copy like `make rank`, by the sweep of an experiment that compares engines. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBundle } from '../../common/bundle.js';
import { UserError } from '../../common/failure.js';
import { SERVERS } from '../../common/places.js';
import { tablesOf } from '../../common/tables.js';
import { measureManifest, readToml, writeManifest } from '../../run/duet/duet.js';
import { readRanks } from '../../../report/rank.js';
import { ONE, PLAIN } from '../check-power.js';

/** @type {{experiment: string, workload: string, percent: number, share: number, calibration_blocks: number}} */
const PLANTED = readToml('check-trust', 'ranked.toml');

/**
 * @param {{experiment: string, workload: string}} from @param {string[]} engines @param {number} blocks @param {object} [changes]
 * @returns {string} experiment.toml: the experiment's own, reduced to these engines and the sweep
 */
export function writeSweep({ experiment, workload }, engines, blocks, changes) {
  const { points: _points, precision: _precision, reference: _reference, ...manifest } = readToml(experiment, 'experiment.toml');
  const axes = { engine: engines, workload: [workload] };
  const workloads = { [workload]: manifest.workloads[workload] };
  return writeManifest({ ...manifest, axes, workloads, ...changes }, { ...manifest.profiles.default, repeats: blocks });
}

/** @param {import('../../run/duet/variants.js').Variant[]} variants @param {number} blocks @param {number} seed */
const measureSweep = (variants, blocks, seed) =>
  measureManifest({ name: 'trust-ranked', manifest: writeSweep(PLANTED, variants.map(({ name }) => name), blocks), variants, seed });

/**
 * @param {Record<string, string>[]} ranks of the engine alone, at any rate
 * @param {(total_rate_hz: number) => Record<string, string>[]} rank
 * @returns {{total_rate_hz: number, burn_us: number}} the rate at which both are ranked, and the copy's CPU burn per message
 * @throws {UserError} if no trial is valid
 */
export function measureOut([alone], rank) {
  const total_rate_hz = Math.round((PLANTED.share * Number(alone?.saturation_hz)) / 100) * 100;
  const us = total_rate_hz > 0 ? Number(rank(total_rate_hz)[0]?.us_per_message) : NaN;
  if (us > 0) return { total_rate_hz, burn_us: Number(((us * PLANTED.percent) / 100).toFixed(2)) };
  throw new UserError('trust-ranked: no trial of the engine alone stands; see reduced/dropped.tsv of the run above, and run it on a quiet machine');
}

/** @param {string} bundle @param {number} total_rate_hz @returns {Record<string, string>[]} empty without a valid trial */
function rankAt(bundle, total_rate_hz) {
  const tables = tablesOf(bundle);
  return existsSync(join(tables, 'steps.tsv')) ? readRanks(tables, openBundle(bundle).spec, { total_rate_hz }) : [];
}

/** @param {import('./measure.js').Context} context @returns {Promise<import('./outcomes.js').Ranked>} */
export async function measureRanked({ size, seed, bundles }) {
  const original = { name: `${ONE}-${PLAIN}`, folder: join(SERVERS, ONE) };
  const alone = await measureSweep([original], PLANTED.calibration_blocks, seed);
  const { total_rate_hz, burn_us } = measureOut(rankAt(alone, 1), (rate) => rankAt(alone, rate));
  const copy = { ...original, name: `${ONE}-plus${PLANTED.percent}`, burn_us };
  bundles.ranked = await measureSweep([original, copy], size.rank_blocks, seed);
  const rows = rankAt(bundles.ranked, total_rate_hz);
  return { total_rate_hz, burn_us, percent: PLANTED.percent, original: original.name, copy: copy.name, rows };
}
