/** Programs run to their end. Their failures are returned, not thrown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interrupted } from '../../harness/common/failure.js';
import { firstLine, lastWords, nextAfter, runBeside, runProgram } from '../../harness/common/programs.js';

const FAILS = ['sh', '-c', 'cat; echo why >&2; exit 3'];

test('output and exit status are returned, also of a program that fails or does not exist', () => {
  assert.deepEqual(runProgram(FAILS, { input: 'given' }), { status: 3, stdout: 'given', stderr: 'why\n', error: undefined, signal: null });
  assert.equal(runProgram(['sh', '-c', 'kill -TERM $$']).signal, 'SIGTERM');
  const absent = runProgram(['/no/such/program']);
  assert.equal(absent.status, null);
  assert.match(lastWords(absent), /ENOENT/);
  assert.equal(lastWords(runProgram(FAILS)), 'why');
});

test('what a program says that Ctrl-C ended is no answer', () => {
  for (const end of ['kill -INT $$', 'exit 130']) assert.throws(() => runProgram(['sh', '-c', `echo half; ${end}`]), Interrupted);
});

test('a program run beside others returns the same, with an empty standard input', async () => {
  const { error, ...ended } = await runBeside(FAILS);
  assert.deepEqual(ended, { status: 3, stdout: '', stderr: 'why\n' });
  assert.ok(error);
  assert.deepEqual(await runBeside(['echo', 'done']), { status: 0, stdout: 'done\n', stderr: '' });
  assert.match(lastWords(await runBeside(['/no/such/program'])), /ENOENT/);
});

test('an aborted program is rejected with the reason', async () => {
  const controller = new AbortController();
  const running = runBeside(['sleep', '300'], { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(running, /^Error: enough$/);
});

test('a version is the first line, or "absent" if the program does not exist or fails', () => {
  assert.equal(firstLine(['printf', ' 1.2 \\nmore']), '1.2');
  for (const argv of [['/no/such/program'], ['false']]) assert.equal(firstLine(argv), 'absent');
});

test('after a full disk the advice is to make room, not to look at a script', () => {
  const said = (/** @type {string} */ stderr) => nextAfter({ status: 1, stdout: '', stderr }, 'see the script');
  assert.match(said('tar: x: Wrote only 512 of 10240 bytes\ntar: y: Cannot write: No space left on device\n'), /^make room on the disk, where it writes or in .+ \(TMPDIR\)$/);
  assert.match(said('Error: ENOSPC: no space left on device, write'), /^make room/);
  assert.equal(said('undefined variable: x'), 'see the script');
});
