/**
 * Tells whether a criterion is newer than the data judged by it. Each verdict keeps the criteria as they were when the
 * bundle was run.
 */

/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {import('./summary.js').ClaimVerdict} ClaimVerdict */
/** @typedef {Record<string, string>} Criteria by claim and era, such as {"T4 2014": "all: server_cpu_s_per_1k >1"} */

/** @param {Pick<ClaimVerdict, 'claim' | 'era'>} claim @returns {string} */
const nameOf = ({ claim, era }) => `${claim} ${era}`;

/** @param {ClaimVerdict[]} claims @param {Verdict[]} verdicts @returns {Criteria} */
export function listCriteria(claims, verdicts) {
  return Object.fromEntries(claims.map((claim) => {
    const own = verdicts.filter((row) => row.claim === claim.claim && row.era === claim.era);
    const asked = own.map(({ metric, criterion, variant = '-', needs = '-', of, to, setting, to_setting = setting, to_metric = metric }) =>
      [metric, of, setting, to, to_setting, to_metric, criterion, variant, needs].join(' '));
    return [nameOf(claim), `${claim.must_hold}: ${[...new Set(asked)].sort().join('; ')}`];
  }));
}

/**
 * @param {ClaimVerdict[]} claims @param {Criteria} now @param {Criteria} atRun @param {Verdict[]} verdicts
 * @returns {ClaimVerdict[]} `younger`: the criterion changed after the measurement; never without data
 */
export function markYounger(claims, now, atRun, verdicts) {
  const measured = new Set(verdicts.filter(({ n }) => n > 0).map(nameOf));
  return claims.map((claim) => {
    const name = nameOf(claim);
    return now[name] === atRun[name] || !measured.has(name) ? claim : { ...claim, younger: true };
  });
}
