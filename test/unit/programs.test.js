/** Programs that run to their end: how they ended is a value, whatever it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine, lastWords, runBeside, runProgram } from '../../harness/common/programs.js';

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
