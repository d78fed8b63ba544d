/** An experiment's figures: `figures.toml` in its folder has an entry for each. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS } from '../../harness/common/places.js';
import { readManifest } from '../../harness/spec/manifest.js';

/** @typedef {Record<string, string | number | (string | number)[]>} Where wanted values by column; `setting.KEY` is part of its setting */
/**
 * @typedef {object} Scale an axis, and the column along it
 * @property {string} [column]
 * @property {string} [low] the column of the interval's lower end
 * @property {string} [high]
 * @property {string} [title] with its unit
 * @property {boolean} [log]
 * @property {number} [from] start of the axis, if not set by the data
 * @property {number} [to]
 * @property {number} [factor] what the column is multiplied by
 * @property {number} [offset]
 * @property {string} [less] a column to subtract
 * @property {number} [zero] place of 0 on a logarithmic axis
 * @property {string} [after] for a column of text: the prefix of its number
 * @property {[number, string][]} [ticks]
 */
/**
 * @typedef {object} PanelEntry
 * @property {Where} [where]
 * @property {string} [metric] short for a `where` of this metric
 * @property {string} [head]
 * @property {Scale} [x] overrides the figure's
 * @property {Scale} [y]
 * @property {string} [axis] title of the axis (dots only)
 * @property {boolean} [log]
 * @property {number} [factor]
 * @property {number[]} [criterion] values of reference lines
 * @property {string} [criterion_words]
 * @property {[number, number]} [ground] range of the grey background
 * @property {string} [at_least] a metric above 0 if the load generator was the limit
 * @property {string} [published] draws the levels of this `figure` in the experiment's published.tsv
 */
/**
 * @typedef {object} SeriesEntry
 * @property {Where} [where]
 * @property {string} [words]
 * @property {string} [caption] added if the series is drawn
 * @property {number} [look] from 1; default: its place in the list
 * @property {boolean} [hollow]
 * @property {string} [absent] its name in the caption if it has no data, after `extra.absent`
 * @property {string[]} [layers] how it is drawn
 * @property {[number, number][]} [points] a reference line, instead of rows of the table
 */
/**
 * @typedef {object} Entry
 * @property {string} kind
 * @property {string} title
 * @property {string} [caption] what a reader needs besides the conditions
 * @property {string} [table] of the bundle
 * @property {string[]} [claims] that it shows
 * @property {true} [paper] drawn only from a run of `paper`; its record keeps no other figures
 * @property {Where} [where] rows of the table to use
 * @property {number} [columns] panels side by side
 * @property {PanelEntry[] | {by: string}} [panels]
 * @property {SeriesEntry[] | {by: string}} [series]
 * @property {Record<string, string>} [words] for values in the table
 * @property {Scale} [x]
 * @property {Scale} [y]
 * @property {string[]} [rows] columns that identify a row of the chart
 * @property {boolean} [sort] by the first panel
 * @property {string[]} [parts] of a bar, in order
 * @property {any} [extra]
 */

/** @param {string} experiment its folder's name @returns {Record<string, Entry>} by the figure's name; empty if it draws nothing */
export function readEntries(experiment) {
  const path = join(EXPERIMENTS, experiment, 'figures.toml');
  return existsSync(path) ? readManifest(path, 'figures') : {};
}

/** @param {Entry | undefined} entry of a figure, unless it is there no more @returns {string[]} the metrics that it draws */
export function listMetrics(entry) {
  const panels = Array.isArray(entry?.panels) ? entry.panels : [];
  const named = [entry?.where?.metric, ...panels.flatMap(({ metric, where }) => [metric, where?.metric])];
  return named.flat().filter((metric) => typeof metric === 'string');
}
