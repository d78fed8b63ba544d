/** Servers with one fault each, and exactly the checks that must find it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';

process.env.WSCALE_SERVERS = join(import.meta.dirname, 'broken-servers'); // read when the module is loaded
const { checkServer } = await import('../../harness/check/conformance.js');
const { Fixture } = await import('../../harness/check/conformance-fixture.js');
const { SIZES_B, expectEachSize } = await import('../../harness/check/conformance-messages.js');
const { expectImpossibleRefused, expectMissingRefused, listSettings } = await import('../../harness/check/conformance-settings.js');
const { Agent } = await import('../../harness/run/agent.js');
const { installParts } = await import('../../harness/run/install.js');
const { listEngines, readEngine, readLibrary } = await import('../../harness/spec/engines.js');
const { readGenerator } = await import('../../harness/spec/generators.js');
const { readManifest } = await import('../../harness/spec/manifest.js');
const { ROOT } = await import('../../harness/common/places.js');

const LINES = 'has at most sixty lines of code';
const READY = 'is ready with every process, in its roles, and stops on SIGINT';
const BINDS = 'binds to the address it was given and no other';
const TEXT = 'echoes text';
const BINARY = 'echoes binary';
const SIZES = 'echoes each size from 0 B to 1 MB';
const EXTENSIONS = 'agrees to no extension that it does not declare';
const LIMIT = 'ends a connection whose message is longer than its limit';
const UNSENT = 'holds no more than its limit of what a client does not read';
const OUTPUT = 'prints nothing but ready lines on standard output';
const PING = 'answers ping with the count of pings';
const IDLE = 'keeps idle connections';
const PORT_IN_USE = 'refuses a port in use';
const BEHAVIOUR = 'refuses a behaviour that does not exist';
const MISSING = 'refuses each setting that is missing';
const IMPOSSIBLE = 'refuses each setting that is impossible';
const COUNTS = 'starts as many processes of each role as it is told';
const STOPS = 'stops under load';
const DIES = 'dies as a whole when its first process is killed';
const REPLACES = 'replaces processes that die';
const SEVERAL = 'serves with two workers, and again when one has died';
const UPDATES = 'delivers every update, in order, once, by each transport';
const BROADCASTS = 'broadcasts what one sends to all, the sender too';
const TLS = 'speaks TLS of both versions, with the key that it is given';
const PAGES = 'serves the page of its pings, and their count';

/** The checks that each server fails, with a pattern of their messages. @type {Record<string, [string, RegExp][]>} */
const FOUND = {
  sound: [],
  'always-one-worker': [[COUNTS, /^with WSCALE_WORKERS=2: 1 of 2 worker in the ready line$/], [SEVERAL, /1 of 2 worker in the ready line/]],
  'another-port': [[PORT_IN_USE, /^it said ready; exit code 71 was expected$/]],
  'binary-as-text': [[BINARY, /\d+ answers differ in bytes or type/], [SIZES, /^binary of 0 B: the answer of 0 B differs in bytes or type$/]],
  'closes-idle': [[IDLE, /0 of 4 connections were open at the end/]],
  compresses: [[EXTENSIONS, /^it agrees to "permessage-deflate.*", which its engine\.toml does not declare under extensions$/]],
  'compresses-pongs': [[EXTENSIONS, /^it agrees to "permessage-deflate.*", which its engine\.toml does not declare under extensions$/]],
  'counts-as-text': [[PING, /\d+ answers differ/]],
  'counts-polls': [[PAGES, /GET \/count is \d+ after \d+ pings/]],
  'declares-limits': [],
  'dies-of-sigterm': [BINDS, TEXT, BINARY, SIZES, EXTENSIONS, OUTPUT, PING, IDLE, STOPS].map((check) => [check, /did not stop cleanly: it was killed by SIGTERM/]),
  'every-address': [[BINDS, /listens on 0{8,32} /]],
  'has-no-limits': [[LIMIT, /^a message of 104857601 B did not end the connection$/], [UNSENT, /^it took \d+ B of a client that reads nothing, and went on$/]],
  'ignores-empty': [[SIZES, /^text of 0 B: no answer in 10 s$/]],
  'ignores-tls': [[TLS, /no handshake by TLS 1\.2: /]],
  'leaves-out-sender': [[BROADCASTS, /^text: \d+ messages arrived of \d+, \d+ to each of 4 connections$/]],
  'leaves-orphan': [[READY, /^the server left 1 process\(es\) behind$/], [DIES, /1 process\(es\) still ran after 5 s/]],
  'loses-few': [TEXT, BINARY, PING].map((check) => [check, /^\d{4} sent, \d{4} answered, [1-9] missing$/]),
  'loses-messages': [[TEXT, /[1-9]\d* missing/], [BINARY, /[1-9]\d* missing/], [SIZES, /^binary of 125 B: no answer in 10 s$/]],
  'names-another': [[READY, /^the ready line names the engine "sound"$/]],
  'names-stranger': [[READY, /^worker 1073741824 of the ready line is no process of the server$/]],
  'no-reason': [[MISSING, /^without WSCALE_HOST: its last line is not "error: .*" but ""/], [IMPOSSIBLE, /^with WSCALE_HOST=nowhere: its last line/]],
  'not-respawned': [[REPLACES, /after the death of a store the server was not ready within/]],
  'prints-junk': [[OUTPUT, /^it prints "listening on \d+" on standard output, which is for ready lines; /]],
  'repeats-updates': [[UPDATES, /[1-9]\d* came out of turn/]],
  'ready-too-early': [
    [BINDS, /listens on nothing/], [TEXT, /0 of 4 connections/], [BINARY, /0 of 4 connections/],
    [SIZES, /^the connection ended instead of an answer \(.*ECONNREFUSED/], [EXTENSIONS, /^no handshake of WebSocket within 15 s$/],
    [OUTPUT, /ECONNREFUSED/], [PING, /0 of 4 connections/],
    [IDLE, /0 of 4 connections/], [PORT_IN_USE, /^it said ready; /],
  ],
  'shell-exit-code': [[BEHAVIOUR, /exited with 127: .+; exit code 69 was expected/]],
  'takes-small': [[SIZES, /^text of 65535 B: the connection ended instead of an answer /]],
  'text-as-binary': [[TEXT, /\d+ answers differ in bytes or type/], [SIZES, /^text of 0 B: the answer of 0 B differs in bytes or type$/],
    [OUTPUT, /^text of 1 B: /]],
  'too-long': [[LINES, /^61 lines in its folder, /]],
  'typed-version': [[READY, /version "8\.0\.0" is not the installed/]],
  'wrong-at': [[SIZES, /^binary of 126 B: the answer of 125 B differs in bytes or type$/]],
  'waits-for-clients': [[STOPS, /the server did not stop within 5 s of SIGTERM/]],
};

before(() => {
  const folder = join(ROOT, 'servers/ws');
  const ws = { ...readManifest(join(folder, 'engine.toml'), 'engine'), folder }; // the broken servers share its package
  return installParts([ws, readLibrary('ws'), readGenerator('updates')], console.log);
});

test('every broken server is tested', () => {
  assert.deepEqual(listEngines(), Object.keys(FOUND).sort());
});

// Two at a time, while other test files run: nothing is measured here.
describe('the conformance check', { concurrency: 2 }, () => {
  for (const [name, found] of Object.entries(FOUND)) {
    it(found.length ? `finds what is wrong with ${name}, and nothing else` : `passes ${name}`, async () => {
      const failures = (await checkServer(name)).filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failures.map(({ check }) => check), found.map(([check]) => check), failures.map(({ check, why }) => `${check}: ${why}`).join('\n'));
      failures.forEach(({ why }, index) => assert.match(why, found[index][1]));
    });
  }
});

