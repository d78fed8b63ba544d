/** One engine against servers/CONTRACT.md; the others are checked by test/conformance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkServer, partsToCheck } from '../../harness/check/conformance.js';
import { installParts } from '../../harness/run/install.js';
import { readEngine } from '../../harness/spec/engines.js';

/** It has the most roles. Only its own library loads it, so nothing is compiled. */
const NAME = 'socketcluster-2014';

test(`the contract of a server is kept by ${NAME}`, async () => {
  await installParts(partsToCheck(readEngine(NAME)), console.log);
  const failures = (await checkServer(NAME)).filter(({ outcome }) => outcome === 'failed');
  assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
});
