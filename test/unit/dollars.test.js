/** The costs of a million messages and of a connection-month, computed by hand, and their line in the summary. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeDollars, priceMonths } from '../../analysis/points/dollars.js';
import { parseTsv } from '../../harness/common/files.js';
import { describeCost } from '../../report/summary.js';

const PRICES = [
  ['as_of', 'region', 'item', 'unit', 'usd'],
  ['2025-01-01', 'here', 'vcpu', 'hour', '0.036'], ['2025-01-01', 'here', 'memory', 'GiB-hour', '0.01'], ['2025-01-01', 'here', 'egress', 'GB', '0.1'],
  ['2025-01-01', 'there', 'vcpu', 'hour', '99'],
];
const PLAN = [['order', 'engine', 'workload', 'setting', 'from_s', 'to_s'], ['1', 'e', 'w', '-', '10', '20']];
const HEADER = ['era', 'engine', 'workload', 'setting', 'metric', 'n', 'mean', 'low', 'high'];

/**
 * @param {Record<string, string[]>} metrics mean, low and high by name
 * @param {string} [setting] @param {Record<string, string>} [given] settings of the load
 * @returns {Record<string, string>[]} rows of dollars.tsv
 */
function reckon(metrics, setting = '-', given = {}) {
  const rowsOf = (/** @type {string[][]} */ table) => parseTsv(table.map((cells) => cells.join('\t')).join('\n'));
  const points = rowsOf([HEADER, ...Object.entries(metrics).map(([metric, values]) => ['today', 'e', 'w', setting, metric, '3', ...values])]);
  const plan = rowsOf(PLAN).map((row) => ({ ...row, era: 'today', setting }));
  const { payload_b, behaviour, own_sizes } = { payload_b: '48', behaviour: 'echo', own_sizes: '', ...given };
  const messages = { payload_b: payload_b === 'drawn' ? /** @type {const} */ ('drawn') : Number(payload_b), behaviour, own_sizes: own_sizes.split(' ') };
  return computeDollars(rowsOf(PRICES), 'here', plan, points, messages);
}

const MEASURED = {
  server_cpu_s_per_1k: ['0.1', '0.08', '0.12'], server_cpu_cores: ['0.1', '0.08', '0.12'],
  received_hz: ['1000', '-', '-'], connected_at_end: ['1024', '-', '-'],
  worker_rss_kb_per_connection: ['768', '760', '776'], balancer_rss_kb_per_connection: ['256', '248', '264'],
};

test('CPU, memory of all roles and egress are shared out over messages, and over connections', () => {
  const [messages, months, ...none] = reckon({ ...MEASURED, wire_down_b: ['1e7', '-', '-'] });
  assert.deepEqual(none, []);
  // A million messages take 100 s of CPU and 1000 s in all. In 1000 s, 1 GiB of memory is held and 1 GB is sent
  const own = { era: 'today', engine: 'e', workload: 'w', setting: '-', egress_by: 'device', lacks: '-', as_of: '2025-01-01' };
  assert.deepEqual(messages, { ...own, what: 'million_messages', cpu_usd: '0.001', memory_usd: '0.002778', egress_usd: '0.1', usd: '0.1038', low: '0.1035', high: '0.104' });
  // 1,024 connections share 730 hours, each with a tenth of a core, 1 GiB of memory and 3.6 GB sent
  assert.deepEqual(months, { ...own, what: 'connection_month', cpu_usd: '0.002566', memory_usd: '0.007129', egress_usd: '0.2566', usd: '0.2663', low: '0.2657', high: '0.267' });
});

test('without an interval of the memory the costs have none', () => {
  const [messages] = reckon({ ...MEASURED, worker_rss_kb_per_connection: ['768', '-', '-'] });
  assert.deepEqual([messages.usd, messages.low, messages.high], ['0.01378', '-', '-']);
});

test('where no device counted the egress it is computed as a packet per message, or several for a long one', () => {
  const egress = (/** @type {string} */ setting) => reckon(MEASURED, setting).map(({ egress_usd, egress_by }) => [egress_usd, egress_by]);
  assert.deepEqual(egress('-'), [['0.01', 'packets'], ['0.02566', 'packets']]); // 48 B of payload, 52 B of headers
  assert.deepEqual(egress('payload_b=1448')[0], ['0.15', 'packets']);
  assert.deepEqual(egress('cores=own,payload_b=2948')[0], ['0.3104', 'packets']); // three packets
  const [messages] = reckon(MEASURED);
  assert.equal(messages.usd, '0.01378');
});

test('what is not known is named and not counted', () => {
  const { worker_rss_kb_per_connection: _worker, balancer_rss_kb_per_connection: _balancer, ...bare } = MEASURED;
  assert.deepEqual(reckon(bare).map(({ lacks, memory_usd }) => [lacks, memory_usd]), [['memory', '-'], ['memory', '-']]);
});

