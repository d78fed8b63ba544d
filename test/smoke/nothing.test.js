/** With every generator, a trial fails if its server takes no connection or never answers. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readJson } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { Lab, installWs } from './lab.js';

before(installWs);

/** @type {(() => void)[]} */
const cleaning = [];
after(() => cleaning.forEach((clean) => clean()));

/** `refusing` answers every upgrade with 503; `deaf` accepts it, and never answers. */
const SERVER = `
const fault = process.argv[1];
const { WebSocketServer } = require('../ws/node_modules/ws');
const server = require('node:http').createServer();
if (fault === 'deaf') new WebSocketServer({ server });
else server.on('upgrade', (request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\\r\\nContent-Length: 0\\r\\n\\r\\n'));
server.listen(process.env.WSCALE_PORT, process.env.WSCALE_HOST, () => {
  const version = require('../ws/node_modules/ws/package.json').version;
  const processes = [{ pid: process.pid, role: 'worker', index: 1 }];
  console.log('ready ' + JSON.stringify({ engine: fault, version, port: Number(process.env.WSCALE_PORT), processes }));
});
process.on('SIGTERM', () => process.exit(0));
`;

/** @returns {string} a folder in place of servers/ */
function makeServers() {
  const servers = mkdtempSync(join(tmpdir(), 'smoke-nothing-'));
  cleaning.push(() => rmSync(servers, { recursive: true }));
  symlinkSync(join(ROOT, 'servers/ws'), join(servers, 'ws'));
  for (const name of ['refusing', 'deaf']) {
    const toml = readFileSync(join(ROOT, 'servers/ws/engine.toml'), 'utf8')
      .replace('name = "ws"', `name = "${name}"`)
      .replace(/^build = .*$/m, 'build = ["ln", "-sfn", "../ws/node_modules", "node_modules"]')
      .replace(/^build_inputs = .*$/m, 'build_inputs = []')
      .replace(/^start = .*$/m, 'start = ["node", "server.js", "NAME"]'.replace('NAME', name));
    mkdirSync(join(servers, name));
    writeFileSync(join(servers, name, 'engine.toml'), toml);
    writeFileSync(join(servers, name, 'server.js'), SERVER.replace('process.argv[1]', 'process.argv[2]'));
  }
  return servers;
}

const CLAIM = 'claims = [{ id = "T6", metric = "server_cpu_cores", below = 0.5, compare = [{ era = "today", of = "refusing" }] }]';

const UNANSWERED = 'sent in the window was answered';
// goroutines sends a message only after the previous answer, so it waits for that of a message before the window
for (const [generator, behaviour, without] of [
  ['forked', 'pingpong', UNANSWERED], ['swarm', 'pingpong', UNANSWERED], ['goroutines', 'json-ping', 'due in the window was sent'],
]) {
  test(`with ${generator} every trial of a server that refuses or never answers fails, and no claim is reproduced`, async () => {
    const lab = new Lab({
      engines: ['refusing', 'deaf'], repeats: 1, servers: makeServers(), behaviour, connections: 3, load: `client_processes = 1, generator = "${generator}"`,
    });
    cleaning.push(() => lab.remove());
    const manifest = join(lab.experiments, '01-tiny', 'experiment.toml');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('claims = []', CLAIM));
    const { code, stdout, stderr } = await lab.run();
    assert.equal(code, 1, stdout + stderr);
    const statuses = Object.entries(lab.readStatuses());
    assert.equal(statuses.length, 2, stdout + stderr);
    for (const [trial, status] of statuses) {
      const why = trial.includes('refusing') ? /^failed: none of 3 connections came up( \(".+", \d+ times\))?; see whether .+: make check-server ENGINE=refusing$/
        : new RegExp(`^failed: none of \\d+ messages that were ${without}; see whether .+: make check-server ENGINE=deaf$`);
      assert.match(status, why, trial);
    }
    assert.match(stderr, /2 trial\(s\) failed: /);
    const { verdicts } = readJson(join(lab.listBundles()[0], 'verdict.json'));
    assert.deepEqual([...new Set(verdicts.map((/** @type {any} */ { verdict }) => verdict))], ['not run']);
  });
}
