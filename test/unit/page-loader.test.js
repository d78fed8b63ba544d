/** Page loads: which ones, in which order, and the metrics computed from their times. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
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
import { compare } from '../../analysis/points/comparisons.js';
import { judgeRow } from '../../analysis/claims/verdict.js';
import { listCrossings } from '../../experiments/17-page-delivery/crossings.js';
import { compareLaws, judgeGrowth, resample } from '../../experiments/17-page-delivery/growth.js';
import { parseTsv, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { makeSpec } from '../../harness/spec/spec.js';
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

test('with scripts in the cache, the page that fetched them is complete before the measured one begins', async () => {
  /** @type {string[]} */
  const done = [];
  const page = Object.assign(new EventEmitter(), {
    evaluate: async () => true,
    waitForFunction: async () => { done.push('loaded'); },
    goto: async (/** @type {string} */ url) => {
      done.push(url);
      if (!url.endsWith('/ajax/noop/0')) throw new Error('that is enough');
      setTimeout(() => { done.push('complete'); page.emit('console', { text: () => 'page complete' }); }, 20);
    },
  });
  const browser = { gone: new Promise(() => {}), openContext: async () => ({ newPage: async () => page, close: async () => {} }) };
  const loader = new Loader(/** @type {any} */ ({ url: 'http://127.0.0.1:9', cache: 'on' }), /** @type {any} */ (browser), /** @type {any} */ ({ readUsage: async () => ({}) }), { offset_us: 0, bound_us: 0 });
  await assert.rejects(loader.load({ workflow: 'ajax', scenario: 'files', x: 1 }, '1'), /ajax files 1 was never complete: that is enough/);
  assert.deepEqual(done, ['http://127.0.0.1:9/ajax/noop/0', 'complete', 'loaded', 'http://127.0.0.1:9/ajax/files/1?load=1']);
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

