/** The command line: help with examples, errors with the nearest name, completion, exit codes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../harness/cli/program.js';
import { OPTIONS, nameOptions } from '../../harness/cli/options.js';
import { UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';

/** @param {...string} argv @returns {{status: number | null, stdout: string, stderr: string}} */
const wscale = (...argv) => spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), ...argv], { cwd: ROOT, encoding: 'utf8' });

test('each command has help with its summary and two examples, which are commands', () => {
  for (const { name, summary, examples, passes } of COMMANDS) {
    assert.ok(examples.length >= 2, name);
    for (const example of examples) assert.ok(COMMANDS.some((each) => `${example} `.startsWith(`${each.name} `)), example);
    if (passes) continue; // its --help is the other program's
    const { status, stdout } = wscale(...name.split(' '), '--help');
    assert.equal(status, 0, name);
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(summary), name);
    for (const example of examples) assert.ok(stdout.includes(`./wscale ${example}`), example);
  }
});

test('without a command the list is printed, and nothing is done', () => {
  const { status, stderr, stdout } = wscale();
  assert.equal(status, 2);
  assert.match(stdout + stderr, /Usage: wscale/);
  assert.equal(wscale('--help').status, 0);
});

for (const [argv, said] of /** @type {[string[], RegExp][]} */ ([
  [['rnk'], /^error: wscale: unknown command 'rnk'; did you mean rank\? See: .\/wscale --help$/],
  [['run'], /^error: run: EXPERIMENT is not set; say which, for example: .\/wscale run 3 --profile quick$/],
  [['run', '3', '--profil', 'quick'], /^error: run: unknown option '--profil'; did you mean --profile\? See: .\/wscale run --help$/],
  [['run', '3', '--profile', 'pqper'], /^error: --profile: "pqper" is not known; did you mean paper\? Use one of quick, default, paper$/],
  [['run', '3', '--plan', '--engines', 'wss'], /^error: --engines: there is no engine "wss"; did you mean "ws"\?/],
  [['run', '3', '--plan', '--engines', 'gorila'], /^error: --engines: there is no engine "gorila"; did you mean "gorilla", which it does not measure\?/],
  [['validate', '18'], /^error: experiments: there is no experiment "18"; did you mean 17-page-delivery\? Use one of/],
  [['validate', 'page'], /; did you mean 17-page-delivery\?/],
  [['validate', 'enginio-vs-socketcluster'], /; did you mean 03-engineio-vs-socketcluster\?/],
  [['record', 'import'], /^error: record import: ARCHIVE is not set; say which, for example: .\/wscale record import /],
  [['rank'], /^error: --rate: is missing; give the messages a second over all connections, such as --rate 5000$/],
  [['ec2', 'down', '--region', 'x'], /^error: --region: "x" is no region; give one, such as --region us-east-1$/],
  [['run', '3', '4'], /^error: run: too many arguments/],
  [['run', '3', '--blocks'], /^error: run: option '--blocks <n>' argument missing/],
  [['server', 'chek', 'ws'], /^error: .*unknown command 'chek'; did you mean check\?/],
  [['server', 'check'], /^error: server check: give one ENGINE, or --all/],
  [['processes', '--rate', 'x'], /^error: --rate: "x" is not a number.* such as --rate 5000$/],
  [['export', 'records/03-engineio-vs-socketcluster/default', '--format', 'jsn'], /^error: --format: "jsn" is not known; did you mean json\?/],
  [['rank', '--profile', 'x'], /^error: rank: unknown option '--profile'/],
  [['run', '3', '--profile', ''], /^error: --profile: "" is not known; use one of quick, default, paper$/],
  [['processes', '--rate', '1', '--load', '0.05'], /^error: --load: "0.05" is not a share from 0.1 to 1; give one, such as --load 0.7$/],
  [['processes', '--rate', '1', '--load', 'x'], /^error: --load: "x" is not a share from 0.1 to 1; give one, such as --load 0.7$/],
  [['ec2', 'upp'], /^error: ec2: unknown command 'upp'; did you mean up\? See: .\/wscale ec2 --help$/],
  [['install', ''], /^error: install: argument 1 is empty; leave it out, or say what/],
  [['versions', '{'], /^error: versions: "{" is not a JSON object; give one/],
  [['versions', '[]'], /^error: versions: "\[\]" is not a JSON object; give one/],
  [['versions', '{"engines":"ws"}'], /^error: versions: .+ is not a JSON object; give one/],
  [['check-newcomer'], /^error: --suite: is not set; say which system, such as --suite trixie$/],
  [['numbers', '--engines', 'ws'], /^error: --engines: without a METRIC there are no numbers to choose from; name one, such as /],
  [['ec2', 'down', '--cluster', 'try', '--all'], /^error: ec2 down: --cluster names one, and --all means each; give one of the two$/],
  [['install', '--tested', 'servers/ws'], /^error: --tested: PARTS says already what to install; give one of the two$/],
  [['list', '\u001b[31m'], /^error: "\\u001b\[31m" holds control characters; give it without$/],
])) {
  test(`wscale ${JSON.stringify(argv.join(' '))} is one error, with the next step`, () => {
    const { status, stdout, stderr } = wscale(...argv);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr.trim(), said);
  });
}

const RECORD = 'records/03-engineio-vs-socketcluster/default';

