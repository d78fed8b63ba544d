import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import hdr from 'hdr-histogram-js';
import { formatLog, writeRecords } from '../../clients/common/record-files.js';
import { RecordReader } from '../../clients/forked/record-reader.js';
import recordStream from '../../clients/forked/record-stream.cjs';
import records from '../../clients/common/records.cjs';
import { tellSeconds } from '../../clients/forked/second-lines.js';
import { monotonic_us } from '../../clients/common/start.js';
import { Tally } from '../../clients/common/tally.js';

const { KIND } = records;
const RecordStream = /** @type {any} */ (recordStream); // an ES5 constructor
const START_US = 5e9;
/** @type {ConstructorParameters<typeof Tally>[0]} */
const CONFIG = { behaviour: 'echo', payload: { type: 'text', bytes: 100 }, connections: 3, ramp_s: 1, settle_s: 0, hold_s: 2, late_ms: 5 };

/** From ms since the start to µs of the clock. */
const at = (/** @type {number} */ ms) => START_US + ms * 1000;

/** @param {string} text */
function readLog(text) {
  const reader = new hdr.HistogramLogReader(text);
  /** @type {hdr.Histogram[]} */
  const histograms = [];
  for (let next; (next = reader.nextIntervalHistogram()); ) histograms.push(next);
  return histograms;
}

function createTally() {
  const tally = new Tally(CONFIG, START_US);
  tally.add(KIND.OPENED, 0, at(0), at(2), 0);
  tally.add(KIND.OPENED, 0, at(400), at(401), 0);
  tally.add(KIND.FAILED_LOCAL, 0, at(800), at(801), 0);
  tally.add(KIND.ANSWERED, 100, at(900), at(901), at(1100)); // due in the ramp, before the window
  tally.add(KIND.UNSENT, 0, at(1000), 0, 0);
  tally.add(KIND.ANSWERED, 100, at(1000), at(1001), at(1004));
  tally.add(KIND.WRONG, 99, at(1999), at(2010), at(2019)); // late
  tally.add(KIND.MISSING, 0, at(2500), at(2501), 0);
  tally.add(KIND.DROPPED_REMOTE, 0, at(401), at(2600), 0);
  tally.add(KIND.UNSENT, 1, at(2650), 0, 0); // on the connection that was just lost
  tally.add(KIND.STRAY, 4, at(2700), 0, 0);
  tally.add(KIND.ANSWERED, 100, at(2999), at(2999), at(3001)); // due in the window, answered in the drain
  return tally;
}

test('records pass the stream whole, however it is cut', () => {
  /** @type {Buffer[]} */
  const chunks = [];
  const stream = new RecordStream({ write: (/** @type {any} */ chunk) => chunks.push(Buffer.from(chunk)) });
  stream.addJson(KIND.HELLO, { node: 'v0.10.28' });
  for (let i = 0; i < 5000; i++) stream.add(KIND.ANSWERED, i, i + 0.25, i + 0.5, 1e15 + i);
  stream.addJson(KIND.GOODBYE, { errors: { 'ü': 1 } });
  const bytes = Buffer.concat(chunks);
  for (const size of [7, 32, 1000, bytes.length]) {
    /** @type {number[][]} */
    const seen = [];
    /** @type {any[]} */
    const reported = [];
    const reader = new RecordReader((...record) => seen.push(record), (kind, content) => reported.push([kind, content]));
    for (let offset = 0; offset < bytes.length; offset += size) reader.read(bytes.subarray(offset, offset + size));
    assert.equal(seen.length, 5000);
    assert.deepEqual(seen[4321], [KIND.ANSWERED, 4321, 4321.25, 4321.5, 1e15 + 4321]);
    assert.deepEqual(reported, [[KIND.HELLO, { node: 'v0.10.28' }], [KIND.GOODBYE, { errors: { 'ü': 1 } }]]);
  }
});

test('each second has a line with what happened during it and who was connected at its end', () => {
  // t_s, connected, failed, dropped, due, sent, received, wrong, sent_b, received_b, late (counted when due)
  assert.deepEqual(createTally().intervals(), [
    [0, 2, 1, 0, 1, 1, 0, 0, 100, 0, 0],
    [1, 2, 0, 0, 3, 1, 2, 0, 100, 200, 1],
    [2, 1, 0, 1, 3, 3, 1, 2, 300, 99, 0],
    [3, 1, 0, 0, 0, 0, 1, 0, 0, 100, 0],
  ]);
});

test('the window counts the messages that were intended in it', () => {
  const { window, connections } = createTally().summarise();
  assert.deepEqual(window, {
    due: 6, unsent_remote: 1, sent: 4, received: 3, missing: 1, wrong: 2, late: 1,
    latency_mean_us: (4000 + 20000 + 2000) / 3,
    service_mean_us: (3000 + 9000 + 2000) / 3,
  });
  assert.deepEqual(connections, {
    asked: 3, opened: 2, open_at_end: 1, failed_local: 1, failed_remote: 0, dropped_local: 0, dropped_remote: 1,
  });
});

