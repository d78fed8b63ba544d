/** Percentiles of latency of the open loads, by the reduction of the suite (analysis/hlog-to-percentiles.js). */
import { join } from 'node:path';
import { TrialError } from '../../../harness/common/failure.js';
import { readTsv, writeTsv } from '../../../harness/common/files.js';
import { ROOT } from '../../../harness/common/places.js';
import { planPhases } from './generators.js';
import { LOADS, nameRun } from './plan.js';

/** @typedef {import('./rows.js').Run} Run */

/**
 * Writes plan.tsv and percentiles.tsv into the bundle.
 * @param {import('../../../harness/agent/host.js').LocalHost} host @param {string} bundle @param {Run[]} runs @param {number} windowS
 * @returns {Promise<Run[]>} with the percentiles among the values of the open ones
 */
export async function addPercentiles(host, bundle, runs, windowS) {
  const open = runs.filter(({ load }) => LOADS[load].kind === 'open');
  writeTsv(join(bundle, 'plan.tsv'), ['trial', 'from_s', 'to_s'], open.map((run) => {
    const { rampS, settleS } = planPhases(LOADS[run.load]);
    const from_s = rampS + settleS;
    return { trial: nameRun(run), from_s, to_s: from_s + windowS };
  }));
  const [stdout, stderr] = ['percentiles.tsv', 'percentiles.err'].map((name) => join(bundle, name));
  const argv = [process.execPath, join(ROOT, 'analysis', 'hlog-to-percentiles.js'), 'plan.tsv', 'trials', ...open.map(nameRun)];
  const reduction = await host.start({ argv, cwd: bundle, side: 'capture', stdout, stderr });
  if ((await reduction.exited).code !== 0) throw new TrialError(`hlog-to-percentiles.js ${reduction.describeEnd()}`);
  const latencies = readTsv(stdout).filter(({ series }) => series === 'latency');
  return runs.map((run) => {
    const own = latencies.filter(({ trial }) => trial === nameRun(run));
    const percentiles = Object.fromEntries(own.map(({ percentile, value_us }) => [`latency_p${percentile}_us`, Number(value_us)]));
    return { ...run, values: { ...run.values, ...percentiles } };
  });
}
