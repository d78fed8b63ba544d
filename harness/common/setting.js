/**
 * What sets a point apart beside its engine and its workload: `key=value` pairs joined by a comma, in the order of the
 * alphabet, "-" when there is none. A key that is absent stands for its default.
 */

/** The text of no pairs at all. */
export const PLAIN = '-';

/** @param {Record<string, string>} pairs @returns {string} such as "generator=swarm" */
export function formatSetting(pairs) {
  return Object.keys(pairs).sort().map((key) => `${key}=${pairs[key]}`).join(',') || PLAIN;
}

/** @param {string} setting @returns {Record<string, string>} */
export function parseSetting(setting) {
  return setting === PLAIN ? {} : Object.fromEntries(setting.split(',').map((pair) => pair.split('=')));
}

/** @param {string} setting @returns {string} what it adds to the name of a trial: "" or "-generator-swarm" */
export function suffixOf(setting) {
  return setting === PLAIN ? '' : `-${setting.replaceAll(/[=,]/g, '-')}`;
}
