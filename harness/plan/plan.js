/**
 * The plan stage: one line per trial. Every block has each point once, in its own random order, so that drift of the
 * machine (heat, neighbours) affects all points alike. Comparisons are made within blocks.
 */
import { sum } from 'd3-array';
import { coresHere } from '../common/cores.js';
import { YARDSTICK_S } from '../common/places.js';
import { resolveConditions } from '../spec/points.js';
import { listMeasured } from '../spec/reference.js';
import { makeSpec } from '../spec/spec.js';
import { estimateSearchS } from './search.js';
import { seededRandom, shuffle } from '../common/random.js';
import { isOfSetting, nameOfTrial } from '../common/setting.js';

/** @import { Profile, Spec } from '../spec/spec.js' */
/**
 * @typedef {{order: number, trial: string, block: number, era: string, engine: string, workload: string, setting: string, seed: number,
 *   from_s: number, to_s: number, point: number}} Planned `order`: of running, from 1; `setting`: what else identifies the point
 *   (setting.js); `seed`: of the load; `from_s`, `to_s`: start and end of the window, since the start of the load; `point`: place of the
 *   combination in the manifest, and the order of the tables
 */

export const PLAN_COLUMNS = ['order', 'trial', 'block', 'era', 'engine', 'workload', 'setting', 'seed', 'from_s', 'to_s', 'point'];

/** @param {Spec} spec @returns {Planned[]} in the order of running */
export function makePlan(spec) {
  const random = seededRandom(spec.seed);
  const points = listMeasured(spec).map((point, index) => {
    const { ramp_s, settle_s, hold_s } = resolveConditions(spec, point);
    return { ...point, from_s: ramp_s + settle_s, to_s: ramp_s + settle_s + hold_s, point: index + 1 };
  });
  /** @type {Planned[]} */
  const plan = [];
  for (let block = 1; block <= spec.phases.repeats; block++) {
    const blockSeed = Math.floor(random() * 4294967296); // every point of a block gets the same draws of load
    const held = points.filter(({ repeats_max = Infinity }) => block <= repeats_max);
    for (const { engine, workload, setting, from_s, to_s, point } of shuffleGroups(held, spec.beside, random)) {
      const trial = nameOfTrial(block, { engine, workload, setting });
      const { era } = spec.engines[engine];
      plan.push({ order: plan.length + 1, trial, block, era, engine, workload, setting, seed: blockSeed, from_s, to_s, point });
    }
  }
  return plan;
}

/**
 * Random order. If engines are compared as neighbours, shuffle their groups, and the engines within each.
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
 * @returns {string} the same for neighbours in a block
 */
export const nameGroup = (beside, { engine, workload, setting }) =>
  [beside.find((names) => names.includes(engine))?.[0] ?? engine, workload, setting].join('\t');

const OVERHEAD_S = 1.6; // added to a trial's phases by starting, settling and stopping, measured on two cores
const PROCESS_S = 0.06; // added by each process of a server

/** @param {Spec} spec @param {Pick<Planned, 'engine' | 'workload' | 'setting'>} point @returns {number} approximate seconds of a trial */
export function estimateTrialS(spec, point) {
  const { ramp_s, settle_s, hold_s, search, processes, warmup_s } = resolveConditions(spec, point);
  const count = sum(Object.values(processes));
  return warmup_s + ramp_s + settle_s + hold_s + OVERHEAD_S + PROCESS_S * count + (search ? estimateSearchS(search, ramp_s + settle_s) : 0);
}

/** @param {Spec} spec @returns {number} approximate seconds of all its trials */
const estimateTrialsS = (spec) => sum(listMeasured(spec), (point) =>
  estimateTrialS(spec, point) * Math.min(spec.phases.repeats, point.repeats_max ?? Infinity));

/** Seconds of a yardstick: 3 if a block lasts a minute or more (about a twentieth of the run at most), else 1. */
const YARDSTICKS_S = { long: 3, short: 1, overhead: 0.3 }; // overhead: starting it, and a busy machine
const LONG_BLOCK_S = 60;

/** @param {Spec} spec @returns {number} seconds of each yardstick of its run (harness/yardstick) */
export function yardstickLengthS(spec) {
  if (YARDSTICK_S !== undefined) return YARDSTICK_S;
  return spec.profile !== 'quick' && estimateTrialsS(spec) / spec.phases.repeats >= LONG_BLOCK_S ? YARDSTICKS_S.long : YARDSTICKS_S.short;
}

/**
 * Yardsticks run before the first block, between blocks, and after the last.
 * @param {Spec} spec @param {number} [blocks] that are begun @returns {number} approximate seconds of all yardsticks
 */
export const estimateYardsticksS = (spec, blocks = spec.phases.repeats) =>
  (blocks ? (blocks + 1) * (yardstickLengthS(spec) + YARDSTICKS_S.overhead) : 0);

/** @param {Spec} spec @param {Planned[]} plan @returns {number} approximate seconds, with yardsticks */
export const estimatePlanS = (spec, plan) =>
  sum(plan, (planned) => estimateTrialS(spec, planned)) + estimateYardsticksS(spec, new Set(plan.map(({ block }) => block)).size);

/** @param {Spec} spec @returns {number} approximate seconds of an experiment */
export const estimateExperimentS = (spec) => estimateTrialsS(spec) + estimateYardsticksS(spec);

/** @param {string} experiment @param {Profile} profile @param {number} [seed] @returns {number} the same, on this machine */
export const estimateHereS = (experiment, profile, seed = 0) =>
  estimateExperimentS(makeSpec(experiment, profile, seed, undefined, { cores: coresHere() }));

/** @param {Record<string, string>} row of plan.tsv @returns {Planned} */
export function asPlanned({ trial, era, engine, workload, setting, ...numbers }) {
  const own = Object.entries(numbers).filter(([name]) => !isOfSetting(name));
  const parsed = Object.fromEntries(own.map(([name, value]) => [name, Number(value)]));
  return /** @type {Planned} */ ({ trial, era, engine, workload, setting, ...parsed });
}
