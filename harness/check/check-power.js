/**
 * `make check-power`: plants slowdowns in copies of engines, and measures the copies beside plain engines and identical twins. Comparisons
 * resampled from these measurements tell how often each slowdown is found, and how often there is a false alarm.
 */
import { join, relative } from 'node:path';
import { BLOCKS, ENGINES, measureVariants, pairVersions } from '../run/duet/duet.js';
import { UserError } from '../common/failure.js';
import { readSpec } from '../common/bundle.js';
import { readTsv } from '../common/files.js';
import { formatMarkdownTable } from '../common/format.js';
import { writePart } from '../common/marks.js';
import { ROOT, SERVERS } from '../common/places.js';
import { estimateTrialS } from '../plan/plan.js';
import { deviationOf, meanOf } from '../../analysis/statistics/spread.js';
import { alarmRate, keepCommonBlocks } from '../../analysis/compare/alarm-rate.js';
import { seededRandom } from '../common/random.js';
import { JUDGED } from '../../analysis/compare/sameness.js';
import { BLOCKS_MIN, computeShifts } from '../../analysis/compare/shifts.js';
import { fillParagraphs } from '../common/prose.js';

/** @typedef {import('../../analysis/compare/alarm-rate.js').Measured} Measured */
/** @typedef {import('../../analysis/compare/shifts.js').Shift} Shift */
/**
 * @typedef {{where: string, wanted: string, engines: string[], versions: Record<string, string>, isWanted: (shift: Shift) => boolean}}
 *   Scenario A duet of these engines; `versions` of some, twins of the others
 */

/** The engine with slowdowns planted in it alone. */
export const ONE = ENGINES[0];
/** CPU burnt by the copies, in % of a message's cost: 5 % in all engines, the others in one. Tables name them by their measured cost. */
export const PLANTED = [
  { version: 'burn5', percent: 5, in: ENGINES }, { version: 'burn10', percent: 10, in: [ONE] }, { version: 'burn20', percent: 20, in: [ONE] },
];
/** The plain engine, and its twin, which differs in name only. */
export const [PLAIN, TWIN] = ['plain', 'twin'];
/** Blocks of plain engines, measured first to calibrate the burning. */
const CALIBRATION_BLOCKS = 3;
/** Trials of the pool; they take twelve minutes. */
const TRIALS = 132;
/** Numbers of blocks with reported rates; below, those tried to find the smallest sufficient number. */
const SIZES = [6, 12, BLOCKS];
const SIZES_TRIED = [4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64];
const COMPARISONS = 1000;
const FOUND_MIN = 0.95;

const isOfAll = (/** @type {Shift} */ { of }) => of === 'all';
const isOfOne = (/** @type {Shift} */ { of, name }) => of === 'engine' && name === ONE;

/** @type {Scenario[]} */
const SCENARIOS = [
  { where: 'nothing (A against A)', wanted: 'any alarm', engines: ENGINES, versions: {}, isWanted: () => true },
  {
    where: 'in every engine', wanted: 'everything', engines: ENGINES, versions: Object.fromEntries(ENGINES.map((name) => [name, PLANTED[0].version])),
    isWanted: isOfAll,
  },
  ...PLANTED.map(({ version }) => ({ where: `in ${ONE} alone`, wanted: ONE, engines: ENGINES, versions: { [ONE]: version }, isWanted: isOfOne })),
  { where: `nothing, in a duet of ${ONE} alone`, wanted: 'any alarm', engines: [ONE], versions: {}, isWanted: () => true },
  ...PLANTED.map(({ version }) => ({ where: `in a duet of ${ONE} alone`, wanted: ONE, engines: [ONE], versions: { [ONE]: version }, isWanted: isOfAll })),
];

