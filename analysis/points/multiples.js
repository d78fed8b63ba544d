/**
 * A server's cost per message, as a multiple of the reference's cost in the same block, with equal connections, generator and rate. In a
 * sweep, the reference's cost at a rate is interpolated between the logarithms of the two neighbouring steps. Other loads have one cost
 * per trial. There is no multiple outside the reference's rates.
 */
import { group, mean, sum } from 'd3-array';
import { findReference } from '../../harness/spec/reference.js';
import { digitsOf } from '../digits.js';
import { stands } from '../statistics/curve.js';
import { nameOfTrial } from '../../harness/common/setting.js';
import { interpolateLogs } from '../statistics/lines.js';
import { nameOfPoint } from './points.js';
import { costOf } from './surface.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {(hz: number, batch?: number) => number | undefined} CostAt µs per message of the reference */
/** @typedef {{costAt: CostAt} | {why: string} | undefined} Held a trial's reference; undefined: its load has none */

/** Columns of a table for a cost as a multiple of the reference's. */
export const MULTIPLE_COLUMNS = ['x_reference', 'x_low', 'x_high'];
const MULTIPLE = 'server_cpu_x_reference';
const COST = 'server_cpu_s_per_1k';
/** Messages per second of CPU time at a share of saturation, in percent (shares.js). */
const AT_SHARE = /^messages_per_cpu_s_at_([0-9]+)$/;
/** At a rate given by the manifest: the cost and its multiple. */
const AT_RATE = /^server_cpu_(us|x_reference)_at_[0-9.]+_hz$/;

/** @param {Row} row of trials.tsv */
export const isMultiple = ({ metric }) => metric.startsWith(MULTIPLE) || AT_RATE.test(metric);

/** Is it a server's cost per message, in time or as a multiple? @param {string} metric */
export const isCost = (metric) => /^(server_cpu_(s_per_1k|x_reference|us_at_)|messages_per_cpu_s)/.test(metric);

/** @param {string} multiple a metric @returns {string} the metric of the same cost in CPU time */
export const absoluteOf = (multiple) => (multiple === MULTIPLE ? COST
  : multiple.replace(MULTIPLE, multiple.endsWith('_hz') ? 'server_cpu_us' : 'messages_per_cpu_s'));

export const WITHOUT_COLUMNS = ['trial', 'block', 'engine', 'workload', 'setting', 'why'];

/** @param {Row} step @returns {boolean} did the server keep up, with any messages? */
const isAnswered = (step) => stands(step.backlog_s) && Number(step.received_hz) > 0 && Number(step.total_rate_hz) > 0;

/** @param {Row[]} steps of one trial of the reference @returns {CostAt} */
function curveOf(steps) {
  const known = steps.filter((step) => step.role === 'server' && isAnswered(step));
  const byBatch = group(known, ({ batch }) => Number(batch), ({ total_rate_hz }) => Number(total_rate_hz));
  const curves = new Map([...byBatch].map(([batch, rates]) => [batch,
    [...rates].map(([hz, rows]) => /** @type {[number, number]} */ ([hz, Number(mean(rows, costOf))])).sort(([a], [b]) => a - b)]));
  return (hz, batch = 1) => interpolateLogs(curves.get(batch) ?? [], hz);
}

export class Multiples {
  /** @type {Map<string, Held>} by block and point */
  #held = new Map();

  /** @param {any} spec @param {{trials: Row[], steps: Row[], dropped: Row[]}} tables of the reference; `dropped`: trials left out */
  constructor(spec, { trials, steps, dropped }) {
    this.spec = spec;
    const nameOf = (/** @type {Row} */ { block, workload, setting }) => [block, workload, setting].join('\t');
    this.nameOf = nameOf;
    this.trials = group(trials, nameOf);
    this.steps = group(steps, nameOf);
    this.dropped = dropped;
  }

  /** @param {Row} row of a trial @returns {Held} */
  of(row) {
    const key = `${row.block}\t${nameOfPoint(row)}`;
    if (!this.#held.has(key)) this.#held.set(key, this.#find(row));
    return this.#held.get(key);
  }

  /** @param {Row} row @returns {Held} */
  #find(row) {
    const point = this.spec.reference && findReference(this.spec, /** @type {any} */ (row));
    if (!point) return undefined;
    const name = this.nameOf({ ...row, workload: point.workload, setting: point.setting });
    const [trials, steps] = [this.trials.get(name), this.steps.get(name)];
    if (!trials) return { why: this.#tellWhy(row.block, point) };
    if (steps) return { costAt: curveOf(steps) };
    const cost = trials.find(({ metric }) => metric === COST);
    return cost ? { costAt: () => 1000 * Number(cost.value) } : { why: 'the reference answered nothing' };
  }

  /** @param {string} block @param {import('../../harness/spec/points.js').Point} point @returns {string} */
  #tellWhy(block, point) {
    const name = nameOfTrial(block, point);
    const reasons = this.dropped.filter(({ trial }) => trial === name || trial.startsWith(`${name}-again`)).map(({ reason }) => reason);
    return `the reference's trial of the block does not stand: ${[...new Set(reasons)].join(', ') || 'not run'}`;
  }

