import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** @param {string[]} args @returns {{status: number | null, stderr: string}} */
function make(...args) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }; // the tests themselves are run by make
  const { status, stderr } = spawnSync('make', ['--dry-run', ...args], { cwd: ROOT, encoding: 'utf8', env });
  return { status, stderr };
}

test('a variable that the goal does not take is refused, with the nearest name', () => {
  const { status, stderr } = make('experiment-3', 'PROFIL=quick');
  assert.equal(status, 2);
  assert.match(stderr, /PROFIL is no variable of experiment-3; did you mean PROFILE\? It takes PROFILE, GENERATOR, /);
});

test('a variable of another goal is refused, and one of a goal without any', () => {
  assert.match(make('experiment-3', 'TRIALS=3').stderr, /TRIALS is no variable of experiment-3; it takes PROFILE/);
  assert.match(make('lint', 'A=1').stderr, /A is no variable of lint; it takes none/);
});

test('every target refuses a variable that it does not take', () => {
  const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
  const targets = [...makefile.matchAll(/^## ([a-z0-9-]+N?): /gm)].map(([, target]) => target.replace('-N', '-3'));
  assert.ok(targets.length > 30, String(targets));
  for (const target of targets) assert.match(make(target, 'WSCALE_NONE=1').stderr, /\*\*\* WSCALE_NONE is no variable of /, target);
});

test('variables that the goals take are taken, whatever their values hold', () => {
  assert.deepEqual(make('help'), { status: 0, stderr: '' });
  assert.equal(make('duet', 'A=x', 'B=y', 'ENGINES=ws engine.io=a B=c').status, 0);
  assert.equal(make('experiment-03-engineio-vs-socketcluster', 'PROFILE=quick', 'RESUME=1').status, 0);
});

test('a misspelt goal is refused, with the nearest target; a file and what make needs itself are not', () => {
  const { status, stderr } = make('experment-3', 'PROFILE=quick');
  assert.equal(status, 2);
  assert.match(stderr, /experment-3 is no target; did you mean experiment-N\? See what there is with: make help/);
  assert.match(make('experiment').stderr, /experiment is no target; did you mean experiment-N\?/);
  assert.match(make('reprot').stderr, /reprot is no target; did you mean report\?/);
  for (const goal of ['README.md', 'node_modules/.harness-complete', 'needs-harness', 'lint']) assert.doesNotMatch(make(goal).stderr, /is no target/, goal);
});

test('a goal that is a folder and no target is refused, with the nearest target; one that is both is not', () => {
  const { status, stderr } = make('experiments');
  assert.equal(status, 2);
  assert.match(stderr, /experiments is a folder, and no target; did you mean experiment-N\? See what there is with: make help/);
  assert.match(make('plots').stderr, /plots is a folder, and no target; See|plots is a folder, and no target; did/);
  assert.doesNotMatch(make('test', 'TESTS=test/unit/random.test.js').stderr, /is a folder/);
});
