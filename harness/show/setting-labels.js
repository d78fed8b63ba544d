/** A setting (setting.js) in words, as figures and tables show it beside its engine. */
import { parseSetting } from '../spec/setting.js';
import { SETTINGS } from '../spec/settings.js';

/**
 * @param {string} setting such as "cores=one,processes=2+2+1"
 * @param {string[]} roles of the engine, in the order of its engine.toml
 * @returns {string} such as "2 balancers, 2 workers, 1 store, all on one core"; "" for the setting "-". An option of the
 *   engine is its name and its value: "balancing smart"
 */
export function describeSetting(setting, roles) {
  const pairs = parseSetting(setting);
  const known = Object.keys(SETTINGS).filter((key) => key in pairs);
  const options = Object.keys(pairs).filter((key) => !(key in SETTINGS));
  return [...known.map((key) => SETTINGS[key].words(pairs[key], roles)), ...options.map((key) => `${key.replaceAll('_', ' ')} ${pairs[key]}`)].join(', ');
}

/** @param {import('../spec/settings.js').Setting} entry @returns {string} what a manifest may give */
function describeValues({ values, schema }) {
  if (values) return values;
  return schema.enum ? schema.enum.map((/** @type {string} */ value) => `\`${value}\``).join(', ') : `${schema.minimum} to ${schema.maximum}`;
}

/** @returns {string} the manual, as harness/README.md has it: a line a setting */
export function describeManual() {
  const own = Object.entries(SETTINGS).filter(([, { schema }]) => schema);
  const lines = own.map(([key, entry]) => [`\`${key}\``, describeValues(entry), entry.usual ?? `\`${entry.default}\``, entry.meaning]);
  const other = ['any other', 'those of engine.toml', '`[options.<engine>]`, or engine.toml',
    'an option of the engine, such as `scheduling`; only engines that have it may be in the group'];
  const head = ['key', 'values', 'without it', 'what it is'];
  return [head, head.map(() => '---'), ...lines, other].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
