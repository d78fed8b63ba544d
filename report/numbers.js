/** `wscale numbers`: one metric for every engine of a run or record, smallest first. `wscale dollars`: what a load costs. */
import { basename, join } from 'node:path';
import { nameOfPoint } from '../analysis/points/points.js';
import { loadOf } from '../analysis/points/surface.js';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { asJson, describePoint, digits, formatMarkdownTable, formatTable, inMarkdown, numberOrNull } from '../harness/common/format.js';
import { checkKnown, nearestWord } from '../harness/common/nearest-word.js';
import { tablesOf } from '../harness/common/tables.js';
import { languageOf } from '../harness/spec/engines.js';
import { findMetric, listGroups, listGroupsHere, listMetrics, listOwnGroups } from '../harness/spec/metrics.js';
import { settingOf } from './setting-labels.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{engines?: string[], workload?: string, connections?: number, payload_b?: number}} Only filters; default: all */

/** Placeholders in the dictionary's names. */
const PLACES = `In a name, <role> is a role of the engine or of the load, such as worker; <side> is server or client; <p> a percentile, or a percentage;
<b> a number of bytes; any other what an experiment varies. A message is a ping and its answer. A window is the part of a trial that is measured.`;

const HEAD = ['metric', 'unit', 'definition'];

/** @param {import('../harness/spec/metrics.js').Group} group @returns {string[][]} a row a metric */
const rowsOf = ({ metrics }) =>
  Object.entries(metrics).map(([name, { unit, definition, source }]) => [name, unit, source ? `${definition} (${source})` : definition]);

/** @returns {string} the dictionary of metrics */
export const describeDictionary = () =>
  [...listGroups().map((group) => `${group.heading} (${group.computed})\n${formatTable(HEAD, rowsOf(group))}\n`), PLACES].join('\n');

/** @returns {string} JSON, a row per metric */
export const dictionaryAsJson = () => JSON.stringify(listMetrics(), null, 2);

/** @param {string} computed @returns {string} a link to it, from a document in docs/ */
const linkTo = (computed) => `[${basename(computed)}](../${computed})`;

/** @returns {string} the dictionary of metrics for docs/metrics.md, where those of one client are links to its folder */
export function describeDictionaryInMarkdown() {
  const rows = listGroupsHere().flatMap((group) => [
    [`**${group.heading}** (${linkTo(group.computed)})`, '', ''],
    ...rowsOf(group).map(([name, unit, definition]) => [`\`${name}\``, unit, inMarkdown(definition)]),
  ]);
  const own = `The metrics of one client alone are in its folder: ${listOwnGroups().map(({ computed }) => linkTo(computed)).join(', ')}.`;
  return [inMarkdown(PLACES), own, formatMarkdownTable(HEAD, rows)].join('\n\n');
}

/**
 * @param {string} name of an option @param {number | undefined} wanted @param {(row: Row) => number} valueOf @param {Row[]} rows
 * @returns {Row[]} those with this value @throws {UserError} if there is none
 */
function selectLoad(name, wanted, valueOf, rows) {
  if (!wanted || rows.length === 0) return rows;
  checkKnown(name, [String(wanted)], rows.map((row) => String(valueOf(row))));
  return rows.filter((row) => valueOf(row) === wanted);
}

/**
 * @param {Row[]} rows @param {any} spec @param {Only} only
 * @returns {Row[]} @throws {UserError} if no row has the engine, workload, number of connections or size
 */
function select(rows, spec, { engines = [], workload, connections, payload_b }) {
  checkKnown('ENGINES', engines, Object.keys(spec.engines));
  checkKnown('WORKLOAD', workload ? [workload] : [], rows.map((row) => row.workload));
  const own = rows.filter((row) => (engines.length === 0 || engines.includes(row.engine)) && (!workload || row.workload === workload));
  const connected = selectLoad('CONNECTIONS', connections, (row) => loadOf(row, spec).connections, own);
  return selectLoad('BYTES', payload_b, (row) => loadOf(row, spec).payload_b, connected);
}

/** @param {string} metric @param {string[]} known @throws {UserError} if the run lacks it, with similar names */
function checkMetric(metric, known) {
  if (known.includes(metric)) return;
  const near = nearestWord(metric, known);
  const like = [...new Set([...(near ? [near] : []), ...known.filter((name) => name.includes(metric))])];
  throw new UserError(`METRIC: "${metric}" is not in this run; ${like.length ? `did you mean ${like.join(' or ')}? ` : ''}./wscale numbers lists those of all runs`);
}

