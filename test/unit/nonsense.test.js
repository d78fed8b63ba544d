/**
 * Replaces each leaf of every manifest in the tree by nonsense. The check must refuse it, and name the place and the
 * value, unless ACCEPTED lists it. Likewise for a nonsense key in each table.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, stringify } from 'smol-toml';
import { ROOT } from '../../harness/common/places.js';
import { inspectValue } from '../../harness/spec/manifest.js';

/** @typedef {import('../../harness/spec/manifest.js').SchemaName} SchemaName */

const NONSENSE = [NaN, Infinity, -Infinity, -1, 1e300, '', ' ', '\t', 'a\tb', 'a\u2028b', '\u001b[2J', '../x', '/etc', '__proto__', true];
const KEYS = ['', ' ', 'a\tb', 'a=b', 'a,b', '../x', '/etc', '__proto__', 'É', 'x'.repeat(200)];

/** Accepted where any single line is: in prose, and as an argument of a command. */
const PROSE = ['../x', '/etc', '__proto__'];
/** Accepted values, by kind of manifest and leaf; `*` stands for an index. @type {[RegExp, unknown[]][]} */
const ACCEPTED = [
  [/^\w+: (title|question|source|idiom|rebuilt|version_prefix|pinned|ssh_config)$/, PROSE],
  [/^\w+: (.+[.])?(build|start|version|package_version)[.]\*$/, PROSE],
  [/^(generator|companion): metrics[.]/, PROSE],
  [/^experiment: settings[.]\w+[.](usual|meaning|words)$/, PROSE],
  [/^experiment: claims[.]\*[.](computed|reduced|variants[.]\*[.]name)$/, PROSE],
  // Files that several folders share are beside them
  [/^(engine|client|runtime|generator|companion): (.+[.])?build_inputs[.]\*$/, ['../x']],
  [/^engine: options[.].+[.]folder$/, ['../x']],
  // A difference, a slope or an exponent may be negative
  [/^experiment: claims[.]\*[.](above|below|reaches|between[.]0|holds[.]0)$/, [-1]],
  // ssh_config allows such names of a Host, and ssh gets the name as one argument
  [/^hosts: hosts[.]\*[.]ssh$/, ['../x', '/etc', '__proto__']],
  [/^hosts: hosts[.]\*[.]suite$/, ['/etc']], // the run looks for the suite there, and compares its code
];

/** @type {[SchemaName, string][]} */
const MANIFESTS = [
  ['experiment', 'experiments/*/experiment.toml'], ['engine', 'servers/*/engine.toml'], ['client', 'clients/*/*/client.toml'],
  ['generator', 'clients/*/generator.toml'], ['companion', 'clients/*/companion.toml'], ['runtime', 'runtimes/*/runtime.toml'],
  ['hosts', 'hosts.example.toml'],
];

/** @param {SchemaName} kind @param {string} path @returns {any} */
function readSound(kind, path) {
  const value = parse(readFileSync(join(ROOT, path), 'utf8'));
  if (kind !== 'hosts') return value;
  Object.assign(value, { folder: 'wscale', ssh_config: 'ssh_config' });
  Object.assign(/** @type {any} */ (value).hosts[1], { addresses: ['10.0.0.9'], metrics: 'none', suite: '/srv/wscale' });
  return value;
}

/** @param {any} value @param {string[]} [path] @returns {{path: string[], holder: any, key: string}[]} every leaf */
function listLeaves(value, path = []) {
  return Object.keys(value).flatMap((key) => {
    const below = value[key];
    return below !== null && typeof below === 'object' ? listLeaves(below, [...path, key]) : [{ path: [...path, key], holder: value, key }];
  });
}

/** @param {string} kind @param {string[]} path @param {unknown} nonsense */
function isAccepted(kind, path, nonsense) {
  const place = `${kind}: ${path.map((key, at) => (/^\d+$/.test(key) && !['between', 'holds'].includes(path[at - 1]) ? '*' : key)).join('.')}`;
  return ACCEPTED.some(([where, values]) => where.test(place) && values.includes(nonsense));
}

