/** Runs over containers that are reached by `podman exec`: whatever becomes of one, the run says so, and nothing stays on any. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { Containers, listOfPodman, makeBase, podmanOk, removeBase, skip } from '../hosts/containers.js';
import { Lab, installWs, until } from '../smoke/lab.js';

const TRIAL = 'b01-ws-steady';
const LONG_S = 900;
/** What the suite would install on a host itself. */
const NEEDED = 'make,procps,sysstat,iproute2,ethtool';

describe('a run over four containers', { skip }, () => {
  /** @type {Lab[]} */
  const labs = [];
  before(async () => {
    await installWs();
    makeBase(NEEDED);
  });
  after(() => {
    labs.forEach((lab) => lab.remove());
    removeBase();
  });

  /** @param {import('node:test').TestContext} context @param {ConstructorParameters<typeof Containers>[1]} [how] */
  function start(context, how = { suite: ROOT }) {
    const made = new Containers(4, how);
    context.after(() => made.remove());
    return made;
  }

  /** @param {ConstructorParameters<typeof Lab>[0]} [settings] */
  function makeLab(settings) {
    const lab = new Lab({ repeats: 1, ...settings });
    labs.push(lab);
    return lab;
  }

  /** @param {Lab} lab @param {Containers} hosts @returns {Promise<import('../smoke/lab.js').Harness>} under load */
  async function startLoad(lab, hosts) {
    const harness = lab.start(['--hosts', hosts.file]);
    await Promise.race([
      until(() => existsSync(lab.inTrial(TRIAL, 'raw/live.tsv')), 'the load', 180),
      harness.ended.then(({ code, stdout, stderr }) => { throw new Error(`it ended with ${code}: ${stdout}${stderr}`); }),
    ]);
    return harness;
  }

  it('has its server in one, its load from the others, and leaves nothing', async (context) => {
    const hosts = start(/** @type {any} */ (context));
    const lab = makeLab();
    const { code, stdout, stderr } = await lab.run(['--hosts', hosts.file]);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
    const { window, processes } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
    assert.ok(window.received > 0 && window.received <= window.sent, JSON.stringify(window));
    assert.deepEqual([...new Set(processes.map((/** @type {any} */ { host }) => host))].sort(), ['c2', 'c3', 'c4']);
    const clocks = readTsv(lab.inTrial(TRIAL, 'raw/clocks/clocks.tsv'));
    assert.deepEqual([...new Set(clocks.map(({ host }) => host))].sort(), ['c2', 'c3', 'c4']);
    assert.ok(clocks.every(({ offset_us, bound_us }) => Math.abs(Number(offset_us)) <= Number(bound_us) + 1000), 'they have one kernel');
    const spec = readFileSync(join(String(lab.listBundles().pop()), 'spec.json'), 'utf8');
    assert.ok(!/podman.*exec|"exec"/.test(spec), "the way to a host is no one's but its owner's");
    assert.deepEqual(Object.keys(JSON.parse(spec).environment.hosts), hosts.names);
    await hosts.checkClean();
  });

  it('fails the trial and ends when one is paused, and goes on when it is not', async (context) => {
    const hosts = start(/** @type {any} */ (context));
    const lab = makeLab({ hold_s: 8, repeats: 2 });
    const harness = await startLoad(lab, hosts);
    podmanOk('pause', hosts.long('c3'));
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 2, stdout + stderr);
    assert.match(lab.readStatuses()[TRIAL], /^failed: .*the agent of host c3 did not answer within \d+ s/);
    assert.match(stderr, /^error: hosts: c3: can not be reached: .+; try: podman exec -i \S+-c3 true; then go on with --resume$/m);
    podmanOk('unpause', hosts.long('c3'));
    await hosts.checkClean();
    const again = await lab.run(['--hosts', hosts.file, '--resume']);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.deepEqual([...new Set(Object.values(lab.readStatuses()))], ['done']);
  });

  it('fails the trial and ends when one is removed', async (context) => {
    const hosts = start(/** @type {any} */ (context));
    const lab = makeLab({ hold_s: LONG_S, repeats: 2 });
    const harness = await startLoad(lab, hosts);
    podmanOk('rm', '--force', '--time', '0', hosts.long('c4'));
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 2, stdout + stderr);
    assert.match(lab.readStatuses()[TRIAL], /^failed: .*the link to host c4 was lost: Error: /);
    assert.match(stderr, /^error: hosts: c4: can not be reached: Error: .*; then go on with --resume$/m);
    await hosts.checkClean(['c1', 'c2', 'c3']);
  });

  it('fails a trial when the command to one is killed, leaves nothing, and goes on', async (context) => {
    const hosts = start(/** @type {any} */ (context));
    const lab = makeLab({ hold_s: 8, repeats: 2 });
    const harness = await startLoad(lab, hosts);
    const [pid] = listOfPodman(hosts.long('c2'), 'agent/main.js');
    process.kill(pid, 'SIGKILL');
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    const statuses = lab.readStatuses();
    assert.match(statuses[TRIAL], /^failed: .*the link to host c2 was lost: its podman was killed by SIGKILL/);
    assert.equal(statuses['b02-ws-steady'], 'done');
    await hosts.checkClean();
  });

  it('brings the suite to those that lack it, once, and installs it there by its own target', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'containers-make-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const make = join(folder, 'make');
    // In the place of make: it notes what it was told, and links what is installed here
    writeFileSync(make, `#!/bin/sh
echo "$*" >> /var/made
for each in node_modules runtimes/node-24/bin runtimes/node-24/node_modules servers/ws/node_modules clients/forked/ws/node_modules; do
  [ -e "$each" ] || ln -s "${ROOT}/$each" "$each"
done
`);
    chmodSync(make, 0o755);
    const hosts = start(/** @type {any} */ (context), { options: ['--volume', `${make}:/usr/bin/make:ro`] });
    const lab = makeLab();
    const line = /^(c\d): bringing the suite to (\S+)\/[0-9a-f]{16}$/gm;
    const brought = (/** @type {{stdout: string}} */ { stdout }) => [...stdout.matchAll(line)]
      .map(([, host, to]) => `${host} ${to}`).sort();
    const first = await lab.run(['--hosts', hosts.file]);
    assert.equal(first.code, 0, first.stdout + first.stderr);
    assert.deepEqual(brought(first), hosts.names.map((name) => `${name} /root/wscale`));
    assert.match(hosts.runOn('c1', 'cat', '/var/made'), /install PARTS=servers\/ws$/);
    assert.match(hosts.runOn('c4', 'cat', '/var/made'), /install PARTS=clients\/forked\/ws clients\/forked$/);
    const again = await lab.run(['--hosts', hosts.file]);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.deepEqual(brought(again), [], 'it is there');
    await hosts.checkClean();
  });

  it('leaves nothing in any when the coordinator is killed', async (context) => {
    const hosts = start(/** @type {any} */ (context));
    const harness = await startLoad(makeLab({ hold_s: LONG_S }), hosts);
    harness.signal('SIGKILL');
    await harness.ended;
    await hosts.checkClean();
  });
});
