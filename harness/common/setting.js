/**
 * What sets a point apart beside its engine and its workload: `key=value` pairs joined by a comma, in the order of the
 * alphabet, "-" when there is none. A key that is absent stands for its default.
 */

/** The text of no pairs at all. It names a point; what is in it a row has in columns. */
export const PLAIN = '-';

/** @param {Record<string, string>} pairs @returns {string} such as "generator=swarm" */
export function formatSetting(pairs) {
  return Object.keys(pairs).sort().map((key) => `${key}=${pairs[key]}`).join(',') || PLAIN;
}

/** @param {string} setting @returns {Record<string, string>} */
export function parseSetting(setting) {
  return setting === PLAIN ? {} : Object.fromEntries(setting.split(',').map((pair) => pair.split('=')));
}

/** Columns that name a point's setting, and those of what it is compared with. */
const NAMED = ['setting', 'to_setting', 'base_setting'];

/** A table has many rows of few settings. @type {Map<string, Record<string, string>>} */
const known = new Map();

/** @param {string} column @param {string} setting @returns {Record<string, string>} such as {'setting.cores': 'one'} */
function columnsOf(column, setting) {
  const key = `${column} ${setting}`;
  const columns = known.get(key) ?? Object.fromEntries(Object.entries(parseSetting(setting)).map(([name, value]) => [`${column}.${name}`, value]));
  known.set(key, columns);
  return columns;
}

/**
 * Every table is read through this: a row gets a column for each setting that it has, `setting.cores`, and `to_setting.cores` of what it
 * is compared with. What reads a row takes these; nothing else takes the name of a setting apart.
 * @param {Record<string, any>[]} rows @returns {Record<string, any>[]}
 */
export function spellSettings(rows) {
  const columns = NAMED.filter((column) => rows.length > 0 && rows[0][column] !== undefined);
  return columns.length ? rows.map((row) => Object.assign({}, row, ...columns.map((column) => columnsOf(column, row[column])))) : rows;
}

/** @param {string} column @returns {boolean} is it of one setting? */
export const isOfSetting = (column) => column.includes('setting.');

/** @template {Record<string, any>} T @param {T} row @returns {T} as it is written: the name of its setting says all of them */
export const withoutSettings = (row) =>
  /** @type {T} */ (Object.fromEntries(Object.entries(row).filter(([column]) => !isOfSetting(column))));

/**
 * @param {Record<string, string>} row @param {string} [of] the column that names them
 * @returns {Record<string, string>} its settings by their names
 */
export const settingsIn = (row, of = 'setting') => Object.fromEntries(Object.entries(row).filter(([column]) => column.startsWith(`${of}.`))
  .map(([column, value]) => [column.slice(of.length + 1), value]));

/** @param {Record<string, string>} row @param {string[]} names @returns {string} the setting of a point that is the same but for these */
export const settingWithout = (row, ...names) =>
  formatSetting(Object.fromEntries(Object.entries(settingsIn(row)).filter(([name]) => !names.includes(name))));

/** @param {string} setting @returns {string} what it adds to the name of a trial: "" or "-generator-swarm" */
export function suffixOf(setting) {
  return setting === PLAIN ? '' : `-${setting.replaceAll(/[=,]/g, '-')}`;
}
