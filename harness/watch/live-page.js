/** The page as one self-contained text, so that it needs no network but the run's. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
/** Files for the page's placeholders: the charts' library, code shared with the terminal, and its own program. */
const PARTS = {
  'charts.css': () => resolve('uplot/dist/uPlot.min.css'),
  'charts.js': () => resolve('uplot/dist/uPlot.iife.min.js'),
  'program.js': () => join(import.meta.dirname, 'page', 'program.js'),
  'view.js': () => join(import.meta.dirname, 'view.js'),
};

/** @type {{text: string, policy: string} | undefined} */
let composed;

/** @returns {{text: string, policy: string}} composed at the first request; the policy forbids any other script */
export const composePage = () => (composed ??= compose());

function compose() {
  const template = readFileSync(join(import.meta.dirname, 'page', 'page.html'), 'utf8');
  const text = Object.entries(PARTS).reduce((page, [name, find]) => page.replace(`/* ${name} */`, () => readFileSync(find(), 'utf8')), template);
  const hashes = [...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, script]) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const policy = `default-src 'none'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'; script-src ${hashes.join(' ')}`;
  return { text, policy };
}
