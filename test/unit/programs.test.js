/** Programs that run to their end: how they ended is a value, whatever it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine, lastWords, nextAfter, runBeside, runProgram } from '../../harness/common/programs.js';

const FAILS = ['sh', '-c', 'cat; echo why >&2; exit 3'];

test('what a program said and how it ended is known, of one that fails and of one that is not there', () => {
  assert.deepEqual(runProgram(FAILS, { input: 'given' }), { status: 3, stdout: 'given', stderr: 'why\n', error: undefined });
  const absent = runProgram(['/no/such/program']);
  assert.equal(absent.status, null);
  assert.match(lastWords(absent), /ENOENT/);
  assert.equal(lastWords(runProgram(FAILS)), 'why');
});

test('beside others it is the same, with nothing on its standard input', async () => {
  const { error, ...ended } = await runBeside(FAILS);
  assert.deepEqual(ended, { status: 3, stdout: '', stderr: 'why\n' });
  assert.ok(error);
  assert.deepEqual(await runBeside(['echo', 'done']), { status: 0, stdout: 'done\n', stderr: '' });
  assert.match(lastWords(await runBeside(['/no/such/program'])), /ENOENT/);
});

test('what is aborted ends with the reason', async () => {
  const controller = new AbortController();
  const running = runBeside(['sleep', '300'], { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(running, /^Error: enough$/);
});

test('a version is the first line, and "absent" where there is no program, or none that tells', () => {
  assert.equal(firstLine(['printf', ' 1.2 \\nmore']), '1.2');
  for (const argv of [['/no/such/program'], ['false']]) assert.equal(firstLine(argv), 'absent');
});

test('where a disk was full, what to do is to make room, and not to look at a script', () => {
  const said = (/** @type {string} */ stderr) => nextAfter({ status: 1, stdout: '', stderr }, 'see the script');
  assert.match(said('tar: x: Wrote only 512 of 10240 bytes\ntar: y: Cannot write: No space left on device\n'), /^make room on the disk, where it writes or in .+ \(TMPDIR\)$/);
  assert.match(said('Error: ENOSPC: no space left on device, write'), /^make room/);
  assert.equal(said('undefined variable: x'), 'see the script');
});
