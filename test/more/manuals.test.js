/**
 * Follows README and CONTRIBUTING to the letter: adds engines (also in Go and C++), an experiment and a figure,
 * compares two versions of an engine, reads results, and loads a server with swarm. All of it happens in an overlayfs
 * layer over this checkout, in a mount namespace, and is thrown away. unprivileged.test.js runs the README's first
 * command.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const layer = mkdtempSync(join(tmpdir(), 'manuals-test-'));
after(() => rmSync(layer, { recursive: true, force: true }));
for (const name of ['upper', 'work']) mkdirSync(join(layer, name));
/** Without the variables of the make that runs the tests. @type {NodeJS.ProcessEnv} */
const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _more, ...env } = process.env;

const LAID = 'mount -t overlay overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$0" && cd "$0" && exec bash -euo pipefail -c "$2"';

/** @param {string} script of bash @param {string[]} more namespaces @returns {{status: number | null, stdout: string, stderr: string}} */
const runInLayer = (script, ...more) => spawnSync('unshare', ['--mount', ...more, '--propagation', 'private', 'sh', '-c', LAID, ROOT, layer, script],
  { cwd: '/', env, encoding: 'utf8', maxBuffer: 64 << 20 });

const isRoot = process.getuid?.() === 0;
const skip = !isRoot ? 'this user is not root, who alone may lay a layer over a folder'
  : runInLayer('true').status === 0 ? false : 'this kernel has no overlay file system';

/** A path in a manual. The last one before a block of code is that file's name. */
const SHOWN = /`((?:servers|experiments)\/[\w./-]+\.(?:toml|js|gp))`/g;

/**
 * @param {string} manual @param {string} heading of a section, which ends at the next heading
 * @returns {string} a script that runs its commands and writes its files
 */
export function readSection(manual, heading) {
  const [, rest = ''] = manual.split(`\n${heading}\n`);
  const [section] = rest.split(/^#{2,3} /m);
  /** @type {string[]} */
  const script = [];
  let before = 0;
  for (const { index, 0: whole, 1: language, 2: block } of section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)) {
    const path = [...section.slice(before, index).matchAll(SHOWN)].at(-1)?.[1];
    before = index + whole.length;
    if (language === 'sh') script.push(block);
    else if (path) script.push(`mkdir -p "$(dirname "${ROOT}/${path}")"; cat > "${ROOT}/${path}" <<'END OF FILE'\n${block}END OF FILE\n`);
  }
  return script.join('\n');
}

const [contributing, readme] = ['CONTRIBUTING.md', 'README.md'].map((name) => readFileSync(join(ROOT, name), 'utf8'));

test('the commands and the files of a section are read, and no other section\'s', () => {
  const manual = '\n## A\n`servers/x/engine.toml` (`b`):\n\n```toml\nname = "x"\n```\n\n```sh\nmake a\n```\nprints\n\n```\nb\nc\n```\n## B\n```sh\nmake d\n```\n';
  const script = readSection(manual, '## A');
  assert.match(script, /servers\/x\/engine\.toml" <<'END OF FILE'\nname = "x"\nEND OF FILE\n\nmake a\n$/);
  assert.equal(readSection(manual, '## B'), 'make d\n');
  assert.equal(readSection(manual, '## C'), '');
});

test('an engine is added as CONTRIBUTING says, and keeps the contract', { skip }, () => {
  const { status, stdout, stderr } = runInLayer(readSection(contributing, '## Add an engine'));
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d+ passed, 0 failed/m);
});

test('an engine in Go is added as CONTRIBUTING says, and keeps the contract', { skip }, () => {
  const { status, stdout, stderr } = runInLayer(readSection(contributing, '### In Go'));
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d+ passed, 0 failed/m);
});

test('an engine in C++ is added as CONTRIBUTING says, and keeps the contract', { skip }, () => {
  const script = readSection(contributing, '### In C++');
  const { status, stdout, stderr } = runInLayer(`rm -rf servers/mine; ${script}`); // left by the test of Go
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d+ passed, 0 failed/m);
});

test('an experiment is added as CONTRIBUTING says: planned, run, and run with two generators', { skip }, () => {
  const { status, stdout, stderr } = runInLayer(readSection(contributing, '## Add an experiment'));
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d+ trials, about .+, seed \d+$/m);
  assert.equal(stdout.match(/^bundle +results\/90-echo-size\/\S+-quick$/gm)?.length, 2, stdout);
  const { stdout: words } = runInLayer('cat "$(ls -d results/90-echo-size/*-quick | tail -n 1)/summary.txt"');
  assert.match(words, /What a message costs the server agrees/);
});