/** @param {{trials?: number, seed?: number}} options of the pool; fewer for a smoke test */
export async function checkPower({ trials = TRIALS, seed = 20261122 }) {
  const blocks = Math.max(BLOCKS_MIN, Math.round(trials / listVersions(ENGINES, {}).length));
  const { bundle, burns } = await measurePool(ENGINES, blocks, seed);
  console.log(`\n${writePower(bundle, burns, seed)}`);
}

/** @typedef {Record<string, number>} Burns By engine, µs for each percent of a message's cost */

/** Measures engines, twins and slower copies in the same blocks. @param {string[]} engines @param {number} blocks @param {number} seed */
export async function measurePool(engines, blocks, seed) {
  const burns = await calibrate(seed, engines);
  return { bundle: await measureVariants(listVersions(engines, burns), blocks, seed), burns };
}

/** @param {string} bundle of measurePool, with all engines @param {Burns} burns @param {number} seed @returns {string} what was written */
export function writePower(bundle, burns, seed) {
  const text = describePower(bundle, burns, seed);
  const path = join(ROOT, 'docs', 'validation.md');
  writePart(path, 'by make check-power', text);
  return `${text}\nwritten to ${relative(process.cwd(), path)}`;
}

/** @param {string[]} engines @param {Burns} burns @returns {import('../run/duet/variants.js').Variant[]} */
function listVersions(engines, burns) {
  return engines.flatMap((engine) => {
    const slowed = PLANTED.filter((planted) => planted.in.includes(engine));
    return [{ version: PLAIN, percent: 0 }, { version: TWIN, percent: 0 }, ...slowed].map(({ version, percent }) => ({
      name: `${engine}-${version}`, folder: join(SERVERS, engine), ...(percent && { burn_us: Number((percent * burns[engine]).toFixed(2)) }),
    }));
  });
}

/**
 * How long a copy must burn for a percentage of a message's cost. The table shows the measured cost, since burning adds some of its own.
 * @param {number} seed @param {string[]} engines @returns {Promise<Burns>} @throws {UserError} if an engine has no valid trial
 */
async function calibrate(seed, engines) {
  const variants = engines.map((engine) => ({ name: `${engine}-${PLAIN}`, folder: join(SERVERS, engine) }));
  const bundle = await measureVariants(variants, CALIBRATION_BLOCKS, seed);
  const trials = readTsv(join(bundle, 'reduced', 'trials.tsv')).filter(({ metric }) => metric === JUDGED);
  return Object.fromEntries(engines.map((engine) => {
    const costs = trials.filter((row) => row.engine === `${engine}-${PLAIN}`).map(({ value }) => 1000 * Number(value)); // s per 1000 to µs
    if (costs.length) return [engine, meanOf(costs) / 100];
    throw new UserError(`${relative(ROOT, bundle)}: has no trial of ${engine} that stands; see its reduced/dropped.tsv, and run it on a quiet machine`);
  }));
}

/** @param {string} bundle @returns {Record<string, Measured>} by engine and version */
function readPool(bundle) {
  const versions = [TWIN, ...PLANTED.map(({ version }) => version)];
  return Object.fromEntries(versions.flatMap((version) => {
    const pairs = Map.groupBy(pairVersions(bundle, PLAIN, version), ({ engine }) => engine);
    return ENGINES.map((engine) => {
      const [name, own] = [`${engine}-${version}`, pairs.get(engine) ?? []];
      return [name, { name, engine, isSame: version === TWIN, blocks: own.map(({ block }) => block), logs: own.map(({ log }) => log) }];
    });
  }));
}

