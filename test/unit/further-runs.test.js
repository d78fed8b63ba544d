/** Runs that are added to a record: which are accepted, what is kept of them, and what is reported over all. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readTsv, writeJson, writeTsv } from '../../harness/common/files.js';

const folder = mkdtempSync(join(tmpdir(), 'runs-test-'));
process.env.WSCALE_RECORDS = join(folder, 'records'); // read when the modules are loaded
const { recordOf } = await import('../../harness/common/places.js');
const { listRuns, placeRun, readTables, runsOf } = await import('../../harness/records/runs.js');
const { describeNewRun, describeRuns, tellOtherMachines, writeRuns } = await import('../../report/runs.js');
const { machinesOf } = await import('../../harness/records/machines.js');
const { POINT_COLUMNS } = await import('../../analysis/points/points.js');
after(() => rmSync(folder, { recursive: true }));

const EXPERIMENT = '90-hours';
const MULTIPLE = 'server_cpu_x_reference_at_1000_hz';

/** @param {string} began @returns {any} */
const specOf = (began) => ({
  form: 2, experiment: EXPERIMENT, profile: 'default', seed: 1, began, load: { behaviour: 'echo' }, workloads: { sweep: { arrivals: {} } },
  phases: { repeats: 3, connections: 10 }, reference: { engine: 'least', shown: [MULTIPLE], points: [] }, engines: { ws: { version: '8.0.0' } },
  environment: { kernel: 'Linux 6.1', suite: { code_hash: 'ab', commit: 'cd', changed: [] } },
});

/**
 * @param {string} path @param {any} spec @param {number} us CPU time of a message @param {number} multiple
 * @returns {string} a bundle
 */
function makeBundle(path, spec, us, multiple) {
  mkdirSync(join(path, 'reduced'), { recursive: true });
  writeJson(join(path, 'spec.json'), spec);
  writeFileSync(join(path, 'plan.tsv'), 'trial\tblock\tengine\tworkload\tsetting\n');
  const pointOf = (/** @type {string} */ metric, /** @type {number} */ mean) => (
    { era: 'today', engine: 'ws', workload: 'sweep', setting: '-', metric, n: 3, mean, low: 0.9 * mean, high: 1.1 * mean, scale: 'log', degrees: 2, error: 0.02 });
  writeTsv(join(path, 'reduced/points.tsv'), POINT_COLUMNS, [pointOf('server_cpu_us_at_1000_hz', us), pointOf(MULTIPLE, multiple), pointOf('latency_p50_ms', 1)]);
  return path;
}

/** @param {number} hour @param {number} us @param {number} multiple @param {object} [other] */
const bundleAt = (hour, us, multiple, other) =>
  makeBundle(join(folder, `bundle-${hour}`), { ...specOf(`2026-11-26T${hour}:00:00.000Z`), ...other }, us, multiple);

/** @param {string} bundle kept as a further run */
const keepRun = (bundle) => cpSync(bundle, placeRun(bundle), { recursive: true });

makeBundle(recordOf(EXPERIMENT), specOf('2026-11-26T10:00:00.000Z'), 30, 2);

test('a run of the conditions of the record has a place beside it, and one of others is refused, as is one that is there', () => {
  assert.equal(placeRun(bundleAt(12, 60, 2.1)), join(runsOf(EXPERIMENT), '2026-11-26T12-00-00-000Z'));
  keepRun(bundleAt(12, 60, 2.1));
  assert.deepEqual(listRuns(EXPERIMENT).map(({ began }) => began.slice(11, 13)), ['10', '12']);
  assert.deepEqual(listRuns(EXPERIMENT).map((run) => readTables(run).points[0].mean), ['30', '60']);
  assert.throws(() => placeRun(bundleAt(12, 60, 2.1)), /is a run of the record already/);
  assert.throws(() => placeRun(bundleAt(10, 60, 2.1)), /is a run of the record already/);
  assert.throws(() => placeRun(bundleAt(13, 60, 2.1, { load: { behaviour: 'pingpong' } })), /differs from the result of record in load/);
  assert.throws(() => placeRun(bundleAt(13, 60, 2.1, { experiment: '91-none' })), /91-none has no result of record/);
  const environment = { ...specOf('').environment, cpu: 'Other', cores: 2 };
  assert.throws(() => placeRun(bundleAt(13, 60, 2.1, { environment })), /ran on 2 cores of Other, the record on .+ record import/);
  assert.throws(() => placeRun(bundleAt(13, 60, 2.1, { engines: { ws: { version: '9.0.0' } } })), /has other versions than the record of ws/);
  assert.deepEqual(readdirSync(runsOf(EXPERIMENT)), ['2026-11-26T12-00-00-000Z']);
});

