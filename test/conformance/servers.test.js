/** Every engine of servers/ against servers/CONTRACT.md, with its own client library. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkServer } from '../../harness/conformance.js';
import { installPart, listEngines, readEngine, readLibrary } from '../../harness/engines.js';
import { readGenerator } from '../../harness/generators.js';

const engines = listEngines();

before(() => { // one after the other: two engines may share a runtime or a library
  for (const engine of engines.map(readEngine)) {
    installPart(engine, console.log);
    if (engine.client) installPart(readLibrary(engine.client), console.log);
  }
  installPart(readGenerator('updates'), console.log);
});

// At a time as many as two cores start without hurry: nothing is measured here.
describe('the contract of a server', { concurrency: 3 }, () => {
  for (const engine of engines) {
    it(`is kept by ${engine}`, async () => {
      const failures = (await checkServer(engine)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
    });
  }
});
