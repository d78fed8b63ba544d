import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReady } from '../../harness/common/ready.js';
import { parseCount, parseNames, parsePatience, parseRate, parseSeed } from '../../harness/common/options.js';

const NONSENSE = ['', ' ', '1 ', '\t', '-1', 'nan', 'NaN', 'inf', 'Infinity', '1e400', '0x10', '1,5', '../x', '__proto__', '\u0661'];

test('a number of the command line is a number as a person writes it, finite and in range, or it is refused with its value', () => {
  for (const text of NONSENSE) {
    for (const parse of [parseSeed, parseRate, parsePatience, (/** @type {string} */ each) => parseCount('BLOCKS', each)]) {
      assert.throws(() => parse(text), (/** @type {any} */ { problems: [problem] }) => problem.includes(`: "${text}" is not a `), JSON.stringify(text));
    }
  }
});

test('what is in range is taken', () => {
  assert.deepEqual([parseSeed('0'), parseSeed('4294967295'), parseSeed(undefined)], [0, 4294967295, undefined]);
  assert.deepEqual(['5000', '0.5', '1e5', '1000000000'].map(parseRate), [5000, 0.5, 100000, 1e9]);
  assert.throws(() => parseSeed('4294967296'), /SEED: "4294967296" is not a whole number from 0 to 4294967295; give one/);
  for (const rate of ['0', '1000000001']) assert.throws(() => parseRate(rate), /RATE: ".*" is not a number of messages a second/);
  assert.throws(() => parseRate(undefined), /RATE: is missing; give the messages a second over all connections, such as RATE=5000/);
});

test('ENGINES names each engine once, and at least one', () => {
  assert.deepEqual(parseNames('ws, ws uws'), ['ws', 'uws']);
  assert.equal(parseNames(undefined), undefined);
  assert.throws(() => parseNames(' '), /ENGINES: " " names no engine; name some/);
});

test('a role that a process announces is a word, or its ready line is refused', () => {
  const ready = (/** @type {unknown} */ role) => parseReady(JSON.stringify({ processes: [{ pid: 2, role, index: 1 }] }));
  assert.equal(ready('worker').processes[0].role, 'worker');
  for (const role of ['a\tb', '', ' ', '../x', '__proto__', 'A', null, 7]) assert.throws(() => ready(role), /^Error: its ready line is not as the contract has it: ready /);
});
