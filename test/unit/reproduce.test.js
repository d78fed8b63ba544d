import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Interrupted, UserError } from '../../harness/common/failure.js';
import { readTsv, writeJson, writeTsv } from '../../harness/common/files.js';

const results = mkdtempSync(join(tmpdir(), 'reproduce-test-'));
after(() => rmSync(results, { recursive: true }));
process.env.WSCALE_RESULTS = results; // read when the module is loaded
const { reproduceAll } = await import('../../harness/run/reproduce.js');
const { judgeClaims } = await import('../../analysis/claims/summary.js');

const reproduce = join(results, 'reproduce');
beforeEach(() => rmSync(reproduce, { recursive: true, force: true }));

const VERDICT = {
  claim: 'T4', era: '2014', workload: 'listed', setting: '-', metric: 'm', of: 'a', to: 'b', criterion: '>1', n: 6, mean: 2, low: 1.5, high: 2.5,
  verdict: 'reproduced',
};
const QUICK = { profile: /** @type {const} */ ('quick'), resume: false, seed: 7 };

/** @param {string} folder @param {string[]} statuses one per trial @param {object[]} [verdicts] */
function fillBundle(folder, statuses, verdicts = []) {
  const plan = statuses.map((status, index) => ({ trial: `t${index}`, status }));
  for (const { trial, status } of plan) {
    mkdirSync(join(folder, 'trials', trial), { recursive: true });
    writeFileSync(join(folder, 'trials', trial, 'status'), `${status}\n`);
  }
  writeTsv(join(folder, 'plan.tsv'), ['trial'], plan);
  if (verdicts.length) writeJson(join(folder, 'verdict.json'), { verdicts, claims: judgeClaims(/** @type {any} */ (verdicts), []) });
}

/**
 * @param {Record<string, (folder: string) => number>} runs what each experiment does
 * @returns {{suite: any, asked: any[]}} a suite of these experiments; `asked`: the runs it was asked for
 */
function makeSuite(runs) {
  /** @type {any[]} */
  const asked = [];
  const run = async (/** @type {string} */ name, /** @type {any} */ options) => {
    asked.push({ name, ...options });
    return runs[name](options.folder);
  };
  return { asked, suite: { run, estimateS: () => 60, list: () => Object.keys(runs) } };
}

/**
 * @param {import('node:test').TestContext} context @param {() => Promise<number>} run
 * @returns {Promise<{code: number, out: string, err: string}>}
 */
async function capture(context, run) {
  const [log, error] = [context.mock.method(console, 'log', () => {}), context.mock.method(console, 'error', () => {})];
  try {
    const code = await run();
    const [out, err] = [log, error].map(({ mock }) => mock.calls.map(({ arguments: [line] }) => line).join('\n'));
    return { code, out, err };
  } finally {
    [log, error].forEach(({ mock }) => mock.restore());
  }
}

const done = (/** @type {object[]} */ ...verdicts) => (/** @type {string} */ folder) => (fillBundle(folder, ['done', 'done'], verdicts), 0);

