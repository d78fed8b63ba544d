/** Settings in words, as figures show them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeManual, describeSetting } from '../../report/setting-labels.js';
import { parseSetting } from '../../harness/common/setting.js';
import { SETTINGS } from '../../harness/spec/settings.js';

const ROLES = ['balancer', 'worker', 'store'];

/** @type {[string, string, string][]} */
const CASES = [
  ['no setting has no words', '-', ''],
  ['a mix of processes names each role, in the plural but for one', 'processes=9+21+1', '9 balancers, 21 workers, 1 store'],
  ['a mix of one role needs no sum', 'processes=4', '4 balancers'],
  ['processes come before what they run on, whatever the alphabet says', 'cores=one,processes=1+1+1', '1 balancer, 1 worker, 1 store, all on one core'],
  ['counts have a comma at each thousand, periods over a second are in seconds',
    'connections=25000,payload_b=500000,period_ms=2500', '25,000 connections, each 2.5 s, 500,000 B'],
  ['a period under a second stays in milliseconds', 'period_ms=250', 'each 250 ms'],
  ['client processes have a plural', 'client_processes=2', '2 client processes'],
  ['addresses are those of clients', 'client_addresses=100', 'clients of 100 addresses'],
  ['an option of the engine is its name and its value, after all else', 'balancing=smart,fault=kill-worker,scheduling=rr', 'kill worker, balancing smart, scheduling rr'],
  ['a transport is told in words, a period of polls in seconds from one on', 'poll_period_ms=1000,transport=sse', 'Server-Sent Events, a poll each 1 s'],
  ['headers that are not a browser\'s are named', 'headers=bare,poll_period_ms=250,transport=polling', 'polling, a poll each 250 ms, no headers but Host'],
  ['what Engine.IO comes by is told in words', 'transports=upgrade', 'long polling, then WebSocket'],
  ['a placement that is not known is called by its name', 'cores=three', 'cores three'],
  ['a mix longer than the roles is called processes', 'processes=1+1+1+2', '1 balancer, 1 worker, 1 store, 2 processes'],
];

for (const [sentence, setting, words] of CASES) {
  test(sentence, () => assert.equal(describeSetting(parseSetting(setting), ROLES), words));
}

test('the manual of `make settings` has a line for each setting that a manifest may give, with what it is and what holds without it', () => {
  const own = Object.entries(SETTINGS).filter(([, { schema }]) => schema);
  for (const [key, { meaning, usual = '', default: reported = '' }] of own) {
    assert.ok(describeManual().includes(`| \`${key}\` |`), key);
    assert.ok(meaning && (usual || reported), `${key} lacks its meaning, or what holds without it`);
  }
});
