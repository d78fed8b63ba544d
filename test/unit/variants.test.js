import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'smol-toml';
import { UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import { makeVariants } from '../../harness/run/duet/variants.js';

const root = mkdtempSync(join(tmpdir(), 'variants-test-'));
after(() => rmSync(root, { recursive: true }));

/** @param {string} name @param {string} program the code for node @returns {string} an engine's folder */
function makeEngine(name, program) {
  const folder = join(root, 'servers', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'server.js'), program);
  writeFileSync(join(folder, 'engine.toml'), `name = "${name}"\ntitle = "An engine"\nbuild = ["npm", "ci"]\nstart = ["node", "server.js"]\n`);
  writeFileSync(join(root, 'servers', 'shared.lock'), '');
  return folder;
}

/** @param {string} folder of a variant @returns {string} what it prints */
function startVariant(folder) {
  const { start: [command, ...args] } = /** @type {any} */ (parse(readFileSync(join(folder, 'engine.toml'), 'utf8')));
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter); // the Node of Ubuntu 22.04 is version 12
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH } });
}

test('an engine under another name runs where its own files are, and is built there', () => {
  const folder = makeEngine('plain', 'console.log(process.cwd(), process.env.WSCALE_BURN_US ?? "")');
  const servers = makeVariants([{ name: 'plain-a', folder }, { name: 'plain-b', folder }]);
  assert.equal(startVariant(join(servers, 'plain-a')).trim(), folder);
  const engine = /** @type {any} */ (parse(readFileSync(join(servers, 'plain-b', 'engine.toml'), 'utf8')));
  assert.deepEqual([engine.name, engine.title], ['plain-b', 'An engine (plain-b)']);
  assert.deepEqual(engine.build.slice(-3), [folder, 'npm', 'ci']);
  assert.ok(existsSync(join(servers, 'shared.lock')) && existsSync(join(servers, 'plain-b', 'server.js')));
});

test('an engine that was installed from other inputs than its present ones is built, and its inputs stay where they are', () => {
  const folder = makeEngine('changed', '');
  appendFileSync(join(folder, 'engine.toml'), 'build_inputs = ["../shared.lock"]\n');
  writeFileSync(join(folder, '.installed'), 'of before');
  const servers = makeVariants([{ name: 'changed-a', folder }]);
  const engine = /** @type {any} */ (parse(readFileSync(join(servers, 'changed-a', 'engine.toml'), 'utf8')));
  assert.deepEqual([engine.build.slice(-2), engine.build_inputs], [['npm', 'ci'], undefined]);
});

test('a slowed engine burns what it was told to for each message that it reads, several in one piece too', () => {
  const program = `
    const net = require('node:net');
    const server = net.createServer((socket) => socket.on('data', (data) => {
      socket.removeAllListeners('data');
      const took = (text) => {
        const began = process.hrtime.bigint();
        socket.push(Buffer.from(text));
        return Math.floor(Number(process.hrtime.bigint() - began) / 20e6);
      };
      console.log(String(data), took('hello') >= 1, took('hello'.repeat(4)) >= 4);
      process.exit();
    })).listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').end('hello'));`;
  const folder = makeEngine('slow', program);
  const servers = makeVariants([{ name: 'slow-plus', folder, burn_us: 20_000 }, { name: 'slow-plain', folder }]);
  assert.equal(startVariant(join(servers, 'slow-plus')).trim(), 'hello true true');
  assert.equal(startVariant(join(servers, 'slow-plain')).trim(), 'hello false false');
});

test('a folder that is no engine, and one that node does not start and can\'t be slowed, are reported', () => {
  assert.throws(() => makeVariants([{ name: 'x-a', folder: join(root, 'nothing') }]), (error) => error instanceof UserError && /nothing: holds no engine\.toml, .+; give /.test(error.message));
  const folder = makeEngine('native', '');
  writeFileSync(join(folder, 'engine.toml'), 'name = "native"\ntitle = "N"\nstart = ["./native"]\n');
  assert.throws(() => makeVariants([{ name: 'native-plus', folder, burn_us: 1 }]), /native: is started by \.\/native; only an engine that node starts can be slowed down/);
});

for (const [argv, message] of /** @type {[string[], RegExp][]} */ ([
  [['duet', 'servers'], /^error: duet: B is not set; say which, for example: \.\/wscale duet servers \.\.\/other\/servers --engines ws$/m],
  [['duet', 'servers', 'servers', '--blocks', 'many'], /^error: --blocks: "many" is not a whole number from 1 to 99999; give one$/m],
  [['duet', 'servers', 'servers', '--engines', 'unheard-of'], /^error: .+unheard-of: holds no engine\.toml, so it is not an engine; give /m],
  [['check-power', '--trials', '0'], /^error: --trials: "0" is not a whole number/m],
])) {
  test(`main.js ${argv.join(' ')}: is refused before anything is measured`, () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), ...argv], { encoding: 'utf8', cwd: ROOT });
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  });
}
