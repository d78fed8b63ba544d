/** Generators: what makes the load. Each is a program of clients/ that obeys clients/CONTRACT.md. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { USUAL_LIBRARIES, listParts, readPart, runtimePath } from './engines.js';
import { UserError } from '../common/failure.js';
import { writeJson } from '../common/files.js';
import { CLIENTS, ROOT } from '../common/places.js';
import { formatSetting, parseSetting } from './setting.js';

/**
 * @typedef {import('./engines.js').Installable & {start: string[], dialects?: string[]}} Generator
 *   `start` is an argv, run in the folder without a shell, to which the path of the configuration is added;
 *   `dialects` it speaks itself: one without them takes the engine's client library
 */

/** The one that every experiment has run with, and that its claims are judged by: the engines' own client libraries. */
export const DEFAULT_GENERATOR = USUAL_LIBRARIES;

export const listGenerators = () => listParts(CLIENTS, 'generator.toml');

/** @param {string} name @returns {Generator} @throws {UserError} */
export function readGenerator(name) {
  return readPart(CLIENTS, name, 'generator', listGenerators);
}

/**
 * @param {{generator?: string}} [load] of a manifest
 * @returns {string} the generator whose libraries the engines' clients are: that of the experiment, where it takes any
 */
export function generatorOfLibraries(load) {
  const usual = load?.generator ?? DEFAULT_GENERATOR;
  return listGenerators().includes(usual) && !readGenerator(usual).dialects ? usual : DEFAULT_GENERATOR;
}

/** @param {string} name as a person gave it @throws {UserError} when there is none of that name */
export function checkGenerator(name) {
  const all = listGenerators();
  if (!all.includes(name)) throw new UserError(`GENERATOR: "${name}" is not a generator; use one of ${all.join(', ')}`);
}

/** @param {string} setting of a point @returns {string} the name of the generator */
export function generatorOf(setting) {
  return parseSetting(setting).generator ?? DEFAULT_GENERATOR;
}

/** @param {string} generator its name @returns {string} the setting of a point that nothing but the generator sets apart */
export function settingOf(generator) {
  return formatSetting(generator === DEFAULT_GENERATOR ? {} : { generator });
}

/** A load that is sound, of which nothing comes: no one says `go`. */
const NO_LOAD = {
  url: 'ws://127.0.0.1:9', behaviour: 'idle', processes: 1, connections: 1, connect_rate_hz: 1, warmup_s: 0, ramp_s: 1, settle_s: 0,
  hold_s: 1, arrivals: { kind: 'closed', outstanding: 1 }, payload: { type: 'text', bytes: 1 }, seed: 1, late_ms: 1, drain_s: 0,
};
/** Time for it to say `ready`, and to end when its standard input does. */
const SAYS_WITHIN_MS = 10_000;

/**
 * @param {Generator} generator that speaks its dialects itself
 * @returns {string} the version that its `ready` line tells
 * @throws {UserError} when it says none
 */
export function askVersion(generator) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-ask-'));
  try {
    const path = join(folder, 'client.json');
    writeJson(path, { ...NO_LOAD, dialect: generator.dialects?.[0], out: folder });
    const [program, ...rest] = generator.start;
    const env = { ...process.env, PATH: `${runtimePath(generator)}:${process.env.PATH}` };
    const { stdout, stderr } = spawnSync(program, [...rest, path], { cwd: generator.folder, env, input: '', encoding: 'utf8', timeout: SAYS_WITHIN_MS });
    const version = /^ready .*"version":"([^"]+)"/m.exec(stdout ?? '')?.[1];
    if (version) return version;
    const said = (stderr ?? '').trim().split('\n').pop() || 'nothing';
    throw new UserError(`${relative(ROOT, generator.folder)}: \`${generator.start.join(' ')}\` was never ready, and said: ${said}; see clients/CONTRACT.md`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
