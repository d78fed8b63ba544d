/**
 * Merges the records of several client hosts into the records of one client (clients/CONTRACT.md, Records). Seconds and counts are added,
 * means are weighted, and histograms are concatenated in one log, to be merged when read. Each host's own records stay in
 * raw/hosts/<host>/.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readTsv, writeAtomically, writeJson, writeTsv } from '../common/files.js';

/** @param {string} raw @param {string} host @returns {string} the folder of its captures */
export const folderOf = (raw, host) => join(raw, 'hosts', host);

const SECONDS = 'intervals.tsv'; // summed second by second; all other tables are concatenated
const LOGS = ['latency', 'service', 'connect', 'reconnect'];

/** Write raw/client. @param {string} raw @param {string[]} hosts of the clients */
function mergeClients(raw, hosts) {
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

/** After a table's end its connections stay. @param {Record<string, string>[][]} tables @param {string[]} columns @param {number} t_s */
function addSecond(tables, columns, t_s) {
  const valueOf = (/** @type {Record<string, string>[]} */ rows, /** @type {string} */ column) =>
    Number(rows[t_s]?.[column] ?? (column === 'connected' ? rows.at(-1)?.connected : 0));
  const sum = (/** @type {string} */ column) => tables.reduce((total, rows) => total + valueOf(rows, column), 0);
  return Object.fromEntries(columns.map((column) => [column, column === 't_s' ? t_s : sum(column)]));
}

/** HdrHistogram's log V2: comments and a legend, then one line per histogram, starting with a tag or its time. */
const isInterval = (/** @type {string} */ line) => /^(Tag=[^,]*,)?[0-9]/.test(line);
const timeOf = (/** @type {string} */ line) => Number(/^(?:Tag=[^,]*,)?([0-9.]+)/.exec(line)?.[1]);

/** @param {string} out @param {string[]} paths of logs with times in seconds since the same start */
function mergeLogs(out, paths) {
  if (paths.length === 0) return;
  const logs = paths.map((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean));
  const head = logs[0].filter((line) => !isInterval(line));
  const lines = logs.flatMap((log) => log.filter(isInterval)).sort((a, b) => timeOf(a) - timeOf(b));
  writeAtomically(out, `${[...head, ...lines].join('\n')}\n`);
}

/** Concatenate the hosts' tables; renumber the connections. @param {string} out @param {string[]} folders @param {string} name */
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

const GREATEST = ['reconnect_max_us', 'hold_s']; // numbers of a summary merged by maximum, since they are not counts
/** Means, by suffix, with the counts that weight them. @type {[RegExp, string][]} */
const MEANS = [[/_mean_us$/, 'received'], [/_header_b$/, 'polls_empty']];

/** @param {string} host @param {string} folder of the client's records */
function readSummary(host, folder) {
  const withHost = (/** @type {object[]} */ rows) => rows.map((row) => ({ host, ...row }));
  const summary = readJson(join(folder, 'summary.json'));
  return { ...summary, processes: withHost(summary.processes), ...(summary.warnings && { warnings: withHost(summary.warnings) }) };
}

/** @param {Record<string, any>[]} objects @returns {Record<string, any>} */
function mergeObjects(objects) {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return Object.fromEntries(keys.map((key) => [key, mergeValues(key, objects)]));
}

/** @param {string} key @param {Record<string, any>[]} objects some or all of them have the key @returns {any} */
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

/** @param {string} key @param {string} weight @param {Record<string, any>[]} objects @returns {number | null} null if nothing counted */
function meanOf(key, weight, objects) {
  const counted = objects.filter((object) => object[key] !== null && object[weight] > 0);
  const total = counted.reduce((sum, object) => sum + object[weight], 0);
  return total ? counted.reduce((sum, object) => sum + object[key] * object[weight], 0) / total : null;
}

/**
 * Add the accounts of each client host's kernel to the server's table. There a process of another host is `host:pid`.
 * @param {string} raw @param {string[]} hosts of the clients, without the server's own
 */
function mergeAccounts(raw, hosts) {
  const path = join(raw, 'accounts.tsv');
  const rows = hosts.flatMap((host) => readTsv(join(folderOf(raw, host), 'accounts.tsv')).map((row) => ({ ...row, pid: `${host}:${row.pid}` })));
  const own = readTsv(path);
  writeTsv(path, Object.keys(own[0]), [...own, ...rows]);
}

/**
 * Each host's captures are in a folder of its own, except the server's: they lie where a trial with one host has them. The merged load
 * records, which the reduction reads, go beside those.
 * @param {string} raw @param {string[]} hosts of the clients @param {string} server the server's host
 */
export function mergeRecords(raw, hosts, server) {
  if (hosts.includes(server)) {
    mkdirSync(folderOf(raw, server), { recursive: true });
    renameSync(join(raw, 'client'), join(folderOf(raw, server), 'client'));
  }
  mergeClients(raw, hosts);
  mergeAccounts(raw, hosts.filter((host) => host !== server));
}
