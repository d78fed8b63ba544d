/** The tests: which files, what they need of the machine, and what runs before all of them. */
import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { start, startEach } from '../common/children.js';

/** Tests for every change, in a few minutes; and those that take longer. */
const QUICK = 'test/{unit,golden,quick}/*.test.js';
const MORE = 'test/{conformance,smoke,more}/*.test.js';

/** What tests need besides an awk and gnuplot, which are enough for the others. @type {[string, string[]][]} */
const NEEDS = [
  ['test/conformance/*.test.js', ['tested', 'go']],
  ['test/{conformance,smoke,more}/*.test.js', ['companions', 'network', 'capture', 'rust']],
  ['test/{golden/captures,unit/wire}.test.js', ['capture']],
  ['test/unit/network.test.js', ['network', 'rust']],
  ['test/unit/ec2.test.js', ['hosts']],
  ['test/unit/{oracle,trust}.test.js', ['oracle']],
  ['test/more/report.test.js', ['linters']], // a browser's driver is installed with them
  ['test/more/containers.test.js', ['containers']],
  ['test/more/manifests.test.js', ['kubernetes', 'python']],
  ['test/more/ec2.test.js', ['ec2', 'hosts', 'playbook', 'python', 'ansible', 'amazon', 'servers/ws', 'clients/forked/ws']],
];
const NEEDS_OF_ALL = ['run', 'records', 'figures', 'awks', 'network', 'capture', 'hosts', 'oracle', 'shellcheck', 'rust-lint', 'linters', 'rust', 'go'];

/**
 * @param {string[]} words globs and paths; make gives several in one
 * @returns {string[]} files, each once @throws {UserError} if a glob matches no test: node itself would run the others, or nothing
 */
export function chooseTests(words) {
  const globs = words.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  const found = globs.map((glob) => globSync(glob, { cwd: ROOT }).filter((path) => path.endsWith('.test.js')));
  const empty = globs.filter((_, index) => found[index].length === 0);
  if (empty.length) {
    const what = empty.map((glob) => `"${glob}"`).join(', ');
    throw new UserError(`TESTS: no *.test.js is named by ${what}; give paths or globs from here, for example: ./wscale test 'test/unit/*.test.js'`);
  }
  return [...new Set(found.flat())].sort();
}

/** @param {string[]} globs @returns {string[]} as provide.js takes them @throws {UserError} */
export function needsOfTests(globs) {
  const files = chooseTests(globs);
  if (files.length === 0) return NEEDS_OF_ALL;
  const own = NEEDS.filter(([glob]) => files.some((file) => matchesGlob(file, glob)));
  return [...new Set(['run', 'records', 'figures', 'awks', ...own.flatMap(([, needs]) => needs)])];
}

/** Three at a time: they wait more than they compute. @param {string[]} globs @param {Record<string, string>} [env] added to ours */
function runFiles(globs, env) {
  // Without a terminal, "# tests N" and "# pass N" end the report
  const reporter = process.stdout.isTTY ? 'spec' : 'tap';
  return start([process.execPath, '--test', '--test-concurrency=3', `--test-reporter=${reporter}`, ...globs], { env });
}

/** @returns {string[]} */
export const needsOfMore = () => [...new Set([...NEEDS_OF_ALL, ...needsOfTests([MORE])])];

/** @param {string[]} globs none: the tests for every change, and the linters @returns {Promise<number>} */
export async function runTests(globs) {
  const files = chooseTests(globs);
  if (files.length === 0) {
    const tests = [() => start(['test/cargo-test.sh', '--quick']), () => runFiles([QUICK])];
    return startEach([() => start(['test/lint.sh', '--quick']), () => startBoth(tests)]);
  }
  const parts = needsOfTests(globs).filter((need) => need.includes('/'));
  const install = () => start([process.execPath, 'harness/main.js', 'install', ...parts]);
  return startEach([...(parts.length ? [install] : []), () => runFiles(files)]);
}

/** Runs what `runTests` leaves out. It installs everything first. @returns {Promise<number>} */
export const runMore = () => startEach([
  () => startBoth([() => start(['test/lint.sh', '--rest']), () => start([process.execPath, 'harness/main.js', 'install', '--tested'])]),
  () => start(['test/cargo-test.sh', '--rest']),
  () => runFiles([MORE]),
]);

/** In parallel: one waits while another computes. @param {(() => Promise<number>)[]} steps @returns {Promise<number>} 0 if all are */
const startBoth = async (steps) => (await Promise.all(steps.map((step) => step()))).find((code) => code !== 0) ?? 0;

/** @returns {Promise<number>} */
export const updateGolden = () => runFiles(['test/golden/sample.test.js', 'test/golden/samplers.test.js'], { UPDATE_GOLDEN: '1' });
