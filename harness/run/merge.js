/**
 * The records of several client hosts made one, as one client would have left them (clients/CONTRACT.md, Records): seconds and counts are
 * added, histograms stand side by side in one log, which whoever reads it merges, means are weighted. What each host recorded stays
 *   beside
 * it, in raw/hosts/<host>/.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readTsv, writeAtomically, writeJson, writeTsv } from '../common/files.js';

/** @param {string} raw @param {string} host @returns {string} the folder of what it captured */
export const folderOf = (raw, host) => join(raw, 'hosts', host);

const SECONDS = 'intervals.tsv'; // added, second by second; the rows of all other tables stand one after the other
const LOGS = ['latency', 'service', 'connect', 'reconnect'];

/** Write raw/client. @param {string} raw @param {string[]} hosts that made the load */
export function mergeClients(raw, hosts) {
  const out = join(raw, 'client');
  mkdirSync(out, { recursive: true });
  const folders = hosts.map((host) => join(folderOf(raw, host), 'client'));
  mergeSeconds(out, folders);
  for (const log of LOGS) mergeLogs(join(out, `${log}.hlog`), folders.map((folder) => join(folder, `${log}.hlog`)).filter((path) => existsSync(path)));
  writeJson(join(out, 'summary.json'), mergeObjects(folders.map((folder, index) => readSummary(hosts[index], folder))));
  const tables = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.tsv') && name !== SECONDS));
  for (const table of new Set(tables)) mergeTables(out, folders, table);
}

/** @param {string} out @param {string[]} folders */
function mergeSeconds(out, folders) {
  const tables = folders.map((folder) => readTsv(join(folder, SECONDS)));
  const columns = Object.keys(tables[0][0]);
  const longest = Math.max(...tables.map((rows) => rows.length));
  writeTsv(join(out, SECONDS), columns, Array.from({ length: longest }, (_, t_s) => addSecond(tables, columns, t_s)));
}

/** Those of a host that ended stay connected. @param {Record<string, string>[][]} tables @param {string[]} columns @param {number} t_s */
function addSecond(tables, columns, t_s) {
  const valueOf = (/** @type {Record<string, string>[]} */ rows, /** @type {string} */ column) =>
    Number(rows[t_s]?.[column] ?? (column === 'connected' ? rows.at(-1)?.connected : 0));
  const sum = (/** @type {string} */ column) => tables.reduce((total, rows) => total + valueOf(rows, column), 0);
  return Object.fromEntries(columns.map((column) => [column, column === 't_s' ? t_s : sum(column)]));
}

/** HdrHistogram's log V2: comments and a legend, then a line a histogram, which begins with a tag or with its time. */
const isInterval = (/** @type {string} */ line) => /^(Tag=[^,]*,)?[0-9]/.test(line);
const timeOf = (/** @type {string} */ line) => Number(/^(?:Tag=[^,]*,)?([0-9.]+)/.exec(line)?.[1]);

/** @param {string} out @param {string[]} paths of logs, whose times are seconds since one start */
function mergeLogs(out, paths) {
  if (paths.length === 0) return;
  const logs = paths.map((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean));
  const head = logs[0].filter((line) => !isInterval(line));
  const lines = logs.flatMap((log) => log.filter(isInterval)).sort((a, b) => timeOf(a) - timeOf(b));
  writeAtomically(out, `${[...head, ...lines].join('\n')}\n`);
}

/** Hosts one after the other, and so the numbers of connections. @param {string} out @param {string[]} folders @param {string} name */
function mergeTables(out, folders, name) {
  const tables = folders.map((folder) => readTsv(join(folder, name))).filter((rows) => rows.length);
  if (tables.length === 0) return;
  let before = 0;
  const all = tables.flatMap((rows) => {
    const first = before;
    before += rows.length;
    return rows.map((row) => ('connection' in row ? { ...row, connection: String(Number(row.connection) + first) } : row));
  });
  writeTsv(join(out, name), Object.keys(tables[0][0]), all);
}

const GREATEST = ['reconnect_max_us', 'hold_s']; // numbers of a summary that are no counts: the greatest is that of all
/** Means, by how they end, and the counts beside them by which they are weighted. @type {[RegExp, string][]} */
const MEANS = [[/_mean_us$/, 'received'], [/_header_b$/, 'polls_empty']];

/** @param {string} host @param {string} folder of its client's records */
function readSummary(host, folder) {
  const withHost = (/** @type {object[]} */ rows) => rows.map((row) => ({ host, ...row }));
  const summary = readJson(join(folder, 'summary.json'));
  return { ...summary, processes: withHost(summary.processes), ...(summary.doubts && { doubts: withHost(summary.doubts) }) };
}

/** @param {Record<string, any>[]} objects @returns {Record<string, any>} */
function mergeObjects(objects) {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return Object.fromEntries(keys.map((key) => [key, mergeValues(key, objects)]));
}

/** @param {string} key @param {Record<string, any>[]} objects that have it, or some of them @returns {any} */
function mergeValues(key, objects) {
  const values = objects.map((object) => object[key]).filter((value) => value !== undefined && value !== null);
  if (values.length === 0) return null;
  if (Array.isArray(values[0])) return values.flat();
  if (typeof values[0] === 'object') return mergeObjects(values);
  if (typeof values[0] !== 'number') return values[0];
  if (GREATEST.includes(key)) return Math.max(...values);
  const weight = MEANS.find(([pattern]) => pattern.test(key))?.[1];
  return weight ? meanOf(key, weight, objects) : values.reduce((sum, value) => sum + value, 0);
}

/** @param {string} key @param {string} weight @param {Record<string, any>[]} objects @returns {number | null} none where nothing counted */
function meanOf(key, weight, objects) {
  const counted = objects.filter((object) => object[key] !== null && object[weight] > 0);
  const total = counted.reduce((sum, object) => sum + object[weight], 0);
  return total ? counted.reduce((sum, object) => sum + object[key] * object[weight], 0) / total : null;
}

/**
 * Of the accounts that the kernel of each client host kept, make one table with those of the server's, in which a process is `host:pid`.
 * @param {string} raw @param {string[]} hosts that made the load, without the server's own
 */
function mergeAccounts(raw, hosts) {
  const path = join(raw, 'accounts.tsv');
  const rows = hosts.flatMap((host) => readTsv(join(folderOf(raw, host), 'accounts.tsv')).map((row) => ({ ...row, pid: `${host}:${row.pid}` })));
  const own = readTsv(path);
  writeTsv(path, Object.keys(own[0]), [...own, ...rows]);
}

/**
 * What each host captured is in a folder of its own but the server's, which is where a trial of one host has it. What the reduction reads
 * of the load is put beside that, made one.
 * @param {string} raw @param {string[]} hosts that made the load @param {string} server the server's host
 */
export function mergeRecords(raw, hosts, server) {
  if (hosts.includes(server)) {
    mkdirSync(folderOf(raw, server), { recursive: true });
    renameSync(join(raw, 'client'), join(folderOf(raw, server), 'client'));
  }
  mergeClients(raw, hosts);
  mergeAccounts(raw, hosts.filter((host) => host !== server));
}
