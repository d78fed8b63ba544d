/**
 * The code of the harness, the reductions and the shared figures names no engine, generator, companion or experiment.
 * They read what they need to know of one from its folder. Comments may name one as an example.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { listEngines } from '../../harness/spec/engines.js';
import { listCompanions, listGenerators } from '../../harness/spec/generators.js';
import { listExperiments } from '../../harness/spec/spec.js';

const NAMES = [...listEngines(), ...listGenerators(), ...listCompanions(), ...listExperiments()];
/** A name as a whole word, also before .tsv or .hlog. @type {[string, RegExp][]} */
const EXPRESSIONS = NAMES.map((name) => [name, new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-]|\\.(?!tsv|hlog)\\w)`)]);

/** Names with another meaning: text to ignore, in which files, and why. @type {[RegExp, RegExp, string][]} */
const EXCEPTIONS = [
  [/\bupdates\b/gi, /^(harness|analysis)\//, 'a behaviour of servers, and a kind of arrivals (servers/CONTRACT.md)'],
  [/\bbrowser\b/g, /^harness\/spec\/settings\.js$/, 'a setting: what loads pages'],
  [/\bexchange\b/g, /^(harness|report)\//, 'what two clocks do, and what a bench does'],
  [/\btransports\b/g, /^harness\/(spec\/settings|check\/conformance-.*)\.js$/, 'an option of engines'],
  [/[^\n]*/g, /^harness\/cli\/clean\.sh$/, 'what builds leave in their folders'],
  [/[^\n]*/g, /^harness\/cli\/(commands\/\w+|suite|tests|options)\.js$/, 'commands on the native generator, and examples'],
  [/\bws:|'ws', 'wss'|startsWith\('ws'\)/g, /^(harness|analysis)\//, 'the scheme of a URL'],
];

/** @param {string} path @param {string} text @returns {string} with comments blanked, and the same lines */
function stripComments(path, text) {
  const comment = /\.c?js$/.test(path) ? /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm : /(?<=^|\s)#.*$/gm;
  return text.replaceAll(comment, (found) => found.replaceAll(/[^\n]/g, ' '));
}

/** @param {string} path @param {string} text @returns {string[]} each `path:line: name` */
export function findNames(path, text) {
  const code = EXCEPTIONS.filter(([, where]) => where.test(path)).reduce((left, [word]) => left.replaceAll(word, ''), stripComments(path, text));
  return code.split('\n').flatMap((line, index) => EXPRESSIONS.filter(([, expression]) => expression.test(line))
    .map(([name]) => `${path}:${index + 1}: ${name}`));
}

test('no engine, generator, companion or experiment is named in the code that all share', () => {
  const files = globSync(['harness/**/*.*', 'analysis/**/*.*', 'report/**/*.*', 'plots/*.gp'], { cwd: ROOT, exclude: ['**/*.md', '**/node_modules'] }).sort();
  assert.ok(files.length > 100, `${files.length} files`);
  assert.deepEqual(files.flatMap((path) => findNames(path, readFileSync(join(ROOT, path), 'utf8'))), []);
});

test('a name is found in code, but not in a comment or within another word', () => {
  assert.deepEqual(findNames('harness/a.js', "// swarm\nconst usual = 'swarm'; /* forked */"), ['harness/a.js:2: swarm']);
  assert.deepEqual(findNames('analysis/a.awk', '# engine.io\nengine == "engine.io-2014" { serial_us++ }'), ['analysis/a.awk:2: engine.io-2014']);
  assert.deepEqual(findNames('harness/run/trial.js', "url.replace('ws:', 'http:')"), []);
  assert.deepEqual(findNames('harness/run/run.js', "const engines = ['ws'];"), ['harness/run/run.js:1: ws']);
  assert.deepEqual(findNames('harness/run/merge.js', "const tables = ['serial.tsv', 'ws.js'];"), ['harness/run/merge.js:1: serial']);
});
