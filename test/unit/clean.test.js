/** `./wscale clean` removes what is installed: nothing else that is written behind it may. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'clean-test-'));
after(() => rmSync(folder, { recursive: true }));

test('clean alone cleans, with anything behind it nothing is removed', () => {
  mkdirSync(join(folder, 'harness/cli'), { recursive: true });
  for (const name of ['wscale', 'harness/steering.txt']) cpSync(join(ROOT, name), join(folder, name));
  writeFileSync(join(folder, 'harness/cli/clean.sh'), '#!/bin/sh\necho removed\n', { mode: 0o755 });
  const said = (/** @type {string[]} */ ...argv) => spawnSync(join(folder, 'wscale'), argv, { encoding: 'utf8', timeout: 10_000 }).stdout;
  assert.equal(said('clean'), 'removed\n');
  for (const argv of [['clean', '--help'], ['clean', 'servers/ws'], ['clean', '']]) assert.doesNotMatch(said(...argv), /removed/, argv.join(' '));
});
