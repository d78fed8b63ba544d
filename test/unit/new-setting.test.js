/** A setting that there was not: one entry is all that it takes (CONTRIBUTING.md). */
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
const { listPoints, resolveConditions } = await import('../../harness/spec/points.js');
const { clientConfig } = await import('../../harness/run/client-config.js');
const { describeManual, describeSetting } = await import('../../harness/show/setting-labels.js');

const SOURCE = readFileSync(join(import.meta.dirname, 'manifests/sound.toml'), 'utf8');

/** @param {string} points @param {string} generator @returns {import('../../harness/spec/spec.js').Spec} */
function specOf(points, generator) {
  mkdirSync(join(experiments, '90-new'), { recursive: true });
  const text = SOURCE.replace('[load]', `[[points]]\nengine = ["ws"]\nworkload = ["listed"]\n${points}\n\n[load]\ngenerator = "${generator}"`);
  writeFileSync(join(experiments, '90-new', 'experiment.toml'), text);
  return makeSpec('90-new', 'quick', 1);
}

test('a new setting is accepted, told to the client that takes it, and has its words and its line', () => {
  const spec = specOf('churn_hz = [5, 10]', 'swarm');
  const points = listPoints(spec).filter(({ setting }) => setting.includes('churn_hz'));
  assert.deepEqual(points.map(({ setting }) => [setting, describeSetting(setting, [])]), [['churn_hz=5', '5 opened again a second'], ['churn_hz=10', '10 opened again a second']]);
  const told = points.map((point) => {
    const planned = /** @type {any} */ ({ ...point, seed: 1 });
    return Reflect.get(clientConfig({ spec, planned, conditions: resolveConditions(spec, point), url: 'ws://127.0.0.1:1', out: '/' }), 'churn_hz');
  });
  assert.deepEqual(told, [5, 10]);
  assert.match(describeManual(), /^\| `churn_hz` \| 1 to 1000 \| none \| connections a second that are opened again \|$/m);
});

test('a value that its entry does not know, or a generator that does not take it, is one clear error', () => {
  assert.throws(() => specOf('churn_hz = [0]', 'swarm'), /points\.\d\.churn_hz\.0: 0 must be >= 1; correct it/);
  assert.throws(() => specOf('churn_hz = [5]', 'forked'), /points\.churn_hz: forked does not take it; use load\.generator = "swarm", without GENERATOR/);
});
