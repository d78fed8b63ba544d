/** swarm is installed by the command of its manual, without the suite. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const RUST = join(ROOT, 'runtimes/rust/bin');
const [, command = ''] = /^cargo (install .+?)(?: +#.*)?$/m.exec(readFileSync(join(ROOT, 'clients/swarm/MANUAL.md'), 'utf8')) ?? [];

test("the manual's command installs swarm, which names its commit and its features, and measures", () => {
  const root = mkdtempSync(join(tmpdir(), 'swarm-install-'));
  const env = { ...process.env, PATH: `${RUST}:${process.env.PATH}` };
  const run = (/** @type {string} */ program, /** @type {string[]} */ ...argv) => spawnSync(program, argv, { cwd: ROOT, env, encoding: 'utf8' });
  try {
    const installed = run('cargo', ...command.split(' '), '--root', root);
    assert.equal(installed.status, 0, installed.stderr);
    const swarm = join(root, 'bin/swarm');
    assert.match(run(swarm, '--version').stdout, /^swarm \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}|unknown).*; TLS 1\.2 and 1\.3 .*permessage-deflate/);
    const { status, stderr } = run(swarm, 'ws://127.0.0.1:1', '-c', '1', '-d', '1s');
    assert.deepEqual([status, /Connection refused/.test(stderr)], [1, true], stderr);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
