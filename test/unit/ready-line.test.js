/** A server's ready line is held against what was asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReady } from '../../harness/run/lifecycle.js';

const CONFIG = /** @type {any} */ ({ engine: 'ws', processes: { worker: 2 } });

/** @param {string} engine @param {...string} roles @returns {any} */
const say = (engine, ...roles) => ({ engine, processes: roles.map((role, index) => ({ pid: 10 + index, role, index: 1 })) });

test('the engine and as many processes of each role as were asked for are right, and further roles', () => {
  checkReady(say('ws', 'master', 'worker', 'worker'), CONFIG);
});

test('another engine, no process, or another number of processes is a server that did not start', () => {
  assert.throws(() => checkReady(say('other', 'worker', 'worker'), CONFIG), /names the engine "other", not "ws"/);
  assert.throws(() => checkReady(say('ws'), CONFIG), /names no process/);
  assert.throws(() => checkReady(say('ws', 'worker', 'boss'), CONFIG), /names 1 processes of the role worker, and was asked for 2/);
});