test('a payload of which the size is not known is named, unless a device counted it', () => {
  /** @param {string} setting @param {Record<string, string>} [given] @param {Record<string, string[]>} [metrics] */
  const lacksOf = (setting, given = {}, metrics = MEASURED) => reckon(metrics, setting, given)[0].lacks;
  assert.equal(lacksOf('-'), '-');
  assert.equal(lacksOf('-', { payload_b: 'drawn' }), 'payload');
  assert.equal(lacksOf('payload_b=81', { payload_b: 'drawn' }), '-');
  assert.equal(lacksOf('payload_b=81', { behaviour: 'file' }), 'payload');
  assert.equal(lacksOf('behaviour=file-listed,payload_b=81'), 'payload');
  assert.equal(lacksOf('behaviour=echo,payload_b=81', { behaviour: 'file' }), '-');
  assert.equal(lacksOf('-', { own_sizes: 'v w' }), 'payload');
  assert.equal(lacksOf('-', { own_sizes: 'v ww' }), '-');
  const { worker_rss_kb_per_connection: _worker, balancer_rss_kb_per_connection: _balancer, ...bare } = MEASURED;
  assert.equal(lacksOf('-', { behaviour: 'updates' }, bare), 'memory,payload');
  assert.equal(lacksOf('-', { behaviour: 'file' }, { ...MEASURED, wire_down_b: ['1e7', '-', '-'] }), '-');
});

test('where nothing was answered, or nobody was connected, there is no cost', () => {
  assert.deepEqual(reckon({ ...MEASURED, received_hz: ['0', '-', '-'] }).map(({ what }) => what), ['connection_month']);
  assert.deepEqual(reckon({ ...MEASURED, connected_at_end: ['0', '-', '-'] }).map(({ what, lacks }) => [what, lacks]), [['million_messages', 'memory']]);
});

test('a result tells the cheapest and the dearest million messages in one line, with the date of the prices', () => {
  const row = (/** @type {string} */ engine, /** @type {string} */ usd) => ({ what: 'million_messages', engine, usd, lacks: 'memory', egress_by: 'packets', as_of: '2025-01-01' });
  assert.deepEqual(describeCost([row('a', '0.02'), row('b', '0.003'), row('c', '0.01')]),
    ['a million messages cost the server $0.003 (b) to $0.02 (a) without memory, its egress as a packet a message, at prices of 2025-01-01 (reduced/dollars.tsv)']);
  assert.deepEqual(describeCost([]), []);
});

test('where the cheapest and the dearest are of one engine it is named once', () => {
  const row = (/** @type {string} */ workload, /** @type {string} */ usd) => ({ what: 'million_messages', engine: 'a', workload, usd, lacks: '-', as_of: '2025-01-01' });
  const words = (/** @type {string} */ range) => [`a million messages cost the server ${range}, at prices of 2025-01-01 (reduced/dollars.tsv)`];
  assert.deepEqual(describeCost([row('sweep', '0.02'), row('fanout', '0.003')]), words('$0.003 to $0.02 (a)'));
  assert.deepEqual(describeCost([row('sweep', '0.02')]), words('$0.02 (a)'));
});

test('a month of a load is the price of its cores, of memory for its connections, and of its answers with their headers', () => {
  const prices = Object.entries({ vcpu: '0.04', memory: '0.004', egress: '0.1' }).map(([item, usd]) => ({ as_of: '2025-01-01', region: 'here', item, usd }));
  const row = { total_rate_hz: '1000', payload_b: '448', cores: '0.5', us_per_message: '500', low: '400', high: '600' };
  const [month] = priceMonths(prices, 'here', [{ ...row, memory_mb: '1073.741824', memory_mb_low: '-1', memory_mb_high: '2147.483648' }]);
  // 730 h: 0.5 core; 1 GiB (the interval from below 0 to 2); 1,000 answers a second of 500 B, 1,314 GB
  assert.deepEqual([month.cpu_usd, month.memory_usd, month.egress_usd], ['14.6', '2.92', '131.4']);
  assert.deepEqual([month.usd, month.usd_low, month.usd_high], ['148.9', '143.1', '154.8']);
  const [without] = priceMonths(prices, 'here', [{ ...row, low: '-', high: '-', memory_mb: '-', memory_mb_low: '-', memory_mb_high: '-' }]);
  assert.deepEqual([without.memory_usd, without.usd, without.usd_high], ['-', '146', '-']);
  const [once] = priceMonths(prices, 'here', [{ ...row, memory_mb: '1073.741824', memory_mb_low: '-', memory_mb_high: '-' }]);
  assert.deepEqual([once.memory_usd, once.usd, once.usd_low, once.usd_high], ['2.92', '148.9', '-', '-'], 'one trial of memory has no interval');
  const lacking = { ...row, engine: 'lacking', memory_mb: '-', memory_mb_low: '-', memory_mb_high: '-' };
  const sorted = priceMonths(prices, 'here', [lacking, { ...lacking, engine: 'known', memory_mb: '1073.741824' }]);
  assert.deepEqual(sorted.map(({ engine }) => engine), ['known', 'lacking'], 'a sum without memory is not the cheapest');
  assert.deepEqual(priceMonths(prices, 'here', [{ ...row, cores: '-' }]), [], 'a cost that is not known has no price');
});
