/**
 * The dictionary of metrics. For each name in column `metric` of trials.tsv, or `quantity` of the per-second tables, it has the unit, the
 * definition and its source (metrics.tsv). Metrics added by a generator or companion are defined in its folder (clients/CONTRACT.md).
 * `wscale numbers` prints the dictionary.
 */
import { join, relative } from 'node:path';
import { readTsv } from '../common/files.js';
import { ROOT } from '../common/places.js';
import { listCompanions, listGenerators, readCompanion, readGenerator } from './generators.js';

/**
 * @typedef {object} Metric
 * @property {string} name a pattern with placeholders in < >: see PLACEHOLDERS
 * @property {string} unit
 * @property {string} definition one sentence
 * @property {string} [source] of the definition, if it is not ours
 * @property {string} computed file that computes it, or folder of the generator or companion
 */
/** @typedef {Record<string, {unit: string, definition: string, source?: string}>} Definitions by name */
/** @typedef {{heading: string, computed: string, metrics: Definitions}} Group */

/** Expressions of known placeholders; any other stands for letters and digits. @type {Record<string, string>} */
const PLACEHOLDERS = { role: '[a-z]+', side: '(server|client)', mix: '[a-z]+', b: '[0-9]+', p: '[0-9]+(\\.[0-9]+)?' };

/** @returns {Group[]} of the suite itself */
export const listGroupsHere = () =>
  [...Map.groupBy(readTsv(join(import.meta.dirname, 'metrics.tsv')), ({ heading }) => heading)].map(([heading, rows]) => ({
    heading,
    computed: rows[0].computed,
    metrics: Object.fromEntries(rows.map(({ metric, unit, definition, source }) => [metric, { unit, definition, ...(source !== '-' && { source }) }])),
  }));

/** @returns {Group[]} of generators and companions, each from its own folder */
export function listOwnGroups() {
  const parts = [...listGenerators().map(readGenerator), ...listCompanions().map(readCompanion)];
  return parts.flatMap(({ name, folder, metrics }) =>
    metrics ? [{ heading: `Of ${name}`, computed: relative(ROOT, folder), metrics }] : [],
  );
}

/** @type {Group[] | undefined} */
let all;

/** @returns {Group[]} the whole dictionary */
export const listGroups = () => (all ??= [...listGroupsHere(), ...listOwnGroups()]);

/** @returns {Metric[]} */
export const listMetrics = () =>
  listGroups().flatMap(({ computed, metrics }) => Object.entries(metrics).map(([name, definition]) => ({ name, ...definition, computed })));

/** @param {string} pattern such as "echo_us_<b>" @returns {RegExp} */
const expressionOf = (pattern) => new RegExp(`^${pattern.replace(/<([a-z]+)>/g, (_, word) => PLACEHOLDERS[word] ?? '[a-z0-9]+')}$`);

/** @type {Map<string, Metric | undefined>} */
const found = new Map();

/**
 * If a name fits several patterns, the one with the most literal characters wins.
 * @param {string} name such as "worker_cpu_cores" @returns {Metric | undefined} undefined if the dictionary lacks it
 */
export function findMetric(name) {
  if (!found.has(name)) {
    const letters = (/** @type {Metric} */ metric) => metric.name.replaceAll(/<[a-z]+>/g, '').length;
    const fitting = listMetrics().filter((metric) => expressionOf(metric.name).test(name));
    found.set(name, fitting.sort((a, b) => letters(b) - letters(a))[0]);
  }
  return found.get(name);
}
