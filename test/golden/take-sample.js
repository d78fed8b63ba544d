#!/usr/bin/env node
/**
 * take-sample: packs a small bundle as the sample that the golden tests reduce.
 *
 *     node test/golden/take-sample.js results/<experiment>/<stamp> [target.tar.xz]
 *
 * Packs the files that the reduction and the rules read into the target, by default
 * test/golden/samples/<experiment>/, where it replaces the old sample. Leaves out the host's name and paths, and
 * other programs in top's screens. Then run: make golden
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pack } from '../../harness/common/archive.js';
import { openBundle } from '../../harness/common/bundle.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { sampleOf } from './places.js';

/** @param {string} trial its folder */
function keepOwnProcesses(trial) {
  const own = new Set(['accounts', 'threads'].flatMap((name) => readTsv(join(trial, `raw/${name}.tsv`)).map(({ pid, tid = pid }) => tid)));
  const path = join(trial, 'raw/top.txt');
  const isStranger = (/** @type {string} */ line) => {
    const [pid] = line.trim().split(' ');
    return /^\d+$/.test(pid) && !own.has(pid);
  };
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').filter((line) => !isStranger(line)).join('\n'));
}

/** Remove files that the reduction of a run on one host does not read. @param {string} raw */
function dropUnread(raw) {
  const probes = join(raw, 'search');
  const unread = ['live.tsv', 'wire/packets.pcap.gz', 'wire/keys.log'].map((name) => join(raw, name));
  const folders = existsSync(probes) ? readdirSync(probes).filter((name) => /^\d+$/.test(name)).map((name) => join(probes, name)) : [];
  for (const path of [...unread, ...folders]) rmSync(path, { recursive: true, force: true });
}

/** @param {string} folder @param {[string, string][]} names with their replacements */
function scrub(folder, names) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (path.endsWith('.png')) continue;
    const text = readFileSync(path, 'utf8');
    if (statSync(path).size === 0) rmSync(path);
    else writeFileSync(path, names.reduce((so_far, [name, instead]) => so_far.replaceAll(name, instead), text));
  }
}

const bundle = resolve(process.argv[2] ?? '');
const { spec, plan } = openBundle(bundle);
const target = process.argv[3] ? resolve(process.argv[3]) : sampleOf(spec.experiment);
const sample = mkdtempSync(join(tmpdir(), 'sample-'));
try {
  mkdirSync(join(sample, 'trials'));
  for (const name of ['spec.json', 'plan.tsv', 'comparisons.tsv']) cpSync(join(bundle, name), join(sample, name));
  for (const { trial } of plan) {
    cpSync(join(bundle, 'trials', trial), join(sample, 'trials', trial), { recursive: true });
    keepOwnProcesses(join(sample, 'trials', trial));
    dropUnread(join(sample, 'trials', trial, 'raw'));
    const { out } = readJson(join(sample, 'trials', trial, 'raw/client.json'));
    scrub(join(sample, 'trials', trial), [[dirname(dirname(out)), 'agent']]);
  }
  scrub(sample, [[dirname(dirname(bundle)), 'results'], [`(${hostname()})`, '(host)']]);
  mkdirSync(dirname(target), { recursive: true });
  pack(target, sample);
} finally {
  rmSync(sample, { recursive: true });
}
console.log(`${relative(process.cwd(), target)}: taken from ${basename(bundle)}`);
