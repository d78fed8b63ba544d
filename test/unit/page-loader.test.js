/** Loads of pages: which, in which order, and what their times come to. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { digitsOf } from '../../analysis/digits.js';
import { usedByNew } from '../../clients/page-loader/accounts.js';
import { captureMetrics, listCaptured } from '../../clients/page-loader/captured.js';
import { findErrors } from '../../clients/page-loader/config.js';
import { Loader } from '../../clients/page-loader/load.js';
import { computeLoads } from '../../clients/page-loader/loads.js';
import { countOf, drawOrder, limitOf, tellProgress } from '../../clients/page-loader/order.js';
import { listCrossings } from '../../experiments/17-page-delivery/crossings.js';
import { parseTsv, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { listOptionParts } from '../../harness/spec/engines.js';

const folder = mkdtempSync(join(tmpdir(), 'page-loader-test-'));
after(() => rmSync(folder, { recursive: true }));

const GROUPS = [{ scenario: 'files', x: [0, 128], workflows: ['server', 'ajax'] }, { scenario: 'noop', x: [0], workflows: ['server'], times: 3 }];
const CONFIG = {
  url: 'http://127.0.0.1:9', out: folder, behaviour: 'page-delivery', processes: 1, connections: 1, connect_rate_hz: 1, warmup_s: 0, ramp_s: 1,
  settle_s: 0, hold_s: 1, arrivals: { kind: 'closed', outstanding: 1 }, seed: 1, late_ms: 1, drain_s: 0, loads: GROUPS,
};

test('every load is made as often as asked, in an order that its seed repeats and another changes', () => {
  const [first, again, other] = [drawOrder(GROUPS, 5), drawOrder(GROUPS, 5), drawOrder(GROUPS, 6)];
  const names = (/** @type {typeof first} */ loads) => loads.map(({ workflow, scenario, x }) => `${workflow} ${scenario} ${x}`);
  assert.deepEqual(names(first).sort(), ['ajax files 0', 'ajax files 128', 'server files 0', 'server files 128', 'server noop 0', 'server noop 0', 'server noop 0']);
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, other);
});

test('a load of many requests may take longer than one of few', () => {
  const limit = (/** @type {string} */ scenario, /** @type {number} */ x) => limitOf({ scenario, x, workflow: 'ajax' });
  assert.ok(limit('parallel', 1024) > 2 * Math.ceil(1024 / 6));
  assert.ok(limit('timeouts', 10000) > 10 && limit('series', 1024) > limit('series', 1));
  assert.equal(limitOf({ scenario: 'timeouts', x: 3000, workflow: 'ajax' }, 5), 8, 'less where a configuration says so');
});

test('a load that takes long says how many results it has, and one that does not tell says none', async () => {
  const loader = new Loader(/** @type {any} */ ({ url: 'http://127.0.0.1:9' }), /** @type {any} */ ({}), /** @type {any} */ ({}), { offset_us: 0, bound_us: 0 });
  assert.equal(await loader.countShown(), 0);
  for (const [facts, shown] of /** @type {[object | undefined, number][]} */ ([[{ count: 1024, missing: 1000 }, 24], [undefined, 0]])) {
    loader.page = { evaluate: async (/** @type {() => number} */ read) => runInNewContext(`(${read})()`, { page: facts }) };
    assert.equal(await loader.countShown(), shown);
  }
  loader.page = { evaluate: () => Promise.reject(new Error('it crashed')) };
  assert.equal(await loader.countShown(), 0);
  assert.equal(tellProgress(3, 9, 'ajax parallel 1024', 24), '3 of 9 loads are done; now ajax parallel 1024, which has 24 results');
  assert.equal(tellProgress(3, undefined, 'ajax noop 0'), '3 of as many as there will be loads are done; now ajax noop 0');
});

test('a page of many results counts them, so that a long one shows how far it is', () => {
  const count = (/** @type {string} */ scenario, /** @type {number} */ x) => countOf({ scenario, x, workflow: 'ajax' });
  assert.deepEqual([count('parallel', 1024), count('series', 3), count('files', 1024), count('noop', 0)], [1024, 3, 1, 1]);
});

test('of processes that came later counts what each had used when it was last seen', () => {
  const first = new Map([[1, 10], [2, 20]]);
  assert.equal(usedByNew(first, [new Map([[1, 90], [3, 5]]), new Map([[3, 8], [4, 1]])]), 9);
  assert.equal(usedByNew(first, [new Map([[1, 90]])]), 0);
});

test('a sound configuration is taken, and of another each wrong key is reported', () => {
  assert.deepEqual(findErrors(CONFIG), []);
  const wrong = findErrors({ ...CONFIG, url: 'tcp://127.0.0.1:9', browser: 'lynx', cache: 'warm', patience_s: 0, loads: [{ scenario: 'files', x: [-1], workflows: ['server'] }] });
  assert.deepEqual(wrong.map((line) => line.split(' ')[0]).sort(), ['browser', 'cache', 'loads', 'patience_s', 'url']);
});