test('a time that runs backwards is an error, not a latency', () => {
  assert.throws(() => new Tally(CONFIG, START_US).add(KIND.ANSWERED, 1, at(10), at(11), at(9)), /lies before/);
});

test('a log read back holds the counts and percentiles that were written, by the second of the intended time', () => {
  const tally = new Tally(CONFIG, START_US);
  for (let ms = 0; ms < 2000; ms++) tally.add(KIND.ANSWERED, 1, at(ms), at(ms), at(ms) + 1000 + ms);
  const text = formatLog(tally.seconds.map((second) => second.latency), 1.7e12);
  assert.match(text, /^#\[Histogram log format version 1\.3\]\n/);
  const read = readLog(text);
  assert.deepEqual(read.map((histogram) => histogram.totalCount), [1000, 1000, 0]);
  assert.deepEqual(read.map((histogram) => histogram.startTimeStampMsec), [1.7e12, 1.7e12 + 1000, 1.7e12 + 2000]);
  for (const [t_s, median_us] of [[0, 1499], [1, 2499]]) {
    assert.ok(Math.abs(read[t_s].getValueAtPercentile(50) / median_us - 1) < 0.002);
    assert.equal(read[t_s].getValueAtPercentile(99), tally.seconds[t_s].latency.getValueAtPercentile(99));
  }
});

test('merging two logs adds their counts', () => {
  const logs = [1, 2].map((client) => {
    const tally = new Tally(CONFIG, START_US);
    for (let i = 0; i < 100 * client; i++) tally.add(KIND.ANSWERED, 1, at(5), at(5), at(5) + 1e4 ** client);
    return readLog(formatLog([tally.seconds[0].service], 1.7e12))[0];
  });
  const merged = hdr.build({ autoResize: true });
  for (const log of logs) merged.add(log);
  assert.equal(merged.totalCount, 300);
  assert.ok(Math.abs(merged.getValueAtPercentile(33) / 1e4 - 1) < 0.001);
  assert.ok(Math.abs(merged.getValueAtPercentile(90) / 1e8 - 1) < 0.001);
});

test('the records are written under their own names, and no temporary file stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-records-'));
  try {
    writeRecords(folder, createTally(), { client: 'forked' }, 1.7e12);
    assert.deepEqual(readdirSync(folder).toSorted(), ['connect.hlog', 'intervals.tsv', 'latency.hlog', 'service.hlog', 'summary.json']);
    const [header, first] = readFileSync(join(folder, 'intervals.tsv'), 'utf8').split('\n');
    assert.equal(header, 't_s\tconnected\tfailed\tdropped\tdue\tsent\treceived\twrong\tsent_b\treceived_b\tlate');
    assert.equal(first, '0\t2\t1\t0\t1\t1\t0\t0\t100\t0\t0');
    const connects = readLog(readFileSync(join(folder, 'connect.hlog'), 'utf8'));
    assert.deepEqual(connects.map((histogram) => histogram.totalCount), [2, 0, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('while it runs a load can tell what the seconds that are over have counted, and the last one\'s percentiles', () => {
  const tally = createTally();
  assert.deepEqual(tally.progress(0), { t_s: 0, connected: 0, due: 0, sent: 0, received: 0 });
  assert.deepEqual(tally.progress(1), {
    t_s: 1, connected: 2, due: 1, sent: 1, received: 0, latency_p50_us: 200_063, latency_p99_us: 200_063,
  });
  const { latency_p50_us, latency_p99_us, ...counts } = /** @type {any} */ (tally.progress(2));
  assert.deepEqual(counts, { t_s: 2, connected: 2, due: 4, sent: 2, received: 2 });
  assert.deepEqual([latency_p50_us, latency_p99_us].map((us) => Math.round(us / 100)), [40, 200]);
});

test('a line is reported after each second of the load, and none after its end or when it is stopped', async () => {
  const lines = /** @type {string[]} */ ([]);
  const tally = { start_us: monotonic_us(), load_s: 1, progress: (/** @type {number} */ t_s) => ({ t_s }) };
  const stop = tellSeconds(tally, (line) => lines.push(line));
  tellSeconds({ ...tally, load_s: 60 }, () => assert.fail('it was stopped'))();
  for (let waitedMs = 0; lines.length < 2 && waitedMs < 60_000; waitedMs += 50) await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 1100)); // time for a third line, which must not come
  stop();
  assert.deepEqual(lines, ['second {"t_s":0}\n', 'second {"t_s":1}\n']);
});
