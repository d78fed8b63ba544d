/** Compares top's CPU time by thread with the kernel's accounts, for a program with known threads. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Capture } from '../../harness/agent/capture.js';
import { monotonicUs } from '../../harness/agent/clock.js';
import { readTsv } from '../../harness/common/files.js';
import { LocalHost } from '../../harness/agent/host.js';
import { ROOT } from '../../harness/common/places.js';

/** A first thread that waits, and two that each burn 3 ms of every 10 ms. */
const PROGRAM = `
  const { Worker } = require('node:worker_threads');
  const burn = 'setInterval(() => { const until = performance.now() + 3; while (performance.now() < until); }, 10)';
  for (let i = 0; i < 2; i++) new Worker(burn, { eval: true });
`;
/** In cores: a sample of top need not begin with the window, and the machine may be busy. */
const TOLERANCE = 0.15;
/** In cores: a tick of 10 ms in top's interval of 1 s. */
const TICK = 0.01;

const raw = mkdtempSync(join(tmpdir(), 'capture-test-'));
/** @type {LocalHost} */
let host;
/** @type {import('../../harness/agent/host.js').Started} */
let program;
before(async () => {
  host = new LocalHost();
  program = await host.start({ argv: [process.execPath, '-e', PROGRAM], cwd: raw, side: 'server', stdout: join(raw, 'out'), stderr: join(raw, 'err') });
  await capture();
});
after(async () => {
  await host.close();
  rmSync(raw, { recursive: true });
});

/** Captures a window of 3 s, with 1 s before and after it. */
async function capture() {
  const watch = new Capture(host, raw);
  await watch.start([{ pid: program.pid, side: 'server', role: 'worker', index: 1 }]);
  watch.begin(monotonicUs());
  for (const mark of /** @type {const} */ (['window_start', 'window_end'])) {
    await sleep(mark === 'window_start' ? 1_000 : 3_000);
    watch.mark(mark);
  }
  await sleep(1_000);
  await watch.stop();
}

/**
 * @param {string[]} options @param {string} key column
 * @returns {Map<number, number>} top's mean cores in the window, by process or thread
 */
function readTop(options, key) {
  const inputs = ['samplers.tsv', 'accounts.tsv', 'threads.tsv', 'top.txt'].map((name) => join(raw, name));
  const output = execFileSync('awk', [...options, '-f', join(ROOT, 'analysis', 'captures', 'top-to-series.awk'), ...inputs], { encoding: 'utf8' });
  const [header, ...rows] = output.trimEnd().split('\n').map((line) => line.split('\t'));
  const column = (/** @type {string} */ name) => header.indexOf(name);
  const isInWindow = (/** @type {number} */ t_s) => t_s >= 1.5 && t_s <= 4.5;
  const inWindow = rows.filter((cells) => Number(cells[column('pid')]) === program.pid && isInWindow(Number(cells[column('t_s')])));
  const screens = new Set(inWindow.map((cells) => cells[column('t_s')])).size;
  const cores = new Map();
  for (const cells of inWindow) {
    const id = Number(cells[column(key)]);
    cores.set(id, (cores.get(id) ?? 0) + Number(cells[column('cpu_pct')]) / 100 / screens);
  }
  return cores;
}

/** @returns {Map<number, number>} the kernel's mean cores in the window, by thread */
function readKernel() {
  const rows = readTsv(join(raw, 'threads.tsv')).filter(({ pid }) => Number(pid) === program.pid);
  const begin = new Map(rows.filter(({ mark }) => mark === 'window_start').map(({ tid, cpu_ns }) => [tid, Number(cpu_ns)]));
  return new Map(rows.filter(({ mark }) => mark === 'window_end').map(({ tid, cpu_ns }) => [Number(tid), (Number(cpu_ns) - (begin.get(tid) ?? 0)) / 3e9]));
}

const sum = (/** @type {Iterable<number>} */ values) => [...values].reduce((total, value) => total + value, 0);

test('the capture names every thread of a process with its own account', () => {
  const kernel = readKernel();
  const busy = [...kernel].filter(([, cores]) => cores > 0.05);
  assert.ok(kernel.has(program.pid), 'the first thread is among them');
  assert.equal(busy.length, 2);
});

test('top by thread shows of each thread what the kernel counts, of the first as of the others', () => {
  const top = readTop(['-v', 'by=thread'], 'tid');
  for (const [tid, cores] of readKernel()) {
    const shown = top.get(tid) ?? 0;
    assert.ok(Math.abs(shown - cores) < TOLERANCE, `thread ${tid}: top shows ${shown.toFixed(3)} cores, the kernel counts ${cores.toFixed(3)}`);
  }
});

test('the threads of a process come to the process, in top and in the kernel', () => {
  const [process_] = readTop([], 'pid').values();
  const cores = [...readTop(['-v', 'by=thread'], 'tid').values()];
  const rounded = cores.filter((each) => each > 0).length * TICK; // top rounds each line of a sample to a tick
  assert.ok(Math.abs(sum(cores) - process_) <= rounded, `threads ${cores.join()}, process ${process_}`);
  assert.ok(Math.abs(process_ - sum(readKernel().values())) < 2 * TOLERANCE);
});
