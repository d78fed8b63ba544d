/**
 * `make rank` with flagged trials, of some engines or of all; with a load whose core was full; with a planted slower
 * copy.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { unpack } from '../../harness/common/archive.js';
import { formatCell } from '../../harness/common/format.js';
import { isBelow } from '../../analysis/statistics/tests.js';
import { estimateInBlocks } from '../../analysis/statistics/two-way.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { recordOf } from '../../harness/common/places.js';
import { sampleOf } from '../golden/places.js';
import { tablesOf } from '../../harness/common/tables.js';
import { describeRanks } from '../../report/rank.js';
import { findPrediction, readPredictions } from '../../report/runs.js';
import { copyTables } from '../golden/bundles.js';

const RECORD = recordOf('16-engines');

/**
 * @param {(row: Record<string, string>) => boolean} isLeft whether the row stays in trials and steps; the others are
 *   flagged
 * @returns {string} a run
 */
function makeRun(isLeft) {
  const folder = mkdtempSync(join(tmpdir(), 'rank-test-'));
  after(() => rmSync(folder, { recursive: true }));
  unpack(sampleOf('16-engines'), folder);
  const reduced = join(folder, 'reduced');
  copyTables('16-engines', folder);
  const write = (/** @type {string} */ name, /** @type {Record<string, string>[]} */ rows, /** @type {string[]} */ columns) =>
    writeTsv(join(reduced, `${name}.tsv`), columns, rows);
  const all = readTsv(join(reduced, 'trials.tsv'));
  const flagged = all.filter((row) => !isLeft(row));
  for (const name of ['trials', 'steps']) {
    const rows = readTsv(join(reduced, `${name}.tsv`));
    write(name, rows.filter(isLeft), Object.keys(rows[0]));
  }
  write('flagged', flagged, Object.keys(all[0]));
  const trials = [...new Set(flagged.map(({ trial }) => trial))];
  write('dropped', trials.map((trial) => ({ trial, reason: 'foreign-cpu', value: '0.2', bound: '0.05' })), ['trial', 'reason', 'value', 'bound']);
  return folder;
}

test('an engine whose trials are all flagged is named below the ranks, and the others are ranked', () => {
  const reported = describeRanks(makeRun(({ engine }) => engine !== 'gorilla'), { total_rate_hz: 5000 });
  assert.match(reported, /^- +ws /m);
  assert.match(reported, /\nNot ranked, since a rule flagged each of their trials \(reduced\/dropped\.tsv\): gorilla; /);
  assert.match(reported, /; then run again with RESUME=1 PATIENCE=20, which .+\.$/);
  assert.match(reported, /\nNone of these has a rank: no interval\.\n/);
  assert.match(reported, /\nAn interval takes three blocks: run again with BLOCKS=5 or more\.\n/);
});

test('of chosen engines only these are shown, also among those that have no rank', () => {
  const run = makeRun(({ engine }) => engine !== 'gorilla');
  const shown = (/** @type {{engines?: string[], language?: string}} */ asked) => describeRanks(run, { total_rate_hz: 5000, ...asked });
  assert.match(shown({ engines: ['ws'] }), /^- +ws /m);
  assert.doesNotMatch(shown({ engines: ['ws'] }), /gorilla/);
  assert.doesNotMatch(shown({ language: 'Node.js' }), /gorilla/);
  assert.match(shown({ engines: ['ws', 'gorilla'] }), /: gorilla; /);
  assert.throws(() => shown({ engines: ['gorilla'] }), /ENGINES: each trial of gorilla was flagged; see /);
  assert.throws(() => shown({ engines: ['wz'] }), /ENGINES: "wz" is not in this run; did you mean ws\?/);
  assert.throws(() => shown({ engines: ['ws'], language: 'Go' }), /LANGUAGE: "Go" is the language of none of ws; use one of /);
});

test('where every trial is flagged one line says so, why, and what to do', () => {
  const run = makeRun(() => false);
  assert.throws(() => describeRanks(run, { total_rate_hz: 5000 }), (/** @type {Error} */ { message }) => {
    assert.match(message, /: no trial of a sweep stands \(\d+ left out: foreign-cpu\), so nothing can be ranked; .+/);
    assert.match(message, /; then run again with RESUME=1 PATIENCE=20, which .+$/);
    assert.ok(!message.includes('\n'));
    return true;
  });
});

/** @param {string} folder @param {(rows: Record<string, string>[]) => Record<string, string>[]} change of trials and steps */
function changeTables(folder, change) {
  for (const name of ['trials', 'steps']) {
    const path = join(folder, 'reduced', `${name}.tsv`);
    const rows = readTsv(path);
    writeTsv(path, Object.keys(rows[0]), change(rows));
  }
}

