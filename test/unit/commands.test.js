/** Every `make` command that README and the manuals show is one that make knows: its target, its variables. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../harness/common/places.js';

const run = promisify(execFile);
const MANUALS = ['*.md', 'docs/*.md', 'harness/README.md', 'servers/*.md', 'clients/*.md', 'clients/*/README.md', 'infra/**/*.md', 'experiments/*/README.md'];
/** In a line of code up to a comment, or between backticks. */
const COMMAND = /^make [^#\n]+|`make [^`]+`/gm;

/** @param {string} text of a manual @returns {string[][]} the arguments of each command, those with a placeholder left out */
export function listCommands(text) {
  const commands = (text.match(COMMAND) ?? []).map((found) => found.replaceAll('`', '').replaceAll(/\s+/g, ' ').trim());
  return commands.filter((command) => !/[…<>]|NN|\bN\b/.test(command))
    .map((command) => (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1).map((word) => word.replaceAll("'", '')));
}

/** @param {string[]} words @returns {Promise<string>} what is wrong; '' for a command that make would carry out */
async function explain(words) {
  const environment = { ...process.env, MAKELEVEL: undefined, MAKEFLAGS: undefined };
  const { stdout, stderr } = await run('make', ['--dry-run', ...words], { cwd: ROOT, env: environment, encoding: 'utf8' }).catch((error) => error);
  return /there is no target/.exec(stdout)?.[0] ?? /\*\*\* (.*)\./.exec(stderr)?.[1] ?? '';
}

test('every make command that a manual shows has a target and variables that make knows', async () => {
  const texts = globSync(MANUALS, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const commands = new Map(texts.flatMap(listCommands).map((words) => [words.join(' '), words]));
  assert.ok(commands.size > 50, `${commands.size} commands`);
  const wrong = [];
  for (const [command, words] of commands) {
    const why = await explain(words);
    if (why) wrong.push(`make ${command}: ${why}`);
  }
  assert.deepEqual(wrong, []);
});

test('a target and a variable that make does not know are found', async () => {
  assert.deepEqual(listCommands('```sh\nmake experiment-3 PLAN=1   # what\n```\n`make test TESTS=\'a b\'`, `make record FROM=…`'),
    [['experiment-3', 'PLAN=1'], ['test', 'TESTS=a b']]);
  assert.match(await explain(['experimnt-3']), /no target/);
  assert.match(await explain(['experiment-3', 'PROFIL=quick']), /PROFIL/);
  assert.equal(await explain(['list']), '');
});
