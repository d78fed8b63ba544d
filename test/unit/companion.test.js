import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findErrors } from '../../clients/browser/config.js';
import { PERIOD_S, drawTimes, findLag_ms, findPercentile, reckon } from '../../clients/browser/samples.js';
import { explainStart } from '../../clients/browser/chromium.js';
import { listCompanions, readCompanion } from '../../harness/spec/generators.js';
import { startCompanion } from '../../harness/run/lifecycle.js';
import { UserError } from '../../harness/common/failure.js';
import { rowsTest, table } from '../awks.js';
import { compareCounts } from '../../clients/browser/reduce.js';

const MAIN = join(import.meta.dirname, '../../clients/browser/main.js');
const RIGHT = { url: 'http://127.0.0.1:20000/', out: tmpdir(), ramp_s: 1, settle_s: 0, hold_s: 2, drain_s: 1, seed: 7 };

/** The worker's count grows by 40 a second. The page shows the count of 0.1 s ago. */
const STEADY = Array.from({ length: 12 }, (_, k) => ({
  t_s: k * 0.25, worker_count: k * 10, page_count: Math.max(0, k * 10 - 4), page_answers: k, page_falls: 0,
}));
const LAST = { page_count: 110, worker_count: 110, page_answers: 12 };
const WINDOW = { from_s: 1, to_s: 2.5 };
/** @param {[string, number][]} metrics */
const byName = (metrics) => Object.fromEntries(metrics);

test('a right configuration of the browser has no errors, a wrong one all at once', () => {
  assert.deepEqual(findErrors(RIGHT), []);
  const wrong = findErrors({ ...RIGHT, url: 'ws://127.0.0.1:20000', hold_s: 0, seed: -1, drain_s: '1' });
  for (const part of ['url is "ws://127.0.0.1:20000"', 'hold_s is 0', 'seed is -1', 'drain_s is "1"']) {
    assert.ok(wrong.some((line) => line.startsWith(part)), part);
  }
  assert.equal(wrong.length, 4);
});

test('the browser ends with 64 and says what is wrong before it opens anything', () => {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'));
  try {
    const path = join(folder, 'c.json');
    writeFileSync(path, JSON.stringify({ ...RIGHT, out: join(folder, 'absent') }));
    const { status, stderr } = spawnSync(process.execPath, [MAIN, path], { encoding: 'utf8' });
    assert.equal(status, 64);
    assert.match(stderr, /^error: .*c\.json: out is ".*absent"; set it to an existing folder\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('samples are taken once in each quarter of a second, not at equal distances', () => {
  let state = 0;
  const times = drawTimes(() => (state = (state + 0.37) % 1), 2);
  assert.equal(times.length, 8);
  times.forEach((t_s, k) => assert.ok(t_s >= k * PERIOD_S && t_s < (k + 1) * PERIOD_S));
  assert.ok(new Set(times.map((t_s, k) => (t_s - k * PERIOD_S).toFixed(6))).size > 1);
});

test('the lag of the page is the time since its worker had the count that the page shows', () => {
  assert.equal(Math.round(findLag_ms(STEADY, 6)), 100);
  assert.equal(findLag_ms([{ ...STEADY[0], worker_count: 5, page_count: 5 }], 0), 0);
});

test('a percentile has a value on either side of it, or there is none', () => {
  const values = Array.from({ length: 99 }, (_, index) => index);
  assert.equal(findPercentile(values, 0.99), undefined);
  assert.equal(findPercentile([...values, 99], 0.99), 98);
});

test('a count that rises and ends at the worker\'s own is reported as rising', () => {
  const metrics = byName(reckon(STEADY, WINDOW, LAST));
  assert.equal(metrics.page_rises, 1);
  assert.equal(metrics.page_worker_difference, 0);
  assert.equal(metrics.page_pings, 12);
  assert.equal(metrics.page_lag_p50, 4);
  assert.equal(metrics.page_updates_hz, 4);
});

test('a count that stands still, or falls once, does not rise', () => {
  const still = STEADY.map((sample) => ({ ...sample, page_count: 3 }));
  assert.equal(byName(reckon(still, WINDOW, LAST)).page_rises, 0);
  const falling = STEADY.map((sample, at) => ({ ...sample, page_falls: at > 8 ? 1 : 0 }));
  assert.equal(byName(reckon(falling, WINDOW, LAST)).page_rises, 0);
});

test('companions are the folders of clients/ with a companion.toml', () => {
  assert.ok(listCompanions().includes('browser'));
  assert.deepEqual(readCompanion('browser').start, ['node', 'main.js']);
  assert.throws(() => readCompanion('forked'), (error) => error instanceof UserError && error.message.includes('"forked" is not a companion; use one of browser'));
});

rowsTest('the difference of the counts is what neither the clients nor the page sent',
  (page, intervals) => compareCounts(page, intervals).map(([metric, value]) => ({ metric, value })), [
  table(`
    metric             value
    page_pings         12
    worker_count_last  113`),
  table(`
    t_s  connected  sent
    0    1          60
    1    1          40`),
], `
    metric            value
    count_difference  1`);

test('a companion runs at the client\'s end of the network, and gets the times of the load', async () => {
  const asked = /** @type {any[]} */ ([]);
  const session = /** @type {any} */ ({
    ask: async (/** @type {string} */ op, /** @type {object} */ given) => void asked.push([op, given]),
    start: async (/** @type {object} */ launch) => launch,
  });
  const { connections: _, ...load } = { ...RIGHT, connections: 7 };
  const launch = /** @type {any} */ (await startCompanion(session, 'browser', { ...load, connections: 7 }));
  assert.deepEqual(asked[0], ['makeFolder', { name: 'browser' }]);
  assert.deepEqual([asked[1][0], asked[1][1].name, JSON.parse(asked[1][1].text)], ['put', 'browser.json', { ...load, out: '{dir}/browser' }]);
  assert.deepEqual([launch.side, launch.cwd, launch.argv.at(-1)], ['client', 'clients/browser', '{dir}/browser.json']);
});

test('the reason why Chromium did not start is its own error if it gave one, with what to do', () => {
  const said = 'browserType.launchPersistentContext: Target page has been closed\nBrowser logs:\n[err] [1:1:FATAL:chrome/browser/process_singleton_posix.cc:315] Socket path too long: /tmp/a.\n';
  assert.equal(explainStart(said, 'chromium'), 'Socket path too long: /tmp/a; set a shorter TMPDIR');
  assert.match(explainStart('browserType.launch: no such file\nmore', 'chromium'), /^browserType\.launch: no such file; try it by hand: chromium --headless /);
});
