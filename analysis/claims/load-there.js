/**
 * A number without its load is no finding: an idle server uses nothing. Each point of a row needs at least half of its connections open
 * and half of its messages answered.
 */
import { digits } from '../../harness/common/format.js';

const THERE_MIN = 0.5;
/** Required parts of a load, in words. @type {Record<string, string>} */
const SHARES = { connected_share: 'of the connections were open', answered_share: 'of the messages were answered' };
/** Counts of bytes do not depend on the load. */
const BYTES = /(^|_)b(_|$)/;
/** Claims about these metrics are judged under any load. */
const OF_LOAD = ['connected_at_end', 'failed', 'dropped', ...Object.keys(SHARES)];

/**
 * @param {import('./verdict.js').Row} row @param {Record<string, string>[]} points of points.tsv
 * @param {[number, number]} [inUse] range of cores in use that its claim requires at the point of `of`
 * @returns {string | undefined} what was missing from its load
 */
export function whyUnloaded({ of, to, workload, setting, to_setting = setting, metric }, points, inUse) {
  if (OF_LOAD.includes(metric) || BYTES.test(metric)) return undefined;
  const isOwn = (/** @type {Record<string, string>} */ point) => point.workload === workload
    && ((point.engine === of && point.setting === setting) || (point.engine === to && point.setting === to_setting));
  const few = points.find((point) => isOwn(point) && point.metric in SHARES && Number(point.mean) < THERE_MIN);
  if (few) return `${digits(100 * Number(few.mean))} % ${SHARES[few.metric]}`;
  const use = points.find((point) => point.engine === of && point.workload === workload && point.setting === setting && point.metric === 'server_cpu_cores');
  const isWithin = !inUse || !use || (Number(use.mean) >= inUse[0] && Number(use.mean) <= inUse[1]);
  return isWithin ? undefined : `${digits(Number(use.mean))} cores were in use, of ${inUse.join(' to ')}`;
}
