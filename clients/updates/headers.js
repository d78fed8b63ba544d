/** Request headers from the files of headers/: one header per line, comments after `#`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'headers');
const EXTENSION = '.txt';
/** In headers/source.txt: replaced by as many letters as a poll needs to reach the source's size. */
const FILL = '{fill}';
/** Section 1.1.6 of the thesis: request and response header together, without data. */
export const SOURCE_B = 871;

/** @returns {string[]} the names of the files */
export function listHeaders() {
  return readdirSync(FOLDER).filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length)).sort();
}

/**
 * @param {string} name of a file
 * @param {string} url of the server
 * @returns {[string, string][]} in the file's order
 */
export function readHeaders(name, url) {
  const { host } = new URL(url);
  const lines = readFileSync(join(FOLDER, `${name}${EXTENSION}`), 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim().replaceAll('{host}', host)];
  });
}

/** @param {[string, string][]} headers @returns {boolean} whether they contain FILL */
export const hasFill = (headers) => headers.some(([, value]) => value.includes(FILL));

/** @param {[string, string][]} headers @param {number} fill_b @returns {string[]} names and values, alternating, for node:http */
export function flatten(headers, fill_b) {
  return headers.flatMap(([name, value]) => [name, value.replace(FILL, () => 'x'.repeat(fill_b))]);
}

/** Headers written by the client library itself. */
const OWN = /^(host|connection|content-length|accept-encoding)$/i;

/** @param {[string, string][]} headers @returns {Record<string, string>} without those that a library writes itself */
export function extraHeaders(headers) {
  return Object.fromEntries(headers.filter(([name]) => !OWN.test(name)).map(([name, value]) => [name, value.replace(FILL, '')]));
}