/** @typedef {(fixture: InstanceType<typeof Fixture>) => Promise<unknown>} Check */
/**
 * The server can be wrong at one size or one setting alone.
 * @type {[string, Check, string][]} where, the check, its message
 */
const PLACES = [
  ...['text', 'binary'].flatMap((type) => SIZES_B.map((bytes) => /** @type {[string, Check, string]} */ (
    [`${type}-${bytes}`, expectEachSize, `${type} of ${bytes} B: the answer of ${bytes ? bytes - 1 : 1} B differs in bytes or type`]))),
  ...listSettings({ engine: engineWrongAt('nothing') }).filter(({ variable }) => variable !== 'WSCALE_OPTION_AT')
    .flatMap(({ variable, wrong }) => /** @type {[string, Check, string][]} */ ([
      [variable, expectMissingRefused, `without ${variable}: it said ready; exit code 64 was expected`],
      [variable, expectImpossibleRefused, `with ${variable}=${wrong}: it said ready; exit code 64 was expected`],
    ])),
  ['WSCALE_BEHAVIOUR', expectMissingRefused, 'without WSCALE_BEHAVIOUR: it said ready; exit code 64 was expected'],
];

/** @param {string} at @returns {import('../../harness/spec/engines.js').Engine} it takes every setting */
function engineWrongAt(at) {
  const engine = readEngine('wrong-at');
  return { ...engine, behaviours: ['echo', 'updates', 'file'], options: { ...engine.options, at: { values: [at], default: at } } };
}

describe('a server that is wrong in one place', () => {
  /** @type {import('../../harness/run/agent.js').Agent} */
  let agent;
  before(async () => { agent = await Agent.start(); });
  after(() => agent.close());

  for (const [at, check, found] of PLACES) {
    it(`is found: ${found}`, async () => {
      const fixture = new Fixture(agent, engineWrongAt(at));
      try {
        await assert.rejects(check(fixture), { message: found });
      } finally {
        await fixture.clean();
      }
    });
  }
});
