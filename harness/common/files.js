/** Files that are whole or absent: written under a temporary name, synced, renamed. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { UserError } from './failure.js';
import { spellSettings } from './setting.js';
import { withoutControls } from './untrusted.js';

/** @param {string} path @param {string} text */
export function writeAtomically(path, text) {
  const temporary = `${path}.partial-${process.pid}`;
  try {
    writeFileSync(temporary, text, { flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** @param {string} path of a folder that is made if missing, with those above it @throws {UserError} if that cannot be */
export function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    // on a read-only disk Node says that the folder is missing
    throw new UserError(`${path}: no folder can be made there (${/** @type {NodeJS.ErrnoException} */ (error).code}); remove what is in its place, or make the disk writable`);
  }
}

/** @param {string} path @param {unknown} value */
export const writeJson = (path, value) => writeAtomically(path, `${JSON.stringify(value, null, 2)}\n`);

/** @param {string} path @returns {string} @throws {Error} with the path, which the error for a folder lacks */
export function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Object.assign(/** @type {Error} */ (error), { path });
  }
}

/** @param {string} path @returns {any} @throws {UserError} when it is no JSON */
export function readJson(path) {
  const text = readText(path);
  try {
    return JSON.parse(text, (_key, value) => (typeof value === 'string' ? withoutControls(value) : nameRates(value)));
  } catch (error) {
    throw new UserError(`${path}: is no JSON: ${/** @type {Error} */ (error).message}; get it anew`);
  }
}

/**
 * Old bundles call two rates `rate_hz`: per connection for arrivals at random times, and over all connections in the steps of a sweep.
 * They call the batch of a step `together`.
 * @param {any} value @returns {any}
 */
function nameRates(value) {
  if (value?.kind === 'poisson' && 'rate_hz' in value) return { kind: 'poisson', rate_hz_per_connection: value.rate_hz };
  if (value?.kind !== 'staircase' || !('lead_s' in value)) return value;
  const rename = (/** @type {any} */ { rate_hz, together, ...step }) => (
    { ...(rate_hz !== undefined && { total_rate_hz: rate_hz }), ...(together && { batch: together }), ...step });
  return { ...value, steps: value.steps.map(rename) };
}

/** @param {string} path @param {string[]} columns @param {Record<string, unknown>[]} rows */
export const writeTsv = (path, columns, rows) => writeAtomically(path, `${columns.join('\t')}\n${formatRows(columns, rows)}`);

/** @param {string[]} columns @param {Record<string, unknown>[]} rows @returns {string} lines of a table, without its header */
export const formatRows = (columns, rows) => rows.map((row) => `${columns.map((column) => row[column] ?? '-').join('\t')}\n`).join('');

/** @param {Record<string, string>[]} rows as read, one at least @returns {string[]} their columns, without the parts of settings */
export const columnsOf = ([row]) => Object.keys(row).filter((name) => !name.includes('.'));

/** @param {Record<string, unknown>[]} rows @returns {Record<string, string>[]} as read back from a file */
export const asText = (rows) => rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));

/**
 * @param {string} path
 * @returns {Record<string, string>[]} an object per row, keyed by the header; [] if the file is missing
 * @throws {UserError} if its end is: a number may lack its last digits
 */
export function readTsv(path) {
  if (!existsSync(path)) return [];
  const text = readText(path);
  const rows = splitCells(text);
  const short = rows.findIndex((cells) => cells.length !== rows[0].length);
  if (!text.endsWith('\n') || short >= 0) {
    const where = text === '' ? 'is empty' : `ends or breaks off in line ${short >= 0 ? short + 1 : rows.length}`;
    throw new UserError(`${path}: ${where}: it is no whole table; get it anew, or end its last line`);
  }
  return nameCells(rows);
}

/** @param {string} text of a table @returns {string[][]} its cells, those of the header first */
const splitCells = (text) => withoutControls(text).replace(/\n$/, '').split('\n').map((line) => line.split('\t'));

/** Old names of columns, and their present ones. @type {Record<string, string>} */
const RENAMED = { rate_hz: 'total_rate_hz', together: 'batch', wakings_hz: 'wakeups_hz', waking_us: 'wakeup_us' };

/** @param {string} text of a table @returns {Record<string, string>[]} with a column for each setting (setting.js) */
export const parseTsv = (text) => nameCells(splitCells(text));

/** @param {string[][]} rows the header first @returns {Record<string, string>[]} */
function nameCells([header, ...rows]) {
  const renamed = header.includes('fastest_share') ? { ...RENAMED, rate_hz: 'rate_hz_per_connection' } : RENAMED;
  const columns = header.map((column) => renamed[column] ?? column);
  return spellSettings(rows.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]]))));
}
