/** The pieces of the schemas of manifests (JSON Schema). A `description` completes the sentence "<value> is not ...". */

/** @typedef {any} Schema */
/** @typedef {number | {$data: string}} Bound `$data`: another value of the file, as a relative JSON pointer */

export const DAY_MS = 86400000;

/** @param {string} pattern @param {string} description @returns {Schema} */
export const matching = (pattern, description) => ({ type: 'string', pattern, description });

/** @param {Bound} minimum @param {Bound} maximum @returns {Schema} */
export const number = (minimum, maximum) => ({ type: 'number', minimum, maximum });

/** @param {number} maximum @returns {Schema} */
export const positive = (maximum) => ({ type: 'number', exclusiveMinimum: 0, maximum });

/** @param {Bound} minimum @param {Bound} maximum @returns {Schema} */
export const whole = (minimum, maximum) => ({ type: 'integer', minimum, maximum });

/** @param {Schema} items @returns {Schema} of one or more */
export const list = (items) => ({ type: 'array', minItems: 1, items });

/** @param {Schema} items @returns {Schema} of one or more, each once */
export const distinct = (items) => ({ ...list(items), uniqueItems: true });

/** @param {Schema} first @param {Schema} second @returns {Schema} */
export const pair = (first, second) => ({ type: 'array', minItems: 2, maxItems: 2, items: [first, second] });

/** @param {string[]} required keys @param {Record<string, Schema>} properties all keys that it may have @returns {Schema} */
export const table = (required, properties) => ({ type: 'object', additionalProperties: false, required, properties });

/** @param {Record<string, Schema>} properties @returns {Schema} a table with all of these keys */
export const complete = (properties) => table(Object.keys(properties), properties);

/** @param {Schema} propertyNames @param {Schema} additionalProperties of each key @returns {Schema} a table of any such keys */
export const tableOf = (propertyNames, additionalProperties) => ({ type: 'object', propertyNames, additionalProperties });

export const BOOLEAN = { type: 'boolean' };
export const SHARE = number(0, 1);
export const NAME = matching('^[a-z0-9][a-z0-9.-]{0,63}$', 'a name (a to z, 0 to 9, "." and "-", 64 at most)');
export const NAMES = distinct(NAME);
export const ROLE = matching(
  '^(?!(capture|client|companion|ended|harness|link|other|otherclient|recorder|server)$)[a-z]{1,32}$',
  'a name of a role (a to z, 32 at most, and not what the suite calls its own processes)',
);
export const OPTION = matching('^[a-z][a-z_]{0,31}$', 'a name of a setting (a to z and "_", 32 at most)');
export const WORD = matching('^[a-z][a-z0-9_-]{0,63}$', 'a word (a to z, 0 to 9, "_" and "-", 64 at most)');
export const TEXT = matching(
  '^(?=[^]*\\S)[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+$', 'a text of one line (no tab, and no other control character)',
);
