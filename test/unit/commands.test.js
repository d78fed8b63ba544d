/** make knows every `make` command that README and the manuals show: its target and its variables. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { askMake } from '../make.js';

const MANUALS = ['*.md', 'docs/*.md', 'harness/README.md', 'servers/*.md', 'clients/*.md', 'clients/*/README.md', 'infra/**/*.md', 'experiments/*/README.md'];
/** A command in a line of code, up to a comment, or between backticks. */
const COMMAND = /^make [^#\n]+|`make [^`]+`/gm;

/** @param {string} text of a manual @returns {string[][]} the arguments of each command without a placeholder */
function listCommands(text) {
  const commands = (text.match(COMMAND) ?? []).map((found) => found.replaceAll('`', '').replaceAll(/\s+/g, ' ').trim());
  return commands.filter((command) => !/[…<>]|NN|\bN\b/.test(command))
    .map((command) => (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1).map((word) => word.replaceAll("'", '')));
}

/** @param {string[]} words @returns {string} what is wrong; '' for a command that make would carry out */
function explain(words) {
  try {
    return askMake(words).stderr;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

test('every make command that a manual shows has a target and variables that make knows', () => {
  const texts = globSync(MANUALS, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const commands = new Map(texts.flatMap(listCommands).map((words) => [words.join(' '), words]));
  assert.ok(commands.size > 50, `${commands.size} commands`);
  const wrong = [];
  for (const [command, words] of commands) {
    const why = explain(words);
    if (why) wrong.push(`make ${command}: ${why}`);
  }
  assert.deepEqual(wrong, []);
});

test('a target and a variable that make does not know are found', () => {
  assert.deepEqual(listCommands('```sh\nmake experiment-3 PLAN=1   # what\n```\n`make test TESTS=\'a b\'`, `make record FROM=…`'),
    [['experiment-3', 'PLAN=1'], ['test', 'TESTS=a b']]);
  assert.match(explain(['experimnt-3']), /no target/);
  assert.match(explain(['experiment-3', 'PROFIL=quick']), /PROFIL/);
  assert.equal(explain(['list']), '');
});
