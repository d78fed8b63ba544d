/** How a verdict was found: at the source's load or a reduced one, by computation, with rebuilt software. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFound } from '../../analysis/claims/found.js';

const PHASES = { repeats: 3, warmup_s: 0, connections: 600, connect_rate_hz: 100, settle_s: 0, hold_s: 10, ramp_s: 6 };
/** @type {any} */
const SPEC = {
  axes: { engine: ['a', 'b'], workload: ['w'] }, workloads: { w: { arrivals: { kind: 'periodic', period_ms: 1000 } } }, load: { behaviour: 'echo', client_processes: 1 },
  engines: { a: { processes: { worker: 1 }, options: {}, rebuilt: 'its master' }, b: { processes: { worker: 1 }, options: {} } },
  phases: PHASES, source_phases: { ...PHASES, connections: 2400 }, claims: [{ id: 'T1' }, { id: 'T2', computed: 'by a law' }],
};
/** @type {any} */
const ROW = { claim: 'T1', era: '2014', workload: 'w', setting: '-', of: 'b', to: '-', n: 5 };

test('a verdict on the source\'s own load is found whole', () => {
  assert.equal(describeFound({ ...SPEC, source_phases: PHASES }, [ROW]), 'whole');
});

test('a load that is less than the source\'s is named with both numbers, and one that a point sets for itself is its own', () => {
  assert.equal(describeFound(SPEC, [ROW]), 'reduced load (600 connections, source 2400)');
  assert.equal(describeFound(SPEC, [{ ...ROW, setting: 'connections=2400' }]), 'whole');
  assert.equal(describeFound({ ...SPEC, source_phases: { ...PHASES, hold_s: 30 } }, [ROW]), 'shorter window (10 s, paper 30)');
  assert.equal(describeFound({ ...SPEC, source_phases: { ...PHASES, connect_rate_hz: 40 } }, [ROW]), 'faster opening (100 a second, source 40)');
});

test('a claim whose source names no load is held against none', () => {
  assert.equal(describeFound({ ...SPEC, claims: [{ id: 'T1', any_load: true }] }, [ROW]), 'whole');
});

test('clients, processes and what a workload sets for itself are held against the source\'s, where the claim names them', () => {
  const foundBy = (/** @type {any} */ source, /** @type {any} */ row = ROW) => describeFound({ ...SPEC, source_phases: PHASES, claims: [{ id: 'T1', source }] }, [row]);
  assert.equal(foundBy({ generator: 'forked' }), 'whole');
  assert.equal(foundBy({ generator: 'forked' }, { ...ROW, setting: 'generator=swarm' }), 'other clients (swarm, source forked)');
  assert.equal(foundBy({ client_processes: 2 }), 'other clients (1 process, source 2)');
  assert.equal(foundBy({ connections: 100 }, { ...ROW, setting: 'connections=13' }), 'reduced load (13 connections, source 100)');
  assert.equal(foundBy({ period_ms: 600 }), 'reduced load (a message each 1 s, source 0.6 s)');
  assert.equal(foundBy({ processes: '5' }), 'other processes (1, source 5)');
  assert.equal(foundBy({ processes: '5+5+2' }), 'whole', 'an engine of other roles');
});

test('the words of the manifest for a reduced load replace its connections, in the profile of the source only where it is reduced too', () => {
  const claims = [{ id: 'T1', reduced: 'a ping each 24 s, source 6 s' }];
  assert.equal(describeFound({ ...SPEC, claims }, [ROW]), 'reduced load (a ping each 24 s, source 6 s)');
  assert.equal(describeFound({ ...SPEC, claims, profile: 'paper', source_phases: PHASES }, [ROW]), 'whole');
  const reducedToo = claims.map((claim) => ({ ...claim, reduced_in_paper: true }));
  assert.equal(
    describeFound({ ...SPEC, claims: reducedToo, profile: 'paper', source_phases: PHASES }, [ROW]), 'reduced load (a ping each 24 s, source 6 s)',
  );
});

test('what is computed and what was rebuilt is named before the load', () => {
  const found = describeFound(SPEC, [{ ...ROW, claim: 'T2', to: 'a' }]);
  assert.equal(found, 'computed (by a law); rebuilt software (a: its master); reduced load (600 connections, source 2400)');
});

test('a row of what is no point, or was not run, says nothing of the load', () => {
  assert.equal(describeFound(SPEC, [{ ...ROW, workload: 'sweep of all' }, { ...ROW, n: 0 }]), 'whole');
  assert.equal(describeFound(SPEC, [{ ...ROW, n: 0 }]), '-');
});
