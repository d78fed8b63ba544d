import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { formatHashes, hashFiles, isCode, listCode, listDifferences, locateCode, parseHashes, tellNames } from '../../harness/common/code.js';
import { readCommit } from '../../harness/common/commit.js';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'code-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} root @param {string} name @param {string} [text] */
function write(root, name, text = name) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** @param {string} root @param {...string} argv @returns {string} */
const git = (root, ...argv) => execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], { encoding: 'utf8', stdio: 'pipe' });

/** @param {string} name @returns {{root: string, roots: Record<string, string>}} a checkout without changes */
function makeCheckout(name) {
  const root = join(folder, name);
  for (const file of ['servers/ws/server.js', 'servers/ws/README.md', 'harness/main.js', 'docs/validation.md']) write(root, file);
  git(folder, 'init', '--quiet', root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '--message', 'all');
  return { root, roots: { servers: join(root, 'servers'), harness: join(root, 'harness') } };
}

test('code is every file that can affect a number, but no text, figure or installed file', () => {
  for (const name of [
    'harness/main.js', 'analysis/analyse.js', 'servers/ws/package-lock.json', 'servers/tcp-rust/src/main.rs',
    'clients/swarm/bench/src/bin/echo-server.rs', 'runtimes/node-24/install.sh', 'experiments/06-x/experiment.toml',
    'experiments/06-x/tables.js', 'experiments/10-x/published.tsv', 'package-lock.json',
  ]) assert.ok(isCode(name), name);
  for (const name of [
    'experiments/06-x/README.md', 'experiments/06-x/findings.toml', 'experiments/06-x/figures.toml', 'experiments/05-x/figures.js', 'servers/CONTRACT.md', 'servers/ws/node_modules/ws/index.js',
    'servers/ws/.installed', 'servers/ws/.installed.partial-7', 'clients/swarm/target/release/swarm', 'runtimes/node-24/bin/node', 'runtimes/.gitignore',
  ]) assert.ok(!isCode(name), name);
});

const roots06 = locateCode('06-parameter-influence');
const why = /** @type {{why?: string}} */ (readCommit(roots06)).why;
test('of this checkout code is what git lists, tracked or not, and nothing that it ignores', { skip: why ?? false }, () => {
  const listed = git(ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...Object.keys(roots06)).trim().split('\n');
  const there = [...new Set(listed)].filter((name) => isCode(name) && existsSync(join(ROOT, name)));
  assert.deepEqual([...listCode(roots06).keys()], there.sort());
});

test('a hash of code is that of a text that sha256sum checks, the same wherever it is', () => {
  const [a, b] = ['a', 'b'].map((name) => makeCheckout(name));
  const text = formatHashes(hashFiles(listCode(a.roots)));
  assert.equal(text, formatHashes(hashFiles(listCode(b.roots))));
  assert.deepEqual([...parseHashes(text).keys()], ['harness/main.js', 'servers/ws/server.js']);
  execFileSync('sha256sum', ['--check', '--status', '-'], { input: text, cwd: a.root });
  write(a.root, 'servers/ws/server.js', 'another');
  assert.throws(() => execFileSync('sha256sum', ['--check', '--status', '-'], { input: text, cwd: a.root }));
});

test('what differs between two lists is reported with how, and of many the first are named', () => {
  const [before, after_] = [new Map([['a', '1'], ['b', '1'], ['c', '1']]), new Map([['a', '1'], ['b', '2'], ['d', '1']])];
  assert.deepEqual(listDifferences(before, after_).map(({ name, how }) => `${name} ${how}`), ['b changed', 'c gone', 'd new']);
  assert.deepEqual(listDifferences(before, new Map(before)), []);
  assert.equal(tellNames(['a', 'b']), 'a, b');
  assert.equal(tellNames([...'abcdefgh']), 'a, b, c, d, e, f, and 2 more');
});

test('code that is as in the commit is reported with it, whatever was done to what is no code', () => {
  const { root, roots } = makeCheckout('same');
  write(root, 'docs/validation.md', 'measured anew');
  write(root, 'servers/ws/README.md', 'reworded');
  write(root, 'servers/ws/node_modules/ws/index.js');
  assert.deepEqual(readCommit(roots, root), { commit: git(root, 'rev-parse', 'HEAD').trim(), changed: [] });
});

test('code that was changed, added or removed is reported by its files, and so is what git was told not to look at', () => {
  const { root, roots } = makeCheckout('changed');
  write(root, 'servers/ws/server.js', 'another');
  git(root, 'update-index', '--assume-unchanged', 'servers/ws/server.js');
  write(root, 'servers/faye/server.js');
  rmSync(join(root, 'harness/main.js'));
  assert.deepEqual(readCommit(roots, root).changed, ['harness/main.js', 'servers/faye/server.js', 'servers/ws/server.js']);
  git(root, 'add', '.');
  assert.equal(readCommit(roots, root).changed?.length, 3); // staged changes are in no commit
});

test('code of a folder that lies in another checkout, which does not have it, is in no commit', () => {
  const { root } = makeCheckout('outer');
  write(root, '.gitignore', 'inner/\n');
  write(root, 'inner/harness/main.js');
  assert.deepEqual(readCommit({ harness: join(root, 'inner/harness') }, join(root, 'inner')).changed, ['harness/main.js']);
});

test('where there is no checkout, no commit or no git, the commit is not known, and why is reported', () => {
  const root = join(folder, 'bare');
  write(root, 'harness/main.js');
  const roots = { harness: join(root, 'harness') };
  assert.deepEqual(readCommit(roots, root), { commit: null, changed: null, why: 'not a git repository (or any of the parent directories): .git' });
  git(folder, 'init', '--quiet', root);
  assert.match(/** @type {any} */ (readCommit(roots, root)).why, /revision/);
  const path = process.env.PATH;
  process.env.PATH = folder;
  try {
    assert.deepEqual(readCommit(roots, root), { commit: null, changed: null, why: 'git is not installed' });
  } finally {
    process.env.PATH = path;
  }
});
