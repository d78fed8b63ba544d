/** The judgements of `make check-trust`, each with data that must pass and data that must fail, and its page. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { drawMarks } from '../../harness/check/trust/figure.js';
import { judgeLosses, judgeRanked, judgeRecomputed, judgeSame, judgeSlowdowns, judgeStall, judgeStarved } from '../../harness/check/trust/outcomes.js';
import { writeFault } from '../../harness/check/trust/measure.js';
import { describeTrust } from '../../harness/check/trust/document.js';
import { PARTS } from '../../harness/check/trust/parts.js';
import { answerHeld, writeDesign } from '../../harness/check/trust/held-out.js';
import { measureOut, writeSweep } from '../../harness/check/trust/ranked.js';
import { compare } from '../../harness/check/trust/recompute.js';
import { ROOT } from '../../harness/common/places.js';
import { expectedOf, sampleOf } from '../golden/places.js';
import { seededRandom } from '../../harness/common/random.js';
import { ENGINES, readToml, writeDuet } from '../../harness/run/duet/duet.js';

const folder = mkdtempSync(join(tmpdir(), 'trust-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {number} ratio @param {number} [blocks] @returns {any[]} pairs of one engine, with a spread of 2 % */
function makePairs(ratio, blocks = 20) {
  const random = seededRandom(17);
  return Array.from({ length: blocks }, (_, block) => ({ engine: 'a', point: 'a', block: String(block), log: Math.log(ratio) + 0.04 * (random() - 0.5) }));
}

test('an engine against its twin passes without an alarm, fails with one, and is undecided with too few blocks', () => {
  assert.equal(judgeSame({ pairs: makePairs(1) }).passed, true);
  assert.equal(judgeSame({ pairs: makePairs(1.1) }).passed, false);
  assert.equal(judgeSame({ pairs: makePairs(1, 2) }).passed, null);
});

/**
 * @param {Record<string, number>} ratios of twins to their engines
 * @returns {any[]} pairs, with a spread of 10 % per engine
 */
const makeTwins = (ratios) => Object.entries(ratios).flatMap(([engine, ratio], index) => {
  const random = seededRandom(17 + index);
  const logs = Array.from({ length: 18 }, () => Math.log(ratio) + 0.35 * (random() - 0.5));
  return logs.map((log, block) => ({ engine, point: engine, block: String(block), log }));
});

test('twins are judged like slower copies, each by itself: a difference that is found is counted as a false alarm', () => {
  const { passed, said, rows } = judgeSame({ pairs: makeTwins({ a: 1, b: 1.06, c: 1.01 }) });
  assert.deepEqual([passed, said], [null, '1 of 4 comparisons raised a false alarm, 25 %; 4 % are to be expected'], 'one of four may be chance');
  assert.deepEqual(rows.filter((row) => row.at(-1) !== 'no difference').map(([name]) => name), ['b by itself']);
  const pairs = makeTwins({ a: 1, b: 1.06 }).filter(({ engine }) => engine === 'b');
  const { rows: [cells] } = judgeSlowdowns({ planted: [{ name: 'b', percent: 5, pairs }] });
  assert.deepEqual([cells[3], cells.at(-1)], [rows.find(([name]) => name === 'b by itself')?.[2], 'costs more'], 'the same numbers, by the same rule');
  assert.equal(judgeSame({ pairs: makeTwins({ a: 1.08, b: 1.07, c: 1.09 }) }).passed, false, 'so many are not');
  assert.equal(judgeSame({ pairs: makeTwins({ a: 1, b: 1.01, c: 1 }) }).said, 'no false alarm in 4 comparisons; 4 % are to be expected');
});

test('a slowdown passes where it is found, fails where the interval excludes it, and can\'t tell where it is too wide', () => {
  const judge = (/** @type {number} */ percent, /** @type {any[]} */ pairs) => judgeSlowdowns({ planted: [{ name: 'a', percent, pairs }] }).passed;
  assert.equal(judge(5, makePairs(1.05)), true);
  assert.equal(judge(20, makePairs(1)), false);
  const wide = [-0.3, 0.35, 0.1].map((log, block) => ({ engine: 'a', point: 'a', block: String(block), log }));
  assert.equal(judge(5, wide), null);
  assert.equal(judge(5, makePairs(0.9)), false, 'that it costs less is no find');
  assert.equal(judge(5, makePairs(1.12)), true, 'counting messages costs, too');
  assert.equal(judge(5, makePairs(1.3)), false, 'what is found is not of the size that was planted');
  assert.equal(judge(20, makePairs(1.1)), false, 'nor is so little');
});

