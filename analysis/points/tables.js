/**
 * Computes tables from the trials' metrics. It needs no captures, so it works on a published result too; a second run
 * writes the same. Reads spec.json, plan.tsv and comparisons.tsv of a bundle, and trials.tsv and the other tables of
 * trials/bundle.js. Writes:
 *
 *   trials.tsv          again, with derived metrics
 *   points.tsv          means over trials with intervals; dollars.tsv: the same in money
 *   compared.tsv        the comparisons of the claims; generators.tsv: two generators compared, at points run with both
 *   flagged-points.tsv  as points.tsv, over flagged.tsv alone
 *   curves.tsv          of a sweep: cost per message against the rate; parts.tsv: its split into idling, wake-ups, messages
 *   steps.tsv, disturbed.tsv  of bundles up to form 3: again, without steps on cold connections (cold-steps.js)
 *   without-reference.tsv  trials without a multiple although their load has a reference, and why (multiples.js)
 *
 * An experiment's own tables.js, if any, adds further tables (judged.tsv: more rows to judge).
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSpec } from '../../harness/common/bundle.js';
import { asText, readTsv, writeTsv } from '../../harness/common/files.js';
import { EXPERIMENTS } from '../../harness/common/places.js';
import { LEVEL } from '../statistics/intervals.js';
import { TRIAL_COLUMNS } from '../trials/bundle.js';
import { loadDerivations } from '../trials/own.js';
import { FOUND_COLUMNS, GENERATOR_COLUMNS, compare, foundColumns, pairGenerators } from './comparisons.js';
import { leaveOutColdSteps } from './cold-steps.js';
import { DOLLAR_COLUMNS, PRICES, REGION, computeDollars } from './dollars.js';
import { CURVE_COLUMNS, SHARE_COLUMN, computeCurves } from './curves.js';
import { computeMixes } from './mixes.js';
import { MULTIPLE_COLUMNS, Multiples, WITHOUT_COLUMNS, isMultiple } from './multiples.js';
import { PART_COLUMNS, computeParts } from './parts.js';
import { POINT_COLUMNS, computePoints } from './points.js';
import { computeShares } from './shares.js';
import { listSpared } from './spared.js';

/** @typedef {Record<string, string>} Row */
/**
 * Argument of `makeTables(tables)` in an experiment's own tables.js, which writes further tables.
 * @typedef {object} Tables
 * @property {any} spec @property {Row[]} plan @property {Row[]} comparisons @property {number} level of intervals
 * @property {string} out the folder of the tables
 * @property {(name: string) => Row[]} read a table
 * @property {(name: string, columns: string[], rows: Record<string, unknown>[]) => void} write
 * @property {(trial: string) => string} rawOf the folder of a trial's captures
 * @property {boolean} hasCaptures false for a published result, which includes the tables of single trials
 */

/** @param {string} bundle @param {string} out its folder of tables, perhaps a temporary one */
export async function makeTables(bundle, out) {
  const spec = readSpec(bundle);
  const plan = readTsv(join(bundle, 'plan.tsv')).filter(({ engine }) => engine !== spec.reference?.engine); // it is in no table of engines
  const own = join(EXPERIMENTS, spec.experiment);
  const read = (/** @type {string} */ name) => readTsv(join(out, `${name}.tsv`));
  /** @type {Tables['write']} */
  const write = (name, columns, rows) => writeTsv(join(out, `${name}.tsv`), columns, rows);
  leaveOutColdSteps(spec, { read, write });
  await deriveMetrics(spec, { plan, own, read, write }, 'trials', 'steps');
  const multiples = spec.reference && addMultiples(spec, read, write);
  const [trials, level] = [read('trials'), spec.precision?.level ?? LEVEL];
  const points = multiples ? computeBoth(trials, multiples) : computePoints(trials);
  write('points', POINT_COLUMNS, points);
  write('dollars', DOLLAR_COLUMNS, computeDollars(readTsv(PRICES), REGION, plan, asText(points), messagesOf(spec)));
  if (existsSync(join(out, 'flagged.tsv'))) {
    await deriveMetrics(spec, { plan, own, read, write }, 'flagged', 'flagged-steps');
    write('flagged-points', POINT_COLUMNS, computePoints(read('flagged')));
  }
  const pairs = pairGenerators(plan);
  if (pairs.length) write('generators', [...GENERATOR_COLUMNS, ...FOUND_COLUMNS], compare(pairs, trials));
  const steps = read('steps');
  if (steps.length) {
    write('curves', curveColumns(steps, multiples), computeCurves(steps, multiples));
    write('parts', PART_COLUMNS, computeParts(steps));
  }
  const comparisons = readTsv(join(bundle, 'comparisons.tsv'));
  const [header] = readFileSync(join(bundle, 'comparisons.tsv'), 'utf8').split('\n');
  const compared = compare(comparisons, trials, level, listSpared(read('flagged'), read('dropped'), trials));
  write('compared', [...header.split('\t'), ...foundColumns(compared)], compared);
  rmSync(join(out, 'judged.tsv'), { force: true }); // of an experiment that no longer writes one
  if (!existsSync(join(own, 'tables.js'))) return;
  const module = await import(join(own, 'tables.js'));
  const rawOf = (/** @type {string} */ trial) => join(bundle, 'trials', trial, 'raw');
  module.makeTables({ spec, plan, comparisons, level, out, read, write, rawOf, hasCaptures: existsSync(join(bundle, 'trials')) });
}

