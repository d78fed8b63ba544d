/** Numbers in the sample's tables, recomputed from its raw captures without the filters. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { readTsv } from '../../harness/common/files.js';
import { readPercentiles } from '../../analysis/captures/latency.js';
import { expectedOf } from './places.js';
import { EXPECTED, copySample, reduce } from './bundles.js';

/** An experiment with a sweep. */
const SWEPT = '05-core-scaling';
const SAMPLE = copySample();
const trials = readTsv(join(SAMPLE, 'plan.tsv'));
const table = readTsv(join(EXPECTED, 'reduced/trials.tsv'));

/** @param {string} trial @param {string} metric @returns {number} its value in the table */
function look(trial, metric) {
  const rows = table.filter((row) => row.trial === trial && row.metric === metric);
  assert.equal(rows.length, 1, `${trial} ${metric} stands ${rows.length} times in the table`);
  return Number(rows[0].value);
}

/** Equal to the six digits of the table. @param {number} found @param {number} expected @param {string} what */
function assertSame(found, expected, what) {
  assert.ok(Math.abs(found - expected) <= 1e-5 * Math.abs(expected), `${what}: ${found}, by hand ${expected}`);
}

/** @param {string} trial @param {string} name @returns {Record<string, string>[]} */
const readRaw = (trial, name) => readTsv(join(SAMPLE, 'trials', trial, 'raw', name));

for (const side of ['server', 'client']) {
  test(`CPU seconds of the ${side} per 1,000 messages are those of the kernel's accounts over the answers counted`, () => {
    for (const { trial, from_s, to_s } of trials) {
      const accounts = readRaw(trial, 'accounts.tsv').filter((row) => row.side === side && row.role !== 'recorder');
      const sum = (/** @type {string} */ mark) =>
        accounts.filter((row) => row.mark === mark).reduce((ns, row) => ns + Number(row.cpu_ns), 0);
      const answers = readRaw(trial, 'client/intervals.tsv').filter(({ t_s }) => Number(t_s) >= Number(from_s) && Number(t_s) < Number(to_s))
        .reduce((count, row) => count + Number(row.received), 0);
      assertSame(look(trial, `${side}_cpu_s_per_1k`), (sum('window_end') - sum('window_start')) / 1e9 / (answers / 1000), trial);
    }
  });
}

test('the ratio of a comparison is the geometric mean of those of two trials within their block', () => {
  const [compared] = readTsv(join(EXPECTED, 'reduced/compared.tsv')).filter(({ claim }) => claim === 'T4');
  const ratios = ['b01', 'b02'].map((block) => look(`${block}-${compared.of}-listed`, compared.metric) / look(`${block}-${compared.to}-listed`, compared.metric));
  assertSame(Number(compared.mean), Math.sqrt(ratios[0] * ratios[1]), 'T4');
});

/**
 * Adds the counts of one histogram in the HdrHistogram V2 encoding: a compressed payload of ZigZag LEB128 counts after
 * a header of 40 bytes. A negative count is a run of zeros.
 * @param {string} text in base64
 * @param {Map<number, number>} counts by the highest value of each bucket
 */
function addHistogram(text, counts) {
  const bytes = inflateSync(Buffer.from(text, 'base64').subarray(8));
  assert.equal(bytes.readInt32BE(0) & 0xffffff0f, 0x1c849303, 'cookie of the V2 encoding');
  assert.equal(bytes.readInt32BE(12), 3, 'significant digits');
  for (let at = 40, index = 0; at < bytes.length;) {
    let [coded, shift, byte] = [0n, 0n, 0x80];
    for (; byte & 0x80; shift += 7n) {
      byte = bytes[at++];
      coded |= BigInt(byte & 0x7f) << shift;
    }
    const count = Number((coded >> 1n) ^ -(coded & 1n));
    if (count < 0) index -= count;
    else counts.set(highestValueAt(index), (counts.get(highestValueAt(index++)) ?? 0) + count);
  }
}

/**
 * With three digits: 2,048 buckets 1 wide, then 1,024 buckets 2 wide, 1,024 buckets 4 wide, ...
 * @param {number} index @returns {number}
 */
function highestValueAt(index) {
  const bucket = Math.max(0, Math.floor(index / 1024) - 1);
  const step = 2 ** bucket;
  return (index - 1024 * bucket) * step + step - 1;
}

