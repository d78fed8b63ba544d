/** Settings, which distinguish points of one engine and workload, and the comparison of two generators. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compare, pairGenerators } from '../../analysis/points/comparisons.js';
import { computePoints } from '../../analysis/points/points.js';
import { describeCondition, describeVersions } from '../../report/condition.js';
import { listEngines, readEngine } from '../../harness/spec/engines.js';
import { askRuntime } from '../../harness/run/environment.js';
import { checkGenerator, generatorOf, listGenerators, readGenerator } from '../../harness/spec/generators.js';
import { parseTsv, readJson } from '../../harness/common/files.js';
import { ROOT, RUNTIMES, recordOf } from '../../harness/common/places.js';
import { formatSetting, parseSetting, settingWithout, settingsIn, suffixOf } from '../../harness/common/setting.js';
import { rowsTest, table } from '../awks.js';

test('a setting is its pairs in the order of the alphabet, and is read back', () => {
  assert.deepEqual([formatSetting({}), suffixOf('-'), parseSetting('-')], ['-', '', {}]);
  const setting = formatSetting({ payload_b: '20', generator: 'swarm' });
  assert.deepEqual([setting, suffixOf(setting)], ['generator=swarm,payload_b=20', '-generator-swarm-payload_b-20']);
  assert.deepEqual(parseSetting(setting), { generator: 'swarm', payload_b: '20' });
});

test('after the plan no code takes the name of a setting apart: it reads the columns', () => {
  const paths = globSync(['analysis/**/*.js', 'report/**/*.js', 'experiments/**/*.js', 'clients/*/{reduce,derive}.js'], { cwd: ROOT });
  const apart = new RegExp([
    /\bparseSetting\b/,
    /\b[a-z_]*[sS]etting\)?\??\.(split|match|slice|replace|replaceAll|startsWith|includes)\(/,
    /\.(exec|test)\([^)]*\bsetting\b/,
  ].map(({ source }) => source).join('|'));
  assert.deepEqual(paths.filter((path) => apart.test(readFileSync(join(ROOT, path), 'utf8'))), []);
});

test('a row that is read has a column for each setting, and of what it is compared with', () => {
  const [first, second] = parseTsv('setting\tto_setting\nk=1,n=2\t-\n-\tk=3\n');
  assert.deepEqual(first, { setting: 'k=1,n=2', to_setting: '-', 'setting.k': '1', 'setting.n': '2' });
  assert.deepEqual(second, { setting: '-', to_setting: 'k=3', 'to_setting.k': '3' });
  assert.deepEqual([settingsIn(first), settingWithout(first, 'n'), settingWithout(second, 'n')], [{ k: '1', n: '2' }, 'k=1', '-']);
});

test('where a setting names no generator, it is the engines\' own clients', () => {
  assert.deepEqual(['-', 'payload_b=20', 'generator=swarm', 'generator=swarm,payload_b=20'].map((setting) => generatorOf(setting)), ['forked', 'forked', 'swarm', 'swarm']);
});

test('a generator that is not known is reported, with those that are', () => {
  for (const name of ['', 'fork', '../forked', 'constructor']) {
    assert.throws(() => checkGenerator(name), { message: `GENERATOR: "${name}" is not a generator; use one of ${listGenerators().join(', ')}` });
  }
});

test('swarm speaks the dialect of every engine that has a client library', () => {
  const { dialects = [] } = readGenerator('swarm');
  const mute = listEngines().map(readEngine).filter(({ client, dialect }) => client && !dialects.includes(dialect));
  assert.deepEqual(mute.map(({ name }) => name), []);
});

/** @type {import('../../report/condition.js').RecordedSpec} experiment 3 as it was recorded */
const RECORDED = readJson(join(recordOf('03-engineio-vs-socketcluster'), 'spec.json'));

test('the condition names the generators where there are two', () => {
  const both = { ...RECORDED, axes: { ...RECORDED.axes, generator: ['forked', 'swarm'] }, generators: { swarm: { version: '1.2.3' } } };
  const added = describeCondition(both).filter((line) => !describeCondition(RECORDED).includes(line));
  assert.equal(added.length, 1);
  assert.match(added[0], /^each point also under swarm 1\.2\.3, /);
});

test('an engine is reported with the runtime that it ran on, by name', () => {
  const engine = (/** @type {string} */ runtime) => ({ era: 'today', version: '1', library_version: '1', processes: { worker: 1 }, options: {}, runtime });
  const spec = /** @type {any} */ ({
    axes: { engine: ['ws', 'uws'], workload: ['steady'] }, load: {}, workloads: { steady: { arrivals: { kind: 'constant', period_ms: 1 } } },
    phases: { connections: 1, connect_rate_hz: 1 }, engines: { ws: engine('v24.1.0'), uws: engine('Bun 1.4.5') },
  });
  assert.deepEqual(describeVersions(spec), ['ws 1 (client 1) on Node 24.1.0, 1 worker', 'uws 1 (client 1) on Bun 1.4.5, 1 worker']);
  const alike = { ...spec, engines: { ...spec.engines, gws: engine('v24.1.0') } };
  assert.deepEqual(describeVersions(alike)[0], 'ws 1 (client 1), gws 1 on Node 24.1.0, 1 worker each');
});

