/** The dictionary of metrics has every metric of a trial, and no other. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findMetric, listMetrics } from '../../harness/spec/metrics.js';
import { readTsv } from '../../harness/common/files.js';
import { ROOT, recordOf } from '../../harness/common/places.js';
import { expectedOf } from '../golden/places.js';
import { tablesOf } from '../../harness/common/tables.js';
import { listKept } from '../../harness/records/sources.js';
import { listExperiments } from '../../harness/spec/spec.js';

/** @param {string} reduced folder of tables @returns {string[]} the metrics of its trials */
const readNames = (reduced) => {
  const tables = ['trials', 'flagged'].map((name) => join(reduced, `${name}.tsv`)).filter((path) => existsSync(path));
  return [...new Set(tables.flatMap((path) => readTsv(path).map(({ metric }) => metric)))];
};

const expected = listExperiments().map((name) => join(expectedOf(name), 'reduced')).filter((folder) => existsSync(folder));
const records = listKept().map(({ experiment, profile }) => recordOf(experiment, profile));

/** @param {string} path of a file, or of a folder of a generator @returns {string} code */
function readCode(path) {
  const whole = join(ROOT, path);
  const files = statSync(whole).isDirectory() ? globSync('*.js', { cwd: whole }).map((name) => join(whole, name)) : [whole];
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/**
 * @param {import('../../harness/spec/metrics.js').Metric} metric @param {string} code
 * @returns {boolean} whether the code has each fixed part of the name
 */
const isWritten = ({ name }, code) => name.split(/_?<[a-z]+>_?/).every((piece) => code.includes(piece));

test('every metric of an expected table and of a record is in the dictionary', () => {
  assert.ok(expected.length > 10 && records.length > 10, `${expected.length} and ${records.length}`);
  const unknown = [...expected, ...records.map(tablesOf)].flatMap((reduced) =>
    readNames(reduced).filter((name) => !findMetric(name)).map((name) => `${reduced}: ${name}`));
  assert.deepEqual(unknown, []);
});

test('every metric of the dictionary is in an expected table, in a record, or in the code that it names', () => {
  const written = new Set([...expected, ...records.map(tablesOf)].flatMap(readNames).map((name) => findMetric(name)?.name));
  const lacking = listMetrics().filter((metric) => !written.has(metric.name) && !isWritten(metric, readCode(metric.computed)));
  assert.deepEqual(lacking.map(({ name }) => name), []);
});

test('a metric that no code names counts as not written', () => {
  const named = (/** @type {string} */ name) => ({ name, unit: 's', definition: 'It is.', computed: '' });
  assert.ok(isWritten(named('<role>_rss_mb'), 'put(`${role}_rss_mb`, 1)'));
  assert.ok(!isWritten(named('<role>_heat_k'), 'put(`${role}_rss_mb`, 1)'));
});

test('a name has one entry, with a unit and one sentence', () => {
  const all = listMetrics();
  assert.deepEqual(all.map(({ name }) => name), [...new Set(all.map(({ name }) => name))]);
  for (const { name, unit, definition } of all) {
    assert.ok(unit, name);
    assert.match(definition, /^[A-Z0-9].*[^.]\.$/, name);
    assert.doesNotMatch(definition, /\. [A-Z]/, name);
  }
});

test('of two patterns that fit the closer one defines a metric, and a name that none fits is not defined', () => {
  assert.equal(findMetric('worker_cpu_cores')?.name, '<role>_cpu_cores');
  assert.equal(findMetric('server_cpu_cores')?.name, 'server_cpu_cores');
  assert.equal(findMetric('latency_p99.9_ms')?.name, 'latency_p<p>_ms');
  assert.equal(findMetric('echo_us_100')?.name, 'echo_us_<b>');
  for (const name of ['echo_us_', 'echo_us_ten', 'cpu', 'xlatency_p99_ms']) assert.equal(findMetric(name), undefined, name);
});
