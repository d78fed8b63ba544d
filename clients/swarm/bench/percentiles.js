/** Latency percentiles of open loads, computed as in the rest of the suite. */
import { join } from 'node:path';
import { readPercentiles } from '../../../analysis/captures/latency.js';
import { planPhases } from './generators.js';
import { LOADS, nameRun } from './plan.js';

/** @typedef {import('./rows.js').Run} Run */

/**
 * @param {string} bundle @param {Run[]} runs @param {number} windowS
 * @returns {Run[]} with percentiles added to the values of open loads
 */
export const addPercentiles = (bundle, runs, windowS) => runs.map((run) => {
  if (LOADS[run.load].kind !== 'open') return run;
  const { rampS, settleS } = planPhases(LOADS[run.load]);
  const from_s = rampS + settleS;
  const found = readPercentiles(join(bundle, 'trials', nameRun(run), 'raw/client'), { from_s, to_s: from_s + windowS });
  const own = found.filter(({ series }) => series === 'latency').map(({ percentile, value_us }) => [`latency_p${percentile}_us`, value_us]);
  return { ...run, values: { ...run.values, ...Object.fromEntries(own) } };
});
