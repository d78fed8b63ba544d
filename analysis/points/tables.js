/**
 * What is computed of the trials' numbers, without the captures: for a result of record too. A second run writes the
 * same. Reads spec.json, plan.tsv and comparisons.tsv of a bundle, and of its folder of tables trials.tsv and what else
 * trials/bundle.js made. Writes there:
 *
 *   trials.tsv          again, with the metrics that follow from others
 *   points.tsv          means over trials with intervals; dollars.tsv: the same in money
 * compared.tsv        what the claims compare; generators.tsv: where points were run with two generators, the one
 *                     against the other
 *   flagged-points.tsv  as points.tsv, over flagged.tsv alone
 * curves.tsv          of a sweep: the cost of a message against the rate; parts.tsv: what of it is idling, wake-ups,
 *                     messages
 *   reference-curves.tsv   the same of the reference, where the engines are held against one; without-reference.tsv: trials
 *                     that have no multiple of it, though their load has one, and why (multiples.js)
 *
 * and what the experiment's own tables.js makes of them, where it has one (judged.tsv: more rows to judge).
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readTsv, writeTsv } from '../../harness/common/files.js';
import { EXPERIMENTS, ROOT } from '../../harness/common/places.js';
import { LEVEL } from '../statistics/intervals.js';
import { TRIAL_COLUMNS } from '../trials/bundle.js';
import { loadDerivations } from '../trials/own.js';
import { FOUND_COLUMNS, GENERATOR_COLUMNS, compare, foundColumns, pairGenerators } from './comparisons.js';
import { DOLLAR_COLUMNS, computeDollars } from './dollars.js';
import { CURVE_COLUMNS, MULTIPLE_COLUMNS, SHARE_COLUMN, computeCurves } from './curves.js';
import { computeMixes } from './mixes.js';
import { Multiples, WITHOUT_COLUMNS, isMultiple } from './multiples.js';
import { PART_COLUMNS, computeParts } from './parts.js';
import { POINT_COLUMNS, computePoints } from './points.js';
import { computeShares } from './shares.js';
import { listSpared } from './spared.js';

/** @typedef {Record<string, string>} Row */
/**
 * What an experiment's own tables.js is given: `makeTables(tables)` writes more of them.
 * @typedef {object} Tables
 * @property {any} spec @property {Row[]} plan @property {Row[]} comparisons @property {number} level of intervals
 * @property {string} out the folder of the tables
 * @property {(name: string) => Row[]} read a table
 * @property {(name: string, columns: string[], rows: Record<string, unknown>[]) => void} write
 * @property {(trial: string) => string} rawOf the folder of a trial's captures
 * @property {boolean} hasCaptures false: a result of record, whose tables of single trials came with it
 */

const REGION = 'us-east-1';

/** @param {string} bundle @param {string} out its folder of tables, or what will become it */
export async function makeTables(bundle, out) {
  const spec = readJson(join(bundle, 'spec.json'));
  const plan = readTsv(join(bundle, 'plan.tsv')).filter(({ engine }) => engine !== spec.reference?.engine); // it is in no table of engines
  const own = join(EXPERIMENTS, spec.experiment);
  const read = (/** @type {string} */ name) => readTsv(join(out, `${name}.tsv`));
  /** @type {Tables['write']} */
  const write = (name, columns, rows) => writeTsv(join(out, `${name}.tsv`), columns, rows);
  await deriveMetrics(spec, { plan, own, read, write }, 'trials', 'steps');
  const multiples = spec.reference && addMultiples(spec, read, write);
  const [trials, level] = [read('trials'), spec.precision?.level ?? LEVEL];
  const points = multiples ? computeBoth(trials, multiples) : computePoints(trials);
  write('points', POINT_COLUMNS, points);
  write('dollars', DOLLAR_COLUMNS, computeDollars(readTsv(join(ROOT, 'infra/ec2/prices.tsv')), REGION, plan, asText(points), messagesOf(spec)));
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
  const compared = compare(comparisons, [...trials, ...listSpared(read('flagged'), read('dropped'), trials)], level);
  write('compared', [...header.split('\t'), ...foundColumns(compared)], compared.map((row) => ({ boundless: '-', ...row })));
  // Of an experiment that no longer writes one, and the name of dollars.tsv before
  for (const name of ['judged', 'cost']) rmSync(join(out, `${name}.tsv`), { force: true });
  if (!existsSync(join(own, 'tables.js'))) return;
  const module = await import(join(own, 'tables.js'));
  const rawOf = (/** @type {string} */ trial) => join(bundle, 'trials', trial, 'raw');
  module.makeTables({ spec, plan, comparisons, level, out, read, write, rawOf, hasCaptures: existsSync(join(bundle, 'trials')) });
}

/** @param {Row[]} steps @param {Multiples} [multiples] */
const curveColumns = ([step], multiples) =>
  [...CURVE_COLUMNS, ...(SHARE_COLUMN in step ? [SHARE_COLUMN] : []), ...(multiples ? MULTIPLE_COLUMNS : [])];

/**
 * To trials.tsv those of each trial; what was there before is left out first.
 * @param {any} spec @param {Tables['read']} read @param {Tables['write']} write @returns {Multiples}
 */
function addMultiples(spec, read, write) {
  const [reference, referenceSteps] = [read('reference'), read('reference-steps')];
  const multiples = new Multiples(spec, { trials: reference, steps: referenceSteps, dropped: read('dropped') });
  const kept = read('trials').filter((row) => !isMultiple(row));
  const { metrics, without } = multiples.compute(kept, read('steps'));
  write('trials', TRIAL_COLUMNS, [...kept, ...metrics]);
  write('without-reference', WITHOUT_COLUMNS, without);
  if (referenceSteps.length) write('reference-curves', CURVE_COLUMNS, computeCurves(referenceSteps));
  return multiples;
}

/**
 * That a block lacks its reference says nothing of an engine: its multiples are those of the other blocks.
 * @param {Row[]} trials @param {Multiples} multiples @returns {Record<string, string | number>[]} of points.tsv
 */
function computeBoth(trials, multiples) {
  const isHeld = (/** @type {Row} */ row) => 'costAt' in (multiples.of(row) ?? {});
  const ofMultiples = computePoints(trials.filter(isHeld)).filter(({ metric }) => isMultiple({ metric: String(metric) }));
  return [...computePoints(trials.filter((row) => !isMultiple(row))), ...ofMultiples];
}

/** @param {Record<string, string | number>[]} rows @returns {Row[]} as they are read again */
const asText = (rows) => rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));

/** @param {any} spec @returns {import('./dollars.js').Messages} */
function messagesOf({ load, workloads }) {
  const bytes = load.payload?.bytes;
  const isSized = (/** @type {string} */ name) => /"(sizes_b|loads)":/.test(JSON.stringify(workloads[name]));
  return {
    payload_b: typeof bytes === 'object' ? 'drawn' : (bytes ?? 0),
    behaviour: load.behaviour,
    own_sizes: Object.keys(workloads).filter(isSized),
  };
}

/**
 * Metrics that follow from other tables are derived here, so that a new one is there for old results, too: what was
 * derived before is left out first.
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
