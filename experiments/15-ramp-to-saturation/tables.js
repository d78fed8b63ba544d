/**
 *   seconds.tsv  what clients saw in each second of a ramp
 *   medians.tsv  the same over trials: medians, and the middle half of the trials
 *   knees.tsv    where latency left its level, and where the server answered no more, trial by trial; ramps.tsv: the
 *                same over trials, with intervals
 *   judged.tsv   C3: twice as many clients over half as many; C4: the knee against the plateau, of each block the mean
 *                of its ramps, for C4 is of the server and not of how many clients there are
 */
import { group, mean } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { COMPARISON_COLUMNS, FOUND_COLUMNS, compare } from '../../analysis/points/comparisons.js';
import { POINT_COLUMNS, computePoints, nameOfPoint } from '../../analysis/points/points.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { settingWithout } from '../../harness/common/setting.js';
import { METRIC_ROW, findKnees } from './knees.js';
import { MEDIAN_COLUMNS, SECOND_COLUMNS, computeMedians, listSeconds } from './seconds.js';

/** @typedef {Record<string, string>} Row */

/** The source's, and the only one that C4 is judged on. */
const SERVER = 'gorilla';
/** Of C4: both are there, less than 15 % apart; the number of connections is told by its size alone. */
const C4 = [
  { metric: 'knee_to_plateau', criterion: '0.85..1.15' },
  { metric: 'knee_and_plateau', criterion: '>0.5' },
  { metric: 'knee_connections', criterion: '>0', published: '8000' },
];
/** With fewer cores, a load takes more of them than this server does. */
const CORES_NEEDED = 8;
const C3 = ['peak_hz', 'level_p50_ms'];

/** @param {Row} row @returns {string} its setting without the number of clients */
const withoutClients = (row) => settingWithout(row, 'client_processes');

/**
 * @param {Row[]} knees
 * @returns {Row[]} of each block the geometric mean over its ramps, as a trial with the rest of their setting
 */
function averageBlocks(knees) {
  const own = knees.filter(({ engine, metric }) => engine === SERVER && C4.some((row) => row.metric === metric));
  const rest = own.map((row) => ({ ...row, setting: withoutClients(row) }));
  const blocks = group(rest, (row) => [row.block, nameOfPoint(row), row.metric].join('\t'));
  return [...blocks.values()].map((rows) => ({
    ...rows[0], trial: `block-${rows[0].block}`, value: digitsOf(findCentre(rows.map(({ value }) => Number(value))).mean),
  }));
}

/** @param {Row[]} trials @param {number} cores of the machine @returns {boolean} did the load take more than the server, or could it? */
function needsCores(trials, cores) {
  const own = trials.filter(({ engine }) => engine === SERVER);
  const [client, server] = ['client', 'server'].map((side) =>
    mean(own.filter(({ metric }) => metric === `${side}_cpu_s_per_1k`), ({ value }) => Number(value)));
  return client === undefined || server === undefined ? cores < CORES_NEEDED : client > server;
}

/** @param {Row[]} plan @returns {Row[]} rows of the claims */
function listComparisons(plan) {
  const points = [...group(plan, ({ era, engine, setting }) => [era, engine, setting].join('\t')).values()].map(([row]) =>
    ({ ...row, others: withoutClients(row), clients: Number(row['setting.client_processes']) }));
  const settings = new Set(points.filter(({ engine }) => engine === SERVER).map(({ others }) => others));
  const ofServer = [...(settings.size ? settings : ['-'])].flatMap((setting) =>
    C4.map((row) => ({ claim: 'C4', era: 'today', workload: 'ramp', setting, of: SERVER, to: '-', ...row })));
  const ofClients = points.flatMap((more) => points
    .filter((less) => more.engine === less.engine && more.others === less.others && more.clients === 2 * less.clients)
    .flatMap((less) => C3.map((metric) => ({
      claim: 'C3', era: more.era, workload: more.workload, setting: more.setting, metric, of: more.engine,
      to: less.engine, to_setting: less.setting, to_metric: metric, criterion: '0.95..1.05',
    }))));
  return /** @type {Row[]} */ ([...ofServer, ...ofClients]);
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, plan, read, write, rawOf, hasCaptures, level }) {
  const trials = read('trials');
  const standing = new Set(trials.map(({ trial }) => trial));
  const listed = plan.filter(({ trial }) => standing.has(trial));
  if (hasCaptures) write('seconds', SECOND_COLUMNS, listed.flatMap((row) => listSeconds(row, rawOf(row.trial))));
  const seconds = read('seconds');
  write('medians', MEDIAN_COLUMNS, computeMedians(seconds));
  const knees = findKnees(seconds, spec.phases.ramp_s);
  write('knees', METRIC_ROW, knees);
  write('ramps', POINT_COLUMNS, computePoints(knees, level));
  const judged = compare(listComparisons(plan), [...knees, ...averageBlocks(knees)], level);
  const needs = needsCores(trials, spec.environment?.cores ?? 0) ? `${CORES_NEEDED} cores` : '-';
  write('judged', [...COMPARISON_COLUMNS, ...FOUND_COLUMNS, 'needs', 'published'],
    judged.map((row) => ({ ...row, needs: row.claim === 'C4' ? needs : '-' })));
}
