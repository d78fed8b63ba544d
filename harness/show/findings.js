/**
 * Findings: what an experiment found, in words. `experiments/NN-name/findings.md` is a Handlebars template, in which every number
 * is asked of the tables of a bundle by name; what they do not hold is an error, never an empty string.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import Handlebars from 'handlebars';
import { readClaims } from '../common/claims.js';
import { UserError } from '../common/failure.js';
import { HELPERS } from './findings-helpers.js';
import { readJson, readText, readTsv } from '../common/files.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { fillParagraphs } from '../common/prose.js';

const WIDTH = 120;

/** @typedef {Record<string, any>} Row */
/**
 * @typedef {{points: Row[], verdicts: Row[], fits: Row[], engines: Row[], claims: Row[], judged: Row[],
 *   read: (table: string) => Row[]}} Tables
 *   `judged`: the verdict of each claim and era; `read`: any table of reduced/ by its name, empty when it is not there
 */

/** @param {string} experiment @returns {boolean} is there a template? */
export const hasFindings = (experiment) => existsSync(join(EXPERIMENTS, experiment, 'findings.md'));

/**
 * @param {string} experiment its folder's name
 * @param {string} bundle folder of the tables, such as records/NN-name/default
 * @param {string} [file] the template, in the experiment's folder
 * @returns {string} Markdown
 * @throws {UserError} with everything that the template asks for and the tables do not hold, by its line
 */
export function renderFindings(experiment, bundle, file = 'findings.md') {
  const path = join(EXPERIMENTS, experiment, file);
  if (!existsSync(path)) throw new UserError(`${relative(ROOT, path)}: is missing; write it (harness/README.md, Findings)`);
  return renderTemplate(readText(path), readTables(bundle), relative(ROOT, path));
}

/** @param {string} bundle @returns {Tables} */
export function readTables(bundle) {
  const { engines } = readJson(join(bundle, 'spec.json'));
  const read = (/** @type {string} */ table) => readTsv(join(tablesOf(bundle), `${table}.tsv`));
  const [points, fits] = ['points', 'fits'].map(read);
  const { verdicts, claims: judged } = readJson(join(bundle, 'verdict.json'));
  const versions = Object.entries(engines).map(([engine, { version }]) => ({ engine, version }));
  return { points, fits, verdicts, engines: versions, claims: readClaims(), judged, read };
}

/**
 * @param {string} template @param {Tables} tables @param {string} where the template's path, for errors
 * @returns {string}
 * @throws {UserError}
 */
export function renderTemplate(template, tables, where) {
  /** @type {string[]} */
  const problems = [];
  const handlebars = Handlebars.create();
  for (const [name, helper] of Object.entries(HELPERS)) {
    handlebars.registerHelper(name, /** @this {any} */ function answer(...args) {
      const options = args.pop();
      try {
        return helper.call(this, tables, args, options);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        problems.push(`${where}:${options.loc.start.line}: ${error.message}`);
        return NaN; // goes no further: the problems are thrown
      }
    });
  }
  const text = compile(handlebars, template, where);
  if (problems.length) throw new UserError([...new Set(problems)]);
  return fillParagraphs(text, WIDTH);
}

/** @param {typeof Handlebars} handlebars @param {string} template @param {string} where @returns {string} @throws {UserError} */
function compile(handlebars, template, where) {
  try {
    return handlebars.compile(template, { noEscape: true, strict: true })({});
  } catch (error) {
    const { message, lineNumber } = /** @type {any} */ (error);
    const line = lineNumber ?? /(?:on line | - )(\d+)/.exec(message)?.[1] ?? 1;
    const words = message.split('\n').slice(0, 2).join(' ').replace(/ in \[object Object\].*/, '');
    throw new UserError(`${where}:${line}: ${words}; use ${Object.keys(HELPERS).join(', ')}`);
  }
}
