/** Counts the lines of code in a server's folder, in any language. */
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { sum } from 'd3-array';

/** Files made or fetched by an installation. */
const NOT_OURS = /^(\..*|node_modules|target|vendor|venv|__pycache__)$/;
/** Extensions of manifests, locks, pages and prose; everything else is code. */
const NO_CODE = new Set(['.toml', '.json', '.lock', '.mod', '.sum', '.xml', '.sha256', '.txt', '.md', '.html', '.css']);

/** @param {string} folder of a server @param {string} [comment] `comment` of runtime.toml @returns {number} neither blank nor comments */
export function countCodeLines(folder, comment = '//') {
  const isCode = (/** @type {import('node:fs').Dirent} */ entry) => entry.isFile() && !NO_CODE.has(extname(entry.name));
  return sum(readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !NOT_OURS.test(name)), (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return countCodeLines(path, comment);
    const start = path.endsWith('.sh') ? '#' : comment;
    return isCode(entry) ? readFileSync(path, 'utf8').split('\n').filter((line) => line.trim() && !line.trim().startsWith(start)).length : 0;
  });
}
