/** Which engines a run measures: all that it can, those of the profile, or those that the user names. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { nearestWord } from '../../harness/common/nearest-word.js';

const ROOT = join(import.meta.dirname, '../..');
const experiments = mkdtempSync(join(tmpdir(), 'choice-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the module is loaded
const { makeSpec } = await import('../../harness/spec/spec.js');
const { listEngines, readEngine } = await import('../../harness/spec/engines.js');
const { listPoints } = await import('../../harness/spec/points.js');
const { listMeasured } = await import('../../harness/spec/reference.js');
const { wordOfPoint } = await import('../../harness/common/setting.js');
const { atSaturation, listSteps } = await import('../../harness/spec/sweep.js');

mkdirSync(join(experiments, '90-any'));
const path = join(experiments, '90-any', 'experiment.toml');
cpSync(join(ROOT, 'experiments/16-engines/experiment.toml'), path);
const SOUND = readFileSync(path, 'utf8');

/** @param {string} profile @param {object} [choice] @param {string} [text] of the manifest */
function specOf(profile, choice, text = SOUND) {
  writeFileSync(path, text);
  return makeSpec('90-any', /** @type {any} */ (profile), 1, undefined, choice);
}

/** @param {() => unknown} make @returns {string[]} */
function problemsOf(make) {
  try {
    make();
  } catch (error) {
    if (error instanceof UserError) return error.problems;
    throw error;
  }
  return [];
}

test('an axis of dialects takes every engine that speaks one of them and has the behaviour, and each group those that have its own', () => {
  const points = listPoints(specOf('default'));
  const enginesOf = (/** @type {string} */ wanted) =>
    [...new Set(points.filter(({ workload }) => workload === wanted).map(({ engine }) => engine))];
  const read = listEngines().map(readEngine);
  const expected = read.filter(({ dialect, behaviours }) => dialect !== 'tcp' && behaviours.includes('echo')).map(({ name }) => name);
  assert.deepEqual(enginesOf('sweep').sort(), expected.sort());
  assert.deepEqual(enginesOf('fanout'), read.filter(({ behaviours }) => behaviours.includes('broadcast')).map(({ name }) => name));
});

test('a profile may name its engines, and engines named by the user replace them', () => {
  assert.deepEqual(specOf('quick').axes.engine.sort(), ['gorilla', 'tungstenite', 'ws']);
  assert.deepEqual(specOf('quick', { engines: ['uws', 'websockets'] }).axes.engine.sort(), ['uws', 'websockets']);
  assert.deepEqual(Object.keys(specOf('default', { engines: ['uws'] }).engines), ['uws', 'tcp-reference']);
});

test('an unknown engine is an error with the nearest name, and an engine that the experiment cannot measure is one with the reason', () => {
  assert.match(problemsOf(() => specOf('default', { engines: ['gorila'] }))[0], /^ENGINES: there is no engine "gorila"; did you mean "gorilla"\? use some of /);
  assert.match(problemsOf(() => specOf('default', { engines: ['ws', 'tcp-node'] })).join(), /^ENGINES: "tcp-node" is no engine of 90-any, which measures "echo" over WebSocket; /);
  assert.equal(nearestWord('zzzzzzzz', ['gorilla', 'ws']), undefined);
});

test('an engine that the profile lacks is an error with the profiles that have it, before anything starts', () => {
  const third = readFileSync(join(ROOT, 'experiments/03-engineio-vs-socketcluster/experiment.toml'), 'utf8');
  const lacks = (/** @type {string} */ engine, /** @type {string} */ use) => `ENGINES: profile quick of 90-any has no point of "${engine}"; use ${use}`;
  assert.deepEqual(problemsOf(() => specOf('quick', { engines: ['engine.io', 'socketcluster-14'] }, third)), [lacks('socketcluster-14', 'PROFILE=default or PROFILE=paper')]);
  assert.deepEqual(problemsOf(() => specOf('quick', { engines: ['socketcluster-14'] }, third)), [lacks('socketcluster-14', 'PROFILE=default or PROFILE=paper')]);
  assert.deepEqual(problemsOf(() => specOf('default', { engines: ['engine.io', 'socketcluster-14'] }, third)), []);
});