  /** @param {Row} step of a server @returns {number | undefined} its multiple */
  ofStep(step) {
    const held = isAnswered(step) && Number(step.cpu_cores) > 0 ? this.of(step) : undefined;
    const cost = held && 'costAt' in held ? held.costAt(Number(step.total_rate_hz), Number(step.batch)) : undefined;
    return cost && costOf(step) / cost;
  }

  /**
   * @param {Row[]} trials of trials.tsv @param {Row[]} steps of steps.tsv
   * @returns {{metrics: Row[], without: Row[]}} further rows of trials.tsv; trials without a multiple, with the reason
   */
  compute(trials, steps) {
    const sweeps = group(steps.filter(({ side, role }) => side === 'server' && role === 'server'), ({ trial }) => trial);
    const all = [...group(trials, ({ trial }) => trial)].map(([trial, rows]) => this.#describe(rows, sweeps.get(trial)));
    return { metrics: all.flatMap(({ metrics }) => metrics), without: all.flatMap(({ without }) => without) };
  }

  /** @param {Row[]} rows of one trial @param {Row[]} [steps] */
  #describe(rows, steps) {
    const held = this.of(rows[0]);
    if (!held) return { metrics: [], without: [] };
    const values = 'why' in held ? [] : [...(steps ? this.#ofSweep(steps) : ofWindow(rows, held.costAt)), ...ofShares(rows, held.costAt)];
    const why = 'why' in held ? held.why : 'the reference was not measured at its rate';
    const isMissing = values.length === 0;
    return {
      metrics: values.map(([metric, value]) => ({ ...rows[0], metric, value: digitsOf(value) })),
      without: isMissing ? [{ ...rows[0], why }] : [],
    };
  }

  /**
   * @param {Row[]} steps of one trial
   * @returns {[string, number][]} at the rates that the manifest asks for, together and each. Steps at a share of saturation have another
   *   rate in each trial, so they count only if there are no other steps
   */
  #ofSweep(steps) {
    const all = steps.flatMap((step) => {
      const multiple = this.ofStep(step);
      return multiple === undefined ? [] : [{ step, multiple, cores: Number(step.cpu_cores) }];
    });
    const asked = all.filter(({ step: { share = '-', batch } }) => share === '-' && Number(batch) === 1);
    const known = asked.length ? asked : all;
    if (known.length === 0) return [];
    return [
      [MULTIPLE, sum(known, ({ cores }) => cores) / sum(known, ({ cores, multiple }) => cores / multiple)],
      ...[...group(asked, ({ step }) => step.total_rate_hz)].flatMap(([rate, own]) =>
        /** @type {[string, number][]} */ ([
        [`server_cpu_us_at_${rate}_hz`, Number(mean(own, ({ step }) => costOf(step)))],
        [`server_cpu_x_reference_at_${rate}_hz`, Number(mean(own, ({ multiple }) => multiple))],
      ])),
    ];
  }
}

/** @param {Row[]} rows of a trial @param {string} name */
const valueOf = (rows, name) => Number(rows.find(({ metric }) => metric === name)?.value);

/** @param {Row[]} rows of a trial that is no sweep @param {CostAt} costAt @returns {[string, number][]} */
function ofWindow(rows, costAt) {
  const multiple = (1000 * valueOf(rows, COST)) / (costAt(valueOf(rows, 'received_hz')) ?? NaN);
  return multiple > 0 ? [[MULTIPLE, multiple]] : [];
}

/** @param {Row[]} rows of a trial @param {CostAt} costAt @returns {[string, number][]} at shares of its saturation, and of a core */
function ofShares(rows, costAt) {
  const at = (/** @type {string} */ name, /** @type {string} */ per_cpu_s, /** @type {number} */ hz) => {
    const multiple = 1e6 / Number(per_cpu_s) / (costAt(hz) ?? NaN);
    return multiple > 0 ? [/** @type {[string, number]} */ ([name, multiple])] : [];
  };
  return rows.flatMap(({ metric, value }) => {
    if (metric === 'messages_per_cpu_s_at_load_80') return at('server_cpu_x_reference_at_load_80', value, 0.8 * Number(value));
    const percent = AT_SHARE.exec(metric)?.[1];
    return percent ? at(`server_cpu_x_reference_at_${percent}`, value, (valueOf(rows, 'saturation_hz') * Number(percent)) / 100) : [];
  });
}
