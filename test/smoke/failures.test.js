/** A trial that goes wrong is marked with the reason, the plan goes on, and the exit code says so. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readTsv } from '../../harness/common/files.js';
import { findMarked } from '../../harness/agent/marked.js';
import { ROOT } from '../../harness/common/places.js';
import { Lab, installWs, until } from './lab.js';

before(installWs);

/** @type {(() => void)[]} */
const cleaning = [];
after(() => cleaning.forEach((clean) => clean()));

/** @param {ConstructorParameters<typeof Lab>[0]} [options] */
function makeLab(options) {
  const lab = new Lab(options);
  cleaning.push(() => lab.remove());
  return lab;
}

/**
 * Start commands of engines that fail. They use the package and code of the real ws, beside them.
 * @type {Record<string, string[]>}
 */
const FAILING = {
  mute: ['node', '-e', 'setInterval(() => {}, 1000)'],
  crashing: ['sh', '-c', 'echo "error: crashing: no luck today; try tomorrow" >&2; exit 70'],
  babbling: ['sh', '-c', 'echo "ready to serve"; exec sleep 1000'],
  // Ready lines with a process that is not the server's, or a role that would break a table
  'naming-init': ['sh', '-c', `cd ../ws && node server.js | sed -u 's/"pid":[0-9]*/"pid":1/'`],
  'naming-tab': ['sh', '-c', `cd ../ws && node server.js | sed -u 's/"role":"worker"/"role":"wor\\\\tker"/'`],
  // Another process takes the port after the harness found it free
  unlucky: ['sh', '-c', 'node -e "require(\'net\').createServer().listen(process.env.WSCALE_PORT, process.env.WSCALE_HOST)" & sleep 1; cd ../ws && exec node server.js'],
};

/** Starts a worker with the contract's variables alone, without the harness's marks, and announces its own pid. */
const HIDING = `
  const { spawn } = require('node:child_process');
  const told = Object.entries(process.env).filter(([name]) => /^(PATH$|WSCALE_(?!RUN$|SIDE$))/.test(name)).map((entry) => entry.join('='));
  const worker = spawn('env', ['-i', ...told, 'node', 'server.js'], { cwd: '../ws', stdio: ['ignore', 'pipe', 'inherit'] });
  worker.stdout.on('data', (line) => process.stdout.write(String(line).replace(/"pid":\\d+/, '"pid":' + process.pid)));
  process.on('SIGTERM', () => worker.kill());
  worker.on('exit', (code) => process.exit(code));`;

/** @returns {string} a folder to use instead of servers/ */
function makeServers() {
  const servers = mkdtempSync(join(tmpdir(), 'smoke-servers-'));
  cleaning.push(() => rmSync(servers, { recursive: true }));
  symlinkSync(join(ROOT, 'servers/ws'), join(servers, 'ws'));
  for (const [name, start] of Object.entries({ ...FAILING, hiding: ['node', '-e', HIDING.replaceAll('\n', ' ')] })) {
    const toml = readFileSync(join(ROOT, 'servers/ws/engine.toml'), 'utf8')
      .replace('name = "ws"', `name = "${name}"`)
      .replace(/^build = .*$/m, 'build = ["ln", "-sfn", "../ws/node_modules", "node_modules"]')
      .replace(/^build_inputs = .*$/m, 'build_inputs = []')
      .replace(/^start = .*$/m, `start = ${JSON.stringify(start)}`);
    mkdirSync(join(servers, name));
    writeFileSync(join(servers, name, 'engine.toml'), toml);
  }
  return servers;
}

/**
 * Kill a process of a trial while it is under load.
 * @param {Lab} lab @param {import('./lab.js').Run} run @param {string} trial @param {string} side @param {string} role
 */
async function killInTrial(lab, run, trial, side, role) {
  await until(() => lab.readMarks(run, trial).includes('start'), `${trial} under load`);
  const victim = lab.readReady(run, trial, side)?.find((process) => process.role === role);
  process.kill(Number(victim?.pid), 'SIGKILL');
}

