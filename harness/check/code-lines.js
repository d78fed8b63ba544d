/** How much code a server's folder holds, in whatever language. */
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

/** What an installation makes, or brings from elsewhere. */
const NOT_OURS = /^(\..*|node_modules|target|vendor|venv|__pycache__)$/;
/** Manifests, locks, pages and prose: everything else is code. */
const NO_CODE = new Set(['.toml', '.json', '.lock', '.mod', '.sum', '.xml', '.sha256', '.txt', '.md', '.html', '.css']);
/** How a line of comment begins where not with two slashes. @type {Record<string, string>} */
const COMMENTS = {
  '.py': '#', '.rb': '#', '.sh': '#', '.pl': '#', '.ex': '#', '.exs': '#', '.cr': '#', '.nim': '#', '.jl': '#',
  '.lua': '--', '.hs': '--', '.erl': '%',
};

/** @param {string} folder of a server @returns {number} lines that are neither blank nor a comment, of all files that are code */
export function countCodeLines(folder) {
  return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !NOT_OURS.test(name)).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + countCodeLines(path);
    return entry.isFile() && !NO_CODE.has(extname(path)) ? sum + countLines(path) : sum;
  }, 0);
}

/** @param {string} path @returns {number} */
function countLines(path) {
  const comment = COMMENTS[extname(path)] ?? '//';
  return readFileSync(path, 'utf8').split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith(comment)).length;
}