test('a figure is begun as CONTRIBUTING says, and drawn of the run that is there', { skip }, (t) => {
  const script = readSection(contributing, '### A figure');
  const { status, stdout, stderr } = runInLayer(script.replace('results/90-echo-size/…', '"$(ls -d results/90-echo-size/*-quick | tail -n 1)"'));
  assert.equal(status, 0, stdout + stderr);
  const points = runInLayer('cat "$(ls -d results/90-echo-size/*-quick | tail -n 1)/reduced/points.tsv"').stdout;
  if (points.trim().split('\n').length < 2) return t.skip('this machine was so busy that no trial stands');
  for (const format of ['svg', 'png', 'pdf', 'txt']) assert.match(stdout, new RegExp(`figures/cost\\.${format}$`, 'm'));
});

test('two versions of an engine are compared as CONTRIBUTING says, in as few blocks as there can be', { skip }, () => {
  const [command = ''] = /^make duet A=servers B=servers ENGINES='ws=ws-patched'/m.exec(contributing) ?? [];
  assert.notEqual(command, '');
  const { status, stdout, stderr } = runInLayer(`cp -r servers/ws servers/ws-patched
    sed -i 's/^name = .*/name = "ws-patched"/' servers/ws-patched/engine.toml
    ${command} BLOCKS=3`);
  // Three blocks may be too few to judge. It then says so, and what to do. This test accepts both outcomes
  const compared = /^A +\S+\/servers\nB +\S+\/servers\n/m.test(stdout);
  if (compared) assert.match(stdout, /^shift of \S+ +blocks +B \/ A/m, stdout + stderr);
  else assert.match(stderr, /^error: duet: .+ has pairs in too few blocks to judge by.*; .*BLOCKS$/m, stdout + stderr);
  assert.ok(compared ? [0, 2].includes(status ?? -1) : status === 2, `${status}`);
});

test('the README\'s commands that read a result do so, of a result of record', { skip }, () => {
  const commands = [/`(make (?:engines|processes|rank|report)\b[^`]*)`/g, /^(\.\/wscale (?:processes|rank)\b[^#\n]*)/gm]
    .flatMap((form) => [...readme.matchAll(form)].map(([, command]) => command.replace(/\s+/g, ' ')));
  assert.deepEqual(['make engines', 'make rank', 'make report', './wscale rank', './wscale processes'].filter((start) =>
    !commands.some((command) => command.startsWith(start))), []);
  for (const command of commands) {
    const { status, stdout, stderr } = runInLayer(command.replace('results/…', 'records/16-engines/default'));
    assert.equal(status, 0, `${command}\n${stdout}${stderr}`);
    assert.notEqual(stdout, '', command);
  }
});

test('swarm loads a server by the README\'s command, and prints what stands there', { skip }, () => {
  const [command = ''] = /^clients\/swarm\/target\/release\/swarm .+$/m.exec(readme) ?? [];
  const echo = "const { WebSocketServer } = require('ws'); new WebSocketServer({ port: 9000, host: '127.0.0.1' }, () => console.log('ready')).on('connection', "
    + "(socket) => socket.on('message', (data, binary) => socket.send(data, { binary })));";
  const { status, stdout, stderr } = runInLayer(`ip link set lo up
    coproc (cd servers/ws && exec timeout 600 ../../runtimes/node-24/bin/node -e "${echo}")
    trap 'kill "$COPROC_PID"' EXIT
    read -r _ <&"\${COPROC[0]}"
    ${command}`, '--net');
  assert.equal(status, 0, stdout + stderr);
  const formOf = (/** @type {string} */ line) => line.replace(/\d[\d,.]*|(?<= )-(?= )/g, '#').replace(/\s+/g, ' ').trim();
  const [, shown = ''] = /^```text\n(ws:[^]*?)^```$/m.exec(readme) ?? [];
  assert.notEqual(shown, '');
  const forms = stdout.split('\n').map(formOf);
  assert.deepEqual(shown.trim().split('\n').map(formOf).filter((form) => !forms.includes(form)), [], stdout);
});