test('points that the machine has too few cores for are told with the number that they need', () => {
  const large = SOUND.replaceAll('[[points]]', '[[points]]\nneeds_cores = 16');
  const [problem] = problemsOf(() => specOf('default', { cores: 2 }, large));
  assert.equal(problem, '90-any: every point of profile default needs 16 cores or more; use a larger host, or another profile');
});

test('a pattern chooses points by their names, with the reference that they need', () => {
  const namesOf = (/** @type {object[]} */ points) => points.map((point) => wordOfPoint(/** @type {any} */ (point)));
  const spec = specOf('default', { engines: ['ws', 'gorilla'], points: '*-sweep' });
  assert.deepEqual(namesOf(listMeasured(spec)).sort(), ['gorilla-sweep', 'tcp-reference-rates', 'ws-sweep']);
  assert.deepEqual(spec.axes, { engine: ['gorilla', 'ws'], workload: ['sweep'] });
  const [one] = listMeasured(specOf('default', { points: 'ws-sweep-connections-100' }));
  assert.deepEqual(one, { engine: 'ws', workload: 'sweep', setting: 'connections=100' });
});

test('a pattern that no point has is an error with the nearest name', () => {
  assert.deepEqual(problemsOf(() => specOf('default', { points: 'ws-sweeps' })), ['POINTS: no point of 90-any in profile default is named "ws-sweeps"; did you mean ws-sweep? --plan lists them']);
  assert.match(problemsOf(() => specOf('default', { points: 'nothing' }))[0], /; use a name such as [^ ]+-sweep, or a pattern such as '[^ ]+-\*'; --plan lists them$/);
});

test('blocks and bytes given by the user replace those of the profile and the load', () => {
  const spec = specOf('default', { engines: ['ws'], blocks: 12, bytes: 1024 });
  assert.deepEqual([spec.phases.repeats, spec.load.payload], [12, { type: 'text', bytes: 1024 }]);
  const pings = SOUND.replace('behaviour = "echo"', 'behaviour = "pingpong"').replace(/^payload = .*$/m, '');
  const without = pings.replace(/\[\[points\]\][^[]*payload_b[^[]*/, '');
  assert.match(problemsOf(() => specOf('default', { bytes: 1024 }, without)).join(), /^BYTES: the messages of 90-any have no payload of a size/);
});

test('a step is a rate or a share of what a search finds, and a share needs the search', () => {
  const both = SOUND.replace('{ share = 0.5 }', '{ share = 0.5, total_rate_hz = 10 }');
  assert.match(problemsOf(() => specOf('default', {}, both)).join(), /sweep\.arrivals\.steps\.6: has both a total_rate_hz and a share of saturation; give one/);
  const unsearched = SOUND.replace(/^search = .*$/m, '');
  assert.match(problemsOf(() => specOf('default', {}, unsearched)).join(), /steps\.6\.share: 0\.5 is of a saturation that no search finds/);
  const steps = [{ share: 0.5 }, { total_rate_hz: 10 }];
  const conditions = { arrivals: /** @type {any} */ ({ kind: 'staircase', step_s: 1, lead_s: 0, steps }), search: undefined, connections: 4 };
  const { arrivals } = atSaturation(conditions, 3000);
  const found = listSteps(/** @type {any} */ (arrivals), 2).map(({ total_rate_hz, share, from_s }) => [total_rate_hz, share, from_s]);
  assert.deepEqual(found, [[1500, 0.5, 2], [10, undefined, 3]]);
  const poisson = { arrivals: { kind: 'poisson', rate_hz_per_connection: 1 }, search: /** @type {any} */ ({ measured_share: 0.5 }), connections: 4 };
  assert.equal(atSaturation(poisson, 3000).arrivals.rate_hz_per_connection, 375);
});
