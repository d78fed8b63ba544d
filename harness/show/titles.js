/**
 * Titles of figures that say what was found. `experiments/NN-name/titles.toml` has, by the name of a figure, a template as those of
 * findings.md; one that comes to nothing (no verdict stands that it asks for) leaves the figure the title of its script.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'smol-toml';
import { UserError } from '../common/failure.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { readTables, renderTemplate } from './findings.js';

/** Characters of the bold face that fit on a figure's first line. */
export const LONGEST_TITLE = 80;

/** @param {string} experiment @returns {string} */
const pathOf = (experiment) => join(EXPERIMENTS, experiment, 'titles.toml');

/** @param {string} experiment @returns {{templates: Record<string, string>, shows: Record<string, string[]>}} each by figure */
export function readTemplates(experiment) {
  const path = pathOf(experiment);
  if (!existsSync(path)) return { templates: {}, shows: {} };
  const { shows = {}, ...templates } = /** @type {Record<string, any>} */ (parse(readFileSync(path, 'utf8')));
  return { templates, shows };
}

/**
 * @param {string} experiment its folder's name @param {string} bundle
 * @returns {Record<string, () => string>} by figure: its title, which throws what the template asks for and the tables do not hold
 */
export function readTitles(experiment, bundle) {
  const templates = Object.entries(readTemplates(experiment).templates);
  if (templates.length === 0) return {};
  const tables = readTables(bundle);
  return Object.fromEntries(templates.map(([figure, template]) =>
    [figure, () => renderTemplate(template, tables, `${relative(ROOT, pathOf(experiment))}: ${figure}`).replaceAll(/\s+/g, ' ').trim()]));
}

/**
 * @param {{experiment: string, profile: string}} spec @param {string} bundle
 * @returns {Record<string, string>} by figure: what was found, of those of which something was. Of a smoke run nothing is.
 */
export function findTitles({ experiment, profile }, bundle) {
  if (profile === 'quick' || !existsSync(join(bundle, 'verdict.json'))) return {};
  return Object.fromEntries(Object.entries(readTitles(experiment, bundle)).map(([figure, render]) => [figure, orNothing(render)]));
}

/** A claim that a template asks for. */
const CLAIM = /"([A-Z]\d+)"/g;

/** @param {string} experiment @returns {Record<string, string[]>} by figure: the claims that its title rests on, and others it shows */
export function listClaimsOfFigures(experiment) {
  const { templates, shows } = readTemplates(experiment);
  const figures = new Set([...Object.keys(templates), ...Object.keys(shows)]);
  const named = (/** @type {string} */ figure) => [...(templates[figure] ?? '').matchAll(CLAIM)].map(([, claim]) => claim);
  return Object.fromEntries([...figures].map((figure) => [figure, [...new Set([...named(figure), ...(shows[figure] ?? [])])]]));
}

/** Engines that were not chosen have no rows: there is nothing to say of them. @param {() => string} render @returns {string} */
function orNothing(render) {
  try {
    return render();
  } catch (error) {
    if (error instanceof UserError) return '';
    throw error;
  }
}
