/**
 * Duets: versions of engines measured in one run. Each block holds every version once, with the same random draws of load. Whatever the
 * machine does meanwhile affects all versions alike. So a slowdown of every engine shows; two consecutive runs could not tell it from
 * machine drift.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { findNewestBundle } from '../../common/bundle.js';
import { start } from '../../common/children.js';
import { INTERRUPTED, Interrupted, UserError } from '../../common/failure.js';
import { readTsv } from '../../common/files.js';
import { ROOT } from '../../common/places.js';
import { makeTemporary } from '../../common/temporary.js';
import { canJudge, describeAlarm, describePower, describeShifts, judgePairs, pairTrials } from '../../../analysis/compare/sameness.js';
import { roundOf } from '../replace.js';
import { makeVariants } from './variants.js';

/** @typedef {import('./variants.js').Variant} Variant */

/** The experiment's name: its folder in experiments/ holds the engines and the load, its folder in results/ the bundles. */
const DUET = 'duet';
/** @param {...string} path below experiments/ @returns {any} */
export const readToml = (...path) => parse(readFileSync(join(ROOT, 'experiments', ...path), 'utf8'));
const PHASES = { warmup_s: 0.5, connections: 100, connect_rate_hz: 100, settle_s: 0, hold_s: 2 };

/** @param {Variant[]} variants @returns {string[][]} versions of each engine, the baseline first */
const groupVersions = (variants) =>
  [...Map.groupBy(variants.map(({ name }) => name), (name) => name.slice(0, name.lastIndexOf('-'))).values()];

/** @param {object} manifest @param {object} phases of every profile @returns {string} experiment.toml, without claims */
export const writeManifest = (manifest, phases) =>
  stringify({ ...manifest, claims: [], profiles: { quick: phases, default: phases, paper: phases } });

/** @param {Variant[]} variants @param {number} blocks @returns {string} experiment.toml */
export const writeDuet = (variants, blocks) => writeManifest({
  title: 'Versions of engines, side by side', source: 'none', question: 'Does a message cost the one more than the other?',
  axes: { engine: variants.map(({ name }) => name), workload: ['poisson'] }, beside: groupVersions(variants),
  ...readToml(DUET, 'load.toml'),
}, { repeats: blocks, ...PHASES });

/**
 * @param {Variant[]} variants @param {number} blocks @param {number} [seed] @param {boolean} [mayFail] leave out trials that fail
 * @returns {Promise<string>} the reduced bundle
 * @throws {UserError} if the run did not complete
 */
export const measureVariants = (variants, blocks, seed, mayFail = false) =>
  measureManifest({ name: DUET, manifest: writeDuet(variants, blocks), variants, seed, mayFail });

/**
 * @param {{name: string, manifest: string, variants: Variant[], seed?: number, env?: Record<string, string>, mayFail?: boolean}}
 * given `name` of the manifest's experiment; `env` is added to our environment; `mayFail`: trials that fail are left out
 * @returns {Promise<string>} the reduced bundle @throws {UserError} if the run did not complete
 */
export async function measureManifest({ name, manifest, variants, seed, env = {}, mayFail = false }) {
  const [servers, experiments] = [makeVariants(variants), makeTemporary('experiments')];
  mkdirSync(join(experiments, name));
  writeFileSync(join(experiments, name, 'experiment.toml'), manifest);
  const argv = ['run', name, ...(seed === undefined ? [] : ['--seed', String(seed)])];
  await runHarness(argv, { ...env, WSCALE_SERVERS: servers, WSCALE_EXPERIMENTS: experiments }, mayFail);
  return findNewestBundle(name, 'default');
}

/** @param {string[]} argv of main.js @param {Record<string, string>} env added to our own @param {boolean} mayFail */
async function runHarness(argv, env, mayFail) {
  const code = await start([process.execPath, join(ROOT, 'harness', 'main.js'), ...argv], { cwd: process.cwd(), env });
  if (code === INTERRUPTED) throw new Interrupted('a signal');
  if (code !== 0 && !(mayFail && code === SOME_FAILED)) throw new UserError(`${argv[1]}: the run ended with code ${code}; read what it said above, then give the same command again`);
}

/** A trial failed: it is in dropped.tsv, and the others are judged. */
const SOME_FAILED = 1;

/** Blocks of a duet. `make check-power` measures which differences they detect. */
export const BLOCKS = 20;
/** The engines compared by default. @type {string[]} */
export const ENGINES = readToml(DUET, 'engines.toml').engines;

