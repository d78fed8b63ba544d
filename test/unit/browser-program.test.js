import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAlive, readStat } from '../../harness/common/stat.js';
import { endBrowser, listDescendants, listGroups } from '../../clients/common/browser-program.js';

/** As Chromium's are: one overwrote its environment, one left the process group. */
const CHILDREN = 'env -i sleep 300 & setsid sleep 300 & echo $! $(jobs -p); wait';

/** @param {string} folder @returns a browser in its own group */
async function startBrowser(folder) {
  const first = spawn('bash', ['-c', CHILDREN], { detached: true, env: { ...process.env, TMPDIR: folder } });
  const [pids] = await once(first.stdout, 'data');
  return { first, children: [...new Set(String(pids).trim().split(/\s+/).map(Number))] };
}

const list = (/** @type {number[]} */ pids) => pids.map(readStat).filter(isAlive);

test('the processes of a browser are ended with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'));
  const { first, children } = await startBrowser(folder);
  await endBrowser(folder, listGroups());
  assert.deepEqual([list(children), listDescendants(process.pid), existsSync(folder)], [[], [], false]);
  assert.equal(first.signalCode ?? (await once(first, 'exit'))[1], 'SIGKILL');
});

test('the processes of a browser whose first process was killed are ended, although they are no descendants any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'));
  const { first, children } = await startBrowser(folder);
  const groups = listGroups();
  first.kill('SIGKILL');
  await once(first, 'exit');
  assert.deepEqual([list(children).length, listDescendants(process.pid)], [2, []]);
  await endBrowser(folder, groups);
  assert.deepEqual(list(children), []);
});