test('every experiment runs in order into a folder of its own in one run, with one seed', async (context) => {
  const { suite, asked } = makeSuite({ '01-x': done(VERDICT), '02-y': done(VERDICT) });
  const { code, out, err } = await capture(context, () => reproduceAll(QUICK, suite));
  assert.deepEqual([code, err], [0, '']);
  const [name] = readdirSync(reproduce);
  assert.match(name, /^\d{8}T\d{6}Z-quick$/);
  const shared = { profile: 'quick', resume: false, seed: 7, plan: false };
  const [{ feed }] = asked; // all experiments share one live feed
  assert.ok(feed);
  assert.deepEqual(asked, ['01-x', '02-y'].map((experiment) => ({ name: experiment, ...shared, feed, folder: join(reproduce, name, experiment) })));
  assert.match(out, /^experiment +about\n01-x +1 min 00 s\n02-y +1 min 00 s\nall +2 min 00 s$/m);
  assert.deepEqual(out.match(/^\[.+$/gm), [
    '[1/2] 01-x: about 1 min 00 s, with those after it 2 min 00 s', '[2/2] 02-y: about 1 min 00 s, with those after it 1 min 00 s',
  ]);
});

test('all verdicts are shown in the order of the claims and counted, and claims that were not judged are named', async (context) => {
  const { suite } = makeSuite({
    '01-x': done({ ...VERDICT, claim: 'T6', to: '-', verdict: 'not reproduced' }, { ...VERDICT, verdict: 'inconclusive', low: null, high: null }),
    '02-y': done({ ...VERDICT, setting: 'processes=2+2+1', to: 'a', to_setting: 'processes=1+1+1' }),
  });
  const { out } = await capture(context, () => reproduceAll(QUICK, suite));
  const table = out.slice(out.indexOf('\nclaim ')).trim().split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(table.slice(0, 4), [
    ['claim', 'era', 'what', 'criterion', 'mean [95 %]', 'n', 'verdict', 'what would decide it'],
    ['T4', '2014', 'listed: m of a / b', '>1', '2 [no interval]', '6', 'inconclusive'],
    ['T4', '2014', 'listed: m of a at processes=2+2+1 / a at processes=1+1+1', '>1', '2 [1.5, 2.5]', '6', 'reproduced'],
    ['T6', '2014', 'listed: m of a', '>1', '2 [1.5, 2.5]', '6', 'not reproduced'],
  ]);
  assert.match(out, /^T4 2014: inconclusive \(one row\)$/m);
  const counts = '1 reproduced, 1 not reproduced, 0 at the criterion, 1 inconclusive, 0 needs more cores, 0 not run';
  assert.match(out, new RegExp(`^claims judged: 2 of \\d+, in 3 comparisons: ${counts}$`, 'm'));
  assert.match(out, /^claims without a comparison here, not run: T1, T2, T3, T5, T7a, T7b, /m);
});

test('an experiment with failed trials, or that could not be carried out, does not keep the next from running', async (context) => {
  const { suite, asked } = makeSuite({
    '01-x': (folder) => (fillBundle(folder, ['failed: why'], [VERDICT]), 1),
    '02-y': () => { throw new UserError('here: it is wrong; mend it'); },
    '03-z': done(VERDICT),
  });
  const { code, err } = await capture(context, () => reproduceAll(QUICK, suite));
  assert.equal(code, 1);
  assert.deepEqual(asked.map(({ name }) => name), ['01-x', '02-y', '03-z']);
  assert.deepEqual(err.split('\n'), ['error: here: it is wrong; mend it',
    'error: 01-x: trials failed; go on with RESUME=1', 'error: 02-y: was not carried out (see above); go on with RESUME=1']);
});

test('an interruption ends the run at once', async (context) => {
  const { suite, asked } = makeSuite({ '01-x': () => { throw new Interrupted('SIGINT'); }, '02-y': done(VERDICT) });
  await assert.rejects(capture(context, () => reproduceAll(QUICK, suite)), Interrupted);
  assert.deepEqual(asked.map(({ name }) => name), ['01-x']);
});

test('RESUME continues the newest run: it skips complete experiments, and the others keep their folder and seed', async (context) => {
  const interrupted = (/** @type {string} */ folder) => {
    fillBundle(folder, ['done', 'running']);
    throw new Interrupted('SIGINT');
  };
  const runs = { '01-x': done(VERDICT), '02-y': interrupted, '03-z': done(VERDICT) };
  await assert.rejects(capture(context, () => reproduceAll(QUICK, makeSuite(runs).suite)), Interrupted);
  const { suite, asked } = makeSuite({ ...runs, '02-y': done(VERDICT) });
  const { code, out } = await capture(context, () => reproduceAll({ profile: 'quick', resume: true }, suite));
  assert.equal(code, 0);
  assert.deepEqual(asked.map(({ name, resume, seed }) => [name, resume, seed]), [['02-y', true, 7], ['03-z', false, 7]]);
  assert.match(out, /^01-x +0 s\n02-y +30 s\n03-z +1 min 00 s\nall +1 min 30 s$/m);
  assert.match(out, /^\[1\/3\] 01-x: done before$/m);
  assert.equal(readdirSync(reproduce).length, 1);
});

test('RESUME of an experiment whose trials failed runs it again', async (context) => {
  const runs = { '01-x': (/** @type {string} */ folder) => (fillBundle(folder, ['done', 'failed: why'], [VERDICT]), 1) };
  await capture(context, () => reproduceAll(QUICK, makeSuite(runs).suite));
  const { suite, asked } = makeSuite(runs);
  await capture(context, () => reproduceAll({ profile: 'quick', resume: true }, suite));
  assert.equal(asked.length, 1);
});

test('RESUME with another seed, or with no run to go on with, is refused', async (context) => {
  const { suite, asked } = makeSuite({ '01-x': done(VERDICT) });
  /** @param {any} options @param {RegExp} pattern */
  const refused = (options, pattern) => assert.rejects(capture(context, () => reproduceAll(options, suite)),
    (error) => error instanceof UserError && pattern.test(error.message));
  await refused({ profile: 'quick', resume: true }, /^RESUME: .+reproduce has no run of profile quick to go on with; .+/);
  await capture(context, () => reproduceAll(QUICK, suite));
  await refused({ profile: 'quick', resume: true, seed: 8 }, /^SEED: .+ began with seed 7, not 8; .+/);
  await refused({ profile: 'paper', resume: true }, /no run of profile paper/);
  assert.equal(asked.length, 1);
});

test('an unsound manifest is reported before anything is started', async (context) => {
  const { suite, asked } = makeSuite({ '01-x': done(VERDICT), '02-y': done(VERDICT) });
  suite.estimateS = (/** @type {string} */ name) => { throw new UserError(`${name}: is wrong; mend it`); };
  await assert.rejects(capture(context, () => reproduceAll(QUICK, suite)),
    (error) => error instanceof UserError && error.problems.length === 2);
  assert.deepEqual([asked.length, existsSync(reproduce)], [0, false]);
});

test('the plan of a run names each experiment and its seed', async (context) => {
  const { suite } = makeSuite({ '01-x': done(VERDICT) });
  await capture(context, () => reproduceAll({ profile: 'quick', resume: false }, suite));
  const [row] = readTsv(join(reproduce, readdirSync(reproduce)[0], 'plan.tsv'));
  assert.deepEqual([row.order, row.experiment], ['1', '01-x']);
  assert.ok(Number.isInteger(Number(row.seed)) && Number(row.seed) >= 0);
});