/** @param {string} text */
const visible = (text) => text.replace(/[\u2028\t]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** @param {unknown} value as messages show it */
const shown = (value) => (typeof value === 'number' ? String(value).replace('NaN', 'nan').replace('Infinity', 'inf') : visible(JSON.stringify(value)));

for (const [kind, pattern] of MANIFESTS) {
  const files = globSync(pattern, { cwd: ROOT }).sort();

  test(`no leaf of a manifest of kind "${kind}" takes nonsense`, () => {
    assert.ok(files.length > 0);
    for (const file of files) {
      const manifest = readSound(kind, file);
      assert.deepEqual(inspectValue(manifest, kind, file).problems, [], file);
      for (const { path, holder, key } of listLeaves(manifest)) {
        const sound = holder[key];
        for (const nonsense of NONSENSE) {
          if (typeof nonsense === typeof sound && typeof nonsense === 'boolean') continue;
          holder[key] = nonsense;
          const { problems } = inspectValue(manifest, kind, file);
          const what = `${file}: ${path.join('.')} = ${shown(nonsense)}`;
          if (isAccepted(kind, path, nonsense)) assert.deepEqual(problems, [], `${what} is listed as accepted, and is not`);
          else assert.ok(problems.some((problem) => namesPlace(problem, file, path) && problem.includes(shown(nonsense).slice(0, 57))), `${what}: ${problems}`);
        }
        holder[key] = sound;
      }
    }
  });

  test(`no table of a manifest of kind "${kind}" takes an invalid key`, () => {
    for (const file of files) {
      const manifest = readSound(kind, file);
      for (const { path, holder } of listTables(manifest)) {
        for (const key of KEYS) {
          Object.defineProperty(holder, key, { value: Object.values(holder)[0], enumerable: true, configurable: true });
          const { problems } = inspectValue(manifest, kind, file);
          const what = `${file}: ${path.join('.')}: a key ${JSON.stringify(key)}`;
          assert.ok(problems.some((problem) => problem.includes(visible(key).slice(0, 50)) || problem.includes(JSON.stringify(key).slice(1, 50))), `${what}: ${problems}`);
          delete holder[key];
        }
      }
    }
  });
}

/**
 * A problem may name the leaf, or the list or table that holds it.
 * @param {string} problem @param {string} file @param {string[]} path
 */
const namesPlace = (problem, file, path) =>
  [path, path.slice(0, -1)].some((place) => problem.startsWith(`${file}: ${place.join('.')}: `));

/** @param {any} value @param {string[]} [path] @returns {{path: string[], holder: any}[]} every table */
function listTables(value, path = []) {
  if (value === null || typeof value !== 'object') return [];
  const below = Object.keys(value).flatMap((key) => listTables(value[key], [...path, key]));
  return Array.isArray(value) ? below : [{ path, holder: value }, ...below];
}

/**
 * @param {string} text TOML of a claim's criterion
 * @returns {string[]} problems of a manifest whose first claim has it
 */
function problemsOfClaim(text) {
  const manifest = readSound('experiment', 'experiments/03-engineio-vs-socketcluster/experiment.toml');
  manifest.claims[0] = { id: 'T4', metric: 'server_cpu_s_per_1k', compare: [{ era: '2014', of: 'ws-2014' }], ...parse(text) };
  return inspectValue(parse(stringify(manifest)), 'experiment', 'x').problems;
}

test('a criterion is a finite number, and that of two bounds has the lower one first', () => {
  for (const [text, why] of /** @type {[string, RegExp | undefined][]} */ ([
    ['below = nan', /claims\.0\.below: nan is not a finite number; give one$/], ['above = 1e400', /claims\.0\.above: inf is not a finite number/],
    ['between = [2, 1]', /claims\.0\.between\.1: 1 must be > 2; correct it$/], ['between = [1, 1]', /must be > 1/],
    ['between = [nan, 1]', /claims\.0\.between\.0: nan is not a finite number/], ['between = [-1, 1]', undefined],
  ])) {
    const problems = problemsOfClaim(text);
    if (why) assert.match(problems.join('\n'), why, text);
    else assert.deepEqual(problems, [], text);
  }
});

test('the defaults of an engine are within its own limits and values', () => {
  const mangled = (/** @type {(engine: any) => void} */ change) => {
    const engine = readSound('engine', 'servers/websockets/engine.toml');
    change(engine);
    return inspectValue(engine, 'engine', 'x').problems;
  };
  const problemOf = (/** @type {(engine: any) => void} */ change) => mangled(change).join();
  assert.match(problemOf(({ roles: { worker } }) => { worker.default = 2; }), /^x: roles\.worker\.default: 2 must be <= 1; correct it$/);
  assert.match(problemOf(({ roles: { worker } }) => { worker.min = 2; }), /^x: roles\.worker\.min: 2 must be <= 1; correct it/);
  assert.match(problemOf(({ options: { loop } }) => { loop.default = 'none'; }), /loop\.default: "none" is not known; use one of uvloop, asyncio$/);
  assert.match(problemOf((engine) => { engine.min_message_b = 9; engine.max_message_b = 8; }), /max_message_b: 8 must be >= 9/);
  for (const name of ['client', 'server', 'recorder', 'link']) { // sides and processes of the suite's own
    assert.match(problemOf(({ roles }) => { roles[name] = roles.worker; }), new RegExp(`^x: roles: "${name}" is not a name of a role`));
  }
});
