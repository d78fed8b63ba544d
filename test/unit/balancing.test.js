/** How the rebuilt balancers of 2014 choose a worker. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const policies = createRequire(import.meta.url)('../../servers/socketcluster-2014/policies.js');
const WORKERS = 5;
const CLIENTS = 1000;

/**
 * @param {(request: unknown) => number} choose @param {(client: number) => string} addressOf
 * @returns {number[]} clients of each worker
 */
function give(choose, addressOf) {
  const given = Array.from({ length: WORKERS }, () => 0);
  for (let client = 0; client < CLIENTS; client++) given[choose({ connection: { remoteAddress: addressOf(client) } })]++;
  return given;
}

const many = (/** @type {number} */ client) => `127.${client % 7}.${client % 11}.${client % 251}`;

test('at random with correction, no worker has one client more than another by the end of a round', () => {
  assert.deepEqual(give(policies.random(WORKERS), many), Array.from({ length: WORKERS }, () => CLIENTS / WORKERS));
});

test('without the correction every worker has clients, and they are not all as many', () => {
  const given = give(policies.uncorrected(WORKERS), many);
  assert.ok(given.every((clients) => clients > 0));
  assert.ok(new Set(given).size > 1, given.join());
});

test('by hash all clients of one address have one worker, those of many have several', () => {
  const busy = (/** @type {number[]} */ given) => given.filter((clients) => clients > 0).length;
  assert.equal(busy(give(policies.hash(WORKERS), () => '127.0.0.1')), 1);
  assert.ok(busy(give(policies.hash(WORKERS), many)) > 1);
});