test('a run that became the record counts once', () => {
  const twice = join(runsOf(EXPERIMENT), 'twice');
  cpSync(recordOf(EXPERIMENT), twice, { recursive: true });
  assert.deepEqual(listRuns(EXPERIMENT).map(({ began }) => began.slice(11, 13)), ['10', '12']);
  rmSync(twice, { recursive: true });
});

test('of two runs no prediction is told, of four it is, with the CPU time of the last hour', () => {
  assert.match(describeRuns(EXPERIMENT, specOf('')).join('\n'), /\| ws \| 2.05 \(2 runs\) \| 2 %, 2.81 % \| 60 \[54, 66\] \|/);
  keepRun(bundleAt(14, 33, 1.95));
  keepRun(bundleAt(16, 50, 2.05));
  const text = describeRuns(EXPERIMENT, specOf('')).join('\n');
  assert.match(text, /^## Over 4 runs\n/);
  assert.match(text, /\n\| engine \| multiple at 1,000 a second \| sd within, between runs \| CPU in the latest, µs \|\n/);
  assert.match(text, /\n\| ws \| 2.02 \[1.81, 2.27\] \| 2 %, 2.48 % \| 50 \[45, 55\] \|\n/);
  assert.match(text, /as CPU time and by 3.19 % as a multiple: README shows the multiple\.\n/);
  assert.match(text,
    /\n- The means of runs at 1,000 a second vary by 33.1 % as CPU time and by 3.19 % as a multiple; of 4 held-out means 4 and 4 lie /);
  assert.equal(describeNewRun(EXPERIMENT), '');
  writeRuns(EXPERIMENT);
  assert.match(describeNewRun(EXPERIMENT), /^Another run may differ: 4 runs from .+ UTC predict CPU time to within a factor of [23]/);
  const survives = readTsv(join(runsOf(EXPERIMENT), 'survives.tsv'));
  assert.deepEqual(survives.map(({ metric, runs, held_out }) => [metric, runs, held_out]), [['server_cpu_us_at_1000_hz', '4', '4'], [MULTIPLE, '4', '4']]);
  assert.ok(Number(survives[0].between_sd) > 5 * Number(survives[1].between_sd), readFileSync(join(runsOf(EXPERIMENT), 'survives.tsv'), 'utf8'));
});

test('of a run on another machine it is told how many means lie where a new run is predicted', () => {
  const other = { ...specOf('2026-11-30T08:00:00.000Z'), environment: { cpu: 'Other', cores: 4 } };
  makeBundle(join(machinesOf(EXPERIMENT), 'other'), other, 35, 9);
  const tellOf = (/** @type {'us' | 'x_reference'} */ form) => tellOtherMachines(EXPERIMENT, ['ws'], form);
  assert.deepEqual(tellOf('us'), ['On 4 cores of Other, in an hour of 2026-11-30, 1 of 1 means lay in these brackets.']);
  assert.match(tellOf('x_reference')[0], / 0 of 1 means /);
  assert.deepEqual(tellOtherMachines(EXPERIMENT, ['gorilla'], 'us'), []);
  makeBundle(join(machinesOf(EXPERIMENT), 'other'), { ...other, load: { behaviour: 'pingpong' } }, 35, 9);
  assert.deepEqual(tellOf('us'), [], 'another load');
});