/** @param {string} bundle @param {Burns} burns @param {number} seed @returns {string} Markdown, without a heading of its own */
function describePower(bundle, burns, seed) {
  const pool = readPool(bundle);
  const spec = readSpec(bundle);
  const trialS = Math.round(estimateTrialS(spec, { engine: Object.keys(spec.engines)[0], workload: 'poisson', setting: '-' }));
  const { cpu, cores, kernel } = spec.environment;
  const { connections, hold_s } = spec.phases;
  const leftOut = new Set(readTsv(join(bundle, 'reduced', 'dropped.tsv')).map(({ trial }) => trial)).size;
  const minutes = Math.round((2 * ENGINES.length * BLOCKS * trialS) / 60);
  return fillParagraphs(`Copies of ${ENGINES.join(', ')} that burn CPU with each message run beside the plain engines and beside twins that differ in nothing. Each of ${spec.phases.repeats} blocks
holds each version once, with the same draws of load: ${connections} connections, ${spec.workloads.poisson.arrivals.rate_hz_per_connection} messages a second each at random times, a window of ${hold_s} s. The machine has ${cores} cores
(${cpu}, ${kernel}). ${leftOut} trials were flagged and left out. Counting messages and reading a clock take time too, so a difference is called by what was measured. By \`make check-power\` or \`make check-trust\`, seed ${seed}.

${describePlanted(pool, burns)}

How often is each found? \`make duet\` compares ${BLOCKS} blocks unless told (about ${minutes} minutes for ${ENGINES.length} engines). Each rate is of ${COMPARISONS.toLocaleString('en')} comparisons, resampled from whole blocks of the
run; their spread is corrected for the number of blocks. Student's t tests the shift of everything. What is an engine's own is tested with variance borrowed between engines, by Holm's method. About
5 % of comparisons of a thing with itself may raise an alarm. \`make compare\` of two runs also forgives 5 % of everything, by which a machine may drift between them.

${describeRates(pool, seed)}
`, 120);
}

/** @param {Record<string, Measured>} pool @param {Burns} burns @returns {string} */
function describePlanted(pool, burns) {
  const rows = Object.values(pool).filter(({ logs }) => logs.length >= BLOCKS_MIN).map(({ name, engine, logs, isSame }) => {
    const [shift] = computeShifts(logs.map((log, index) => ({ engine, point: engine, block: String(index), log })));
    const planted = PLANTED.find(({ version }) => name.endsWith(`-${version}`));
    const burnt = isSame || !planted ? ['nothing', '-'] : [`${planted.percent} %`, (planted.percent * burns[engine]).toFixed(2)];
    return [name, ...burnt, formatMore(Math.exp(shift.log)), deviationOf(logs).toFixed(3), String(logs.length)];
  });
  return formatMarkdownTable(['version', 'burnt', 'burnt, µs a message', 'costs more by', 'spread of the logarithm', 'blocks'], rows);
}

/** @param {number} ratio @returns {string} such as "14 %" more */
const formatMore = (ratio) => `${Math.round(100 * (ratio - 1))} %`;

/** @param {Record<string, Measured>} pool @param {number} seed @param {number} [times] comparisons to resample @returns {string} */
export function describeRates(pool, seed, times = COMPARISONS) {
  const rows = SCENARIOS.map(({ where, wanted, engines, versions, isWanted }) => {
    const ratios = Object.entries(versions).map(([engine, version]) => Math.exp(meanOf(pool[`${engine}-${version}`].logs)));
    const name = [ratios.map(formatMore).join(', '), where].filter(Boolean).join(' ');
    const measured = keepCommonBlocks(engines.map((engine) => pool[`${engine}-${versions[engine] ?? TWIN}`]));
    const rateAt = (/** @type {number} */ size) => alarmRate(measured, isWanted, { size, times, random: seededRandom(seed + size) });
    const needed = Object.keys(versions).length ? SIZES_TRIED.find((size) => rateAt(size) >= FOUND_MIN) ?? `more than ${SIZES_TRIED.at(-1)}` : '-';
    return [name, wanted, ...SIZES.map((size) => `${(100 * rateAt(size)).toFixed(1)} %`), String(needed)];
  });
  return formatMarkdownTable(['difference that was there', 'alarm of', ...SIZES.map((size) => `${size} blocks`), `blocks for ${100 * FOUND_MIN} %`], rows);
}
