/** What an experiment draws: `figures.toml` of its folder has an entry for each figure. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS } from '../../harness/common/places.js';
import { readManifest } from '../../harness/spec/manifest.js';

/**
 * @typedef {Record<string, string | number | (string | number)[]>} Where what a row holds, by column; `setting.KEY`
 *   is a part of its setting
 */
/**
 * @typedef {object} Scale an axis, and the column along it
 * @property {string} [column]
 * @property {string} [low] the column of its interval's end
 * @property {string} [high]
 * @property {string} [title] with its unit
 * @property {boolean} [log]
 * @property {number} [from] where the axis begins, if not where the data do
 * @property {number} [to]
 * @property {number} [factor] what the column is multiplied by
 * @property {number} [offset]
 * @property {string} [less] a column that is taken from it
 * @property {number} [zero] where 0 is put on a logarithmic axis
 * @property {string} [after] of a column of words: the number behind this
 * @property {[number, string][]} [ticks]
 */
/**
 * @typedef {object} PanelEntry
 * @property {Where} [where]
 * @property {string} [metric] short for a `where` of it
 * @property {string} [head]
 * @property {Scale} [x] with what it says otherwise than the figure's
 * @property {Scale} [y]
 * @property {string} [axis] the title of the axis, of dots
 * @property {boolean} [log]
 * @property {number} [factor]
 * @property {number[]} [criterion] lines to read the data against
 * @property {string} [criterion_words]
 * @property {[number, number]} [ground] from where to where it is grey
 * @property {string} [at_least] a metric that is above 0 where the load was the limit
 * @property {string} [published] the `figure` in published.tsv of the experiment whose levels are drawn
 */
/**
 * @typedef {object} SeriesEntry
 * @property {Where} [where]
 * @property {string} [words]
 * @property {string} [caption] what a reader needs where the series is drawn
 * @property {number} [look] from 1, if not its place in the list
 * @property {boolean} [hollow]
 * @property {string} [absent] what the caption calls it where it has no data, behind `extra.absent`
 * @property {string[]} [layers] what of it is drawn
 * @property {[number, number][]} [points] of what is no row of the table: a line to read the others against
 */
/**
 * @typedef {object} Entry
 * @property {string} kind
 * @property {string} title
 * @property {string} [caption] what a reader needs besides the conditions
 * @property {string} [table] of the bundle
 * @property {string[]} [claims] that it shows
 * @property {true} [paper] is it drawn of a run of `paper` alone? Of its record such are kept, and no others
 * @property {Where} [where] which rows of the table
 * @property {Where} [without] which not
 * @property {number} [columns] panels side by side
 * @property {PanelEntry[] | {by: string}} [panels]
 * @property {SeriesEntry[] | {by: string | string[]}} [series]
 * @property {Record<string, string>} [words] for what the table's columns hold
 * @property {Scale} [x]
 * @property {Scale} [y]
 * @property {string[]} [rows] the columns that tell the rows of a chart apart
 * @property {boolean} [sort] by the first panel
 * @property {string[]} [parts] of a bar, in order
 * @property {any} [extra]
 */

/** @param {string} experiment @returns {string} */
export const figuresOf = (experiment) => join(EXPERIMENTS, experiment, 'figures.toml');

/**
 * @param {string} experiment its folder's name
 * @returns {Record<string, Entry>} by the figure's name; none where it draws nothing
 */
export function readEntries(experiment) {
  const path = figuresOf(experiment);
  return existsSync(path) ? readManifest(path, 'figures') : {};
}

/** @param {string} experiment @returns {Record<string, string[]>} by figure: the claims that it shows */
export const listClaimsOfFigures = (experiment) =>
  Object.fromEntries(Object.entries(readEntries(experiment)).map(([name, { claims = [] }]) => [name, claims]));

/** @param {string} experiment @param {string} figure @returns {string[]} the metrics that it draws */
export function listMetricsOfFigure(experiment, figure) {
  const entry = readEntries(experiment)[figure];
  const panels = Array.isArray(entry?.panels) ? entry.panels : [];
  const named = [entry?.where?.metric, ...panels.flatMap(({ metric, where }) => [metric, where?.metric])];
  return named.flat().filter((metric) => typeof metric === 'string');
}
