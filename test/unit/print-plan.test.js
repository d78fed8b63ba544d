/** `--plan` prints what would run; with `--resume`, what is left of the newest run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeJson, writeTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { PLAN_COLUMNS, makePlan } from '../../harness/plan/plan.js';
import { makeSpec } from '../../harness/spec/spec.js';

const EXPERIMENT = '03-engineio-vs-socketcluster';
const results = mkdtempSync(join(tmpdir(), 'print-plan-test-'));
after(() => rmSync(results, { recursive: true }));

/** @param {string[]} options @returns {{status: number | null, lines: string[], stderr: string}} */
function printPlan(...options) {
  const argv = [join(ROOT, 'harness/main.js'), 'run', EXPERIMENT, '--profile', 'quick', '--plan', ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env: { ...process.env, WSCALE_RESULTS: results } });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

test('the plan of a new run is printed, with its time and its seed', () => {
  const { status, lines } = printPlan('--seed', '5');
  assert.equal(status, 0);
  assert.match(lines.at(-1) ?? '', new RegExp(`^${lines.length - 1} trials, about .+, seed 5$`));
});

test('a plan of what is left is refused where nothing was begun', () => {
  const { status, stderr } = printPlan('--resume');
  assert.equal(status, 2);
  assert.match(stderr, /^error: --resume: .+ has no run of profile quick to go on with; run without --resume$/m);
});

test('of a run that was begun the plan has the trials that are left, and its own seed', () => {
  const bundle = join(results, EXPERIMENT, '20260102T030405Z-quick');
  const spec = makeSpec(EXPERIMENT, 'quick', 77);
  const plan = makePlan(spec);
  mkdirSync(join(bundle, 'trials', plan[0].trial), { recursive: true });
  writeJson(join(bundle, 'spec.json'), { form: 2, ...spec });
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, plan);
  writeFileSync(join(bundle, 'trials', plan[0].trial, 'status'), 'done\n');
  const { status, lines } = printPlan('--resume');
  assert.equal(status, 0);
  assert.deepEqual(lines.slice(0, -1).map((line) => line.split('\t')[1]), plan.slice(1).map(({ trial }) => trial));
  assert.match(lines.at(-1) ?? '', new RegExp(`^${plan.length - 1} trials, about .+, seed 77, 1 of ${plan.length} done before in .+/20260102T030405Z-quick$`));
});

/** Node may start no program and write no file, and no program is in PATH. @param {string[]} argv of Node */
const runAlone = (...argv) => spawnSync(process.execPath, ['--permission', '--allow-fs-read=*', ...argv],
  { encoding: 'utf8', cwd: ROOT, env: { PATH: results, WSCALE_RESULTS: results } });

test('the list, the settings and a plan need Node alone: they start nothing, and write nothing', () => {
  const plans = ['3', '11', '16', '17'].map((experiment) => ['run', experiment, '--profile', 'default', '--plan']);
  for (const command of [['list'], ['settings'], ...plans]) {
    const { status, stdout, stderr } = runAlone(join(ROOT, 'harness/main.js'), ...command);
    assert.equal(status, 0, stderr);
    assert.ok(stdout.split('\n').length > 15, stdout);
  }
  assert.match(runAlone('-e', 'require("node:child_process").spawnSync("true")').stderr, /ERR_ACCESS_DENIED/);
});
