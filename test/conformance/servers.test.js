/**
 * Checks the tested engines of servers/ (`ci` in engine.toml) against servers/CONTRACT.md, each with its own client
 * library. test/quick/contract.test.js checks socketcluster-2014.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkServer, partsToCheck } from '../../harness/check/conformance.js';
import { installPresent } from '../../harness/run/install.js';
import { readTestedEngines } from '../../harness/spec/engines.js';

const engines = readTestedEngines().filter(({ name }) => name !== 'socketcluster-2014');

const absent = await installPresent(engines.flatMap(partsToCheck), console.log);
/**
 * @param {import('../../harness/spec/engines.js').Engine} engine
 * @returns {string | undefined} why this system can't build it
 */
const whyAbsent = (engine) => partsToCheck(engine).map(({ folder }) => absent.get(folder)).find(Boolean);

// Two at a time, while other test files run: nothing is measured here.
describe('the contract of a server', { concurrency: 2 }, () => {
  for (const engine of engines) {
    it(`is kept by ${engine.name}`, { skip: whyAbsent(engine) }, async () => {
      const failures = (await checkServer(engine.name)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
    });
  }
});
