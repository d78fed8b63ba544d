/** The engines of servers/ that are tested (`ci` in engine.toml) against servers/CONTRACT.md, each with its own client library. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkServer, partsToCheck } from '../../harness/check/conformance.js';
import { installParts } from '../../harness/run/install.js';
import { readTestedEngines } from '../../harness/spec/engines.js';

const engines = readTestedEngines();

before(() => installParts(engines.flatMap(partsToCheck), console.log));

// Two at a time, beside other files of tests: nothing is measured here.
describe('the contract of a server', { concurrency: 2 }, () => {
  for (const { name: engine } of engines) {
    it(`is kept by ${engine}`, async () => {
      const failures = (await checkServer(engine)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
    });
  }
});
