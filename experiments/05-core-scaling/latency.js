/** How long a message should take in a server that runs whole, by the model, beside what was measured. */
import { group, max, mean, sum } from 'd3-array';
import { cellOf, digitsOf } from '../../analysis/digits.js';
import { stands } from '../../analysis/statistics/curve.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { Demands, Model, roleOf } from './model.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./model.js').Point} Point */
/** @typedef {import('./model.js').Measured} Measured */
/** @typedef {import('./model.js').Predicted} Predicted */
/** @typedef {import('./model.js').Roles} Roles */

export const LATENCY_COLUMNS = [
  'era',
  'engine',
  'workload',
  'setting',
  'total_rate_hz',
  'n',
  'load',
  'load_low',
  'load_high',
  'predicted_ms',
  'low',
  'high',
  'busiest',
  'measured_n',
  'measured_load',
  'measured_ms',
  'measured_low',
  'measured_high',
  'measured_p50_ms',
  'load_error_pct',
  'error_pct',
];
/** @param {Row[]} rows @param {string} column @returns {number | undefined} none where a step has too few answers */
const meanOf = (rows, column) =>
  rows.every((row) => (row[column] ?? '-') !== '-') ? mean(rows, (row) => Number(row[column])) : undefined;

/**
 * @param {Row[]} steps with batch = 1 and a place
 * @returns {Point[]} what was measured whole at each rate of a sweep: means over the steps of a trial
 */
function pointsOfSweeps(steps) {
  const nameOf = (/** @type {Row} */ row) => [row.era, row.engine, row.workload, row.setting, row.total_rate_hz].join('\t');
  const isRefused = new Set(steps.filter(({ backlog_s }) => !stands(backlog_s)).map(nameOf));
  const standing = steps.filter(({ total_rate_hz, backlog_s }) => Number(total_rate_hz) > 0 && stands(backlog_s));
  return [...group(standing, nameOf)]
    .filter(([, rows]) => rows.some(({ role }) => role === 'server'))
    .map(([name, rows]) => {
      const { era, engine, workload, setting, total_rate_hz } = rows[0];
      const blocks = [...group(rows, ({ block }) => block)].flatMap(([block, own]) => {
        const servers = own.filter(({ role }) => role === 'server');
        if (servers.length === 0) return [];
        const loads = new Map(
          [
            ...group(
              own.filter((row) => roleOf(row) !== 'server'),
              roleOf,
            ),
          ].map(([role, ofRole]) => [role, sum(ofRole, ({ cpu_cores }) => Number(cpu_cores)) / servers.length]),
        );
        return [
          /** @type {[string, Measured]} */ ([
            block,
            {
              hz: Number(mean(servers, ({ received_hz }) => Number(received_hz))),
              mean_ms: meanOf(servers, 'latency_mean_ms'),
              p50_ms: meanOf(servers, 'latency_p50_ms'),
              loads,
            },
          ]),
        ];
      });
      return {
        era,
        engine,
        workload,
        setting,
        total_rate_hz,
        place: rows[0]['setting.cores'],
        blocks: new Map(blocks),
        isRefused: isRefused.has(name),
      };
    });
}

/**
 * @param {Row[]} trials of trials.tsv
 * @param {Set<string>} swept workloads with a sweep
 * @returns {Point[]} one rate in all its window, at cores=one, or where all share all cores
 */
function pointsOfTrials(trials, swept) {
  const shown = trials.filter(
    ({ workload, 'setting.generator': generator, 'setting.cores': place = 'shared' }) =>
      !swept.has(workload) && !generator && ['one', 'shared'].includes(place),
  );
  return [...group(shown, ({ era, engine, workload, setting }) => [era, engine, workload, setting].join('\t')).values()].map((rows) => {
    const { era, engine, workload, setting } = rows[0];
    const blocks = [...group(rows, ({ block }) => block)].flatMap(([block, own]) => {
      const valueOf = (/** @type {string} */ name) => {
        const found = own.findLast(({ metric }) => metric === name);
        return found && Number(found.value);
      };
      const hz = valueOf('received_hz');
      const loads = own.flatMap(({ metric, value }) =>
        metric.endsWith('_cpu_cores_mean')
          ? [/** @type {[string, number]} */ ([metric.slice(0, -'_cpu_cores_mean'.length), Number(value)])]
          : [],
      );
      return hz === undefined
        ? []
        : [/** @type {[string, Measured]} */ ([block, { hz, p50_ms: valueOf('latency_p50_ms') ?? 0, loads: new Map(loads) }])];
    });
    return {
      era,
      engine,
      workload,
      setting,
      total_rate_hz: '-',
      place: rows[0]['setting.cores'] ?? 'shared',
      counts: rows[0]['setting.processes']?.split('+').map(Number),
      blocks: new Map(blocks),
      isRefused: false,
    };
  });
}

/** @param {number[] | undefined} values @param {number} level @param {string[]} names */
function centreCells(values, level, names) {
  const centre = values?.length ? findCentre(values, level) : undefined;
  return {
    centre: centre?.mean,
    cells: Object.fromEntries([centre?.mean, centre?.low, centre?.high].map((value, index) => [names[index], cellOf(value)])),
  };
}

