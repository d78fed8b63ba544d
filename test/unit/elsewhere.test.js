/** An experiment in another folder is recorded beside that folder, and nothing in this tree changes. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, writeJson } from '../../harness/common/files.js';
import { sampleOf } from '../golden/places.js';

const folder = mkdtempSync(join(tmpdir(), 'elsewhere-test-'));
after(() => rmSync(folder, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = join(folder, 'experiments'); // read when the modules are loaded
const { unpack } = await import('../../harness/common/archive.js');
const { ROOT, recordOf } = await import('../../harness/common/places.js');
const { analyse } = await import('../../analysis/analyse.js');
const { judgeBundle } = await import('../../analysis/claims/verdict.js');
const { findEdited } = await import('../../harness/records/provenance.js');
const { recordBundle } = await import('../../report/record.js');
const { listRecorded } = await import('../../harness/records/sources.js');

const EXPERIMENT = '03-engineio-vs-socketcluster'; // the sample is a run of it
const own = join(folder, 'experiments', EXPERIMENT);
cpSync(join(import.meta.dirname, 'manifests', 'sound.toml'), join(own, 'experiment.toml'));
const figures = readFileSync(join(ROOT, 'experiments', EXPERIMENT, 'figures.toml'), 'utf8');
writeFileSync(join(own, 'figures.toml'), figures.slice(figures.indexOf('[latency]')).split(/^(?=\[(?!latency))/m)[0]);

/** @returns {Promise<string>} a judged run, of committed code */
async function makeRun() {
  const bundle = join(folder, 'bundle');
  unpack(sampleOf(EXPERIMENT), bundle);
  const spec = readJson(join(bundle, 'spec.json'));
  const suite = { commit: '0123456789abcdef0123456789abcdef01234567', code_hash: 'a'.repeat(64), changed: [] };
  const environment = { ...spec.environment, suite };
  writeJson(join(bundle, 'spec.json'), { ...spec, profile: 'default', began: '2026-11-22T10:00:00.000Z', environment });
  await analyse(bundle);
  judgeBundle(bundle);
  return bundle;
}

/** @returns {string[]} the suite's own pages made from records */
const readOwn = () => ['README.md', 'thesis-results.md', `records/${EXPERIMENT}/RESULTS.md`].map((name) => readFileSync(join(ROOT, name), 'utf8'));

test('its tables, figures and RESULTS.md go to records/ beside its folder; nothing is written into it, nor into this tree', async (context) => {
  context.mock.method(console, 'log', () => {});
  const before = readOwn();
  await recordBundle(await makeRun());
  const records = join(folder, 'records', EXPERIMENT);
  assert.deepEqual(readdirSync(records).sort(), ['RESULTS.md', 'default']);
  assert.equal(recordOf(EXPERIMENT), join(records, 'default'));
  assert.deepEqual(readdirSync(join(records, 'default', 'figures')).sort(), ['latency.svg', 'latency.txt']);
  assert.deepEqual(findEdited(join(records, 'default')), []);
  assert.match(readFileSync(join(records, 'RESULTS.md'), 'utf8'), /\[latency\]\(default\/figures\/latency\.svg\)/);
  assert.deepEqual(listRecorded(), [EXPERIMENT]);
  assert.deepEqual(readdirSync(own).sort(), ['experiment.toml', 'figures.toml']);
  assert.deepEqual(readOwn(), before);
});