/** @returns {string | undefined} why this machine cannot mount a small disk */
function refuseSmallDisk() {
  if (process.getuid?.() !== 0) return 'mounting a small disk wants root';
  const folder = mkdtempSync(join(tmpdir(), 'smoke-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder]);
  if (status === 0) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return status === 0 ? undefined : 'this machine lets nobody mount';
}

// Nothing is measured here, so the tests may run side by side.
describe('the plan goes on', { concurrency: 3 }, () => {
  it('when servers never get ready, crash as they start, or find their port in use', async () => {
    const lab = makeLab({ engines: [...Object.keys(FAILING), 'hiding', 'ws'], repeats: 1, servers: makeServers() });
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    const statuses = lab.readStatuses();
    assert.match(statuses['b01-mute-steady'], /^failed: the server was not ready within \d+ s; read server\.err beside it$/);
    assert.equal(statuses['b01-crashing-steady'], 'failed: the server was never ready; it exited with 70: error: crashing: no luck today; try tomorrow');
    assert.match(statuses['b01-babbling-steady'], /^failed: its ready line is not as the contract has it: ready to serve$/);
    assert.match(statuses['b01-unlucky-steady'], /^failed: the server was never ready; it exited with 71: error: .+EADDRINUSE.+; .+/);
    assert.match(statuses['b01-naming-init-steady'], /^failed: its ready line is not as the contract has it: ready \{.*"pid":1,/);
    assert.match(statuses['b01-naming-tab-steady'], /^failed: its ready line is not as the contract has it: ready \{.*"role":"wor\\tker"/);
    assert.equal(statuses['b01-hiding-steady'], 'done');
    const hidden = readTsv(lab.inTrial('b01-hiding-steady', 'raw/accounts.tsv')).filter(({ side, role, mark }) => side === 'server' && role === 'other' && mark === 'start');
    assert.equal(hidden.length, 1);
    assert.ok(Number(hidden[0].cpu_ns) > 0);
    assert.equal(statuses['b01-ws-steady'], 'done');
    assert.match(stderr, /^error: .+: 6 trial\(s\) failed: .+; run again with RESUME=1 to retry them\n$/);
    const summary = readFileSync(join(lab.listBundles()[0], 'summary.txt'), 'utf8');
    for (const trial of Object.keys(statuses).filter((name) => statuses[name] !== 'done')) assert.match(summary, new RegExp(`^left out: failed: .+: ${trial}$`, 'm'));
    assert.deepEqual(await lab.findLeftovers(run), []);
  });

  it('but for a duet: a server that cannot start ends it at once, with the last words of its standard error', async () => {
    const lab = makeLab({ engines: ['crashing', 'ws'], repeats: 3, servers: makeServers(), more: 'beside = [["ws", "crashing"]]' });
    const { code, stderr } = await lab.run();
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: crashing: the server was never ready; it exited with 70: .+; its standard error ends with$/m);
    assert.match(stderr, /^ {2}error: crashing: no luck today; try tomorrow$/m);
    assert.equal(Object.values(lab.readStatuses()).filter((status) => status.startsWith('failed')).length, 1);
  });

  it('when the server, a load process or the recorder is killed under load, and RESUME=1 tries those again', async () => {
    const lab = makeLab({ repeats: 4 });
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    await killInTrial(lab, run, 'b01-ws-steady', 'server', 'worker');
    await killInTrial(lab, run, 'b02-ws-steady', 'client', 'client');
    await killInTrial(lab, run, 'b03-ws-steady', 'client', 'recorder');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    const { 'b01-ws-steady': server, 'b02-ws-steady': driver, 'b03-ws-steady': recorder, 'b04-ws-steady': alone } = lab.readStatuses();
    assert.match(server, /^failed: the server ended during the trial: it was killed by SIGKILL: /);
    assert.match(driver, /^failed: the client (ended during the trial|failed): it exited with 70: error: .+: .+; .+/);
    assert.match(recorder, /^failed: the client (ended during the trial|failed): it was killed by SIGKILL: /);
    assert.equal(alone, 'done');
    // The accounts read before the kill are kept
    const marks = readTsv(lab.inTrial('b01-ws-steady', 'raw/accounts.tsv')).map(({ mark }) => mark);
    assert.ok(marks.includes('start') && !marks.includes('window_end'), marks.join());
    assert.equal(readTsv(lab.inTrial('b04-ws-steady', 'raw/live.tsv'))[0].t_s, '0');
    assert.match(stderr, /: 3 trial\(s\) failed: b01-ws-steady: failed: /);
    assert.deepEqual(await lab.findLeftovers(run), []);
    const again = await lab.run(['--resume']);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.deepEqual([...new Set(Object.values(lab.readStatuses()))], ['done']);
    assert.match(readFileSync(lab.inTrial('b01-ws-steady.attempt-1', 'status'), 'utf8'), /^failed: /);
    assert.ok(!existsSync(lab.inTrial('b04-ws-steady.attempt-1')), 'a trial that was done was repeated');
  });

  it('when a companion is killed under load: the trial fails with the reason', async () => {
    const lab = makeLab({ engines: ['socket.io'], repeats: 1, behaviour: 'pages', companion: 'browser' });
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    const trial = 'b01-socket.io-steady';
    await until(() => lab.readReady(run, trial, 'browser'), 'the companion');
    await until(() => existsSync(lab.inTrial(trial, 'raw/live.tsv')), 'the load, to be followed as it runs');
    process.kill(Number(lab.readReady(run, trial, 'browser')?.find(({ role }) => role === 'companion')?.pid), 'SIGKILL');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[trial], /^failed: the companion browser ended during the trial: it was killed by SIGKILL: /);
    assert.deepEqual(await lab.findLeftovers(run), []);
  });

  it('when a sampler is killed: the trial fails with the reason', async () => {
    const lab = makeLab({ repeats: 1 });
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    const trial = await until(() => lab.findRunning(), 'a trial');
    await until(() => lab.readMarks(run, trial).includes('start'), 'the load');
    const captures = findMarked(run.runId).filter(({ side }) => side === 'capture');
    assert.ok(captures.length >= 3);
    captures.forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[trial], /^failed: (top|pidstat|sar) ended during the trial: it was killed by SIGKILL/);
  });

  const reason = refuseSmallDisk();
  it('or ends with one clear error when the disk is full, and RESUME=1 goes on once there is room', { skip: reason ?? false }, async () => {
    const lab = makeLab({ repeats: 2 });
    mkdirSync(lab.results);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'none', lab.results]);
    cleaning.unshift(() => execFileSync('umount', ['-l', lab.results]));
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    const { code, stdout, stderr } = await harness.ended;
    assert.ok(code === 1 || code === 2, `${code}: ${stdout}${stderr}`);
    for (const line of stderr.trim().split('\n')) assert.match(line, /^error: .+: .+; .+/);
    assert.ok(!/^ +at /m.test(stdout + stderr), 'a stack trace is shown');
    assert.match(stderr, /ENOSPC|no space|disk/i);
    assert.deepEqual(await lab.findLeftovers(run), []);
    execFileSync('mount', ['-o', 'remount,size=64m', lab.results]);
    const again = await lab.run(['--resume']);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.deepEqual(lab.readStatuses(), { 'b01-ws-steady': 'done', 'b02-ws-steady': 'done' });
  });

  it('while another that is started on the same results is refused', async () => {
    const lab = makeLab({ repeats: 1 });
    const first = lab.start();
    await until(() => lab.findRunning(), 'a trial');
    const second = await lab.run();
    assert.equal(second.code, 2);
    assert.match(second.stderr, new RegExp(`^error: .+: process ${first.child.pid} is measuring; wait until it ends, or stop it\n$`));
    const { code, stdout, stderr } = await first.ended;
    assert.equal(code, 0, stdout + stderr);
    assert.equal(lab.listBundles().length, 1);
  });
});
