/** The command that a report prints to repeat a run, and numbers that need a remark. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { unpack } from '../../harness/common/archive.js';
import { readTsv, writeTsv } from '../../harness/common/files.js';
import { describePoint } from '../../harness/common/format.js';
import { sampleOf } from '../golden/places.js';
import { numberOfExperiment } from '../../harness/common/places.js';
import { nextCommand } from '../../report/ending.js';
import { makeFigures } from '../../report/figures.js';
import { commandOf } from '../../harness/records/sources.js';
import { makeSpec } from '../../harness/spec/spec.js';
import { copyTables } from '../golden/bundles.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** @param {any} spec @returns {string} */
const commandWith = (spec) => commandOf({
  experiment: '16-engines', spec: { profile: 'quick', seed: 7, axes: {}, environment: { suite: { commit: COMMIT, changed: [] } }, ...spec, },
});

test('the command that repeats a run names all that was chosen for it', () => {
  assert.equal(commandWith({}), 'git checkout 0123456789ab && make experiment-16 PROFILE=quick SEED=7');
  const spec = makeSpec('16-engines', 'quick', 7, undefined, { engines: ['ws', 'uws'], blocks: 4, bytes: 512 });
  assert.equal(commandWith({ chosen: spec.chosen, axes: { generator: ['swarm', 'forked'] }, hosts: [{}] }),
    "git checkout 0123456789ab && make experiment-16 PROFILE=quick GENERATOR=forked ENGINES='ws uws' BYTES=512 HOSTS=hosts.toml BLOCKS=4 SEED=7");
  assert.equal(makeSpec('16-engines', 'quick', 7).chosen, undefined);
});

test('the command that goes on with a run names what was chosen for it', () => {
  const spec = { ...makeSpec('16-engines', 'quick', 7, undefined, { engines: ['ws', 'uws'], blocks: 4, bytes: 512 }), hosts: [{}] };
  assert.equal(nextCommand(spec, true, 'x').replace(/ +\(.*/, ''),
    "./wscale run 16 --profile quick --engines 'ws uws' --blocks 4 --bytes 512 --hosts hosts.toml --resume --patience 20");
  assert.match(nextCommand({ ...spec, experiment: 'duet', profile: 'default', chosen: undefined, hosts: undefined }, true, 'x'), /^\.\/wscale run duet --resume /);
});

test('an experiment has the number of its name, a duet has none', () => {
  assert.deepEqual(['03-engineio-vs-socketcluster', '16-engines', 'duet'].map(numberOfExperiment), [3, 16, 'duet']);
});

test('what the command would lack stands behind it', () => {
  const suite = { commit: COMMIT, changed: ['servers/ws/server.js', 'servers/a\nb'], elsewhere: ['servers'] };
  assert.equal(commandWith({ environment: { suite, client_quota: 0.5 } }), 'git checkout 0123456789ab && make experiment-16 PROFILE=quick SEED=7'
    + ' # code that is not in the commit: servers/ws/server.js, servers/a?b; servers were those of another folder; with WSCALE_CLIENT_QUOTA=0.5');
  const unknown = commandWith({ environment: { suite: { commit: null, changed: null } } });
  assert.match(unknown, /^make experiment-16 .+ # the commit of its code is not known$/);
});

test('a saturation that the generator ended is "at least" wherever it is looked up, and memory below 0 cannot be measured', () => {
  const row = (/** @type {string} */ metric, /** @type {string} */ mean) => ({ metric, mean, low: '-', high: '-' });
  const found = row('saturation_hz', '73600');
  assert.equal(describePoint(found, [found, row('saturation_at_least', '1')]), 'at least 73600 [no interval]');
  assert.equal(describePoint(found, [found, row('saturation_at_least', '0')]), '73600 [no interval]');
  assert.equal(describePoint(row('server_b_per_idle_connection', '-12467'), []), '-12500 [no interval], below what can be measured');
  assert.equal(describePoint(row('server_b_per_idle_connection', '12467'), []), '12500 [no interval]');
});

test('a figure says of memory below 0 that it is below what can be measured', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'below-test-'));
  after(() => rmSync(folder, { recursive: true }));
  unpack(sampleOf('16-engines'), folder);
  copyTables('16-engines', folder);
  const draw = async () => {
    await makeFigures(folder, ['txt']);
    return readFileSync(join(folder, 'figures/memory.txt'), 'utf8');
  };
  assert.doesNotMatch(await draw(), /below what can be measured/);
  const path = join(folder, 'reduced/points.tsv');
  const points = readTsv(path).map((row) => (row.metric === 'memory_b_per_idle_connection' ? { ...row, mean: '-12467' } : row));
  writeTsv(path, Object.keys(points[0]), points);
  const drawn = await draw();
  assert.match(drawn, / –$/m);
  assert.match(drawn, /–:\s+below\s+what\s+can\s+be\s+measured\./);
});
