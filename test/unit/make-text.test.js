/** A variable or a goal of `make` is text: neither make nor a shell runs what it holds, whether it is given or of the environment. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'make-text-test-'));
const ran = join(folder, 'ran');
mkdirSync(ran);
after(() => rmSync(folder, { recursive: true }));

const TEXT = `a'b"c\`touch ${ran}/1\`$(touch ${ran}/2)$(shell touch ${ran}/3)\${x}';touch ${ran}/4;'|<&;*#_[x](y)%s%n\\e\\0 $$ `;

/** @param {string[]} args @param {Record<string, string>} [env] */
function make(args, env = {}) {
  const ended = spawnSync('make', args, { cwd: ROOT, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  assert.deepEqual(readdirSync(ran), [], `${args[0]}: something ran`);
  return ended;
}

const own = join(folder, 'own.mk');
writeFileSync(own, `include Makefile
show:
\t@printf '%s\\n' $(call option,engines,ENGINES)
below:
\t@$(MAKE) -f ${own} show
`);

test('a variable comes to the program as it was given, from the command line, from the environment, and to a make below', () => {
  const level = { MAKELEVEL: '1' }; // the goals are not of the suite
  for (const [args, env] of /** @type {[string[], Record<string, string>][]} */ ([
    [['show', `ENGINES=${TEXT}`], level], [['show'], { ENGINES: TEXT, ...level }], [['below', `ENGINES=${TEXT}`], level],
  ])) {
    const { stdout, stderr } = make(['-f', own, ...args], env);
    assert.ok(stdout.includes(`--engines=${TEXT}\n`), stdout + stderr);
  }
});

test('a goal that holds code is refused as it is', () => {
  for (const goal of [TEXT, `experiment-${TEXT}`, `${TEXT} figures`]) {
    const { status, stderr } = make([goal]);
    assert.equal(status, 2);
    assert.match(stderr, /there is no target '.*a'b"c`touch/);
  }
});

test('what a target makes of a variable that holds code is an error that quotes it', () => {
  assert.match(make(['processes', `RATE=${TEXT}`]).stderr, /RATE: "a'b"c`touch .* is not a number/);
  assert.match(make(['experiment-3', 'PLAN=1', `PROFILE=${TEXT}`]).stderr, /PROFILE: "a'b"c`touch .* is not a profile/);
  assert.match(make(['experiment-3', 'PLAN=1'], { PROFILE: TEXT, ENGINES: TEXT, GENERATOR: TEXT }).stderr, /GENERATOR: "a'b"c`touch .* is not a generator/);
  assert.match(make(['install', `PARTS=servers/ws'; touch ${ran}/5; '`]).stderr, /PARTS: "servers\/ws';" is not a part/);
  assert.match(make(['test', `TESTS=${TEXT}`]).stderr, /no \*\.test\.js is named by "a'b"c`touch"/);
});

test('a line break, of which make would make two commands, is refused', () => {
  for (const args of [['figures', `FROM=x\ntouch ${ran}/6\n`], ['install', `PARTS=x'\ntouch ${ran}/6\n'`], [`x\ntouch ${ran}/6\n`]]) {
    assert.match(make(args).stderr, /a variable or a goal holds a line break; give it on one line/);
  }
});
