import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Progress } from '../../harness/run/progress.js';

const folder = mkdtempSync(join(tmpdir(), 'wscale-progress-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {number[]} estimates_s */
const makeProgress = (estimates_s) => new Progress(estimates_s, join(folder, 'run.log'), () => '');

test('the time left is the sum of the estimates of the trials to come', () => {
  const progress = makeProgress([60, 10, 10]);
  assert.equal(progress.left_s, 80);
});

test('a long trial that took its estimated time does not change the estimate for short ones', (t) => {
  t.mock.method(console, 'log', () => {});
  let now_ms = 1000;
  t.mock.method(performance, 'now', () => now_ms);
  const progress = makeProgress([60, 10, 10]);
  progress.begin();
  now_ms += 60_000;
  progress.end('b01-a', 'done');
  assert.equal(progress.left_s, 20);
});

test('trials that take longer than estimated make the time left longer', (t) => {
  t.mock.method(console, 'log', () => {});
  let now_ms = 1000;
  t.mock.method(performance, 'now', () => now_ms);
  const progress = makeProgress([10, 10, 10]);
  progress.begin();
  now_ms += 15_000;
  progress.end('b01-a', 'done');
  assert.equal(progress.left_s, 30);
  progress.extend(10);
  assert.deepEqual([progress.total, progress.left_s], [4, 45]);
});

test('what a trial has taken so far is no longer left, and a trial that overruns leaves those behind it', (t) => {
  let now_ms = 1000;
  t.mock.method(performance, 'now', () => now_ms);
  const progress = makeProgress([10, 20]);
  progress.begin();
  now_ms += 4000;
  assert.equal(progress.left_s, 26);
  now_ms += 60_000;
  assert.equal(progress.left_s, 20);
});

test('a line a trial is printed where there is no terminal, and kept', (t) => {
  const { mock } = t.mock.method(console, 'log', () => {});
  t.mock.method(performance, 'now', () => 0);
  const progress = makeProgress([10, 10]);
  progress.begin();
  progress.end('b01-a', 'flagged: steal');
  const line = '[1/2] b01-a  flagged: steal  0 s left';
  assert.equal(mock.calls[0].arguments[0], line);
  assert.ok(readFileSync(join(folder, 'run.log'), 'utf8').endsWith(`${line}\n`));
});