/** Invalid arguments of commands that would install much with valid ones. @type {[string, any, string[]][]} */
const WRONG = [
  ['server check', { all: true }, ['ws']], ['server check', {}, ['wss']], ['install', {}, ['servers/wss']], ['duet', {}, ['absent', 'absent']],
  ['ec2 up', { hours: 'x' }, []], ['ec2 run', {}, ['99']], ['ec2 run', { engines: 'wss' }, ['3']], ['run', { hosts: 'absent' }, ['3']], ['run', {}, ['99']],
  ['run', { engines: 'wss' }, ['3']], ['run', { resume: true, profile: 'paper' }, ['13']], ['record', {}, ['records/03-engineio-vs-socketcluster']], ['figures', {}, ['absent']], ['figures', {}, ['/etc']], ['rank', {}, []], ['processes', { rate: 'x' }, []],
  ['export', {}, ['/etc']], ['compare', {}, ['/etc', '/etc']], ['rejudge', {}, ['/etc']],
  ['compare', {}, ['absent', 'absent']], ['verify', {}, ['absent']], ['report', { with: 'absent' }, ['record']], ['check-newcomer', {}, []],
];
for (const [name, given, operands] of WRONG) {
  test(`${name} ${operands.join(' ')} ${JSON.stringify(given)} is refused before anything is installed for it`, async () => {
    const { check } = COMMANDS.find((each) => each.name === name) ?? {};
    await assert.rejects(async () => check?.(given, operands), UserError);
  });
}

test('a value is refused before anything is installed for it', () => {
  for (const [long, value] of [['seed', 'x'], ['blocks', '0'], ['rate', '5k'], ['watch', 'x'], ['metrics', '1'], ['patience', 'x'], ['trials', '0']]) {
    const made = Object.values(OPTIONS).find((each) => each.long === `--${long}`);
    assert.throws(() => made?.parseArg?.(value, undefined), UserError, long);
  }
});

test('an error names an option as it was given', () => {
  assert.equal(nameOptions('RATE: "x" is none; give one, such as RATE=5', true), 'RATE: "x" is none; give one, such as RATE=5');
  assert.equal(nameOptions('RATE: "x" is none; give one, such as RATE=5', false), '--rate: "x" is none; give one, such as --rate 5');
  assert.equal(nameOptions('RESUME: there is none; run without RESUME=1', false), '--resume: there is none; run without --resume');
  assert.equal(nameOptions('--profile: "x" is none', true), 'PROFILE: "x" is none');
  assert.equal(nameOptions('watch: none; start make experiment-3 PROFILE=quick', false), 'watch: none; start make experiment-3 PROFILE=quick');
});

test('the version is that of package.json', () => {
  assert.equal(wscale('--version').stdout.trim(), JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
});

test('a path is told from the root of the suite where its folder is not given', () => {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), 'processes', '--rate', '1'], { cwd: '/', encoding: 'utf8' });
  assert.match(stdout, /, by records\//);
});

test('help that is asked for is no error', () => {
  for (const argv of [['help'], ['help', 'run'], ['run', '--help']]) assert.equal(wscale(...argv).status, 0, argv.join(' '));
});

test('what a program reads is JSON', () => {
  const list = JSON.parse(wscale('list', '--json').stdout);
  assert.equal(list[2].folder, '03-engineio-vs-socketcluster');
  assert.ok(JSON.parse(wscale('engines', '--json').stdout).some((/** @type {{name: string}} */ { name }) => name === 'ws'));
  const [row] = JSON.parse(wscale('rank', '--rate', '5000', '--json').stdout);
  assert.deepEqual([row.total_rate_hz, row.rank, typeof row.us_per_message, typeof row.era], [5000, 1, 'number', 'string']);
  assert.ok(JSON.parse(wscale('processes', '--rate', '20000', '--json').stdout).every((/** @type {any} */ each) => each.processes >= 1));
  const { checks, charges } = JSON.parse(wscale('doctor', '--json').stdout);
  assert.ok(checks.some((/** @type {{what: string}} */ { what }) => what === 'cores'));
  assert.ok(charges.wake_cpu_us > 0);
  assert.ok(JSON.parse(wscale('numbers', 'saturation_hz', '--json').stdout).every((/** @type {any} */ each) => each.mean > 0));
  const [compared] = JSON.parse(wscale('compare', RECORD, RECORD, '--same', '--json').stdout);
  assert.deepEqual(compared.ratios.filter((/** @type {any} */ { differs }) => differs), []);
  assert.equal(compared.ratios[0].ratio, 1);
});

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';
test('bash completes ./wscale, wherever it is', { skip: existsSync(BASH_COMPLETION) ? false : 'bash-completion is not installed' }, () => {
  const script = `source ${BASH_COMPLETION}; source <(./wscale complete bash); COMP_WORDS=(./wscale rep) COMP_CWORD=1 COMP_LINE='./wscale rep' COMP_POINT=12
    __wscale_complete ./wscale rep ./wscale; printf '%s\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
  assert.deepEqual(stdout.split('\n').map((line) => line.split(/\s/)[0]).filter(Boolean).sort(), ['report', 'reproduce'], stderr);
});

test('shells complete commands, options and what an option takes', () => {
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(wscale('complete', shell).stdout, /wscale/, shell);
  const complete = (/** @type {string[]} */ ...words) => wscale('complete', '--', ...words).stdout.split('\n').map((line) => line.split('\t')[0]);
  assert.ok(complete('re').includes('report'));
  assert.ok(complete('run', '--prof').includes('--profile'));
  assert.ok(complete('run', '--profile', '').includes('paper'));
});