/**
 * Compare two folders of engines, in one run.
 * @param {string} a a folder such as servers/ @param {string} b the same of another checkout, or the same folder
 * @param {{engines?: string[], blocks?: number, seed?: number}} [options] an engine is a name, or "name=other" if B calls it `other`
 * @returns {Promise<number>} exit code: 0, or 1 if they differ or a trial failed
 */
export async function playDuet(a, b, { engines = ENGINES, blocks = BLOCKS, seed } = {}) {
  const couples = engines.map((text) => ({ a: text.split('=')[0], b: text.split('=').pop() ?? '' }));
  const twice = couples.find(({ a: ofA }, index) => couples.findIndex((each) => each.a === ofA) !== index);
  if (twice) throw new UserError(`ENGINES: "${twice.a}" is there twice; compare it with one other at a time`);
  const variants = couples.flatMap(({ a: ofA, b: ofB }) => [
    { name: `${ofA}-a`, folder: resolve(a, ofA) }, { name: `${ofA}-b`, folder: resolve(b, ofB) },
  ]);
  const bundle = await measureVariants(variants, blocks, seed, true);
  const pairs = pairVersions(bundle, 'a', 'b');
  const dropped = readTsv(join(bundle, 'reduced', 'dropped.tsv'));
  const standing = describeStanding(pairs, couples.map(({ a: ofA }) => ofA), blocks, dropped);
  if (!canJudge(pairs)) throw new UserError(`duet: ${bundle} has pairs in too few blocks to judge by${standing && ` (${standing})`}; see its reduced/dropped.tsv, and give more BLOCKS`);
  const { shifts, alarms } = judgePairs(pairs);
  console.log(`\nA  ${resolve(a)}\nB  ${resolve(b)}\n${describeShifts(shifts, alarms)}`);
  for (const line of [standing, ...describePower(shifts, alarms)].filter(Boolean)) console.log(line);
  alarms.forEach((shift) => console.error(`error: duet: ${describeAlarm(shift)}; A and B are not the same`));
  const failed = dropped.filter(({ reason }) => reason.startsWith('failed')).map(({ trial }) => trial);
  if (failed.length) console.error(`error: duet: ${failed.join(', ')} failed, and what stands was judged without; see ${bundle}/trials, then give the same command again`);
  return alarms.length || failed.length ? 1 : 0;
}

/**
 * @param {import('../../../analysis/compare/shifts.js').Pair[]} pairs @param {string[]} engines @param {number} blocks as planned
 * @param {Record<string, string>[]} dropped rows of dropped.tsv
 * @returns {string} how many pairs are valid; empty if all are
 */
export function describeStanding(pairs, engines, blocks, dropped) {
  const counts = engines.map((name) => /** @type {const} */ ([name, pairs.filter(({ engine }) => engine === name).length]));
  const fewer = counts.filter(([, count]) => count < blocks).map(([name, count]) => `${count} of ${blocks} blocks of ${name}`);
  const reasons = [...Map.groupBy(dropped, ({ reason }) => reason)].map(([reason, own]) => `${reason} ${own.length}`);
  const trials = new Set(dropped.map(({ trial }) => trial)).size;
  return fewer.length ? `fewer pairs stand than were planned: ${fewer.join(', ')} (${trials} trials left out: ${reasons.join(', ') || 'none'})` : '';
}

/**
 * Pair the trials of two versions that ran side by side. If one was flagged, both were run again (harness/run/replace.js).
 * @param {string} bundle @param {string} a suffix of one version's names @param {string} b
 */
export function pairVersions(bundle, a, b) {
  const rows = readTsv(join(bundle, 'reduced', 'trials.tsv'));
  const ofVersion = (/** @type {string} */ version) => rows.filter(({ engine }) => engine.endsWith(`-${version}`))
    .map((row) => ({ ...row, engine: row.engine.slice(0, -version.length - 1) }));
  const keyOf = (/** @type {Record<string, string>} */ { engine, metric, block, trial }) => [engine, metric, block, roundOf(trial)].join('\t');
  const [ofA, ofB] = [ofVersion(a), ofVersion(b)];
  const [inA, inB] = [ofA, ofB].map((own) => new Set(own.map(keyOf)));
  const isPaired = (/** @type {Record<string, string>} */ row) => inA.has(keyOf(row)) && inB.has(keyOf(row));
  return pairTrials(ofA.filter(isPaired), ofB.filter(isPaired));
}
