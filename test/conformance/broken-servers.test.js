/** Servers with one fault each, and the checks that find it: exactly these. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it, test } from 'node:test';

process.env.WSCALE_SERVERS = join(import.meta.dirname, 'broken-servers'); // read when the module is loaded
const { checkServer } = await import('../../harness/check/conformance.js');
const { installParts, listEngines, readLibrary } = await import('../../harness/spec/engines.js');
const { readGenerator } = await import('../../harness/spec/generators.js');
const { readManifest } = await import('../../harness/spec/manifest.js');
const { ROOT } = await import('../../harness/common/places.js');

const READY = 'is ready with every process, in its roles';
const BINDS = 'binds to the address it was given and no other';
const TEXT = 'echoes text';
const BINARY = 'echoes binary';
const PING = 'answers ping with the count of pings';
const IDLE = 'keeps idle connections';
const PORT_IN_USE = 'refuses a port in use';
const BEHAVIOUR = 'refuses a behaviour that does not exist';
const PORT = 'refuses an impossible port';
const MISSING = 'refuses a setting that is missing';
const STOPS = 'stops under load';
const DIES = 'dies as a whole when its first process is killed';
const REPLACES = 'replaces processes that die';
const SEVERAL = 'serves with two workers, and again when one has died';
const UPDATES = 'delivers every update, in order, once, by each transport';
const TLS = 'speaks TLS of both versions, with the key that it is given';
const PAGES = 'serves the page of its pings, and their count';

/** What fails each server, and a part of what is said of it. @type {Record<string, [string, RegExp][]>} */
const FOUND = {
  sound: [],
  'always-one-worker': [[SEVERAL, /1 of 2 worker in the ready line/]],
  'another-port': [[PORT_IN_USE, /still runs/]],
  'binary-as-text': [[BINARY, /\d+ answers differ in bytes or type/]],
  'closes-idle': [[IDLE, /0 of 4 connections were open at the end/]],
  'counts-as-text': [[PING, /\d+ answers differ/]],
  'counts-polls': [[PAGES, /GET \/count is \d+ after \d+ pings/]],
  'dies-of-sigterm': [READY, BINDS, TEXT, BINARY, PING, IDLE, STOPS].map((check) => [check, /did not stop cleanly: it was killed by SIGTERM/]),
  'every-address': [[BINDS, /listens on 0{8,32} /]],
  'ignores-tls': [[TLS, /no handshake by TLS 1\.2: /]],
  'leaves-orphan': [[DIES, /1 process\(es\) still ran after 5 s/]],
  'loses-messages': [[TEXT, /[1-9]\d* missing/], [BINARY, /[1-9]\d* missing/]],
  'no-reason': [[PORT, /its last line is not "error: .*" but ""/], [MISSING, /its last line is not/]],
  'not-respawned': [[REPLACES, /after the death of a store the server was not ready within/]],
  'repeats-updates': [[UPDATES, /[1-9]\d* came out of turn/]],
  'ready-too-early': [
    [BINDS, /listens on nothing/], [TEXT, /0 of 4 connections/], [BINARY, /0 of 4 connections/], [PING, /0 of 4 connections/],
    [IDLE, /0 of 4 connections/], [PORT_IN_USE, /it said ready before/],
  ],
  'shell-exit-code': [[BEHAVIOUR, /exited with 127: .+; exit code 69 was expected/]],
  'text-as-binary': [[TEXT, /\d+ answers differ in bytes or type/]],
  'typed-version': [[READY, /version "8\.0\.0" is not the installed/]],
  'waits-for-clients': [[STOPS, /the server did not stop within 5 s of SIGTERM/]],
};

before(() => {
  const folder = join(ROOT, 'servers/ws');
  const ws = { ...readManifest(join(folder, 'engine.toml'), 'engine'), folder }; // whose package they share
  return installParts([ws, readLibrary('ws'), readGenerator('updates')], console.log);
});

test('every broken server is tested', () => {
  assert.deepEqual(listEngines(), Object.keys(FOUND).sort());
});

// Two at a time, beside other files of tests: nothing is measured here.
describe('the conformance check', { concurrency: 2 }, () => {
  for (const [name, found] of Object.entries(FOUND)) {
    it(found.length ? `finds what is wrong with ${name}, and nothing else` : `passes ${name}`, async () => {
      const failures = (await checkServer(name)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check }) => check), found.map(([check]) => check), failures.map(({ check, why }) => `${check}: ${why}`).join('\n'));
      failures.forEach(({ why }, index) => assert.match(why, found[index][1]));
    });
  }
});
