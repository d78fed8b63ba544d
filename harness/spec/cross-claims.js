/** The claims of a manifest, with each comparison written out. */
import { PLAIN, formatSetting, parseSetting } from '../common/setting.js';

/** @typedef {import('./spec.js').Claim} Claim */
/** @typedef {import('./spec.js').Comparison} Comparison */
/** @typedef {{name: string, at: string, to_at?: string}} Variant Settings added to a comparison's own */

/** @param {any[]} claims of a manifest @param {import('./spec.js').Profile} profile @returns {Claim[]} claims judged in the profile */
export const listClaims = (claims, profile) => claims.filter(({ profiles }) => profiles?.includes(profile) ?? true).map(crossClaim);

/**
 * @param {any} claim of a manifest, with `metrics` and `variants` as shorthand for several comparisons
 * @returns {Claim} each comparison with each metric, with each variant's settings added
 */
function crossClaim({ metrics = [undefined], variants = [undefined], ...claim }) {
  const compare = claim.compare.flatMap((/** @type {Comparison} */ row) =>
    metrics.flatMap((/** @type {string | undefined} */ metric) => variants.map((/** @type {Variant | undefined} */ variant) => (
      { ...row, ...(metric && { metric }), ...(variant && applyVariant(row, variant)) }))));
  return { ...claim, compare };
}

/** @param {Comparison} row @param {Variant} variant @returns {Partial<Comparison>} */
function applyVariant({ at = PLAIN, to_at = at }, { name, at: more, to_at: toMore = more }) {
  const both = (/** @type {string} */ one, /** @type {string} */ other) => formatSetting({ ...parseSetting(one), ...parseSetting(other) });
  return { variant: name, at: both(at, more), to_at: both(to_at, toMore) };
}