test('if the load\'s core was full first, the table says "at least", and at higher rates that so many were not asked for', () => {
  const least = ['1', '0'].map((value) => {
    const run = makeRun(() => true);
    const isMark = (/** @type {Record<string, string>} */ row) => row.metric === 'saturation_at_least';
    changeTables(run, (rows) => (rows[0].metric === undefined ? rows : rows.filter((row) => !isMark(row)).flatMap((row) =>
      (row.engine === 'ws' && row.metric === 'saturation_hz' ? [row, { ...row, metric: 'saturation_at_least', value }] : [row]))));
    return describeRanks(run, { total_rate_hz: 1000000 });
  });
  assert.match(least[0], /^- +ws .* was not asked for so many +- +[\d.]+ \[no interval\] +- +at least [\d.,]+/m);
  assert.match(least[0], /\nat least: the load generator was the limit\. The server may answer more, so these rates rank nothing\./);
  assert.match(least[1], /^- +ws .* does not answer so many +- +[\d.]+ \[no interval\] +- +[\d.,]+/m);
});

test('beside a saturation stands what was never answered, where there is any, and below it what it means', () => {
  const run = makeRun(({ engine }) => engine === 'ws');
  assert.doesNotMatch(describeRanks(run, { total_rate_hz: 5000 }), /unanswered/);
  const path = join(run, 'reduced', 'points.tsv');
  const points = readTsv(path).filter(({ engine, metric }) => engine === 'ws' && metric !== 'unanswered_share');
  const [point] = points.filter(({ workload }) => workload === 'sweep');
  writeTsv(path, Object.keys(point), [...points, { ...point, metric: 'unanswered_share', mean: '0.001' }]);
  const said = describeRanks(run, { total_rate_hz: 5000 });
  assert.match(said, /p99, ms +saturation, msg\/s +unanswered\n/);
  assert.match(said, /at least [\d.]+ +0\.1 %\n/);
  assert.match(describeRanks(RECORD, { total_rate_hz: 5000 }), /^saturation: the highest rate with a p99 of at most 50 ms and no/m);
  assert.match(said, /^unanswered: answers that never came, at rates that the server kept up with\.$/m);
});

test('the p99 is that of the worst trial at the measured load next above, which is told where it is not the load asked for', () => {
  const run = makeRun(({ engine }) => engine === 'ws');
  changeTables(run, (rows) => [...rows, ...[['a', '2.5'], ['b', '7.25']].flatMap(([trial, latency_p99_ms]) =>
    rows.filter(({ share }) => share === '0.2').map((row) => ({ ...row, trial, total_rate_hz: '5000', share: '-', latency_p99_ms })))]);
  const shown = (/** @type {number} */ total_rate_hz) => describeRanks(run, { total_rate_hz });
  assert.match(shown(5000), / +7\.25 +at least /);
  assert.match(shown(4000), / +7\.25 \(5000\/s\) +at least /);
  assert.match(shown(6000), / +- +at least /, 'steps at a share of its own saturation do not count');
});

/** @param {string} last rate of the disturbed step in the second trial of ws @returns {string} output of `make rank` */
function rankDisturbed(last) {
  const run = makeRun(({ engine }) => engine === 'ws');
  changeTables(run, (rows) => [1, 2].flatMap((block) => rows
    .filter((row) => !(row.metric ?? '').startsWith('saturation') && (block === 1 || row.total_rate_hz === undefined || Number(row.total_rate_hz) < 20_000))
    .map((row) => ({ ...row, block: String(block), trial: `${block}-${row.workload}` }))));
  writeTsv(join(run, 'reduced', 'disturbed.tsv'), ['trial', 'total_rate_hz', 'leaves'], [{ trial: '2-sweep', total_rate_hz: last, leaves: 'all' }]);
  return describeRanks(run, { total_rate_hz: 30000 });
}

test('a trial whose last steps were disturbed does not say that its engine can\'t answer so many', () => {
  assert.match(rankDisturbed('58910'), /^- +ws .* its steps there were disturbed/m);
  assert.match(rankDisturbed('1000'), /^- +ws .* no step of so many stands/m);
});

test('an engine is not said to answer less if all its steps at that rate were disturbed', () => {
  const run = makeRun(({ engine }) => engine === 'ws');
  changeTables(run, (rows) => rows.filter((row) => !(row.metric ?? '').startsWith('saturation') && (row.total_rate_hz === undefined || Number(row.total_rate_hz) < 20_000)));
  const { trial } = readTsv(join(run, 'reduced', 'steps.tsv')).find(({ workload }) => workload === 'sweep') ?? {};
  writeTsv(join(run, 'reduced', 'disturbed.tsv'), ['trial', 'total_rate_hz', 'leaves'], [{ trial, total_rate_hz: '58910', leaves: 'all' }]);
  assert.match(describeRanks(run, { total_rate_hz: 30000 }), /^- +ws +Node\.js +- +its steps there were disturbed/m);
});

