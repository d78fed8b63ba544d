/** A new setting takes a single entry, in the harness or in a manifest (CONTRIBUTING.md). */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const experiments = mkdtempSync(join(tmpdir(), 'new-setting-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the module is loaded
const { SETTINGS } = await import('../../harness/spec/settings.js');
SETTINGS.churn_hz = {
  schema: { type: 'integer', minimum: 1, maximum: 1000 }, usual: 'none', meaning: 'connections a second that are opened again',
  words: (rate) => `${rate} opened again a second`,
  client: (rate) => ({ churn_hz: Number(rate) }),
};
const { makeSpec } = await import('../../harness/spec/spec.js');
const { parseSetting } = await import('../../harness/common/setting.js');
const { listPoints, resolveConditions } = await import('../../harness/spec/points.js');
const { clientConfig } = await import('../../harness/run/client-config.js');
const { describeManual, describeOwnManual, describeSetting } = await import('../../report/setting-labels.js');

const SOURCE = readFileSync(join(import.meta.dirname, 'manifests/sound.toml'), 'utf8');

/** @typedef {import('../../harness/spec/spec.js').Spec} Spec */
/** @param {string} points @param {string} generator @param {string} [own] settings of the manifest @returns {Spec} */
function specOf(points, generator, own = '') {
  mkdirSync(join(experiments, '90-new'), { recursive: true });
  const text = SOURCE.replace('[load]', `[[points]]\nengine = ["ws"]\nworkload = ["listed"]\n${points}\n\n[load]\ngenerator = "${generator}"`) + own;
  writeFileSync(join(experiments, '90-new', 'experiment.toml'), text);
  return makeSpec('90-new', 'quick', 1);
}

/** @param {Spec} spec @param {string} key @returns {[string, string, unknown][]} setting, words, client's value */
const tellPoints = (spec, key) => listPoints(spec).filter(({ setting }) => setting.includes(key)).map((point) => {
  const planned = /** @type {any} */ ({ ...point, seed: 1 });
  const config = clientConfig({ spec, planned, conditions: resolveConditions(spec, point), url: 'ws://127.0.0.1:1', out: '/' });
  return [point.setting, describeSetting(parseSetting(point.setting), [], spec.settings), Reflect.get(config, 'churn_hz')];
});

test('a new setting is accepted, told to the client that takes it, and has its words and its line', () => {
  assert.deepEqual(tellPoints(specOf('churn_hz = [5, 10]', 'swarm'), 'churn_hz'), [
    ['churn_hz=5', '5 opened again a second', 5], ['churn_hz=10', '10 opened again a second', 10],
  ]);
  assert.match(describeManual(), /^\| `churn_hz` \| 1 to 1000 \| none \| connections a second that are opened again \|$/m);
});

test('a value that its entry does not know, or a generator that does not take it, is one clear error', () => {
  assert.throws(() => specOf('churn_hz = [0]', 'swarm'), /points\.\d\.churn_hz\.0: 0 must be >= 1; correct it/);
  assert.throws(() => specOf('churn_hz = [5]', 'forked'), /points\.churn_hz: forked does not take it; use load\.generator = "swarm", without GENERATOR/);
});

const OWN = { client: 'churn_hz', minimum: 1, maximum: 1000, usual: 'none', meaning: 'connections a second that are opened again', words: '{} opened again a second' };

/** @param {Record<string, unknown>} [given] replaces keys of OWN @param {string} [key] @returns {string} TOML table */
const writeOwn = (given = {}, key = 'churn') => `\n[settings.${key}]\n${Object.entries({ ...OWN, ...given })
  .filter(([, value]) => value !== undefined).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join('')}`;

test('a setting that its manifest alone has is accepted, told to the client, and has its words and its line', () => {
  assert.deepEqual(tellPoints(specOf('churn = [5, 10]', 'swarm', writeOwn()), 'churn'), [
    ['churn=5', '5 opened again a second', 5], ['churn=10', '10 opened again a second', 10],
  ]);
  assert.match(describeOwnManual(), /^\| `churn` \| 1 to 1000 \| none \| connections a second that are opened again \| 90-new \|$/m);
  const named = writeOwn({ client: 'coalesce_us', values: ['some', 5], minimum: undefined, maximum: undefined });
  assert.deepEqual(listPoints(specOf('churn = ["some", 5]', 'swarm', named)).map(({ setting }) => setting).filter((setting) => setting !== '-'), ['churn=some', 'churn=5']);
});

test('of a setting that its manifest alone has, what is wrong is one clear error', () => {
  const wrongOf = (/** @type {string} */ points, /** @type {string} */ own, generator = 'swarm') => {
    try {
      specOf(points, generator, own);
    } catch (error) {
      return /** @type {any} */ (error).problems.map((/** @type {string} */ problem) => problem.slice(problem.indexOf(': ') + 2)).join('\n');
    }
  };
  assert.match(wrongOf('churn = [0]', writeOwn()), /^points\.\d\.churn: 0 is not known; use 1 to 1000$/);
  assert.match(wrongOf('churn = [5]', writeOwn(), 'forked'), /^points\.churn: forked does not take it; use load\.generator = "swarm"/);
  assert.match(wrongOf('churn = [5]', writeOwn({ client: 'churn_hertz' })), /^settings\.churn\.client: no generator takes "churn_hertz"; use one of .*churn_hz/);
  assert.match(wrongOf('connections = [30]', writeOwn({ minimum: undefined })), /^settings\.churn: says no values; add values = \[\.\.\.\], or minimum and maximum$/);
  assert.match(wrongOf('connections = [30]', writeOwn({ meaning: undefined })), /^settings\.churn: "meaning" is missing; add it$/);
  for (const [key, owner] of [['payload_b', 'a setting of every experiment'], ['profiles', 'what a group of points says of itself']]) {
    assert.equal(wrongOf('connections = [30]', writeOwn({}, key)), `settings.${key}: is ${owner} already; give it another name`);
  }
});
