/**
 * The setting of a point identifies it, together with engine and workload: `key=value` pairs, sorted and joined by commas;
 * "-" if there are none. A missing key has its default.
 */

/** The text of a setting without pairs. */
export const PLAIN = '-';

/** @param {Record<string, string>} pairs @returns {string} such as "generator=swarm" */
export function formatSetting(pairs) {
  return Object.keys(pairs).sort().map((key) => `${key}=${pairs[key]}`).join(',') || PLAIN;
}

/** @param {string} setting @returns {Record<string, string>} */
export function parseSetting(setting) {
  return setting === PLAIN ? {} : Object.fromEntries(setting.split(',').map((pair) => pair.split('=')));
}

/** Columns with the setting of a point, or of a point it is compared with. */
const NAMED = ['setting', 'to_setting', 'base_setting'];

/** A cache: tables have many rows and few settings. @type {Map<string, Record<string, string>>} */
const known = new Map();

/** @param {string} column @param {string} setting @returns {Record<string, string>} such as {'setting.cores': 'one'} */
function columnsOf(column, setting) {
  const key = `${column} ${setting}`;
  const columns = known.get(key) ?? Object.fromEntries(Object.entries(parseSetting(setting)).map(([name, value]) => [`${column}.${name}`, value]));
  known.set(key, columns);
  return columns;
}

/**
 * Every table is read through this. A row gets a column for each pair of its setting, such as `setting.cores`, and `to_setting.cores` of
 * the point it is compared with. Readers of rows use these columns and do not parse the text of a setting.
 * @param {Record<string, any>[]} rows @returns {Record<string, any>[]}
 */
export function spellSettings(rows) {
  const columns = NAMED.filter((column) => rows.length > 0 && rows[0][column] !== undefined);
  return columns.length ? rows.map((row) => Object.assign({}, row, ...columns.map((column) => columnsOf(column, row[column])))) : rows;
}

/** @param {string} column @returns {boolean} is it of one setting? */
export const isOfSetting = (column) => column.includes('setting.');

/** @template {Record<string, any>} T @param {T} row @returns {T} as written: the text of its setting has all pairs */
export const withoutSettings = (row) =>
  /** @type {T} */ (Object.fromEntries(Object.entries(row).filter(([column]) => !isOfSetting(column))));

/**
 * @param {Record<string, string>} row @param {string} [of] the column that names them
 * @returns {Record<string, string>} its settings by their names
 */
export const settingsIn = (row, of = 'setting') => Object.fromEntries(Object.entries(row).filter(([column]) => column.startsWith(`${of}.`))
  .map(([column, value]) => [column.slice(of.length + 1), value]));

/** @param {Record<string, string>} row @param {string[]} names @returns {string} its setting without these */
export const settingWithout = (row, ...names) =>
  formatSetting(Object.fromEntries(Object.entries(settingsIn(row)).filter(([name]) => !names.includes(name))));

/** @param {string} setting @returns {string} what it adds to the name of a trial: "" or "-generator-swarm" */
export function suffixOf(setting) {
  return setting === PLAIN ? '' : `-${setting.replaceAll(/[=,]/g, '-')}`;
}

/** @param {{engine: string, workload: string, setting: string}} point @returns {string} such as "ws-sweep-connections-100" */
export const wordOfPoint = ({ engine, workload, setting }) => `${engine}-${workload}${suffixOf(setting)}`;

/** @param {string | number} block @param {Parameters<typeof wordOfPoint>[0]} point @returns {string} the name of its trial in a block */
export const nameOfTrial = (block, point) => `b${String(block).padStart(2, '0')}-${wordOfPoint(point)}`;

/** Suffix of a repeated trial's name (harness/run/replace.js), numbered from the second repeat on. */
export const AGAIN = /-again(\d*)$/;