test('a process that started later counts with the CPU time of its last reading', () => {
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

test('the median and the slope of times that are known come out', () => {
  const metrics = reduce(tableOf([
    ['files', 0, 'server', 10], ['files', 0, 'server', 30], ['files', 0, 'server', 20], ['files', 512, 'server', 70], ['files', 1024, 'server', 120],
    ['files', 0, 'ajax', 40], ['files', 512, 'ajax', 60], ['files', 1024, 'ajax', 80], ['files', 0, 'stream', 200], ['files', 1024, 'stream', 300],
  ]));
  assert.equal(metrics.load_ms_server_files_0, '20');
  assert.equal(metrics.load_ms_server_files_most, '120');
  assert.equal(Number(metrics.slope_ms_ajax_files).toFixed(5), (40 / 1024).toFixed(5));
  assert.equal(Number(metrics.off_line_ms_ajax_files).toFixed(6), '0.000000'); // 40, 60 and 80 lie on a line
  assert.equal(metrics.off_line_ms_stream_files, undefined, 'two always do');
  assert.equal(metrics.page_clock_bound_ms, '0.5');
});

test('how far a step lies from the line through all of them comes out', () => {
  const metrics = reduce(tableOf([['series', 0, 'ajax', 10], ['series', 1, 'ajax', 40], ['series', 2, 'ajax', 10]]));
  assert.equal(metrics.slope_ms_ajax_series, '0');
  assert.equal(metrics.off_line_ms_ajax_series, '20'); // the line is horizontal, at 20 ms
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
  // The second lasts from 9 to 15 ms on the clock of HOST
  [1, 'files', 0, 'stream', 1000, 2000, 0, -1, 1], [2, 'files', 1, 'stream', 3048, 12000, 2000, -1, 5],
].map((row) => `${row.join('\t')}\n`).join('');
/**
 * @param {[number, string, number, number, number?, number?, number?, string?][]} packets time on the clock of HOST
 *   in µs, direction, bytes of the frame, bytes of the TCP stream, whether it is a retransmission, bytes of HTTP,
 *   data frames, URI
 */
const packetsOf = (packets) => [['direction', 'frame_b', 'stream_b', 'again', 'wall_us', 'http_b', 'data_frames', 'uri'],
  ...packets.map(([us, direction, frame_b, stream_b, again = 0, http_b = 0, data_frames = 0, uri = '-']) => [direction, frame_b, stream_b, again, 5_000_000 + us, http_b, data_frames, uri])]
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

test('transmissions are requests, responses and data frames while the page was loaded, without scripts, against 2 n + 2 and n + 4', () => {
  const loads = [
    ['load', 'scenario', 'x', 'workflow', 'down_b', 'received_us', 'server_ahead_us', 'called_ms', 'told_ms'],
    [1, 'series', 1, 'ajax', 0, 2000, 0, -1, 1], [2, 'series', 2, 'stream', 0, 12000, 0, -1, 5],
  ].map((row) => `${row.join('\t')}\n`).join('');
  const capture = packetsOf([
    [900, 'up', 99, 33, 0, 99, 0, '/clock'], [1500, 'up', 99, 33, 0, 99, 0, '/ajax/series/1?load=l1'], [1600, 'down', 99, 33, 0, 99],
    [1700, 'up', 99, 33, 0, 99, 0, '/page.js'], [1800, 'down', 99, 33, 0, 99], [1900, 'up', 99, 33, 0, 99, 0, '/data/series/1?key=r0'], [2000, 'down', 99, 33, 0, 99],
    [12000, 'up', 99, 33, 0, 99, 0, '/stream/series/2'], [12100, 'down', 99, 33, 0, 99], [12200, 'up', 99, 33, 0, 99, 0, '/socket.io/?EIO=4'], [12300, 'down', 99, 33, 0, 99],
    [13000, 'up', 99, 33, 0, 0, 1], [14000, 'down', 99, 33, 0, 0, 3],
  ]);
  const captured = listCaptured(parseTsv(HOST), parseTsv(loads), parseTsv(capture));
  assert.deepEqual(captured.map(({ transmissions }) => transmissions), [4, 8]);
  assert.deepEqual(captureMetrics(captured), [['transmissions_off_ajax_series', 0], ['transmissions_off_stream_series', 2]]);
});

const EXPERIMENT = 'experiments/17-page-delivery';

const PUBLISHED = readTsv(join(ROOT, EXPERIMENT, 'published.tsv'));

test("the source's own crossings are found in its tables: AJAX before 256 KiB, stream before 768; none where there is none, or no step", () => {
  const found = Object.fromEntries(listCrossings([], PUBLISHED).map(({ scenario, workflow, words }) => [`${scenario} ${workflow}`, words]));
  assert.deepEqual(found, {
    'files ajax': 'later from 230 KiB on', 'files stream': 'later from 734 KiB on', 'documents ajax': 'later from 13100 documents on',
    'documents stream': 'sooner at each step', 'timeouts ajax': 'sooner at each step', 'timeouts stream': 'later from below 2000 ms on',
    'parallel ajax': 'sooner at each step', 'parallel stream': 'later at each step',
  });
});

/**
 * @param {number[]} xs @param {number[][]} blocks how many ms the server's page is later than AJAX's, by block and step
 * @param {string} [scenario] @returns {string[]} where they cross, in words
 */
const tell = (xs, blocks, scenario = 'parallel') => {
  const load = (/** @type {string} */ trial, /** @type {string} */ workflow, /** @type {number} */ x, /** @type {number} */ ms) =>
    ({ trial, engine: 'fastify', workload: 'desk', setting: '-', metric: `load_ms_${workflow}_${scenario}_${x}`, value: String(ms) });
  const trials = blocks.flatMap((late, block) => xs.flatMap((x, step) =>
    [load(`b${block}`, 'server', x, 100 + late[step]), load(`b${block}`, 'ajax', x, 100)]));
  return listCrossings(trials, []).map(({ words }) => String(words));
};
/** @template T @param {number} count @param {T} value @returns {T[]} */
const times = (count, value) => Array.from({ length: count }, () => value);

test('a crossing lies on the logarithm of x, with the exact interval of the median over six blocks or more', () => {
  assert.deepEqual(tell([1, 100], times(6, [-1, 1])), ['later from 10 [10, 10] requests on']);
  assert.deepEqual(tell([1, 100], times(5, [-1, 1])), ['fewer than six blocks']);
  const shares = [1, 2, 3, 4, 5, 6].map((tenth) => [-tenth, 10 - tenth]); // cross at 100 ** 0.1 to 100 ** 0.6
  assert.deepEqual(tell([1, 100], shares), ['later from 5.01 [1.58, 15.8] requests on']);
  assert.deepEqual(tell([1, 256], times(6, [-1, 1]), 'files'), ['later from 16 [16, 16] KiB on, 0.0625 [0.0625, 0.0625] of the source\'s']);
});

test('where curves cross more than once each crossing is named, and where they do not, or come near, none', () => {
  assert.deepEqual(tell([1, 100, 10000], times(6, [-1, 1, -1])), ['later from 10 [10, 10] requests on', 'sooner from 1000 [1000, 1000] requests on']);
  assert.deepEqual(tell([1, 100, 10000], [...times(3, [-1, 1, -1]), ...times(3, [-1, -1, -1])]), ['no crossing is shown']);
  const turnsBack = [...times(1, [-1, 1, 1, 1]), ...times(5, [-1, 1, -1, 1])];
  assert.deepEqual(tell([1, 10, 100, 1000], turnsBack), ['no crossing is shown'], 'it is later from 3 on in all blocks, then in one');
  assert.deepEqual(tell([1, 100], times(6, [-2, -1])), ['sooner at each step']);
  assert.deepEqual(tell([1, 100], times(6, [2, 1])), ['later at each step']);
  assert.deepEqual(tell([1, 4, 16, 64], times(6, [-1, 0, 1, 1])), ['later from 4 [4, 4] requests on'], 'a tie is not later');
  assert.deepEqual(tell([1, 4, 16], times(6, [1, 0, 1])), ['later at each step'], 'nor a crossing by itself');
});

test('between 0 and the next step there is no logarithm: a crossing there is below that step', () => {
  assert.deepEqual(tell([0, 100, 200], times(6, [-1, 1, 2]), 'timeouts'), ['later from below 100 ms on']);
  assert.deepEqual(tell([0, 100, 10000], [...times(1, [-1, 1, 2]), ...times(5, [-1, -1, 1])], 'timeouts'), ['later from 1000 [0, 1000] ms on']);
});

test('which law a curve follows comes out, with an interval of six blocks or more; the source\'s own points favour the line by 18', () => {
  const xs = [1, 256, 512, 768, 1024];
  const own = PUBLISHED.filter(({ scenario, workflow }) => scenario === 'series' && workflow === 'stream');
  assert.equal(Math.round(compareLaws(own.map(({ x, ms }) => [Number(x), Number(ms)]))), -18);
  const grown = (/** @type {(x: number) => number} */ law) => times(6, 0).map((_, block) =>
    xs.map((x, step) => /** @type {[number, number]} */ ([x, law(x) + ((block * 7 + step * 3) % 5)])));
  const [line, logarithm] = [resample(grown((x) => x)), resample(grown((x) => 100 * Math.log(x)))];
  assert.ok(Number(line.high) < 0 && Number(logarithm.low) > 0, JSON.stringify({ line, logarithm }));
  assert.equal(resample(grown((x) => x).slice(1)).low, undefined);
});

test('a trial that lacks a step of the series is no block of its growth', () => {
  const rows = ['a', 'b', 'c'].flatMap((trial) => [1, 4, 16, 64].filter((x) => trial !== 'a' || x !== 16).map((x) => (
    { trial, era: 'today', engine: 'e', workload: 'w', setting: '-', metric: `load_ms_stream_series_${x}`, value: String(10 + x) })));
  assert.deepEqual(judgeGrowth(rows, ['w']).map(({ n }) => n), [2]);
});

test('a trial whose stream has no slope counts for H5, and what TCP sent again does not for H7', () => {
  const { claims } = makeSpec('17-page-delivery', 'default', 1);
  const [h5, h7] = ['H5', 'H7'].map((id) => claims.filter((claim) => claim.id === id)[0]);
  assert.equal(h7.metric, 'captured_tcp_b_per_file_b_stream');
  const slopes = [[-1, 10], [1, 10], [3, 10]];
  const trials = slopes.flatMap((pair, block) => ['stream', 'ajax'].map((workflow, index) =>
    ({ engine: 'fastify', workload: 'desk', setting: '-', block: String(block), metric: `slope_ms_${workflow}_series`, value: String(pair[index]) })));
  const { of, to = '', to_metric = '' } = h5.compare[1];
  const [row] = compare([{ of, to, to_metric, workload: 'desk', setting: '-', metric: String(h5.metric), criterion: '<1' }], trials);
  assert.deepEqual([row.n, row.mean], [3, '0.1']);
  assert.equal(judgeRow(/** @type {any} */ (row)).verdict, 'reproduced');
});

test('what a value of an option needs is installed where it is chosen, and nothing where it is not', () => {
  const parts = { disk: { folder: '../stores/disk', runtime: 'go', build: ['make'] } };
  const engine = /** @type {any} */ ({ folder: '/servers/a', options: { store: { values: ['none', 'disk'], default: 'none', parts }, tls: { values: [], default: '' } } });
  assert.deepEqual(listOptionParts(engine, { store: 'disk' }), [{ folder: '/servers/stores/disk', runtime: 'go', build: ['make'], name: 'disk' }]);
  assert.deepEqual(listOptionParts(engine, { store: 'none' }), []);
});