/** @param {string} bundle @returns {Row[]} */
const readPoints = (bundle) => readTsv(join(tablesOf(bundle), 'points.tsv'));

/** @param {Row[]} points @param {any} spec @param {string} metric @param {Only} only @returns rows, smallest first @throws {UserError} */
function listRows(points, spec, metric, only) {
  checkMetric(metric, points.map((row) => row.metric));
  return select(points.filter((row) => row.metric === metric), spec, only).sort((a, b) => Number(a.mean) - Number(b.mean));
}

/** @param {string} bundle @param {string} metric @param {Only} only @returns {string} JSON, one row per point @throws {UserError} */
export const numbersAsJson = (bundle, metric, only) => JSON.stringify(
  listRows(readPoints(bundle), openBundle(bundle).spec, metric, only).map(asJson), null, 2);

/** @param {string} bundle @param {string} metric @param {Only} only @returns {string} a table for each workload @throws {UserError} */
export function describeNumbers(bundle, metric, only) {
  const { spec } = openBundle(bundle);
  const { unit = '', definition = '' } = findMetric(metric) ?? {};
  const points = readPoints(bundle);
  const ofPoint = Map.groupBy(points, nameOfPoint);
  const own = (/** @type {Row} */ row) => ofPoint.get(nameOfPoint(row)) ?? [];
  const found = listRows(points, spec, metric, only);
  const lacking = (only.engines ?? []).filter((name) => !found.some(({ engine }) => engine === name));
  const tables = [...Map.groupBy(found, ({ workload }) => workload)].map(([workload, rows]) => {
    const settings = rows.map((row) => settingOf(row, spec));
    const hasSettings = settings.some(Boolean);
    const lines = rows.map((row, index) =>
      [row.engine, languageOf(row.engine), row.n, describePoint(row, own(row)), ...(hasSettings ? [settings[index]] : [])]);
    return `${workload}:\n${formatTable(['engine', 'language', 'n', `${unit} [95 %]`, ...(hasSettings ? ['setting'] : [])], lines)}`;
  });
  return [`${metric}, ${unit}: ${definition}`, ...tables, ...(lacking.length ? [`Without a valid trial there: ${lacking.join(', ')}`] : [])].join('\n');
}

/** What is paid for, in words. @type {Record<string, string>} */
const PAID = { million_messages: 'a million messages', connection_month: 'a connection for a month' };
const DOLLARS = ['usd', 'cpu_usd', 'memory_usd', 'egress_usd'];

/** @param {string} bundle @param {Only} only @returns {Row[]} of dollars.tsv @throws {UserError} if the run has none */
function listDollars(bundle, only) {
  const all = readTsv(join(tablesOf(bundle), 'dollars.tsv'));
  if (all.length === 0) throw new UserError(`${bundle}: has no dollars, for no trial of it stands, or it is older than they are; give another run`);
  const rows = select(all, openBundle(bundle).spec, only);
  if (rows.length === 0) throw new UserError(`${bundle}: no trial stands of what was asked for; ask for other engines, or for another workload`);
  return rows;
}

/** @param {string} bundle @param {Only} only @returns {string} JSON @throws {UserError} */
export const dollarsAsJson = (bundle, only) => JSON.stringify(listDollars(bundle, only).map(asJson), null, 2);

/** @param {string} bundle @param {Only} only @returns {string} @throws {UserError} */
export function describeDollars(bundle, only) {
  const { spec } = openBundle(bundle);
  const rows = listDollars(bundle, only);
  const points = new Map(readPoints(bundle).map((point) => [`${nameOfPoint(point)}\t${point.metric}`, Number(point.mean)]));
  const paidOf = (/** @type {Row} */ row) => {
    const [sent, open] = ['received_hz', 'connected_at_end'].map((metric) => points.get(`${nameOfPoint(row)}\t${metric}`) ?? 0);
    const at = row.what === 'connection_month' && sent > 0 && open > 0 ? ` at ${digits(sent / open)} messages a second` : '';
    return `${PAID[row.what] ?? row.what}${at}`;
  };
  const lines = rows.map((row) => [
    row.engine, [row.workload, settingOf(row, spec)].filter(Boolean).join(', '), paidOf(row), ...DOLLARS.map((column) => digits(numberOrNull(row[column]))),
  ]);
  return [
    formatTable(['engine', 'load', 'what', 'all, $', 'CPU', 'memory', 'traffic'], lines),
    `Prices of ${rows[0].as_of}: infra/ec2/prices.tsv. Traffic is what leaves Amazon's network.`,
  ].join('\n');
}