/**
 * @param {string} trial @param {string} series @param {number} from_s @param {number} to_s @param {string} [sample]
 * @returns {number[]} sorted, in ms
 */
function readLatencies(trial, series, from_s, to_s, sample = SAMPLE) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  const log = readFileSync(join(sample, 'trials', trial, `raw/client/${series}.hlog`), 'utf8');
  for (const [begin, , , histogram] of log.split('\n').filter((line) => /^\d/.test(line)).map((line) => line.split(','))) {
    if (Number(begin) >= from_s && Number(begin) < to_s) addHistogram(histogram, counts);
  }
  return [...counts].flatMap(([value, count]) => Array(count).fill(value / 1000)).sort((a, b) => a - b);
}

/** @param {number[]} sorted @param {number} percentile */
const percentileOf = (sorted, percentile) => sorted[Math.ceil((percentile * sorted.length) / 100) - 1];

for (const series of ['latency', 'service', 'connect']) {
  test(`percentiles of ${series} are those of the merged counts of their seconds`, () => {
    for (const { trial, from_s, to_s } of trials) {
      const values = readLatencies(trial, series, series === 'connect' ? 0 : Number(from_s), Number(to_s));
      for (const percentile of [50, 90]) {
        assertSame(look(trial, `${series}_p${percentile}_ms`), percentileOf(values, percentile), `${trial} p${percentile}`);
      }
      const has99 = table.some((row) => row.trial === trial && row.metric === `${series}_p99_ms`);
      assert.equal(has99, values.length >= 1000, `${values.length} samples, p99 ${has99 ? 'there' : 'absent'}`);
    }
  });
}

test('the mean latency of a step of a sweep is that of its counts', () => {
  const sample = copySample(SWEPT);
  const steps = readTsv(join(expectedOf(SWEPT), 'reduced/steps.tsv')).filter(({ role }) => role === 'server');
  assert.ok(steps.some(({ latency_mean_ms }) => latency_mean_ms !== '-'));
  for (const { trial, step, latency_mean_ms } of steps) {
    const window = readTsv(join(sample, 'trials', trial, 'raw/steps.tsv')).find((row) => row.step === step);
    const values = readLatencies(trial, 'latency', Number(window?.from_s), Number(window?.to_s), sample);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    if (values.length === 0) assert.equal(latency_mean_ms, '-');
    else assert.ok(Math.abs(Number(latency_mean_ms) / mean - 1) < 1e-3, `${trial} ${step}: ${latency_mean_ms}, by hand ${mean}`); // the suite takes the middle of a bucket, this test its end
  }
});

test('a window that ends before the load does leaves the seconds after it out', () => {
  const [{ trial, ...row }] = trials;
  const window = { from_s: Number(row.from_s), to_s: Number(row.from_s) + 1 };
  const found = readPercentiles(join(SAMPLE, 'trials', trial, 'raw/client'), window).find(({ series, percentile }) => series === 'latency' && percentile === 50);
  const values = readLatencies(trial, 'latency', Number(row.from_s), Number(row.from_s) + 1);
  assert.deepEqual([Number(found?.value_us) / 1000, found?.samples], [percentileOf(values, 50), values.length]);
});

test('a process\'s CPU in the series is what top shows', () => {
  const { trial } = trials[0];
  const owners = new Map(readRaw(trial, 'accounts.tsv').map((row) => [row.pid, `${row.role} ${row.index}`]));
  const [, , third] = readFileSync(join(SAMPLE, 'trials', trial, 'raw/top.txt'), 'utf8').split(/^top - .*$/m).slice(1);
  const launched = Number(readRaw(trial, 'samplers.tsv').find(({ sampler }) => sampler === 'top')?.launched_s);
  /** @type {Record<string, number>} */
  const used = {};
  for (const cells of third.split('\n').map((line) => line.trim().split(/ +/))) {
    const owner = owners.get(cells[0]);
    if (owner) used[owner] = Number(cells[8]);
  }
  reduce(SAMPLE, 'mawk');
  const rows = readTsv(join(SAMPLE, 'reduced/series.tsv')).filter((row) => row.trial === trial && row.t_s === (launched + 2).toFixed(1) && row.quantity === 'cpu_pct');
  assert.ok(rows.length >= 3);
  for (const { process, value } of rows) assert.equal(Number(value).toFixed(1), used[process].toFixed(1), process);
});
