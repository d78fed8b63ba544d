#!/usr/bin/env node
/**
 * choose: the files of tests that globs name, on one line.
 *
 *     node test/choose.js 'test/unit/*.test.js test/golden/by-hand.test.js'
 *
 * A glob that names no file, or one that is no test, is refused: node itself would run what is left, or nothing.
 */
import { globSync } from 'node:fs';

const globs = (process.argv[2] ?? '').split(/\s+/).filter(Boolean);
const found = globs.map((glob) => globSync(glob).filter((path) => path.endsWith('.test.js')));
const empty = globs.filter((_, index) => found[index].length === 0);
if (empty.length || globs.length === 0) {
  const what = empty.length ? `no *.test.js is named by ${empty.map((glob) => `"${glob}"`).join(', ')}` : 'names nothing';
  console.error(`error: TESTS: ${what}; give paths or globs from here, for example: make test TESTS='test/unit/*.test.js'`);
  process.exit(64);
}
console.log([...new Set(found.flat())].sort().join(' '));
