/** A server's ready line is held against what was asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReady } from '../../harness/run/lifecycle.js';

const CONFIG = /** @type {any} */ ({ engine: 'ws', processes: { worker: 2 } });

/** @param {...string} roles @returns {any} */
const say = (...roles) => ({ engine: 'ws', processes: roles.map((role, index) => ({ pid: 10 + index, role, index: 1 })) });

test('as many processes of each role as were asked for are right, and further roles', () => {
  checkReady(say('master', 'worker', 'worker'), CONFIG);
});

test('no process, or another number of processes is a server that did not start', () => {
  assert.throws(() => checkReady(say(), CONFIG), /names no process/);
  assert.throws(() => checkReady(say('worker', 'boss'), CONFIG), /names 1 processes of the role worker, and was asked for 2/);
});
