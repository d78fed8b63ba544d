/**
 *   ramps.tsv   CPU use of each role of the server in the last 10 s of the ramp, per trial
 *   judged.tsv  T8, under the source's own load: ratios of worker to balancer, and of store to each of them
 */
import { compare, judgedColumns } from '../../analysis/points/comparisons.js';
import { listSpans } from '../../analysis/points/spans.js';
import { TRIAL_COLUMNS } from '../../analysis/trials/bundle.js';
import { resolveConditions } from '../../harness/spec/points.js';

const LAST_S = 10;
const T8 = { claim: 'T8', era: '2014', workload: 'described', setting: '-', of: 'socketcluster-2014', to: 'socketcluster-2014', to_setting: '-' };
const ROWS = [
  { metric: 'worker_ramp_cores', to_metric: 'balancer_ramp_cores', criterion: '0.8..1.25' },
  { metric: 'store_ramp_cores', to_metric: 'worker_ramp_cores', criterion: '<0.1' },
  { metric: 'store_ramp_cores', to_metric: 'balancer_ramp_cores', criterion: '<0.1' },
].map((row) => ({ ...T8, ...row }));

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, plan, read, write, level, hasCaptures }) {
  if (!plan.some(({ engine, workload }) => engine === T8.of && workload === T8.workload)) return;
  if (hasCaptures) {
    const described = read('series').filter(({ engine, workload }) => engine === T8.of && workload === T8.workload);
    write('ramps', TRIAL_COLUMNS, listSpans(described, (row) => {
      const { ramp_s } = resolveConditions(spec, /** @type {any} */ (row));
      return { ramp: [ramp_s - LAST_S, ramp_s] };
    }));
  }
  const judged = compare(ROWS, read('ramps'), level);
  write('judged', judgedColumns(judged), judged);
}