/** @param {string} loads a table @returns {Record<string, string>} by metric */
const reduce = (loads) => Object.fromEntries(computeLoads(parseTsv(loads)).map(([metric, value]) => [metric, digitsOf(value)]));

const COLUMNS = ['scenario', 'x', 'workflow', 'total_ms', 'bound_ms', 'source_ms', 'first_paint_ms', 'interactive_ms', 'server_cpu_ms', 'database_cpu_ms', 'browser_cpu_ms', 'down_b'];
/** @param {[string, number, string, number, number?][]} loads scenario, x, workflow, ms, bytes */
const tableOf = (loads) => [COLUMNS, ...loads.map(([scenario, x, workflow, ms, b = 0]) => [scenario, x, workflow, ms, 0.5, ms, '-', ms, 1, 0, 5, b])]
  .map((row) => `${row.join('\t')}\n`).join('');

test('when the data were there is a number of its own, and a table without it has none', () => {
  const table = tableOf([['files', 0, 'server', 20]]);
  assert.equal(reduce(table).data_ms_server_files_0, undefined);
  const withData = table.split('\n').filter(Boolean).map((line, index) => `${line}\t${index ? 15 : 'data_ms'}\n`).join('');
  const metrics = reduce(withData);
  assert.deepEqual([metrics.data_ms_server_files_0, metrics.load_ms_server_files_0], ['15', '20']);
});

test('the median, the slope and the crossing of times that are known come out', () => {
  const metrics = reduce(tableOf([
    ['files', 0, 'server', 10], ['files', 0, 'server', 30], ['files', 0, 'server', 20], ['files', 512, 'server', 70], ['files', 1024, 'server', 120],
    ['files', 0, 'ajax', 40], ['files', 512, 'ajax', 60], ['files', 1024, 'ajax', 80], ['files', 0, 'stream', 200], ['files', 1024, 'stream', 300],
  ]));
  assert.equal(metrics.load_ms_server_files_0, '20');
  assert.equal(metrics.load_ms_server_files_most, '120');
  assert.equal(Number(metrics.slope_ms_ajax_files).toFixed(5), (40 / 1024).toFixed(5));
  assert.equal(Number(metrics.off_line_ms_ajax_files).toFixed(6), '0.000000'); // 40, 60 and 80 lie on a line
  assert.equal(metrics.off_line_ms_stream_files, undefined, 'two always do');
  assert.equal(metrics.crossing_files_server_ajax, (512 * 20 / 30).toPrecision(6)); // 20 ms sooner at 0, 10 ms later at 512
  assert.equal(metrics.crossing_files_server_stream, undefined);
  assert.equal(metrics.page_clock_bound_ms, '0.5');
});

test('how far a step lies from the line through all of them comes out', () => {
  const metrics = reduce(tableOf([['series', 0, 'ajax', 10], ['series', 1, 'ajax', 40], ['series', 2, 'ajax', 10]]));
  assert.equal(metrics.slope_ms_ajax_series, '0');
  assert.equal(metrics.off_line_ms_ajax_series, '20'); // the line is at 20
});

test('there is no crossing where the server is later from the least on, and a tie is none by itself', () => {
  const late = reduce(tableOf([['files', 0, 'server', 50], ['files', 9, 'server', 60], ['files', 0, 'ajax', 40], ['files', 9, 'ajax', 40]]));
  assert.equal(late.crossing_files_server_ajax, undefined);
  const tied = reduce(tableOf([['files', 0, 'server', 30], ['files', 4, 'server', 50], ['files', 8, 'server', 60],
    ['files', 12, 'server', 80], ['files', 0, 'ajax', 40], ['files', 4, 'ajax', 40], ['files', 8, 'ajax', 60], ['files', 12, 'ajax', 70]]));
  assert.equal(tied.crossing_files_server_ajax, '2');
});

test('the gain, the batches of six and the bytes a byte are those of their definitions', () => {
  const metrics = reduce(tableOf([
    ['noop', 0, 'server', 100], ['timeouts', 1000, 'server', 1110], ['timeouts', 1000, 'stream', 1010], ['parallel', 6, 'ajax', 2100],
    ['parallel', 7, 'ajax', 4040], ['files', 0, 'stream', 9, 1000], ['files', 1, 'stream', 9, 1000 + 2048],
  ]));
  assert.equal(metrics.gain_pages_1000, '1');
  assert.equal(metrics.batch_share_ajax_6, '1.05');
  assert.equal(metrics.batch_share_ajax_most, '1.01');
  assert.equal(metrics.wire_b_per_file_b_stream, '2');
});