test('at a rate far below the slowest step the table says that its cost is not known, and not that an engine could not answer it', () => {
  const run = makeRun(({ engine }) => engine === 'ws');
  assert.match(describeRanks(run, { total_rate_hz: 1 }), /^- +ws .* not known so low +- +/m);
  assert.match(describeRanks(run, { total_rate_hz: 10000 }), /^- +ws +Node\.js +[\d.]+ \[no interval\]/m);
  const { trial } = readTsv(join(run, 'reduced', 'steps.tsv')).find(({ workload }) => workload === 'sweep') ?? {};
  const cold = { trial, total_rate_hz: '20000', leaves: 'all', reason: 'cold-connections' };
  writeTsv(join(run, 'reduced', 'disturbed.tsv'), ['trial', 'total_rate_hz', 'leaves', 'reason'], [cold]);
  assert.match(describeRanks(run, { total_rate_hz: 1 }), /^- +ws .* not known so low +- +/m, 'a step that every old sweep lacks');
});

/**
 * Ranks ws of the sample, in three blocks of different speed, against a copy.
 * @param {number} times the CPU of the copy over that of ws @returns {string} output of `make rank`
 */
function rankCopy(times) {
  const run = makeRun(({ engine }) => engine === 'ws');
  const drift = [1, 1.15, 0.93]; // of the machine, between blocks
  const own = [1, 1.01, 0.99]; // of an engine, between trials
  changeTables(run, (rows) => drift.flatMap((speed, block) => rows.flatMap((row) => ['ws', 'ws-copy'].map((engine, place) => {
    const factor = speed * own[(block + place) % 3] * (engine === 'ws' ? 1 : times);
    return { ...row, engine, block: String(block + 1), trial: `${block}-${engine}-${row.workload}`, ...(row.cpu_cores && { cpu_cores: String(Number(row.cpu_cores) * factor) }) };
  }))));
  const path = join(run, 'spec.json');
  const spec = readJson(path);
  writeJson(path, { ...spec, engines: { ...spec.engines, 'ws-copy': spec.engines.ws } });
  return describeRanks(run, { total_rate_hz: 5000 });
}

test('a copy of ws that takes 10 % more CPU ranks below ws, and one that takes as much is reported as equal', () => {
  assert.match(rankCopy(1.1), /^1 +ws [^\n]*\n2 +ws-copy /m);
  assert.match(rankCopy(1), /^1 = +ws(-copy)? [^\n]*\n1 = +ws(-copy)? /m);
});

test('of two engines in three blocks the ranks differ where a paired t would tell them apart, with its two degrees of freedom', () => {
  const isTold = (/** @type {number[]} */ logs) => {
    const inBlocks = (/** @type {number[]} */ values) => values.map((value, block) => ({ block: String(block), value }));
    const [a, b] = estimateInBlocks([logs.map(() => 0), logs].map(inBlocks));
    return isBelow(a, b);
  };
  assert.equal(isTold([0.02, 0.05, 0.08]), false, 't = 2.89, and 4.30 is needed');
  assert.equal(isTold([0.04, 0.05, 0.06]), true, 't = 8.66');
});

test('a language, in upper or lower case, shows its engines at their ranks among all; a language without engines is refused', () => {
  const run = makeRun(() => true);
  const said = describeRanks(run, { total_rate_hz: 5000, language: 'go' });
  assert.match(said, /^- +gorilla +Go +/m);
  assert.doesNotMatch(said, /^- +ws /m);
  assert.throws(() => describeRanks(run, { total_rate_hz: 5000, language: 'Fortran' }), /^Error: LANGUAGE: "Fortran" is the language of no engine of .*; use one of Go, Node\.js$/);
});

test('memory stands for as many idle connections as the load has', () => {
  const said = describeRanks(RECORD, { total_rate_hz: 5000, connections: 1_000_000, language: 'Rust' });
  const [one] = readTsv(join(tablesOf(RECORD), 'points.tsv')).filter(({ engine, metric }) => engine === 'axum' && metric === 'memory_b_per_idle_connection');
  assert.match(said, / memory, MB /);
  assert.match(said, new RegExp(`^- +axum .* ${Number(Number(one.mean).toPrecision(3))} \\[`, 'm'));
});

test('a record with several runs shows their mean, and where a new run would lie, at the load of these runs alone', () => {
  const at = (/** @type {object} */ more) => describeRanks(RECORD, { total_rate_hz: 5000, engines: ['ws'], ...more });
  const { runs, ...prediction } = /** @type {any} */ (findPrediction(readPredictions('16-engines'), 'ws', 'server_cpu_us_at_5000_hz'));
  assert.ok(at({}).includes(`${runs} runs, µs`) && at({}).includes(formatCell(prediction)), at({}));
  for (const more of [{ connections: 10000 }, { payload_b: 4096 }, { total_rate_hz: 6000 }]) assert.doesNotMatch(at(more), /\d runs, µs/);
});
