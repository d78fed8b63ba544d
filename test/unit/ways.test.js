/** Hosts reached by a command other than ssh; here the command is a shell on this machine. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import { Connections } from '../../harness/run/connections.js';
import { Fleet } from '../../harness/run/fleet.js';
import { execute } from '../../harness/run/way.js';
import { readHosts } from '../../harness/spec/hosts.js';

const folder = mkdtempSync(join(tmpdir(), 'ways-test-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * A command that runs programs here with a home of their own, like `podman exec` in a container.
 * @param {string} name
 */
const commandOf = (name) => {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return ['sh', '-c', 'test -d "$0" || { echo "Error: no such host" >&2; exit 125; }; HOME=$0 exec "$@"', home];
};

/** @param {string} text @returns {ReturnType<typeof readHosts>} */
function read(text) {
  const path = join(folder, 'hosts.toml');
  writeFileSync(path, text);
  return readHosts(path);
}

/** @param {string} name @param {string} way @param {string} [more] */
const table = (name, way, more = '') => `[[hosts]]\nname = "${name}"\n${way}\nrole = "both"\naddress = "127.0.0.1"\n${more}\n`;

/** @param {import('node:test').TestContext} context @param {string} name @returns {import('../../harness/run/way.js').Way} */
function makeWay(context, name) {
  const connections = new Connections();
  context.after(() => connections.close());
  return connections.to({ name, exec: commandOf(name), role: 'both', address: '127.0.0.1' });
}

test('a host of hosts.toml has either ssh or a command', () => {
  assert.deepEqual(read(table('c1', 'exec = ["podman", "exec", "-i", "c1"]')).hosts[0].exec, ['podman', 'exec', '-i', 'c1']);
  const refused = (/** @type {string} */ way, /** @type {RegExp} */ why) => assert.throws(() => read(table('c1', way)), why);
  refused('', /hosts: c1 has neither "ssh" nor "exec"; give one way to it/);
  refused('ssh = "c1"\nexec = ["sh"]', /hosts: c1 has both "ssh" and "exec"; give one way to it/);
  refused('exec = []', /exec/);
  refused('exec = "podman exec"', /exec/);
  refused('exec = ["podman", "a\\u0007"]', /no control characters/);
});

test('a command on the host gets a file and its output is returned; an error has the command\'s own words', async (context) => {
  const way = makeWay(context, 'h1');
  await way.open();
  const input = join(folder, 'input');
  writeFileSync(input, 'x'.repeat(300_000));
  assert.equal((await way.run('wc -c', 'counting', { input })).trim(), '300000');
  assert.equal((await way.run("echo \"it's $1\" '|' \"$HOME\"", 'quoting')).trim(), `it's  | ${join(folder, 'h1')}`);
  const lines = /** @type {string[]} */ ([]);
  await way.run('echo one; echo two >&2', 'telling', { tell: (line) => lines.push(line) });
  assert.deepEqual(lines.sort(), ['one', 'two']);
  await assert.rejects(way.run('echo "no room" >&2; exit 3', 'copying'), /hosts: h1: copying failed: no room; try there: echo/);
  const byKubectl = 'echo "no room" >&2; echo "command terminated with exit code 3" >&2; exit 3';
  await assert.rejects(way.run(byKubectl, 'copying'), /copying failed: no room; try/, 'kubectl has no last word');
});

test('a lost host is distinguished from a command that failed there', async (context) => {
  const way = makeWay(context, 'h2');
  assert.equal(await way.whyLost(), undefined);
  rmSync(join(folder, 'h2'), { recursive: true });
  assert.equal(await way.whyLost(), 'Error: no such host');
  await assert.rejects(way.run('true', 'installing'), /hosts: h2: the link was lost while installing: Error: no such host$/);
  await assert.rejects(way.open(), (error) => error instanceof UserError
    && /^hosts: h2: can not be reached: Error: no such host; try: sh -c '.+' \S+ true$/.test(error.message));
});

test('the suite is brought there once, its agent answers, and nothing is left', async () => {
  const hosts = read(table('h3', `exec = ${JSON.stringify(commandOf('h3'))}`));
  // Instead of a whole installation, this make only shows that it was asked for, and where
  const marker = join(folder, 'h3', 'made');
  const told = /** @type {string[]} */ ([]);
  const bring = async () => {
    const fleet = await Fleet.connect(hosts);
    try {
      await assert.rejects(fleet.prepare(() => ['-f', '/dev/null', '--eval', `made:; @echo making; touch ${marker}; exit 9`, 'made'], (line) => told.push(line)),
        /hosts: h3: installing failed: make: \*\*\* .*Error 9/);
    } finally {
      await fleet.close();
    }
  };
  await bring();
  await bring();
  assert.ok(existsSync(marker));
  assert.deepEqual(told.map((line) => line.replace(/[0-9a-f]{16}$/, 'HASH')).filter((line) => !line.includes('***')),
    [`h3: bringing the suite to ${join(folder, 'h3', 'wscale')}/HASH`, 'h3: making', 'h3: making']);
});

test('an agent by a command answers, and has ended with its fleet', async () => {
  const fleet = await Fleet.connect(read(table('h4', `exec = ${JSON.stringify(commandOf('h4'))}`, `suite = "${ROOT}"\nmetrics = "none"`)));
  const [{ agent }] = fleet.members;
  await fleet.prepare(() => [], () => {});
  assert.ok((await fleet.readFacts()).cores > 0);
  assert.deepEqual(await agent.list(), []);
  const { folder: own } = /** @type {any} */ (fleet.others).connections;
  await fleet.close();
  assert.ok(!existsSync(own));
});

test('a letter that arrives in two parts is one letter of what a command said', async () => {
  const { stdout, stderr } = await execute(['sh', '-c', "printf 'z\\303'; sleep 0.1; printf '\\244h'; printf '\\303' >&2; sleep 0.1; printf '\\244' >&2"], process.env);
  assert.deepEqual([stdout, stderr], ['zäh', 'ä']);
});
