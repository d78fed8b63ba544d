/** `wscale numbers` and `wscale dollars`, on the result of record that has all engines. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordOf } from '../../harness/common/places.js';
import { billAsJson, describeBill } from '../../report/bill.js';
import { describeDictionary, dictionaryAsJson, describeDollars, describeNumbers, dollarsAsJson, numbersAsJson } from '../../report/numbers.js';

const RECORD = recordOf('16-engines');
const MEMORY = 'memory_b_per_idle_connection';

test('a number of every engine is printed with its interval, the least first, behind its definition', () => {
  const said = describeNumbers(RECORD, MEMORY, {});
  assert.match(said, /^memory_b_per_idle_connection, B: [A-Z].+\.\nidle:\nengine +language +n +B \[95 %\]\n/);
  assert.match(said, /\nws +Node\.js +\d+ +\d+ \[\d+, \d+\]\n/);
  const means = JSON.parse(numbersAsJson(RECORD, MEMORY, {})).map((/** @type {{mean: number}} */ { mean }) => mean);
  assert.deepEqual(means, [...Float64Array.from(means).sort()]);
});

test('engines and a workload take away the others, and a saturation that was not reached says so', () => {
  const said = describeNumbers(RECORD, 'saturation_hz', { engines: ['uwebsockets'], workload: 'sweep' });
  assert.match(said, /\nuwebsockets +C\+\+ +\d+ +at least \d+/);
  assert.doesNotMatch(said, /gorilla/);
});

test('connections and a size take away the points with others, and those that no point has are refused', () => {
  const listed = (/** @type {object} */ only) => JSON.parse(numbersAsJson(RECORD, 'saturation_hz', { engines: ['ws'], ...only }));
  assert.deepEqual(listed({ connections: 10_000, payload_b: 4096 }).map((/** @type {Record<string, string>} */ { setting }) => setting), ['connections=10000,payload_b=4096']);
  assert.equal(listed({ connections: 1000, payload_b: 128 }).length, 1);
  assert.equal(listed({ payload_b: 4096 }).length, 2);
  assert.throws(() => listed({ connections: 999 }), /CONNECTIONS: "999" is not in this run; .*one of 100, 1000, 10000$/);
});

test('an engine that was asked for, and has no trial that stands at this load, is named', () => {
  const said = describeNumbers(RECORD, 'latency_p99_ms_at_50', { connections: 10_000, payload_b: 128, engines: ['ws', 'uws'] });
  assert.match(said, /\nws .+\nWithout a valid trial there: uws$/);
  const none = { engines: ['tcp-reference'], connections: 1000 }; // its trials are in reference.tsv alone
  assert.match(describeNumbers(RECORD, 'saturation_hz', none), /\.\nWithout a valid trial there: tcp-reference$/);
  assert.throws(() => describeDollars(RECORD, none), /no trial stands of what was asked for; ask for other engines/);
});

test('a metric, an engine or a workload that the run does not have is refused, with those like it', () => {
  assert.throws(() => describeNumbers(RECORD, 'memory_b', {}), /METRIC: "memory_b" is not in this run; did you mean memory_b_per_idle_connection\? \.\/wscale numbers lists those of all runs/);
  assert.throws(() => describeNumbers(RECORD, MEMORY, { engines: ['wss'] }), /ENGINES: "wss" is not in this run; did you mean ws\? Use one of /);
  assert.throws(() => describeNumbers(RECORD, MEMORY, { workload: 'sweep' }), /WORKLOAD: "sweep" is not in this run; use one of idle$/);
});

test('without a metric each is listed with its unit and its definition', () => {
  assert.match(describeDictionary(), /\nmemory_b_per_idle_connection +B +The sum of the server's and the kernel's memory/);
  const { name, unit } = JSON.parse(dictionaryAsJson()).find((/** @type {{name: string}} */ each) => each.name === MEMORY);
  assert.deepEqual([name, unit], [MEMORY, 'B']);
});

test('dollars name what is paid for, and the date of the prices', () => {
  const said = describeDollars(RECORD, { engines: ['ws'], workload: 'sweep' });
  assert.match(said, /^engine +load +what +all, \$ +CPU +memory +traffic\nws +sweep +a million messages +0\.\d+/);
  assert.match(said, /\nws +sweep +a connection for a month at [\d.]+ messages a second +\d/);
  assert.match(describeDollars(RECORD, { engines: ['ws'], workload: 'idle' }), /\nws +idle +a connection for a month +\d/);
  assert.match(said, /\nPrices of \d{4}-\d\d-\d\d: infra\/ec2\/prices\.tsv\./);
  assert.equal(typeof JSON.parse(dollarsAsJson(RECORD, { engines: ['ws'] }))[0].usd, 'number');
});

test('the bill has the load it is of, the cheapest engine first, and a load that no engine was measured at is refused', () => {
  const load = { total_rate_hz: 2000, connections: 10_000, payload_b: 1024 };
  const said = describeBill(RECORD, { ...load, engines: ['ws', 'uwebsockets'] });
  assert.match(said, /^A month of sweep, 2000 messages a second over 10000 connections, 1024 B, echo:\n/);
  assert.match(said, /\nengine +language +all, \$ \[95 %\] +CPU +memory +traffic +how\nuwebsockets +C\+\+ +\d+ \[/);
  assert.match(said, /\nPrices of \d{4}-\d\d-\d\d: /);
  assert.equal(typeof JSON.parse(billAsJson(RECORD, { ...load, engines: ['ws'] }))[0].usd, 'number');
  assert.throws(() => describeBill(RECORD, { ...load, connections: 1_000_000, engines: ['ws'] }), /no engine's cost is known at this load \(not known at this number of connections\); ask for another/);
});

test('a run without dollars is refused in one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dollars-test-'));
  for (const name of ['spec.json', 'plan.tsv']) cpSync(join(RECORD, name), join(folder, name));
  try {
    assert.throws(() => describeDollars(folder, {}), /: has no dollars, .*; give another run$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
