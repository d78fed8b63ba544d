/** A run of another machine is kept beside the record: its verdicts in RESULTS.md, its points in the figure. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, writeJson, writeTsv } from '../../harness/common/files.js';
import { sampleOf } from '../golden/places.js';

const folder = mkdtempSync(join(tmpdir(), 'import-test-'));
after(() => rmSync(folder, { recursive: true }));
Object.assign(process.env, { WSCALE_RECORDS: join(folder, 'records'), WSCALE_RESULTS: join(folder, 'results') }); // read when the modules are loaded
const { unpack } = await import('../../harness/common/archive.js');
const { recordOf, resultsOf } = await import('../../harness/common/places.js');
const { analyse } = await import('../../analysis/analyse.js');
const { judgeBundle } = await import('../../analysis/claims/verdict.js');
const { writeArchive } = await import('../../report/archive/archive.js');
const { importArchive } = await import('../../report/import.js');
const { unzip } = await import('../../harness/records/archives.js');
const { listMachines, machinesOf, nameMachine } = await import('../../harness/records/machines.js');
const { SCALING_COLUMNS } = await import('../../experiments/05-core-scaling/scaling.js');
const { recordBundle } = await import('../../report/record.js');

const EXPERIMENT = '05-core-scaling';

/**
 * @param {string} name @param {object} machine fields that replace those of the sample's environment
 * @returns {Promise<string>} a judged run
 */
async function makeRun(name, machine) {
  const bundle = join(folder, name);
  unpack(sampleOf(EXPERIMENT), bundle);
  const spec = readJson(join(bundle, 'spec.json'));
  const suite = { commit: '0123456789abcdef0123456789abcdef01234567', code_hash: 'a'.repeat(64), changed: [] };
  const environment = { ...spec.environment, suite, ...machine };
  writeJson(join(bundle, 'spec.json'), { ...spec, profile: 'default', began: '2026-11-22T10:00:00.000Z', environment });
  await analyse(bundle);
  judgeBundle(bundle);
  return bundle;
}

const here = await makeRun('here', {});
const there = await makeRun('there', { cores: 16, cpu: 'Xeon (R) 8375C', hypervisor: 'no' });
// Points that need more cores, so the sample, from 2 cores, lacks them
writeTsv(join(there, 'reduced/scaling.tsv'), SCALING_COLUMNS, [3, 5].flatMap((n_cores) => [1, 2, 3].map((block) => ({
  era: '2014', engine: 'socketcluster-2014', workload: 'saturated', setting: `processes=${n_cores}`, line: '-', trial: `t${n_cores}-${block}`, block, n_cores,
  units: (n_cores - 1) / 2, throughput_hz: 1000 * n_cores, base: 'engine.io-2014', relative: n_cores / 2 + block / 100, own_relative: 1,
}))));

test('an archive of 16 cores is kept beside the record of 2, listed in RESULTS.md, and its points are in the figure', async (context) => {
  for (const name of /** @type {const} */ (['log', 'error'])) context.mock.method(console, name, () => {});
  await assert.rejects(importArchive(await writeArchive(there)), /05-core-scaling: has no record here to lie beside; make one with/);
  await recordBundle(here);
  await importArchive(await writeArchive(there));
  assert.deepEqual(readdirSync(machinesOf(EXPERIMENT)), ['16-cores-xeon-r-8375c-2026-11-22-default']);
  const [results, figure] = [resultsOf(EXPERIMENT), join(recordOf(EXPERIMENT), 'figures/scaling.txt')].map((path) => readFileSync(path, 'utf8'));
  assert.match(results, /## On other machines\n\n- \*\*16 cores of Xeon \(R\) 8375C\*\*, 2026-11-22, commit 0123456789ab: /);
  assert.match(figure, /Run on 16 cores of Xeon \(R\) 8375C: the points at 3, 5 cores\./);
  const kept = listMachines(EXPERIMENT)[0].folder;
  cpSync(kept, `${kept}.partial-1`, { recursive: true });
  assert.deepEqual(listMachines(EXPERIMENT).map((each) => each.folder), [kept], 'what an interrupted import left is no machine');
  rmSync(`${kept}.partial-1`, { recursive: true });
  const unzipped = join(folder, 'of-the-other-machine');
  mkdirSync(unzipped);
  await unzip(await writeArchive(kept), unzipped);
  const tables = readdirSync(join(unzipped, 'reduced'));
  assert.ok(tables.includes('points.tsv') && tables.includes('trials.tsv') && !existsSync(join(unzipped, 'large-tables.tar.xz')), 'its archive has every table');
});

test('an archive of a machine like the record\'s, of a record, or that was altered, is refused and leaves nothing', async (context) => {
  context.mock.method(console, 'log', () => {});
  /** @param {string} from @param {RegExp} why */
  const refuses = async (from, why) => assert.rejects(importArchive(await writeArchive(from)), why);
  await refuses(here, /ran on .+, as the record did; add the run with: \.\/wscale record results\/… --add/);
  await refuses(recordOf(EXPERIMENT), /holds no captures; archive the run itself, not the record/);
  assert.equal(nameMachine({ ...readJson(join(there, 'spec.json')), began: '../../../x', profile: '../y' }), '16-cores-xeon-r-8375c-x-y');
  const torn = join(folder, 'torn.zip');
  writeFileSync(torn, readFileSync(await writeArchive(there)).subarray(0, 5000));
  await assert.rejects(importArchive(torn), /torn\.zip: is not a zip file, or is cut off/);
  assert.deepEqual(readdirSync(machinesOf(EXPERIMENT)).length, 1);
  assert.ok(!existsSync(join(machinesOf(EXPERIMENT), 'partial')));
});
