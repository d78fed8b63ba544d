/**
 *   spans.tsv   CPU use of the server's roles in the last 20 s of the ramp, and in the last 20 s of the window, per trial
 *   judged.tsv  R6, at the source's own period: the ratio of these two for all workers
 */
import { compare, judgedColumns } from '../../analysis/points/comparisons.js';
import { listSpans } from '../../analysis/points/spans.js';
import { TRIAL_COLUMNS } from '../../analysis/trials/bundle.js';
import { resolveConditions } from '../../harness/spec/points.js';

const SPAN_S = 20;
/** With fewer cores, pings every 6 s saturate the machine before 42,000 connections are open. */
const CORES_NEEDED = 8;
const ROWS = [
  { era: '2014', of: 'socketcluster-2014', setting: 'connect_rate_hz=160,connections=42000,processes=6+3+1,scheduling=rr' },
  { era: 'today', of: 'socketcluster-14', setting: 'connect_rate_hz=500,connections=42000,processes=3+1,scheduling=rr' },
].map((row) => ({
  claim: 'R6', workload: 'described', metric: 'worker_opening_cores', to_metric: 'worker_settled_cores', to: row.of, to_setting: row.setting,
  criterion: '>1', published: '1.33', ...row,
}));

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ spec, plan, read, write, level, hasCaptures }) {
  if (spec.profile === 'quick') return; // it only tests the fault of R5
  const isPointOf = (/** @type {Record<string, any>} */ row, /** @type {Record<string, string>} */ { engine, workload, setting }) =>
    row.of === engine && row.workload === workload && row.setting === setting;
  const isOf = (/** @type {Record<string, string>} */ point) => ROWS.some((row) => isPointOf(row, point));
  if (hasCaptures) {
    const windows = new Map(plan.map(({ trial, to_s }) => [trial, Number(to_s)]));
    write('spans', TRIAL_COLUMNS, listSpans(read('series').filter(isOf), (row) => {
      const [{ ramp_s }, to_s] = [resolveConditions(spec, /** @type {any} */ (row)), Number(windows.get(row.trial))];
      return { opening: [ramp_s - SPAN_S, ramp_s], settled: [to_s - SPAN_S, to_s] };
    }));
  }
  const engines = new Set(plan.map(({ engine }) => engine));
  const judged = compare(ROWS.filter(({ of }) => engines.has(of)), read('spans'), level);
  const lacks = (/** @type {Record<string, any>} */ row) =>
    !plan.some((point) => isPointOf(row, point)) && spec.environment.cores < CORES_NEEDED;
  write('judged', [...judgedColumns(judged), 'published', 'needs'],
    judged.map((row) => ({ ...row, needs: lacks(row) ? `${CORES_NEEDED} cores` : '-' })));
}