const LOST = { trial: 'b01-a-drops-open', flags: [], came: 20_000, dropped: 200, missing: 200, answered_share: 0.9901 };
const WHOLE = { trial: 'b01-a-plain-open', flags: [], came: 20_000, dropped: 0, missing: 0, answered_share: 1 };
test('losses pass where each message is missed that was dropped, and fail for one more or less, or another share', () => {
  assert.equal(judgeLosses({ trials: [LOST, WHOLE] }).passed, true);
  assert.equal(judgeLosses({ trials: [{ ...LOST, missing: 199 }, WHOLE] }).passed, false);
  assert.equal(judgeLosses({ trials: [LOST, { ...WHOLE, missing: 1 }] }).passed, false);
  assert.equal(judgeLosses({ trials: [{ ...LOST, answered_share: 1 }, WHOLE] }).passed, false);
  assert.equal(judgeLosses({ trials: [WHOLE] }).passed, null, 'nothing was dropped');
});

const percentiles = (/** @type {number[]} */ open, calm_ms = 0.5) => [50, 90, 99].map((percentile, index) => (
  { percentile, calm_ms, open_ms: open[index], closed_ms: 0.4 }));
test('a stall passes if the percentiles are as computed, and fails if they hide it, or show one without a stall', () => {
  const judge = (/** @type {any[]} */ found, flags = /** @type {string[]} */ ([])) =>
    judgeStall({ stall_ms: 200, percentiles: found, flags }).passed;
  assert.equal(judge(percentiles([0.5, 101, 192])), true);
  assert.equal(judge(percentiles([0.5, 0.6, 0.9])), false);
  assert.equal(judge(percentiles([0.5, 101, 192], 90)), false);
  assert.equal(judge(percentiles([0.5, 0.6, 0.9]), ['foreign-cpu']), null, 'others kept the machine busy');
  assert.equal(judge([]), null);
});

/** @param {string} late value of the rule late-sends @param {string} passed */
const rules = (late, passed) => [
  { rule: 'late-sends', value: late, bound: '0.02', passed }, { rule: 'foreign-cpu', value: '0.3', bound: '0.05', passed: 'no' },
];
test('a starved generator passes where each of its trials is flagged by its own rules, and fails where one is not', () => {
  const [caught, calm] = [rules('0.9', 'no'), rules('0', 'yes')];
  const judge = (/** @type {any[]} */ starved, /** @type {any[]} */ free) => judgeStarved({ quota: 0.05, starved, free }).passed;
  assert.equal(judge([caught, caught], [calm]), true);
  assert.equal(judge([caught, calm], [calm]), false);
  assert.equal(judge([caught], [caught]), null, 'one with a core was flagged too');
  assert.deepEqual({ ...judgeStarved({ quota: 0.05, starved: [], free: [], why: 'no privilege' }), columns: [] }, { passed: null, said: 'nothing: no privilege', columns: [], rows: [], marks: [] });
});

const couple = (/** @type {number} */ theirs) => ({ what: 'cost', ours: 1, theirs, tolerance: 2e-5 });
test('a recomputation passes within its tolerance, and fails beyond it, or where one has no number', () => {
  assert.equal(judgeRecomputed({ compared: compare([couple(1), couple(1.00001)]) }).passed, true);
  assert.equal(judgeRecomputed({ compared: compare([couple(1), couple(1.001)]) }).passed, false);
  assert.equal(judgeRecomputed({ compared: compare([{ ...couple(1), theirs: null }]) }).passed, false);
  assert.equal(judgeRecomputed({ compared: [] }).passed, null);
});

/** Measurements of the parts, for the page. @type {Record<string, any>} */
const MEASURED = {
  same: { pairs: makePairs(1) }, slowdowns: { planted: [{ name: 'a', percent: 20, pairs: makePairs(1.2) }] }, losses: { trials: [LOST, WHOLE] },
  stall: { stall_ms: 200, percentiles: percentiles([0.5, 0.6, 0.9]), flags: [] },
  starved: { quota: 0.05, free: [], starved: [], why: 'no privilege to make a group' }, recomputed: { compared: compare([couple(1.00001)]) },
  ranked: { total_rate_hz: 9000, burn_us: 2, percent: 10, original: 'a-plain', copy: 'a-plus10', rows: [
    { rank: '1', is_shared: 'no', engine: 'a-plain', n: '9', us_per_message: '20', low: '19', high: '21' },
    { rank: '2', is_shared: 'no', engine: 'a-plus10', n: '9', us_per_message: '23', low: '22', high: '24' },
  ] },
  surface: { within: 0.15, share: 0.9, answers: [20, 21, 24].map((answered) => (
    { engine: 'a', total_rate_hz: 3000, connections: 300, payload_b: 128, how: 'interpolated', answered, measured: 20 })) },
};
const reported = () => PARTS.map((part) => ({ ...part, outcome: part.judge(MEASURED[part.name]) }));
const RUN = { began: '2026-11-22', seed: 1, machine: 'a machine', commit: '0123456789ab', took: '59 min 00 s', bounds: 'bounds of validity looser than usual: steal 0.02 for 0.01' };

