/** Whatever a program prints, it controls no terminal and breaks no protocol. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { LocalHost } from '../../harness/agent/host.js';
import { WordLines } from '../../harness/agent/ready.js';
import { TrialError, UserError, printable } from '../../harness/common/failure.js';
import { readMessages, writeMessage } from '../../harness/common/protocol.js';

const HOSTILE = 'a\u0000b\u001b[2Jc\u009bd\u2028e\u2029f\u202eg\rh\u007f';

test('no error steers a terminal, and none is longer than a page', () => {
  const shown = 'a\\u0000b\\u001b[2Jc\\u009bd\\u2028e\\u2029f\\u202eg\\u000dh\\u007f';
  assert.equal(new TrialError(HOSTILE).message, shown);
  assert.deepEqual(new UserError([HOSTILE, 'two\n\tlines, \u00e9']).problems, [shown, 'two\n\tlines, \u00e9']);
  assert.equal(printable('x'.repeat(20e6), 10), 'xxxxxxxxxx... (20000000 characters)');
  assert.ok(new TrialError('x'.repeat(20e6)).message.length < 6000);
});

test('a message is read whole, whatever characters it holds and however it is cut', async () => {
  const sent = [{ text: HOSTILE }, { text: '\u{1f600}\u2028'.repeat(1000) }, { text: 'x'.repeat(3e6) }];
  const [written, read, taken] = [new PassThrough(), new PassThrough(), /** @type {any[]} */ ([])];
  const ended = new Promise((resolve) => readMessages(read, (message) => taken.push(message), resolve));
  sent.forEach((message) => writeMessage(written, message));
  written.end();
  const bytes = Buffer.concat(await written.toArray());
  for (let at = 0; at < bytes.length; at += 997) read.write(bytes.subarray(at, at + 997));
  read.end();
  assert.equal(await ended, undefined);
  assert.deepEqual(taken, sent);
});

test('what is no message ends the reading, also where the last line has no end', async () => {
  for (const text of ['{"a":1}\nno message\n{"b":2}\n', '{"a":1}\nno message']) {
    const [read, taken] = [new PassThrough(), /** @type {any[]} */ ([])];
    const ended = new Promise((resolve) => readMessages(read, (message) => taken.push(message), resolve));
    read.end(text);
    assert.match(String(await ended), /said "no message", which is no message/);
    assert.deepEqual(taken, [{ a: 1 }]);
  }
});

test('a line of 20 MB, with escapes and NUL, is told in a line, and the ready line after it is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'failure-test-'));
  const host = new LocalHost();
  const argv = [process.execPath, '-e', `const line = '\\x1b[2J\\0' + 'x'.repeat(20e6); require('node:fs').writeSync(2, line); process.stdout.write(line + '\\nready {}\\n')`];
  const started = await host.start({ argv, cwd: folder, side: 'server', stdout: join(folder, 'out'), stderr: join(folder, 'err') });
  await started.exited;
  assert.match(started.describeEnd(), /^exited with 0: x{500}\.\.\. \(\d+ characters\)$/);
  const lines = new WordLines(started, 'ready');
  const reads = Array.from({ length: 400 }, () => lines.readLast()).filter((line) => line !== undefined);
  assert.deepEqual(reads, ['{}']);
  await host.close();
  rmSync(folder, { recursive: true });
});
