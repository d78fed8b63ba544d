/**
 * Findings: what a person wrote about an experiment's record, in findings.toml of its folder. Each claim has at most three sentences and
 * one figure. `also`: other findings. `paper`: what a run of that profile shows. `answer`: the opening of README.md and
 * thesis-results.md. test/unit/findings.test.js checks their numbers against the record's tables.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { UserError } from '../harness/common/failure.js';
import { readText } from '../harness/common/files.js';
import { EXPERIMENTS, figuresOf, recordOf } from '../harness/common/places.js';

/**
 * @typedef {{text: string, figure?: string, headline?: string[], from?: string[]}} Finding `text`: Markdown, a paragraph;
 *   `headline`: metrics or engines that select the card's row; `from`: sources of the text's numbers besides the claim's rows
 *   and its figure (metrics of points.tsv, or tables, and which of their rows)
 */
/**
 * @typedef {{claims: Record<string, Finding>, words?: Record<string, string>, also?: Finding, paper?: Finding, answer?: Finding}} Findings
 *   `words`: names on the cards for metrics, for settings without words in a manifest, and (`default`) for a side without settings
 */

const FINDINGS = 'findings.toml';
const SENTENCES_MAX = 3;

/** @param {string} experiment its folder's name @returns {Findings} no claims if the file is missing @throws {UserError} */
export function readFindings(experiment) {
  const path = join(EXPERIMENTS, experiment, FINDINGS);
  if (!existsSync(path)) return { claims: {} };
  const { claims = {}, words, ...others } = /** @type {any} */ (parse(readText(path)));
  const all = Object.entries({ ...claims, ...others });
  const problems = all.flatMap(([name, finding]) => checkFinding(finding).map((problem) => `experiments/${experiment}/${FINDINGS}: ${name}: ${problem}`));
  if (problems.length) throw new UserError(problems);
  return { claims, ...(words && { words }), ...others };
}

/** @param {any} finding @returns {string[]} */
function checkFinding({ text, figure, headline: _headline, from: _from, ...rest }) {
  const count = typeof text === 'string' ? listSentences(text).length : 0;
  return [
    ...Object.keys(rest).map((key) => `has "${key}", which is none of "text", "figure", "headline" and "from"; leave it out`),
    ...(figure === undefined || /^[a-z0-9-]+$/.test(figure) ? [] : [`figure ${JSON.stringify(figure)} is no name of a figure; give that of its file, without its ending`]),
    ...(count ? [] : ['has no "text"; write at most three sentences']),
    ...(count > SENTENCES_MAX ? [`has ${count} sentences; leave ${SENTENCES_MAX}`] : []),
  ];
}

/**
 * @param {string} experiment @param {string} name of a figure of its records
 * @returns {string | undefined} the path of its picture. That of `paper` comes first: its run judges the claims that it has
 */
export const pictureOf = (experiment, name) => /** @type {const} */ (['paper', 'default'])
  .map((profile) => join(figuresOf(recordOf(experiment, profile)), `${name}.svg`)).find((path) => existsSync(path));

/** @param {string} text @returns {string[]} */
export const listSentences = (text) => text.trim().split(/(?<=[.!?])\s+(?=[A-Z`"*])/).filter(Boolean);
