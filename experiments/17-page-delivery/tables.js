/**
 *   delivery.tsv   time of each load; source is an engine, or published: the thesis's own numbers. source_ms uses the thesis's
 *                  method, Date.now() at both ends
 *   crossings.tsv  from which x on the server's page is later than another workflow's, or sooner again (crossings.js)
 *   judged.tsv     H9: by which law the stream's time grows (growth.js)
 *   ceiling.tsv    rows as in delivery.tsv, for few parallel AJAX requests; workflow is ajax, or http2 for those over HTTP/2.
 *                  Includes those over a link that adds 0 ms
 *   inflation.tsv  bytes on the wire per byte of file: counted by the browser's device (device), captured in Ethernet frames
 *                  (frames), and captured in the TCP stream (stream)
 *   marks.tsv      when a page first painted, became interactive, had its data, and was complete
 *   trips.tsv      metrics against the round trip. An engine without a link of 0 ms has the values of its main workload there,
 *                  which adds no delay either
 *   bars.tsv       one load of each workflow, request by request, and the marks of its page, in ms since the server received the
 *                  request
 */
import { ascending, rollup } from 'd3-array';
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';
import { judgedColumns } from '../../analysis/points/comparisons.js';
import { BAR_COLUMNS, listBars } from './bars.js';
import { CROSSING_COLUMNS, listCrossings } from './crossings.js';
import { judgeGrowth } from './growth.js';

/** @typedef {Record<string, string>} Row */

const MAIN = ['source', 'desk', 'look'];
const FOUND = ['n', 'mean', 'low', 'high'];
const LOAD = /^(load|source)_ms_([a-z]+)_([a-z]+)_([0-9]+)$/;
const DELIVERY_COLUMNS = ['source', 'workload', 'setting', 'scenario', 'x', 'workflow', 'n', 'ms', 'low', 'high', 'source_ms'];
/** With more requests, the steps of six would not be visible. */
const CEILING_MOST = 30;
/** @type {Record<string, string>} */
const MARKS = { first_paint_ms: 'first_paint', interactive_ms: 'interactive', data_ms: 'data', load_ms: 'complete' };
/** @type {Record<string, string>} */
const BYTES = { wire_b_per_file_b: 'device', captured_b_per_file_b: 'frames', captured_tcp_b_per_file_b: 'stream' };
const ON_TRIP = /^(load_ms_[a-z]+_(noop_0|parallel_[0-9]+|timeouts_[0-9]+)|gain_pages_[0-9]+|slope_ms_[a-z]+_series)$/;

/** @param {Row} row */
const isPlain = ({ setting }) => setting === '-';

/** @param {Row[]} points @param {Row[]} published @returns {Record<string, unknown>[]} */
function listDelivery(points, published) {
  const loads = points.flatMap((row) => {
    const [, what, workflow, scenario, x] = LOAD.exec(row.metric) ?? [];
    return what ? [{ ...row, what, workflow, scenario, x }] : [];
  });
  const nameOf = (/** @type {Row} */ row) => [row.engine, row.workload, row.setting, row.scenario, row.x, row.workflow].join('\t');
  const source_ms = new Map(loads.filter(({ what }) => what === 'source').map((row) => [nameOf(row), row.mean]));
  return [
    ...published.map((row) => ({ ...row, source: 'published', workload: '-', setting: '-', source_ms: row.ms })),
    ...loads.filter(({ what }) => what === 'load')
      .map((row) => ({ ...row, source: row.engine, ms: row.mean, source_ms: source_ms.get(nameOf(row)) ?? '-' })),
  ];
}

/** @param {Row[]} delivery */
function listCeiling(delivery) {
  const few = delivery.filter(({ source, scenario, workflow, x }) =>
    source !== 'published' && scenario === 'parallel' && workflow === 'ajax' && Number(x) <= CEILING_MOST);
  const shown = few.filter((row) => isPlain(row) || row['setting.http'] || row['setting.rtt_us'] === '0');
  const named = shown.map((row) => ({ ...row, setting: '-', workflow: row['setting.http'] === '2' ? 'http2' : row.workflow }));
  return named.sort((a, b) => ascending(a.source, b.source) || ascending(a.workflow, b.workflow) || Number(a.x) - Number(b.x));
}

/** @param {Row[]} points */
function listInflation(points) {
  return points.filter((row) => isPlain(row) || row.setting === 'capture=on').flatMap((row) => {
    const [, name, workflow] = /^(.*_b_per_file_b)_(.*)$/.exec(row.metric) ?? [];
    return name in BYTES ? [{ ...row, workflow, by: BYTES[name] }] : [];
  });
}

/** @param {Row[]} points @returns {Record<string, unknown>[]} marks of files and timeouts, at the largest x of each workflow */
function listMarks(points) {
  const marks = points.filter(isPlain).flatMap((row) => {
    const [, name, workflow, scenario, x] =
      /^(first_paint_ms|interactive_ms|data_ms|load_ms)_([a-z]+)_(files|timeouts)_([0-9]+)$/.exec(row.metric) ?? [];
    return name ? [{ ...row, mark: MARKS[name], workflow, scenario, x: Number(x), ms: row.mean }] : [];
  });
  const nameOf = (/** @type {Record<string, any>} */ row) => [row.engine, row.workload, row.scenario, row.workflow].join('\t');
  const most = rollup(marks, (rows) => Math.max(...rows.map(({ x }) => x)), nameOf);
  return marks.filter((row) => row.x > 0 && row.x === most.get(nameOf(row)));
}

/** @param {Row[]} points */
function listTrips(points) {
  const shown = points.filter(({ metric }) => ON_TRIP.test(metric));
  const linked = shown.flatMap((row) => {
    const rtt_us = row['setting.rtt_us'];
    return rtt_us === undefined ? [] : [{ ...row, rtt_ms: Number(rtt_us) / 1000 }];
  });
  const hasZero = new Set(linked.filter(({ rtt_ms }) => rtt_ms === 0).map(({ engine }) => engine));
  const wanted = new Set(linked.map(({ engine, metric }) => `${engine} ${metric}`));
  const plain = shown.filter((row) =>
    isPlain(row) && MAIN.includes(row.workload) && wanted.has(`${row.engine} ${row.metric}`) && !hasZero.has(row.engine));
  return [...plain.map((row) => ({ ...row, rtt_ms: 0 })), ...linked];
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ read, write }) {
  const points = read('points');
  const published = readTsv(join(import.meta.dirname, 'published.tsv'));
  write('delivery', DELIVERY_COLUMNS, listDelivery(points, published));
  write('crossings', CROSSING_COLUMNS, listCrossings(read('trials'), published));
  const growth = judgeGrowth(read('trials'), MAIN);
  if (growth.length) write('judged', judgedColumns(growth), growth);
  write('ceiling', DELIVERY_COLUMNS, listCeiling(read('delivery')));
  write('marks', ['engine', 'workload', 'scenario', 'x', 'workflow', 'mark', 'n', 'ms', 'low', 'high'], listMarks(points));
  write('inflation', ['engine', 'workload', 'workflow', 'by', ...FOUND], listInflation(points));
  write('trips', ['engine', 'rtt_ms', 'workload', 'metric', ...FOUND], listTrips(points));
  write('bars', BAR_COLUMNS, listBars(read('loads'), read('waterfall')));
}