test('the page is what its parts say, and says of which run: golden', () => {
  const path = join(ROOT, 'test/golden/trust.txt');
  const page = describeTrust({ ...RUN, profile: 'quick' }, reported());
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, page);
  assert.equal(page, readFileSync(path, 'utf8'));
  assert.ok(page.split('\n').every((line) => line.length <= 120 || /^[|!]/.test(line)));
});

test('the page of a quick run says so, and that of a full one does not', () => {
  assert.match(describeTrust({ ...RUN, profile: 'quick' }, reported()), /\*\*This is a quick run\*\*/);
  assert.doesNotMatch(describeTrust({ ...RUN, profile: 'full' }, reported()), /quick/);
});

test('each part has its figure, with its title and one mark per line', async () => {
  for (const { name, outcome, figure } of reported().filter((part) => part.outcome.marks.length)) {
    await drawMarks(folder, name, outcome, figure, 'a machine');
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8');
    for (const words of [figure.title, figure.found, ...outcome.marks.map(({ label }) => label)]) assert.ok(svg.includes(`>${words.replaceAll('&', '&amp;')}<`) || svg.includes(words), `${name}: ${words}`);
  }
});

test('the manifest of a fault is one that the harness takes', () => {
  const [engine] = ENGINES;
  const experiments = join(folder, 'experiments');
  const variants = [{ name: engine, folder: '' }];
  const workloads = { open: { arrivals: { kind: 'constant', period_ms: 7.26643 } } };
  const manifests = {
    'trust-a': writeFault({ variants, workloads, connections: 5, hold_s: 5, blocks: 1 }),
    'trust-ranked': writeSweep(readToml('check-trust', 'ranked.toml'), [engine], 9),
    'trust-surface': writeDesign([engine], 2, false), 'trust-held': writeDesign([engine], 2, true),
    duet: writeDuet(variants, 1),
  };
  for (const [name, manifest] of Object.entries(manifests)) {
    mkdirSync(join(experiments, name), { recursive: true });
    writeFileSync(join(experiments, name, 'experiment.toml'), manifest);
    const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), 'validate', name], { encoding: 'utf8', env: { ...process.env, WSCALE_EXPERIMENTS: experiments } });
    assert.deepEqual([stdout.trim(), stderr], [`${name}: the manifest is sound`, '']);
  }
});

test('a held-out load is measured over all of its steps, and its trials are as far apart as their means', () => {
  const costs = Object.entries({ one: [50, 200], other: [100, 121] }); // means 100 and 110 µs
  const data = costs.flatMap(([trial, own]) => own.map((us) => (
    { total_rate_hz: 750, connections: 300, payload_b: 128, log: Math.log(us), row: { trial, total_rate_hz: '750' } })));
  const held = /** @type {any} */ ({ surfaces: [{ engine: 'ws', data }] });
  const [{ measured, apart, how }] = answerHeld([/** @type {any} */ ({ surfaces: [] })], [held]);
  assert.deepEqual([measured.toFixed(2), apart?.toFixed(2), how], ['104.88', '0.10', 'no trial stands']);
});

/** @param {string} text @returns {Buffer} a masked frame */
const frame = (text) => Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);

test('a planted loss drops each n-th message, alone or among others, counts it, and lets all else pass', async () => {
  const log = join(folder, 'faults.tsv');
  const program = 'require("net").createServer((s) => { s.pipe(s); s.on("end", () => setTimeout(() => process.exit(), 50)); }).listen(0, function () { console.log(this.address().port); })';
  const env = { ...process.env, WSCALE_FAULT: 'drop:3', WSCALE_FAULT_LOG: log };
  const server = spawn(process.execPath, ['--require', join(ROOT, 'harness/check/trust/fault.cjs'), '-e', program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await new Promise((resolve) => server.stdout.once('data', (data) => resolve([Number(data)])));
  const sent = [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.concat(['a', 'b', 'c', 'd', 'e'].map(frame)), frame('f'), frame('g')];
  const received = await new Promise((resolve) => {
    /** @type {Buffer[]} */
    const pieces = [];
    const socket = net.connect(port, '127.0.0.1', async () => {
      for (const piece of sent) {
        socket.write(piece);
        await new Promise((next) => setTimeout(next, 60));
      }
      socket.end();
    });
    socket.on('data', (piece) => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)));
  });
  await new Promise((resolve) => server.on('exit', resolve));
  assert.deepEqual(received, Buffer.concat([sent[0], ...['a', 'b', 'd', 'e', 'g'].map(frame)]));
  assert.equal(readFileSync(log, 'utf8'), `${server.pid}\t7\t2\t0\n`);
});

