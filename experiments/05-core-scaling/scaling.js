/**
 * Throughput at saturation against cores, where processes had cores of their own; and the laws of speed-up fitted to
 * it.
 *
 * n_cores counts processes that serve, as the thesis counts its "three, five, seven cores" (3.4): balancers, workers,
 * stores, brokers; each has a core of its own. units is the n of a law of speed-up, which needs a value at 1: workers,
 * or pairs of a balancer and a worker where there are balancers ("-" where they are not as many, or there is more than
 * one store). line is the setting without the processes: the trials of a line differ in these alone. relative is to the
 * mean at one unit of a base of the same era, own_relative to the engine's own.
 */
import { group, sum } from 'd3-array';
import { cellOf } from '../../analysis/digits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { formatSetting, settingsIn } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {Map<string, {role: string, count: number}[]>} Roles of each engine, in the order of a mix, and how many of
 *   each where a setting does not say it
 */

export const SCALING_COLUMNS = [
  'era',
  'engine',
  'workload',
  'setting',
  'line',
  'trial',
  'block',
  'n_cores',
  'units',
  'throughput_hz',
  'base',
  'relative',
  'own_relative',
];
/** What points of a line may have in common. */
const OPTIONS = ['scheduling', 'balancing'];
/** @type {Record<string, string[]>} the first that a process of this workload stands for */
const BASES = { 2014: ['engine.io-2014', 'socket.io-2014'], today: ['engine.io', 'socket.io'] };
const LAWS = ['linear', 'amdahl', 'gustafson', 'usl'];
/** Different n that a law takes. */
const POINTS_MIN = 3;

/**
 * @param {Record<string, string>} settings
 * @param {{role: string, count: number}[]} roles
 * @returns {{line: string, counts: Map<string, number>} | undefined} none where the setting says something else: such a
 *   point stands for something else
 */
export function readMix({ processes, ...settings }, roles) {
  const { cores, ...line } = settings;
  const told = processes?.split('+').map(Number);
  if (roles.length === 0 || (cores ?? 'own') !== 'own' || !Object.keys(line).every((name) => OPTIONS.includes(name))) return undefined;
  return { line: formatSetting(line), counts: new Map(roles.map(({ role, count }, index) => [role, told ? told[index] : count])) };
}

/** @param {Map<string, number>} counts @returns {number | undefined} */
function countUnits(counts) {
  if (!counts.has('balancer')) return counts.get('worker');
  return counts.get('balancer') === counts.get('worker') && counts.get('store') === 1 ? counts.get('worker') : undefined;
}

/** @param {Row} row of trials.tsv */
const labelsOf = ({ trial, block, era, engine, workload, setting, value }) => ({ trial, block, era, engine, workload, setting, value });

/** @param {Row[]} trials of trials.tsv @param {Roles} roles @returns {Record<string, unknown>[]} of scaling.tsv */
export function listScaling(trials, roles) {
  const rows = trials
    .filter(({ metric }) => metric === 'saturation_hz')
    .flatMap((row) => {
      const mix = readMix(settingsIn(row), roles.get(row.engine) ?? []);
      return mix
        ? [{ ...labelsOf(row), line: mix.line, n_cores: sum(mix.counts.values()), units: countUnits(mix.counts), hz: Number(row.value) }]
        : [];
    });
  const nameOf = (/** @type {string} */ engine, /** @type {string} */ line, /** @type {string} */ workload) =>
    [engine, line, workload].join('\t');
  const ones = group(
    rows.filter(({ units }) => units === 1),
    ({ engine, line, workload }) => nameOf(engine, line, workload),
  );
  const atOne = (/** @type {string} */ name) =>
    ones.has(name) ? Number(cellOf(findCentre((ones.get(name) ?? []).map(({ hz }) => hz)).mean)) : undefined;
  return rows.map((row) => {
    const bases = BASES[row.era] ?? [];
    const base = bases.find((each) => ones.has(nameOf(each, '-', row.workload))) ?? bases[bases.length - 1];
    const relative = (/** @type {string} */ name) => {
      const one = atOne(name);
      return one ? cellOf(row.hz / one) : '-';
    };
    return {
      ...row,
      units: row.units ?? '-',
      throughput_hz: row.value,
      base,
      relative: relative(nameOf(base, '-', row.workload)),
      own_relative: relative(nameOf(row.engine, row.line, row.workload)),
    };
  });
}

/**
 * @param {Row[]} scaling of scaling.tsv
 * @returns {import('../../analysis/points/fits.js').Datum[]} lines with three or more different n where they are
 *   balanced
 */
export function listLaws(scaling) {
  const balanced = scaling.filter(({ units }) => units !== '-');
  const lines = group(balanced, ({ era, engine, workload, line }) => [era, engine, workload, line].join('\t'));
  const datum = (/** @type {Row} */ row, /** @type {Row} */ of, /** @type {string} */ law, /** @type {number} */ x) => ({
    law,
    era: of.era,
    engine: of.engine,
    workload: of.workload,
    setting: of.line,
    x: [x],
    trial: row.trial,
    at: row.n_cores,
    value: Number(row.throughput_hz),
  });
  return [...lines.values()]
    .filter((rows) => new Set(rows.map(({ units }) => units)).size >= POINTS_MIN)
    .flatMap((rows) =>
      LAWS.flatMap((law) => {
        if (law !== 'linear') return rows.map((row) => datum(row, rows[0], law, Number(row.units)));
        const [{ era, base, workload, engine }] = rows;
        const bases = lines.get([era, base, workload, '-'].join('\t'));
        if (!bases) return [];
        // The engine that all are compared with is its own base: its values at one are not used twice
        const isOwn = engine === base && rows[0].line === '-';
        return [
          ...bases.filter(({ units }) => units === '1').map((row) => datum(row, rows[0], law, 0)),
          ...rows.filter(({ units }) => !isOwn || Number(units) > 1).map((row) => datum(row, rows[0], law, Number(row.n_cores))),
        ];
      }),
    );
}
