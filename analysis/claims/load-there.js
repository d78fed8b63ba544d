/**
 * That a number is small is no finding where the load was not there: what is not asked for anything uses nothing. A value that is judged
 * by itself to lie below a bound wants at least half of its connections open, and half of its messages answered.
 */
import { digits } from '../../harness/common/format.js';

/** @typedef {import('./verdict.js').Row} Row */

const THERE_MIN = 0.5;
/** What of a load has to be there, in words; a claim that is about these is judged whatever they are. @type {Record<string, string>} */
const SHARES = { connected_share: 'of the connections were open', answered_share: 'of the messages were answered' };

/** @param {Row} row @param {Record<string, string>[]} points of points.tsv @returns {string | undefined} what of its load was not there */
export function whyUnloaded({ criterion, of, to, workload, setting, metric }, points) {
  if (!criterion.startsWith('<') || to !== '-' || metric in SHARES) return undefined;
  const own = points.filter((point) => point.engine === of && point.workload === workload && point.setting === setting);
  const [few] = own.filter((point) => point.metric in SHARES && Number(point.mean) < THERE_MIN);
  return few && `${digits(100 * Number(few.mean))} % ${SHARES[few.metric]}`;
}
