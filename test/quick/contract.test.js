/** One engine against servers/CONTRACT.md; the others are checked by test/conformance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkServer, partsToCheck } from '../../harness/check/conformance.js';
import { installParts } from '../../harness/run/install.js';
import { readEngine } from '../../harness/spec/engines.js';

test('the contract of a server is kept by ws', async () => {
  await installParts(partsToCheck(readEngine('ws')), console.log);
  const failures = (await checkServer('ws')).filter(({ outcome }) => outcome === 'failed');
  assert.deepEqual(failures.map(({ check, why }) => `${check}: ${why}`), []);
});