const HOST = 'mark\tt_us\twall_us\nplanned\t1\t-\nstart\t1000\t5001000\n';
const CAPTURED_LOADS = [
  ['load', 'scenario', 'x', 'workflow', 'down_b', 'received_us', 'server_ahead_us', 'called_ms', 'told_ms'],
  [1, 'files', 0, 'stream', 1000, 2000, 0, -1, 1], [2, 'files', 1, 'stream', 3048, 12000, 2000, -1, 5], // from 9 to 15 ms by this clock
].map((row) => `${row.join('\t')}\n`).join('');
/** @param {[number, string, number, number, number?][]} packets µs since the clock began, direction, frame, stream, again */
const packetsOf = (packets) => [['direction', 'frame_b', 'stream_b', 'again', 'wall_us'], ...packets.map(([us, direction, frame_b, stream_b, again = 0]) => [direction, frame_b, stream_b, again, 5_000_000 + us])]
  .map((row) => `${row.join('\t')}\n`).join('');
const CAPTURE = packetsOf([
  [900, 'down', 99, 33], [1500, 'down', 600, 500], [1600, 'up', 70, 4], [2900, 'down', 466, 400], [3500, 'down', 77, 11], [9500, 'down', 1066, 1000],
  [14000, 'down', 1114, 1048], [14500, 'down', 1114, 1048, 1], [15100, 'down', 66, 0],
]);

test('bytes that were captured while a page was loaded are its own, those before and behind it are not, and what comes again counts once in the stream', () => {
  const captured = listCaptured(parseTsv(HOST), parseTsv(CAPTURED_LOADS), parseTsv(CAPTURE));
  assert.deepEqual(captured.map(({ counted_b, frames_b, stream_b, packets }) => [counted_b, frames_b, stream_b, packets]), [['1000', 1066, 900, 2], ['3048', 3294, 2048, 3]]);
  assert.deepEqual(captureMetrics(captured), [['captured_b_per_file_b_stream', (3294 - 1066) / 1024], ['captured_tcp_b_per_file_b_stream', (2048 - 900) / 1024]]);
});

const EXPERIMENT = 'experiments/17-page-delivery';

const PUBLISHED = readTsv(join(ROOT, EXPERIMENT, 'published.tsv'));
/** @param {string[][]} trials trial, metric, value @returns {Record<string, any>[]} rows of crossings.tsv */
const findCrossings = (trials) => listCrossings(trials.map(([trial, metric, value]) => (
  { trial, block: trial.slice(1), era: 'today', engine: 'fastify', workload: 'desk', setting: '-', metric, value })), PUBLISHED);

test("the source's own crossings are found in its tables: AJAX before 256 KiB, stream before 768", () => {
  const found = Object.fromEntries(findCrossings([]).map(({ scenario, workflow, x }) => [`${scenario} ${workflow}`, Number(x)]));
  assert.ok(found['files ajax'] > 128 && found['files ajax'] < 256, String(found['files ajax']));
  assert.ok(found['files stream'] > 640 && found['files stream'] < 768);
  assert.ok(found['documents ajax'] > 8192 && found['documents ajax'] < 16384);
  assert.equal(found['documents stream'], undefined);
});

/**
 * @param {(string | undefined)[]} crossings of each trial, of documents: where the server's page and the other workflow's cross
 * @param {string} workflow @returns {string[][]} rows of trials.tsv
 */
const trialsOf = (crossings, workflow) => crossings.flatMap((at, index) => [
  ...[0, 32768].flatMap((x) => [
    [`b${index + 1}`, `load_ms_server_documents_${x}`, String(50 + (at && x ? 200 : 0))], [`b${index + 1}`, `load_ms_${workflow}_documents_${x}`, '100'],
  ]),
  ...(at ? [[`b${index + 1}`, `crossing_documents_server_${workflow}`, at]] : []),
]);

test('a crossing is told in words: where, with which interval, in how many trials', () => {
  const wordsFor = (/** @type {(string | undefined)[]} */ crossings) => findCrossings(trialsOf(crossings, 'ajax')).at(-1)?.words;
  assert.equal(wordsFor(['1500', '3000', '6000']), 'at 3000 [536, 16800] documents');
  assert.equal(wordsFor(['2904', '2906']), 'at 2910 [no interval: 2 trials] documents');
  assert.equal(wordsFor([undefined, undefined, undefined]), 'nowhere up to 32768 documents');
  assert.equal(wordsFor([undefined, '900', '900']), 'in 2 of 3 trials');
});

test('what a value of an option needs is installed where it is chosen, and nothing where it is not', () => {
  const parts = { disk: { folder: '../stores/disk', runtime: 'go', build: ['make'] } };
  const engine = /** @type {any} */ ({ folder: '/servers/a', options: { store: { values: ['none', 'disk'], default: 'none', parts }, tls: { values: [], default: '' } } });
  assert.deepEqual(listOptionParts(engine, { store: 'disk' }), [{ folder: '/servers/stores/disk', runtime: 'go', build: ['make'], name: 'disk' }]);
  assert.deepEqual(listOptionParts(engine, { store: 'none' }), []);
});