/** @param {number | undefined} predicted @param {number | undefined} found as the table has it @returns {string} */
const errorOf = (predicted, found) =>
  predicted === undefined || found === undefined ? '-' : digitsOf(100 * (Number(digitsOf(predicted)) / Number(digitsOf(found)) - 1), 3);

/** @param {Predicted[]} predictions @param {number} level */
function describePredictions(predictions, level) {
  const isMissing = predictions.some(({ seconds }) => seconds === 0);
  const loads = predictions[0].load > 0 ? predictions.map(({ load }) => load) : undefined;
  return {
    load: centreCells(loads, level, ['load', 'load_low', 'load_high']),
    time: centreCells(isMissing ? undefined : predictions.map(({ seconds }) => seconds * 1000), level, ['predicted_ms', 'low', 'high']),
    n: predictions.length,
    busiest: digitsOf(Number(max(predictions, ({ busiest }) => busiest)), 3),
  };
}

/** @param {Point} point @param {Model} model @param {number} level @returns {Record<string, unknown>[]} */
function describePoint(point, model, level) {
  if (point.isRefused || point.place === 'own' || model.cores < 2) return [];
  const blocks = [...point.blocks].sort(([a], [b]) => Number(a) - Number(b));
  const predictions = blocks.flatMap(([block, { hz }]) => model.predict(point, block, hz) ?? []);
  if (predictions.length === 0) return [];
  const measured = blocks.map(([, found]) => found);
  const { load, time, n, busiest } = describePredictions(predictions, level);
  const all = (/** @type {(number | undefined)[]} */ values) =>
    values.includes(undefined) ? undefined : /** @type {number[]} */ (values);
  const found = centreCells(all(measured.map(({ mean_ms }) => mean_ms)), level, ['measured_ms', 'measured_low', 'measured_high']);
  const found_load =
    load.centre === undefined
      ? undefined
      : findCentre(
          measured.map((each) => model.measuredLoad(point, each)),
          level,
        ).mean;
  const p50_ms = all(measured.map((each) => each.p50_ms));
  const { era, engine, workload, setting } = point;
  return [
    {
      era,
      engine,
      workload,
      setting,
      total_rate_hz:
        point.total_rate_hz === '-'
          ? digitsOf(
              findCentre(
                measured.map(({ hz }) => hz),
                level,
              ).mean,
            )
          : point.total_rate_hz,
      n,
      ...load.cells,
      ...time.cells,
      busiest,
      measured_n: measured.length,
      measured_load: cellOf(found_load),
      ...found.cells,
      measured_p50_ms: p50_ms ? digitsOf(findCentre(p50_ms, level).mean) : '-',
      load_error_pct: errorOf(load.centre, found_load),
      error_pct: errorOf(time.centre, found.centre),
    },
  ];
}

/**
 * @param {Point[]} points of sweeps
 * @param {Map<string, string[]>} mixesOf
 * @param {Model} model
 * @param {number} level
 * @returns {Record<string, unknown>[]} mixes with a core a process, at the rates of the sweeps
 */
function describeMixes(points, mixesOf, model, level) {
  return [...mixesOf].flatMap(([engine, mixes]) => {
    const own = points.filter((point) => point.engine === engine);
    if (own.length === 0) return [];
    const { era, workload } = own[own.length - 1];
    const rates = [...new Set(own.map(({ total_rate_hz }) => total_rate_hz))].sort((a, b) => Number(a) - Number(b));
    const blocks = [...new Set(own.flatMap((point) => [...point.blocks.keys()]))].sort((a, b) => Number(a) - Number(b));
    return mixes.flatMap((mix) =>
      rates.flatMap((total_rate_hz) => {
        const point = { era, engine, place: 'own', counts: mix.split('+').map(Number) };
        const predictions = blocks.flatMap((block) => model.predict(point, block, Number(total_rate_hz)) ?? []);
        if (predictions.length === 0 || predictions.some(({ seconds }) => seconds === 0)) return [];
        const { load, time, n, busiest } = describePredictions(predictions, level);
        return [
          {
            era,
            engine,
            workload,
            setting: `cores=own,processes=${mix}`,
            total_rate_hz,
            n,
            ...load.cells,
            ...time.cells,
            busiest,
            measured_n: 0,
          },
        ];
      }),
    );
  });
}

/**
 * load is the cores of those roles of the server whose load here comes from a sweep elsewhere, in which they are alone
 * ("-" where there are none). error_pct and load_error_pct are what was predicted over what was measured, less 1. n and
 * measured_n are blocks; a rate that some trial did not answer whole is left out.
 * @param {{steps: Row[], trials: Row[], roles: Roles, cores: number, mixesOf: Map<string, string[]>, level: number}}
 *   given `cores` of the machine; mixes whose processes have cores of their own
 * @returns {Record<string, unknown>[]} of latency.tsv
 */
export function predictLatencies({ steps, trials, roles, cores, mixesOf, level }) {
  const placed = steps.filter((row) => Number(row.batch) === 1 && row['setting.cores']);
  const model = new Model(roles, new Demands(placed), cores);
  const swept = pointsOfSweeps(placed);
  const single = pointsOfTrials(trials, new Set(steps.map(({ workload }) => workload)));
  return [
    ...[...swept, ...single].flatMap((point) => describePoint(point, model, level)),
    ...describeMixes(swept, mixesOf, model, level),
  ];
}
