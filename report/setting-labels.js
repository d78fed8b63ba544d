/** A setting (setting.js) in words, as figures and tables show it beside its engine. */
import { join } from 'node:path';
import { formatMarkdownTable } from '../harness/common/format.js';
import { EXPERIMENTS } from '../harness/common/places.js';
import { settingsIn } from '../harness/common/setting.js';
import { inspectManifest } from '../harness/spec/manifest.js';
import { entriesOf } from '../harness/spec/own-settings.js';
import { SETTINGS } from '../harness/spec/settings.js';
import { listExperiments } from '../harness/spec/spec.js';

/**
 * @param {Record<string, string>} settings such as {cores: 'one', processes: '2+2+1'}
 * @param {string[]} roles of the engine, in the order of its engine.toml
 * @param {import('../harness/spec/spec.js').Spec['settings']} [own] of the experiment
 * @returns {string} such as "2 balancers, 2 workers, 1 store, all on one core"; "" for none. An engine's
 *   option appears as name and value: "balancing smart"
 */
export function describeSetting(settings, roles, own) {
  const entries = entriesOf(own);
  const known = Object.keys(entries).filter((key) => key in settings);
  const options = Object.keys(settings).filter((key) => !(key in entries));
  return [...known.map((key) => entries[key].words(settings[key], roles)), ...options.map((key) => `${key.replaceAll('_', ' ')} ${settings[key]}`)].join(', ');
}

/** @param {Record<string, string>} row of a table @param {any} spec @returns {string} its setting in words; "" for the default */
export const settingOf = (row, { engines, settings }) =>
  describeSetting(settingsIn(row), Object.keys(engines[row.engine]?.processes ?? {}), settings);

/** @param {import('../harness/spec/settings.js').Setting} entry @returns {string} allowed values */
function describeValues({ values, schema }) {
  if (values) return values;
  return schema.enum ? schema.enum.map((/** @type {string} */ value) => `\`${value}\``).join(', ') : `${schema.minimum} to ${schema.maximum}`;
}

const HEAD = ['key', 'values', 'without it', 'what it is'];

/** @param {string} key @param {import('../harness/spec/settings.js').Setting} entry @returns {(string | undefined)[]} cells */
const describeEntry = (key, entry) => [`\`${key}\``, describeValues(entry), entry.usual ?? `\`${entry.default}\``, entry.meaning];

/** @returns {string} the manual of `make settings`: one line per setting */
export function describeManual() {
  const own = Object.entries(SETTINGS).filter(([, { schema }]) => schema);
  const other = ['any other', 'those of engine.toml', '`[options.<engine>]`, or engine.toml',
    'an option of the engine, such as `scheduling`; only engines that have it may be in the group'];
  return formatMarkdownTable(HEAD, [...own.map(([key, entry]) => describeEntry(key, entry)), other]);
}

/** @returns {string} the same for settings of single experiments; '' if there are none */
export function describeOwnManual() {
  const rows = listExperiments().flatMap((name) => {
    const { settings = {} } = inspectManifest(join(EXPERIMENTS, name, 'experiment.toml'), 'experiment').value;
    const entries = entriesOf(settings);
    return Object.keys(settings).map((key) => [...describeEntry(key, entries[key]), name]);
  });
  return rows.length ? `Of single experiments:\n\n${formatMarkdownTable([...HEAD, 'experiment'], rows)}` : '';
}
