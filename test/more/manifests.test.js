/** infra/kubernetes against the schemas of Kubernetes, from 1.27 on: the first release whose Indexed Jobs can grow. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const FOLDER = join(ROOT, 'infra/kubernetes');
const FILES = ['namespace.yaml', 'network-policy.yaml', 'server.yaml', 'clients.yaml'];
const VALIDATE = join(ROOT, 'test/more/kubernetes/venv/bin/kubernetes-validate');

/** @param {string[]} argv */
const run = ([program, ...rest]) => spawnSync(program, rest, { cwd: FOLDER, encoding: 'utf8' });

const folder = mkdtempSync(join(tmpdir(), 'manifests-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} text of manifests @returns {{status: number | null, said: string}} */
function validate(text) {
  const path = join(folder, 'manifests.yaml');
  writeFileSync(path, text);
  const { status, stdout, stderr } = run([VALIDATE, '--strict', path]);
  return { status, said: stdout + stderr };
}

for (const version of ['1.27', '1.33', '1.37']) {
  test(`the manifests are sound by the API of Kubernetes ${version}, with no field that it does not know`, () => {
    const { status, stdout, stderr } = run([VALIDATE, '--strict', '--kubernetes-version', version, ...FILES]);
    assert.equal(status, 0, stdout + stderr);
    assert.equal((stdout + stderr).match(/ passed for resource /g)?.length, FILES.length);
  });
}

test('a manifest with a wrong field is refused, so that the others were looked at', () => {
  const { status, said } = validate(readFileSync(join(FOLDER, 'clients.yaml'), 'utf8').replace('completionMode', 'completionsMode'));
  assert.notEqual(status, 0);
  assert.match(said, /completionsMode/);
});

const hasKubectl = run(['kubectl', 'version', '--client']).status === 0;

test('kustomize makes all of them, and what it makes is sound', { skip: hasKubectl ? false : 'no kubectl on this machine' }, () => {
  const made = run(['kubectl', 'kustomize', '.']);
  assert.equal(made.status, 0, made.stderr);
  const { status, said } = validate(made.stdout);
  assert.equal(status, 0, said);
  assert.ok(made.stdout.includes('image: registry.example/wscale:latest'));
});
