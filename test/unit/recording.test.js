import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { drawScreen, readScreen, stripRecorder } from '../../report/recording.js';

/** @param {string} typed @returns {Promise<string[]>} the words of the lines */
const readWords = async (typed) => (await readScreen(typed, 40)).map((runs) => runs.map(({ text }) => text).join(''));

test('what is drawn over is gone, and a long line goes on below', async () => {
  assert.deepEqual(await readWords('trial 1 of 2\rtrial 2 of 2\r\ndone\r\n'), ['trial 2 of 2', 'done']);
  assert.deepEqual(await readWords('one\r\ntwo\u001B[1A\r\u001B[2Kthree\r\n'), ['three', 'two']);
  assert.deepEqual(await readWords('x'.repeat(45)), ['x'.repeat(40), 'xxxxx']);
});

test('lines that have left the screen are kept, and empty ones at the end are not', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  assert.deepEqual(await readWords(`${lines.join('\r\n')}\r\n\r\n\r\n`), lines);
});

test('colours and bold letters are drawn, and what SVG would take for a tag is not one', async () => {
  const svg = drawScreen('make x', await readScreen('\u001B[1ma\u001B[0m <b> & \u001B[31mred\u001B[0m', 40));
  assert.match(svg, /<tspan font-weight="bold">a<\/tspan> &lt;b&gt; &amp; <tspan fill="#e06c75">red<\/tspan>/);
  assert.match(svg, /<tspan[^>]*>\$ <\/tspan><tspan font-weight="bold">make x<\/tspan>/);
});

test('what the recorder writes around a recording is no part of it', () => {
  const recorded = 'Script started on 2026-11-22 20:00:00+00:00 [COMMAND="x" TERM="xterm"]\na\r\nb\r\n\nScript done on 2026-11-22 20:01:00+00:00 [COMMAND_EXIT_CODE="0"]\n';
  assert.equal(stripRecorder(recorded).trim(), 'a\r\nb');
});

test('the README shows a terminal of under 60 kB', () => {
  const path = 'docs/terminal.svg';
  assert.ok(statSync(join(ROOT, path)).size < 60_000);
  assert.match(readFileSync(join(ROOT, path), 'utf8'), /make experiment-3 PROFILE=quick/);
  assert.ok(readFileSync(join(ROOT, 'README.md'), 'utf8').includes(`](${path})`));
});
