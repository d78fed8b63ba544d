/** `make bench-swarm` at its smallest, with a load of each kind whose arguments differ. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

test('the bench of swarm carries out closed, open and idle loads', { timeout: 900_000 }, () => {
  const { status, stdout, stderr } = spawnSync('./wscale', ['bench-swarm', '--quick', '--loads', 'k1-c100,open-constant,idle-one'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  assert.doesNotMatch(stdout, / failed: /);
  assert.match(stdout, /idle-one-ws {2}done/);
});
