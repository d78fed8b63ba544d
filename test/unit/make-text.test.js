/** Variables and goals are text: neither make nor a shell executes them, from the command line or the environment. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { askMake, callMake } from '../make.js';

const folder = mkdtempSync(join(tmpdir(), 'make-text-test-'));
const ran = join(folder, 'ran');
mkdirSync(ran);
after(() => rmSync(folder, { recursive: true }));

const TEXT = `a'b"c\`touch ${ran}/1\`$(touch ${ran}/2)$(shell touch ${ran}/3)\${x}';touch ${ran}/4;'|<&;*#_[x](y)%s%n\\e\\0 $$ `;
const nothingRan = () => assert.deepEqual(readdirSync(ran), []);

test('a variable comes to the program as it was given, from the command line and from the environment', () => {
  assert.deepEqual(askMake(['experiment-3', `ENGINES=${TEXT}`]).argv, ['run', '3', `--engines=${TEXT}`]);
  assert.deepEqual(askMake(['experiment-3'], { ENGINES: TEXT }).argv, ['run', '3', `--engines=${TEXT}`]);
  assert.deepEqual(askMake(['figures', `FROM=${TEXT}`]).argv, ['figures', '--', TEXT]);
  nothingRan();
});

test('a goal that holds code is refused as it is', () => {
  for (const goal of [TEXT, `experiment-${TEXT}`]) {
    const { status, stderr } = callMake([goal, 'PLAN=1']);
    assert.equal(status, 2);
    assert.match(stderr, /there is no (target|experiment) ['"].*a'b"c`touch/);
    nothingRan();
  }
});

test('what a target makes of a variable that holds code is an error that quotes it', () => {
  assert.match(callMake(['processes', `RATE=${TEXT}`]).stderr, /RATE: "a'b"c`touch .* is not a number/);
  assert.match(callMake(['experiment-3', 'PLAN=1', `PROFILE=${TEXT}`]).stderr, /PROFILE: "a'b"c`touch .* is not known/);
  assert.match(callMake(['experiment-3', 'PLAN=1'], { ENGINES: TEXT, GENERATOR: TEXT }).stderr, /GENERATOR: "a'b"c`touch .* is not a generator/);
  assert.match(callMake(['install', `PARTS=servers/ws'; touch ${ran}/5; '`]).stderr, /PARTS: "servers\/ws';" is not a part/);
  assert.match(callMake(['test', `TESTS=${TEXT}`]).stderr, /no \*\.test\.js is named by "a'b"c`touch"/);
  nothingRan();
});

test('a line break, of which make would make two commands, is refused', () => {
  for (const args of [['figures', `FROM=x\ntouch ${ran}/6\n`], ['install', `PARTS=x'\ntouch ${ran}/6\n'`], [`x\ntouch ${ran}/6\n`]]) {
    assert.match(callMake(args).stderr, /a variable or a goal holds a line break; give it on one line/);
    nothingRan();
  }
});
