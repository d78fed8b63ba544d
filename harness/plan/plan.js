/**
 * The plan stage: one line a trial. Every block holds each point once, in an order of its own, so that what drifts on
 * the machine (heat, neighbours) falls on all points alike; comparisons are made within blocks.
 */
import { sum } from 'd3-array';
import { YARDSTICK_S } from '../common/places.js';
import { resolveConditions } from '../spec/points.js';
import { listMeasured } from '../spec/reference.js';
import { estimateSearchS } from './search.js';
import { seededRandom, shuffle } from '../common/random.js';
import { suffixOf } from '../common/setting.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/**
 * @typedef {{order: number, trial: string, block: number, era: string, engine: string, workload: string, setting: string, seed: number,
 *   from_s: number, to_s: number, point: number}} Planned `order`: of running, from 1; `setting`: what else sets the point apart
 *   (setting.js); `seed`: of the load; `from_s`: begin of the window, since the start of the load; `to_s`: its end; `point`: place of the
 *   combination in the manifest: the order of the tables
 */

export const PLAN_COLUMNS = ['order', 'trial', 'block', 'era', 'engine', 'workload', 'setting', 'seed', 'from_s', 'to_s', 'point'];

/** @param {Spec} spec @returns {Planned[]} in the order of running */
export function makePlan(spec) {
  const random = seededRandom(spec.seed);
  const points = listMeasured(spec).map((point, index) => ({ ...point, ...windowOf(spec, point), point: index + 1 }));
  /** @type {Planned[]} */
  const plan = [];
  for (let block = 1; block <= spec.phases.repeats; block++) {
    const blockSeed = Math.floor(random() * 4294967296); // the same draws for every point: what is compared got the same load
    const held = points.filter(({ repeats_max = Infinity }) => block <= repeats_max);
    for (const { engine, workload, setting, from_s, to_s, point } of shuffleGroups(held, spec.beside, random)) {
      const trial = `b${String(block).padStart(2, '0')}-${engine}-${workload}${suffixOf(setting)}`;
      const { era } = spec.engines[engine];
      plan.push({ order: plan.length + 1, trial, block, era, engine, workload, setting, seed: blockSeed, from_s, to_s, point });
    }
  }
  return plan;
}

/**
 * In random order; where engines are compared as neighbours, their groups are, and the engines within each.
 * @template {{engine: string, workload: string, setting: string}} T @param {T[]} held @param {string[][] | undefined} beside
 * @param {() => number} random @returns {T[]}
 */
function shuffleGroups(held, beside, random) {
  if (!beside) return shuffle(held, random);
  const groups = Map.groupBy(held, (point) => nameGroup(beside, point));
  return shuffle([...groups.values()], random).flatMap((group) => shuffle(group, random));
}

/**
 * @param {string[][]} beside @param {{engine: string, workload: string, setting: string}} point
 * @returns {string} the same for those that are neighbours in a block
 */
export const nameGroup = (beside, { engine, workload, setting }) =>
  [beside.find((names) => names.includes(engine))?.[0] ?? engine, workload, setting].join('\t');

/** @param {Spec} spec @param {import('../spec/points.js').Point} point @returns {{from_s: number, to_s: number}} */
function windowOf(spec, point) {
  const { ramp_s, settle_s, hold_s } = resolveConditions(spec, point);
  return { from_s: ramp_s + settle_s, to_s: ramp_s + settle_s + hold_s };
}

const OVERHEAD_S = 1.6; // what starting, settling and stopping add to the phases of a trial, measured on two cores
const PROCESS_S = 0.06; // what each process of a server adds

/** @param {Spec} spec @param {Pick<Planned, 'engine' | 'workload' | 'setting'>} point @returns {number} seconds of a trial of it, about */
export function estimateTrialS(spec, point) {
  const { ramp_s, settle_s, hold_s, search, processes, warmup_s } = resolveConditions(spec, point);
  const count = sum(Object.values(processes));
  return warmup_s + ramp_s + settle_s + hold_s + OVERHEAD_S + PROCESS_S * count + (search ? estimateSearchS(search, ramp_s + settle_s) : 0);
}

/** @param {Spec} spec @returns {number} seconds of all its trials, about */
const estimateTrialsS = (spec) => sum(listMeasured(spec), (point) =>
  estimateTrialS(spec, point) * Math.min(spec.phases.repeats, point.repeats_max ?? Infinity));

/** Seconds of a yardstick: three where a block lasts a minute or more, so that it is a twentieth of a run at most; else one. */
const YARDSTICKS_S = { long: 3, short: 1, overhead: 0.3 }; // overhead: starting it, and a busy machine
const LONG_BLOCK_S = 60;

/** @param {Spec} spec @returns {number} seconds that a yardstick of its run takes (harness/yardstick) */
export function yardstickLengthS(spec) {
  if (YARDSTICK_S !== undefined) return YARDSTICK_S;
  return spec.profile !== 'quick' && estimateTrialsS(spec) / spec.phases.repeats >= LONG_BLOCK_S ? YARDSTICKS_S.long : YARDSTICKS_S.short;
}

/**
 * Before the first block, between blocks, and after the last.
 * @param {Spec} spec @param {number} [blocks] that are begun @returns {number} seconds of all yardsticks, about
 */
export const estimateYardsticksS = (spec, blocks = spec.phases.repeats) =>
  (blocks ? (blocks + 1) * (yardstickLengthS(spec) + YARDSTICKS_S.overhead) : 0);

/** @param {Spec} spec @returns {number} seconds that an experiment will take, about */
export const estimateExperimentS = (spec) => estimateTrialsS(spec) + estimateYardsticksS(spec);

/** What the name of a trial ends with that is run again (harness/run/replace.js), with its number from the second time on. */
export const AGAIN = /-again(\d*)$/;

/** @param {Record<string, string>} row of plan.tsv @returns {Planned} */
export function asPlanned({ trial, era, engine, workload, setting, ...numbers }) {
  const parsed = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  return /** @type {Planned} */ ({ trial, era, engine, workload, setting, ...parsed });
}