/** @param {Row[]} steps @param {Multiples} [multiples] */
const curveColumns = ([step], multiples) =>
  [...CURVE_COLUMNS, ...(SHARE_COLUMN in step ? [SHARE_COLUMN] : []), ...(multiples ? MULTIPLE_COLUMNS : [])];

/**
 * Adds the multiples of each trial to trials.tsv, in place of earlier ones.
 * @param {any} spec @param {Tables['read']} read @param {Tables['write']} write @returns {Multiples}
 */
function addMultiples(spec, read, write) {
  const [reference, referenceSteps] = [read('reference'), read('reference-steps')];
  const multiples = new Multiples(spec, { trials: reference, steps: referenceSteps, dropped: read('dropped') });
  const kept = read('trials').filter((row) => !isMultiple(row));
  const { metrics, without } = multiples.compute(kept, read('steps'));
  write('trials', TRIAL_COLUMNS, [...kept, ...metrics]);
  write('without-reference', WITHOUT_COLUMNS, without);
  return multiples;
}

/**
 * A block without its reference says nothing about an engine, so its multiples come from the other blocks.
 * @param {Row[]} trials @param {Multiples} multiples @returns {Record<string, string | number>[]} of points.tsv
 */
function computeBoth(trials, multiples) {
  const isHeld = (/** @type {Row} */ row) => 'costAt' in (multiples.of(row) ?? {});
  const ofMultiples = computePoints(trials.filter(isHeld)).filter(({ metric }) => isMultiple({ metric: String(metric) }));
  return [...computePoints(trials.filter((row) => !isMultiple(row))), ...ofMultiples];
}

/** @param {any} spec @returns {import('./dollars.js').Messages} */
function messagesOf({ load, workloads }) {
  const bytes = load.payload?.bytes;
  const isSized = (/** @type {string} */ name) => /"(sizes_b|loads)":/.test(JSON.stringify(workloads[name]));
  const payload_b = typeof bytes === 'object' ? 'drawn' : (bytes ?? 0);
  return { payload_b, behaviour: load.behaviour, own_sizes: Object.keys(workloads).filter(isSized) };
}

/**
 * Adds metrics derived from other tables, in place of earlier ones. So old results get new metrics too.
 * @param {any} spec @param {{plan: Row[], own: string, read: Tables['read'], write: Tables['write']}} given
 * @param {string} trials name of a table @param {string} steps
 */
async function deriveMetrics(spec, { plan, own, read, write }, trials, steps) {
  const [before, stepRows] = [read(trials), read(steps)];
  const derivations = await loadDerivations(spec);
  if (before.length === 0 || (stepRows.length === 0 && derivations.length === 0)) return;
  const rows = derivations.reduce((derived, derive) => derive(derived, plan), before);
  const mixes = readTsv(join(own, 'mixes.tsv'));
  const hasShares = stepRows.some((row) => SHARE_COLUMN in row);
  const isDerived = (/** @type {Row} */ { metric }) =>
    (mixes.length > 0 && /_per_1k_at_/.test(metric)) || (hasShares && /_at_(load_)?[0-9]+$|^server_cpu_ms_per_connection$/.test(metric));
  const kept = rows.filter((row) => !isDerived(row));
  const shares = hasShares ? computeShares(kept, stepRows) : [];
  write(trials, TRIAL_COLUMNS, [...kept, ...computeMixes(mixes, kept, stepRows), ...shares]);
}
