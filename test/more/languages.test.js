/** The conformance tests skip some languages: they take long to install and compile. This checks one engine of each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkServer, partsToCheck } from '../../harness/check/conformance.js';
import { installPresent } from '../../harness/run/install.js';
import { listEngines, readEngine, readRuntime, readTestedEngines } from '../../harness/spec/engines.js';

/** @param {import('../../harness/spec/engines.js').Engine} engine */
const languageOf = ({ runtime }) => readRuntime(runtime).language;

const tested = new Set(readTestedEngines().map(languageOf));
const others = Map.groupBy(listEngines().map(readEngine).filter((engine) => !tested.has(languageOf(engine))), languageOf);
const absent = await installPresent([...others.values()].flatMap(([engine]) => partsToCheck(engine)), console.log);

describe('the contract of a server, in a language that make test leaves out', () => {
  for (const [language, [engine]] of others) {
    const { name } = engine;
    it(`is kept by ${name}, in ${language}`, { skip: partsToCheck(engine).map(({ folder }) => absent.get(folder)).find(Boolean) }, async () => {
      const failures = (await checkServer(name)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
    });
  }
});
