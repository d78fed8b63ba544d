/** clients/updates sends headers of the same names, in the same order, as a real browser. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCompanion } from '../../harness/spec/generators.js';
import { installParts } from '../../harness/run/install.js';
import { readHeaders } from '../../clients/updates/headers.js';
import { recordHeaders } from '../../clients/updates/record-headers.js';

const home = mkdtempSync(join(tmpdir(), 'headers-test-')); // where Chromium writes
after(() => rmSync(home, { recursive: true, force: true }));

test('a Chromium of today sends headers of the same names, in the same order', async () => {
  await installParts([readCompanion('browser')], console.log);
  process.env.HOME = home;
  const { headers } = await recordHeaders({ headless: true });
  const names = headers.filter((_, index) => index % 2 === 0);
  assert.deepEqual(names, readHeaders('chromium', 'http://127.0.0.1:1/').map(([name]) => name));
});
