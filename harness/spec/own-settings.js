/** An experiment's own settings, `[settings.<key>]` of its manifest. They are passed to the load's generator as given. */
import { listGenerators, readGenerator } from './generators.js';
import { NOT_SETTINGS } from './points.js';
import { SETTINGS } from './settings.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./settings.js').Setting} Setting */
/**
 * @typedef {{client: string, values?: (string | number)[], minimum?: number, maximum?: number, usual: string, meaning: string,
 *   words: string}} OwnSetting `client`: the key of the client's configuration to set; `values`: the allowed ones, else whole numbers from
 *   `minimum` to `maximum`; `usual`: the value at points without the setting; `words`: for captions, with `{}` for the value
 */

/** @param {Record<string, OwnSetting>} [own] of a manifest @returns {Record<string, Setting>} all settings of its points, by key */
export const entriesOf = (own = {}) =>
  ({ ...SETTINGS, ...Object.fromEntries(Object.entries(own).map(([key, setting]) => [key, asEntry(setting)])) });

/** @param {OwnSetting} setting @returns {Setting} */
const asEntry = ({ client, values, minimum, maximum, usual, meaning, words }) => ({
  schema: values ? { enum: values } : { minimum, maximum },
  usual, meaning,
  words: (value) => words.replaceAll('{}', value),
  client: (value) => ({ [client]: values?.find((each) => String(each) === value) ?? Number(value) }),
});

/** @param {Spec} spec @param {string[]} problems to add to */
export function checkOwnSettings({ settings = {}, points = [], engines }, problems) {
  const taken = [...new Set(listGenerators().flatMap((name) => readGenerator(name).takes ?? []))];
  for (const [key, setting] of Object.entries(settings)) {
    const { client, values, minimum = NaN, maximum = NaN } = setting;
    const owner = findOwner(key, engines);
    if (!taken.includes(client)) problems.push(`settings.${key}.client: no generator takes "${client}"; use one of ${taken.join(', ')}`);
    if (owner) problems.push(`settings.${key}: is ${owner} already; give it another name`);
    else if (!values && !(minimum <= maximum)) problems.push(`settings.${key}: says no values; add values = [...], or minimum and maximum`);
    else points.forEach((group, index) => checkValues(`points.${index}.${key}`, group[key] ?? [], setting, problems));
  }
}

/** @param {string} key @param {Spec['engines']} engines @returns {string | undefined} the present owner of the name */
function findOwner(key, engines) {
  if (Object.hasOwn(SETTINGS, key)) return 'a setting of every experiment';
  if (NOT_SETTINGS.includes(key)) return 'what a group of points says of itself';
  const engine = Object.keys(engines).find((name) => Object.hasOwn(engines[name].options, key));
  return engine && `an option of ${engine}`;
}

/** @param {string} where @param {any[]} given @param {OwnSetting} setting @param {string[]} problems */
function checkValues(where, given, { values, minimum = NaN, maximum = NaN }, problems) {
  const isInRange = (/** @type {any} */ value) => Number.isInteger(value) && value >= minimum && value <= maximum;
  const isKnown = (/** @type {any} */ value) => (values ? values.includes(value) : isInRange(value));
  const known = values ? `one of ${values.join(', ')}` : `${minimum} to ${maximum}`;
  for (const value of given.filter((each) => !isKnown(each))) problems.push(`${where}: ${JSON.stringify(value)} is not known; use ${known}`);
}
