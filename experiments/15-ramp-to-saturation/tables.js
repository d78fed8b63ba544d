/**
 *   seconds.tsv  the clients' measurements for each second of a ramp
 *   medians.tsv  medians and quartiles of these over trials
 *   knees.tsv    knee and plateau of each trial
 *   judged.tsv   C3: ratio of twice as many client processes to half as many; C4: knee against plateau. For C4 the ramps of a
 *                block are averaged, because C4 is about the server, not about the number of clients
 */
import { group, mean } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare, judgedColumns } from '../../analysis/points/comparisons.js';
import { nameOfPoint } from '../../analysis/points/points.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { TRIAL_COLUMNS } from '../../analysis/trials/bundle.js';
import { settingWithout } from '../../harness/common/setting.js';
import { findKnees } from './knees.js';
import { MEDIAN_COLUMNS, SECOND_COLUMNS, computeMedians, listSeconds } from './seconds.js';

/** @typedef {Record<string, string>} Row */

/** The source's server: C4 is judged only on this one. */
const SERVER = 'gorilla';
/** Criteria of C4: knee and plateau exist, at most 15 % apart. The number of connections is only reported. */
const C4 = [
  { metric: 'knee_to_plateau', criterion: '0.85..1.15' },
  { metric: 'knee_and_plateau', criterion: '>0.5' },
  { metric: 'knee_connections', criterion: '>0', published: '8000' },
];
/** With fewer cores, the load uses more CPU than this server. */
const CORES_NEEDED = 8;
const C3 = ['peak_hz', 'level_p50_ms'];

/** @param {Row} row @returns {string} its setting without the number of client processes */
const withoutClients = (row) => settingWithout(row, 'client_processes');

/** @param {Row[]} knees @returns {Row[]} the geometric mean over the ramps of each block, as one trial with the rest of their setting */
function averageBlocks(knees) {
  const own = knees.filter(({ engine, metric }) => engine === SERVER && C4.some((row) => row.metric === metric));
  const rest = own.map((row) => ({ ...row, setting: withoutClients(row) }));
  const blocks = group(rest, (row) => [row.block, nameOfPoint(row), row.metric].join('\t'));
  return [...blocks.values()].map((rows) => ({
    ...rows[0], trial: `block-${rows[0].block}`, value: digitsOf(findCentre(rows.map(({ value }) => Number(value))).mean),
  }));
}

/** @param {Row[]} trials @param {number} cores of the machine @returns {boolean} whether the load may use more CPU than the server */
function needsCores(trials, cores) {
  const own = trials.filter(({ engine }) => engine === SERVER);
  const [client, server] = ['client', 'server'].map((side) =>
    mean(own.filter(({ metric }) => metric === `${side}_cpu_s_per_1k`), ({ value }) => Number(value)));
  return client === undefined || server === undefined ? cores < CORES_NEEDED : client > server;
}

/** @param {Row[]} plan @returns {Row[]} comparisons for the claims */
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
  write('knees', TRIAL_COLUMNS, knees);
  const judged = compare(listComparisons(plan), [], level, [...knees, ...averageBlocks(knees)]); // a ramp may have no knee or plateau
  const needs = needsCores(trials, spec.environment?.cores ?? 0) ? `${CORES_NEEDED} cores` : '-';
  write('judged', [...judgedColumns(judged), 'needs', 'published'], judged.map((row) => ({ ...row, needs: row.claim === 'C4' ? needs : '-' })));
}