test('a caption tells what was rebuilt, but no client library that made no load, and no processes where each point names its own', () => {
  const points = [{ engine: ['socketcluster-2014'], workload: ['listed'], processes: ['2+2+1'] }];
  const own = { ...RECORDED, axes: { ...RECORDED.axes, engine: ['socketcluster-2014'] }, points };
  const { rebuilt: _, ...plain } = RECORDED.engines['socketcluster-2014'];
  const [named] = describeVersions({ ...own, engines: { 'socketcluster-2014': plain } });
  assert.match(named, /^socketcluster-2014 [\d.]+ \(client [\d.]+\) on Node 0\.10\.\d+$/);
  const rebuilt = { ...own, engines: { 'socketcluster-2014': { ...plain, rebuilt: 'master and balancer' } } };
  assert.match(describeVersions(rebuilt)[0], /^socketcluster-2014 [\d.]+ \(master and balancer rebuilt; client [\d.]+\) on Node/);
  const [native] = describeVersions({ ...own, load: { ...own.load, generator: 'swarm' }, engines: { 'socketcluster-2014': plain } });
  assert.match(native, /^socketcluster-2014 [\d.]+ on Node 0\.10\.\d+$/);
});

test('where points name other numbers of connections than the profile, the caption says so', () => {
  const points = [{ engine: ['ws'], workload: ['listed'], connections: [7] }];
  const reported = (/** @type {any} */ change) => describeCondition({ ...RECORDED, ...change }).join('\n');
  assert.match(reported({ points }), /connections over \d+ s \(save where a point or a search has its own\), measured for/);
  assert.doesNotMatch(reported({}), /has its own/);
});

test('a runtime is asked as its runtime.toml says, and no program that starts an engine is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-test-'));
  after(() => rmSync(folder, { recursive: true }));
  const engine = { folder, runtime: 'node-24', start: ['./a-server-that-would-be-started'] };
  assert.equal(askRuntime(engine), process.version);
  // `make test` does not install Bun
  assert.match(askRuntime({ folder, runtime: 'bun' }), existsSync(join(RUNTIMES, 'bun/bin/bun')) ? /^Bun \d+\.\d/ : /^Bun absent$/);
  assert.match(askRuntime({ folder, runtime: 'rust' }), /^cargo \d+\.\d/);
});

const TRIALS_HEADER = 'trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue\n';

/** @param {string} engine @param {string} setting @param {number[]} values of blocks 1, 2, ... */
const trials = (engine, setting, values) =>
  values.map((value, at) => `b${at + 1}-${engine}\t${at + 1}\ttoday\t${engine}\tlisted\t${setting}\tserver_cpu_s_per_1k\t${value}\n`).join('');

rowsTest('points: a setting is a point of its own',
  (rows) => computePoints(rows),
  [TRIALS_HEADER + trials('ws', '-', [2, 4]) + trials('ws', 'generator=swarm', [7])], `
    era    engine  workload  setting          metric               n  mean     low  high
    today  ws      listed    -                server_cpu_s_per_1k  2  2.82843  -    -
    today  ws      listed    generator=swarm  server_cpu_s_per_1k  1  7        -    -
  `);

rowsTest('comparisons: a claim sees its own setting alone, and where the one compared with has another, that is said apart',
  (rows, trialRows) => compare(rows, trialRows),
  [table(`
    workload  setting          metric               of  to         to_setting
    listed    generator=swarm  server_cpu_s_per_1k  ws  ws         -
    listed    -                server_cpu_s_per_1k  ws  socket.io  -
    listed    generator=swarm  server_cpu_s_per_1k  ws  socket.io  generator=swarm
  `), TRIALS_HEADER + trials('ws', '-', [2, 4]) + trials('socket.io', '-', [1, 1]) + trials('ws', 'generator=swarm', [1, 3, 9])], `
    workload  setting          metric               of  to         to_setting       n  mean      low  high  scale  degrees
    listed    generator=swarm  server_cpu_s_per_1k  ws  ws         -                2  0.612372  -    -     -      -
    listed    -                server_cpu_s_per_1k  ws  socket.io  -                2  2.82843   -    -     -      -
    listed    generator=swarm  server_cpu_s_per_1k  ws  socket.io  generator=swarm  0  -         -    -     -      -
  `);

rowsTest('generators: each point that names one is compared with the same without it, once, in the order of the points',
  pairGenerators,
  [table(`
    order  trial  block  era    engine  workload  setting                            seed  from_s  to_s  point
    1      b1     1      today  ws      listed    payload_b=20,generator=swarm,z=1   7     1       2     4
    2      b2     1      today  ws      listed    -                                  7     1       2     1
    3      b3     1      today  ws      listed    generator=swarm                    7     1       2     2
    4      b4     1      today  ws      listed    payload_b=20,z=1                   7     1       2     3
    5      b5     2      today  ws      listed    generator=swarm                    8     1       2     2
  `)], `
    era    workload  setting                           metric               of  to  to_setting
    ${['-', 'payload_b=20,z=1'].flatMap((setting) => ['server_cpu_s_per_1k', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms'].map((metric) =>
    `today  listed    ${setting === '-' ? 'generator=swarm' : 'payload_b=20,generator=swarm,z=1'}  ${metric}  ws  ws  ${setting}`)).join('\n    ')}
  `);

rowsTest('generators: where there is one, nothing is compared',
  pairGenerators,
  [table(`
    order  trial  block  era    engine  workload  setting  seed  from_s  to_s  point
    1      b1     1      today  ws      listed    -        7     1       2     1
  `)], '');
