/** Temporary folders go with the process, however it ends, unless it is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const MODULE = join(ROOT, 'harness/common/temporary.js');

/** @param {string} then what it does with the folder @param {NodeJS.Signals} [signal] once it has made it */
async function run(then, signal) {
  const script = `import { makeTemporary } from ${JSON.stringify(MODULE)}; const folder = makeTemporary('test'); console.log(folder); ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const folder = String(said).trim();
  if (signal) {
    assert.ok(existsSync(folder));
    child.kill(signal);
  }
  const [code] = await once(child, 'exit');
  return { isThere: existsSync(folder), code };
}

test('it is removed at the end, and by a signal, which ends the process with the code of a shell', async () => {
  assert.deepEqual(await run(''), { isThere: false, code: 0 });
  for (const [signal, code] of /** @type {[NodeJS.Signals, number][]} */ ([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]])) {
    assert.deepEqual(await run('setInterval(() => {}, 1000);', signal), { isThere: false, code });
  }
});

test('a process that handles the signal keeps it until it ends', async () => {
  const then = "process.on('SIGTERM', () => setTimeout(() => process.exit(existsSync(folder) ? 7 : 8), 50)); setInterval(() => {}, 1000);";
  assert.deepEqual(await run(`const { existsSync } = await import('node:fs'); ${then}`, 'SIGTERM'), { isThere: false, code: 7 });
});
