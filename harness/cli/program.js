/** The command line, built from commands/ with commander: --help with examples, errors with the nearest name, completion. */
import { join } from 'node:path';
import complete from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { UserError, printable } from '../common/failure.js';
import { readJson } from '../common/files.js';
import { suggest } from '../common/nearest-word.js';
import { ROOT } from '../common/places.js';
import choosing from './commands/choosing.js';
import experiments from './commands/experiments.js';
import machines from './commands/machines.js';
import results from './commands/results.js';
import suite from './commands/suite.js';
import { readVariables, variableOf } from './options.js';
import { provide } from './provide.js';

const CODES = `Exit codes: 0 done, 1 a trial or a check failed, 2 bad input, 69 what is needed could not be installed,
70 a fault of the suite's own, 77 not permitted to this user, 130 interrupted.`;

/** What operands and options take, and where to find it. @type {[RegExp, string][]} */
const WORDS = [
  [/^EXPERIMENT/, "EXPERIMENT is a number or a folder's name: ./wscale list"],
  [/^(FROM|A|--from|--with)\b/, 'A run names its bundle when it ends: a folder under results/. Every result of record is one too: ls -d records/*/*/'],
  [/^ARCHIVE/, 'ARCHIVE is what ./wscale archive wrote, or for verify a record'],
  [/^--engines/, "Engines are named as ./wscale engines does, or a folder of servers/"],
  [/^--hosts/, 'A file of hosts: hosts.example.toml is one to start from'],
];

const AFTER = `
EXPERIMENT is a number or a folder's name; FROM a run's folder (results/…), a record (records/…), or "record" for all records.
${CODES}
Completion: source <(./wscale complete bash), or zsh, or fish. WSCALE_TRACE=1 shows where an error arose.`;

/** Summaries of groups with several commands. @type {Record<string, string>} */
const GROUPS = { server: 'hold engines against the contract of servers', ec2: 'hosts on EC2 (docs/ec2.md)', hosts: 'hosts.toml of a cluster (docs/kubernetes.md)' };

const { version: VERSION } = readJson(join(ROOT, 'package.json'));

const SHELLS = ['bash', 'zsh', 'fish'];

/** @typedef {import('./commands/command.js').Command} Definition */

/** In the order of `./wscale --help`. @type {Definition[]} */
export const COMMANDS = [...choosing, ...experiments, ...results, ...machines, ...suite];

/** @param {string} operand such as [PARTS...] */
const nameOf = (operand) => operand.replaceAll(/\W/g, '');

/** @param {{installs: boolean, onCode: (code: number) => void}} how installs: first install what a command needs */
export function makeProgram({ installs, onCode }) {
  const program = new Command('wscale').description('How WebSocket engines scale with cores, connections, messages and bytes.')
    .version(VERSION, '--version', 'print the version of the suite')
    .addHelpText('after', AFTER)
    .exitOverride().configureOutput({ outputError: () => {} }).showSuggestionAfterError(); // errors are ours to print, for each command
  for (const definition of COMMANDS) addCommand(program, definition, installs, onCode);
  addCompletion(program);
  return program;
}

