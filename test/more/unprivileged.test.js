/**
 * Experiments run by a user without root, from manifest to figures, also by the README's first command, to the letter.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { coresHere } from '../../harness/common/cores.js';
import { readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { listNeeds } from '../../harness/run/install.js';
import { inspectManifest } from '../../harness/spec/manifest.js';
import { findExperiment, listExperiments, makeSpec } from '../../harness/spec/spec.js';
import { makeNobody } from './nobody.js';

const MAIN = join(ROOT, 'harness/main.js');
const { home, env, argvOf, obstacle: skip } = makeNobody();

const readManifest = (/** @type {string} */ name) => inspectManifest(join(ROOT, 'experiments', name, 'experiment.toml'), 'experiment').value;
const experiment = listExperiments().find((name) => readManifest(name).network?.capture) ?? '';
const [, first = ''] = /^make (experiment-\d+ PROFILE=quick)\b/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];

/** @param {string} command of make, in profile quick @returns {{stdout: string, bundle: string}} */
function runAsNobody(command) {
  const name = findExperiment(/^experiment-(\S+)/.exec(command)?.[1] ?? '');
  const folders = listNeeds(makeSpec(name, 'quick', 0, undefined, { cores: coresHere() })).filter((word) => /^(servers|clients)\//.test(word));
  const installed = spawnSync(process.execPath, [MAIN, 'install', folders.join(' ')], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(installed.status, 0, installed.stderr);
  const { status, stdout, stderr } = spawnSync(...argvOf('make', ...command.split(' ')), { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  const [stamp] = readdirSync(join(home, 'results', name));
  return { stdout, bundle: join(home, 'results', name, stamp) };
}

/**
 * Figures exist and are printed, unless a busy machine left no trial unflagged.
 * @param {string} stdout @param {string} bundle
 */
function checkFigures(stdout, bundle) {
  const hasPicture = readdirSync(join(bundle, 'figures')).some((name) => name.endsWith('.png'));
  assert.equal(/^figures? +\S+\.svg/m.test(stdout), hasPicture, stdout);
  if (readTsv(join(bundle, 'reduced/dropped.tsv')).length === 0) assert.ok(hasPicture, stdout);
}

/** By permission, words that an experiment's README must use for it. */
const SAYS = /** @type {Record<string, RegExp>} */ ({ 'permit:capture': /namespaces/, 'permit:link': /namespaces[^]*(tc-netem|\/dev\/net\/tun)/ });

for (const name of listExperiments()) {
  test(`${name} runs without root, or asks first for what this kernel keeps from users, which its README says`, { skip }, (t) => {
    const needs = /** @type {const} */ (['quick', 'default', 'paper']).flatMap((profile) => listNeeds(makeSpec(name, profile, 0, undefined, { cores: coresHere() })));
    const permits = [...new Set(needs)].filter((word) => word.startsWith('permit:'));
    const { status, stderr } = spawnSync(...argvOf('runtimes/check-first.sh', ...permits), { env, encoding: 'utf8' });
    t.diagnostic(`${name}: ${status === 0 ? 'runs' : stderr.trim()}`);
    const readme = readFileSync(join(ROOT, 'experiments', name, 'README.md'), 'utf8');
    for (const permit of permits) assert.match(readme, SAYS[permit], permit);
    if (permits.length === 0) assert.deepEqual([status, stderr, /\broot\b/.test(readme)], [0, '', false], 'it asks for nothing, and its README for no root');
    else if (status !== 0) assert.match(stderr, /^(error: (capture|link): .+; run it as root.*\n)+$/);
  });
}

test('the first command of the README runs without root, as it stands there', { skip }, () => {
  assert.notEqual(first, '');
  const { stdout, bundle } = runAsNobody(first);
  assert.ok(readTsv(join(bundle, 'plan.tsv')).length > 0);
  for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) assert.match(readFileSync(join(bundle, 'trials', trial, 'status'), 'utf8'), /^done/, trial);
  checkFigures(stdout, bundle);
});

test('an experiment between network namespaces runs, and captures packets, without root', { skip }, () => {
  const { stdout, bundle } = runAsNobody(`experiment-${experiment} PROFILE=quick`);
  assert.match(readFileSync(join(bundle, 'summary.txt'), 'utf8'), /network namespaces joined by a veth pair/);
  for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) {
    const raw = join(bundle, 'trials', trial, 'raw/wire');
    assert.match(readFileSync(join(raw, 'dumpcap.err'), 'utf8'), /^Packets received\/dropped on interface .+: \d+\/0 \(/m, trial);
    assert.ok(readTsv(join(raw, 'packets.tsv')).length > 10, trial);
  }
  checkFigures(stdout, bundle);
});
