/** A claim's criterion: tables have it as text, and this module alone reads and writes that text. */

/**
 * @typedef {object} Criterion
 * @property {'above' | 'below' | 'between' | 'reaches' | 'holds'} kind `holds`: the interval contains a number; `reaches`: something is
 *   possible at all, which each trial can show
 * @property {number} from @property {number} to the range where it holds, perhaps to infinity; equal for `holds`
 * @property {number[]} bounds the finite ends of the range, each once
 * @property {number} within half-width that an interval may have, for `holds`: a wider one says nothing
 */

/** @type {Record<string, Criterion['kind']>} */
const KINDS = { '>': 'above', '<': 'below', 'reaches ': 'reaches', 'holds ': 'holds', '': 'between' };

/**
 * @param {import('../../harness/spec/spec.js').Claim} claim
 * @returns {string} ">1", "<0.05", "0.4..0.6", "reaches 1" or "holds 0 within 0.1"
 */
export function formatCriterion({ above, below, between, reaches, holds }) {
  if (holds) return `holds ${holds.join(' within ')}`;
  if (reaches !== undefined) return `reaches ${reaches}`;
  if (between) return between.join('..');
  return above === undefined ? `<${below}` : `>${above}`;
}

/** @param {string} text as `formatCriterion` writes it @returns {Criterion} */
export function parseCriterion(text) {
  const [, sign, rest] = /** @type {RegExpExecArray} */ (/^(>|<|reaches |holds |)(.*)$/.exec(text));
  const [range, within = Infinity] = rest.split(' within ');
  const [kind, bounds] = [KINDS[sign], range.split('..').map(Number)];
  const from = kind === 'below' ? -Infinity : bounds[0];
  const to = kind === 'above' || kind === 'reaches' ? Infinity : bounds[bounds.length - 1];
  return { kind, from, to, bounds, within: Number(within) };
}

/** @param {string} text @returns {string} in words, such as "0.4 to 0.6" */
export const nameCriterion = (text) => text.replace(/^>/, 'above ').replace(/^</, 'below ').replace('..', ' to ');

/**
 * @param {Criterion} criterion @param {number} low @param {number} high of the interval, or of the trials for `reaches`
 * @returns {'inside' | 'outside' | 'across'} of the range
 */
export function placeInterval({ kind, from, to, within }, low, high) {
  if (high < from || low > to) return 'outside';
  if (kind === 'holds') return (high - low) / 2 <= within ? 'inside' : 'across';
  const isAbove = from === -Infinity || low > from || (kind === 'reaches' && low === from);
  return isAbove && (to === Infinity || high < to) ? 'inside' : 'across';
}

/** @param {Criterion} criterion @param {number} mean @returns {number[]} bounds that a mean lies on or beyond */
export const violatedBounds = ({ from, to, bounds }, mean) =>
  bounds.filter((bound) => (bound === from && mean <= from) || (bound === to && mean >= to));
