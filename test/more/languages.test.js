/** Of a language of which `make test` checks no engine, for what it takes to install and to compile, one is held to its contract here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkServer } from '../../harness/check/conformance.js';
import { listEngines, readEngine, readRuntime, readTestedEngines } from '../../harness/spec/engines.js';

/** @param {import('../../harness/spec/engines.js').Engine} engine */
const languageOf = ({ runtime }) => readRuntime(runtime).language;

const tested = new Set(readTestedEngines().map(languageOf));
const others = Map.groupBy(listEngines().map(readEngine).filter((engine) => !tested.has(languageOf(engine))), languageOf);

describe('the contract of a server, in a language that make test leaves out', () => {
  for (const [language, [{ name }]] of others) {
    it(`is kept by ${name}, in ${language}`, async () => {
      const failures = (await checkServer(name)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
    });
  }
});
