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
const templatesOf = (experiment) => join(EXPERIMENTS, experiment, 'titles.toml');

/**
 * @param {string} experiment its folder's name @param {string} bundle
 * @returns {Record<string, () => string>} by figure: its title, which throws what the template asks for and the tables do not hold
 */
export function readTitles(experiment, bundle) {
  const path = templatesOf(experiment);
  if (!existsSync(path)) return {};
  const tables = readTables(bundle);
  const templates = Object.entries(/** @type {Record<string, any>} */ (parse(readFileSync(path, 'utf8'))));
  return Object.fromEntries(templates.map(([figure, template]) =>
    [figure, () => renderTemplate(template, tables, `${relative(ROOT, path)}: ${figure}`).replaceAll(/\s+/g, ' ').trim()]));
}

/**
 * @param {{experiment: string, profile: string}} spec @param {string} bundle
 * @returns {Record<string, string>} by figure: what was found, of those of which something was. Of a smoke run nothing is.
 */
export function findTitles({ experiment, profile }, bundle) {
  if (profile === 'quick' || !existsSync(join(bundle, 'verdict.json'))) return {};
  return Object.fromEntries(Object.entries(readTitles(experiment, bundle)).map(([figure, render]) => [figure, orNothing(render)]));
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