test('the recomputation decodes histograms and accounts by itself, and finds a number that is wrong', () => {
  const bundle = join(folder, 'bundle');
  execFileSync('tar', ['-xJf', sampleOf('14-spread-of-messages'), '-C', (mkdirSync(bundle), bundle)]);
  const argv = [join(ROOT, 'harness/check/trust/recompute.py'), bundle];
  const values = JSON.parse(execFileSync('/usr/bin/python3', argv, { encoding: 'utf8' }));
  const expected = readFileSync(join(expectedOf('14-spread-of-messages'), 'reduced/trials.tsv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split('\t'));
  const couples = values.flatMap((/** @type {any} */ { trial, metric, value }) => {
    const row = expected.find((cells) => cells[0] === trial && cells[6] === metric);
    return row ? [{ what: metric, ours: Number(row[7]), theirs: value, tolerance: /_ms$/.test(metric) ? 1e-3 : 2e-5 }] : [];
  });
  assert.ok(couples.length > 10, `${couples.length} numbers`);
  assert.equal(judgeRecomputed({ compared: compare(couples) }).passed, true, JSON.stringify(compare(couples)));
  assert.equal(judgeRecomputed({ compared: compare([{ ...couples[0], ours: 1.01 * couples[0].ours }]) }).passed, false);
});

/** @typedef {[string, string, string?, string?]} Told rank, µs per message, low and high end of the interval */
/** @param {Told} own @param {Told} copy */
function judgeCopy(own, copy) {
  const rows = [['a-plain', ...own], ['a-plus10', ...copy]].map(([engine, rank, us_per_message, low = '-', high = '-']) => (
    { engine: String(engine), rank: String(rank), us_per_message: String(us_per_message), low, high, n: '9', is_shared: own[0] === copy[0] ? 'yes' : 'no' }));
  return judgeRanked({ total_rate_hz: 9000, burn_us: 2, percent: 10, original: 'a-plain', copy: 'a-plus10', rows });
}

test('a copy passes where it ranks below its original, fails where it ranks above or can\'t cost so much more, and else can\'t tell', () => {
  assert.deepEqual([judgeCopy(['1', '20'], ['2', '23']).passed, judgeCopy(['1', '20'], ['2', '23']).said], [true, 'the copy ranks below its original: 1.15 times the CPU']);
  assert.equal(judgeCopy(['2', '20'], ['1', '18']).passed, false);
  assert.equal(judgeCopy(['1', '20', '19', '21'], ['1', '21', '19', '23']).passed, null);
  assert.equal(judgeCopy(['1', '20', '19.9', '20.1'], ['1', '20', '19.9', '20.1']).passed, false, '10 % more is 21.9 at the least');
  assert.equal(judgeCopy(['1', '20'], ['-', '-']).passed, null, 'it does not answer the rate');
});

test('the copy burns a share of what a message costs at the rate, and where nothing stands one line says so', () => {
  const rankAt = (/** @type {number} */ total_rate_hz) => [{ us_per_message: total_rate_hz === 9900 ? '23.4' : '-' }];
  assert.deepEqual(measureOut([{ saturation_hz: '19834' }], rankAt), { total_rate_hz: 9900, burn_us: 2.34 });
  assert.throws(() => measureOut([{ saturation_hz: '-' }], rankAt), /no trial of the engine alone stands/);
  assert.throws(() => measureOut([], rankAt), /no trial of the engine alone stands/);
});

test('a part that was measured alone is on the page with its own day', () => {
  const page = describeTrust({ ...RUN, profile: 'full' }, reported(), [{ ...RUN, profile: 'full', part: 'ranked', began: '2026-11-23', took: '7 min 00 s' }]);
  assert.match(page.replaceAll('\n', ' '), /`PART=ranked` was measured by itself on 2026-11-23, in 7 min 00 s \(seed 1, commit 0123456789ab\)\./);
  assert.doesNotMatch(describeTrust({ ...RUN, profile: 'full' }, reported()), /PART=/);
});
