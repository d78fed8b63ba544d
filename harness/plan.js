/**
 * The plan stage: one line a trial. Every block holds each point once, in an order of its own, so that what drifts on
 * the machine (heat, neighbours) falls on all points alike; comparisons are made within blocks.
 */
import { DEFAULT_GENERATOR, settingOf } from './generators.js';
import { seededRandom, shuffle } from './random.js';
import { suffixOf } from './setting.js';

/** @typedef {import('./spec.js').Spec} Spec */
/**
 * @typedef {object} Planned
 * @property {number} order of running, from 1
 * @property {string} trial
 * @property {number} block
 * @property {string} era
 * @property {string} engine
 * @property {string} workload
 * @property {string} setting what else sets the point apart (setting.js)
 * @property {number} seed of the load
 * @property {number} from_s begin of the window, since the start of the load
 * @property {number} to_s its end
 * @property {number} point place of the combination in the manifest: the order of the tables
 */

export const PLAN_COLUMNS = ['order', 'trial', 'block', 'era', 'engine', 'workload', 'setting', 'seed', 'from_s', 'to_s', 'point'];

/** @param {Spec['axes']} axes @returns {string[]} the settings that each engine is run at under each workload */
export function listSettings({ generator = [DEFAULT_GENERATOR] }) {
  return generator.map(settingOf);
}

/** @param {Spec} spec @returns {Planned[]} in the order of running */
export function makePlan({ axes, engines, phases, seed }) {
  const random = seededRandom(seed);
  const from_s = phases.ramp_s + phases.settle_s;
  const window = { from_s, to_s: from_s + phases.hold_s };
  const settings = listSettings(axes);
  const combinations = axes.engine.flatMap((engine) =>
    axes.workload.flatMap((workload) => settings.map((setting) => ({ engine, workload, setting }))));
  const points = combinations.map((combination, index) => ({ ...combination, point: index + 1 }));
  /** @type {Planned[]} */
  const plan = [];
  for (let block = 1; block <= phases.repeats; block++) {
    const blockSeed = Math.floor(random() * 4294967296); // the same draws for every point: what is compared got the same load
    for (const { engine, workload, setting, point } of shuffle(points, random)) {
      const trial = `b${String(block).padStart(2, '0')}-${engine}-${workload}${suffixOf(setting)}`;
      const { era } = engines[engine];
      plan.push({ order: plan.length + 1, trial, block, era, engine, workload, setting, seed: blockSeed, ...window, point });
    }
  }
  return plan;
}

/** What starting, settling and stopping add to the phases of a trial, measured on two cores. */
const OVERHEAD_S = 1.6;

/** @param {Spec} spec @returns {number} seconds that a trial will take, about */
export function estimateTrialS({ phases }) {
  return phases.warmup_s + phases.ramp_s + phases.settle_s + phases.hold_s + OVERHEAD_S;
}