/** `./wscale complete bash` prints a script that asks this wscale, wherever it is. @param {Command} program */
function addCompletion(program) {
  const shells = complete(program);
  const made = program.commands.find((each) => each.name() === 'complete');
  made?.helpGroup('The suite itself:').description('print what completes commands in a shell: source <(./wscale complete bash)');
  made?.action((shell, _options, { args }) => {
    if (/** @type {any} */ (program).rawArgs.includes('--')) return shells.parse(args);
    if (!SHELLS.includes(shell)) throw new UserError(`complete: ${shell ? `"${shell}" is no shell that is known` : 'SHELL is not set'}; use one of ${SHELLS.join(', ')}`);
    if (/["$`\\]/.test(ROOT)) throw new UserError(`complete: ${ROOT}: a shell would take its path apart; move the suite to one without " $ \` and \\`);
    return shells.setup('wscale', `'${join(ROOT, 'wscale').replaceAll("'", "'\\''")}'`, shell);
  });
}

/** @param {Definition} definition @returns {string} */
function helpAfter({ name, examples, operands, options }) {
  const given = [...operands.map(nameOf), ...options.map(({ long }) => String(long))];
  const isDuet = name === 'duet'; // its A and B are folders of engines
  const words = WORDS.filter(([pattern]) => !isDuet && given.some((each) => pattern.test(each))).map(([, text]) => text);
  return ['', 'Examples:', ...examples.map((example) => `  ./wscale ${example}`), '', ...words, CODES].join('\n');
}

/** @param {Command} program @param {Definition} definition @param {boolean} installs @param {(code: number) => void} onCode */
function addCommand(program, definition, installs, onCode) {
  const words = definition.name.split(' ');
  const own = words.pop() ?? '';
  let parent = program;
  for (const word of words) {
    const known = parent.commands.find((each) => each.name() === word);
    parent = known ?? parent.command(word).description(GROUPS[word]).helpGroup(`${definition.group}:`);
  }
  const made = parent.command(own).description(definition.summary).helpGroup(`${definition.group}:`);
  for (const operand of definition.operands) made.argument(operand);
  for (const option of definition.options) made.addOption(option);
  if (definition.passes) made.argument('[argument...]').allowUnknownOption().helpOption(false);
  made.addHelpText('after', helpAfter(definition));
  made.action(async () => {
    const operands = made.processedArgs.flat().filter((value) => value !== undefined);
    const values = made.opts();
    const empty = operands.findIndex((/** @type {string} */ operand) => operand.trim() === '');
    if (empty !== -1) throw new UserError(`${definition.name}: argument ${empty + 1} is empty; leave it out, or say what, for example: ./wscale ${definition.examples[0]}`);
    await definition.check?.(values, operands);
    const code = installs ? provide(await definition.needs(values, operands)) : 0;
    onCode(code || ((await definition.run(values, operands, made.args)) ?? 0));
  });
}

/** @param {string[]} argv @returns {Definition | undefined} the command that they begin with: `record import` comes after `record` */
const findCommand = (argv) => COMMANDS.findLast(({ name }) => `${argv.join(' ')} `.startsWith(`${name} `));

/** Of the commands of two words, make has those of EC2. */
const TARGETS = ['experiment-N', 'check-server', 'check-servers', ...COMMANDS.map(({ name }) => name.replace('ec2 ', 'ec2-')).filter((name) => !name.includes(' '))];

/**
 * The arguments of a call by make, from its variables. A variable unknown to the command is an error: make would ignore it, and a misspelt
 * PROFILE would start 14 minutes of the wrong run.
 * @param {string[]} argv @param {NodeJS.ProcessEnv} env WSCALE_GIVEN has the names set on make's command line @throws {UserError}
 */
export function readMake(argv, env) {
  const definition = findCommand(argv);
  if (!definition) throw new UserError(`make: there is no target '${argv[0]}'; ${suggest(argv[0], TARGETS, 'see')} what there is with: make`);
  const operands = definition.operands.map(nameOf).slice(argv.length - definition.name.split(' ').length);
  const known = [...operands, ...definition.options.map(variableOf)];
  const strange = (env.WSCALE_GIVEN ?? '').split(' ').filter(Boolean).find((name) => !known.includes(name));
  if (strange) throw new UserError(`${definition.name}: ${strange} is none of its variables; ${suggest(strange, known, 'it')} takes ${known.join(', ') || 'none'}`);
  return [...argv, ...readVariables({ operands, options: definition.options }, env)];
}

/** @param {string[]} argv @returns {string[]} unchanged @throws {UserError} if one has control characters */
export function checkArguments(argv) {
  const odd = argv.find((arg) => printable(arg, Infinity) !== arg);
  if (odd !== undefined) throw new UserError(`"${odd}" holds control characters; give it without`);
  return argv;
}

/** @param {import('commander').CommanderError} error @param {string[]} argv @returns {UserError} in the form of all our errors */
export function explainUsage(error, argv) {
  const known = findCommand(argv);
  if (error.code === 'commander.missingArgument' && known) {
    const name = /'(.*)'/.exec(error.message)?.[1];
    return new UserError(`${known.name}: ${name} is not set; say which, for example: ./wscale ${known.examples[0]}`);
  }
  const [what, hint] = error.message.replace(/^error: /, '').replace(/[.]$/, '').split('\n');
  const near = /Did you mean (.*)\?/.exec(hint ?? '')?.[1];
  const path = known ? `${known.name} ` : Object.hasOwn(GROUPS, argv[0]) ? `${argv[0]} ` : '';
  return new UserError(`${path.trim() || 'wscale'}: ${what}; ${near ? `did you mean ${near}? See` : 'see'}: ./wscale ${path}--help`);
}
