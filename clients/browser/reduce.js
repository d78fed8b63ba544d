/**
 * Compares a worker's own count of pings with the pings sent to it by the clients and by a page (clients/CONTRACT.md,
 * Reduction).
 */
import { sum } from 'd3-array';
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';

/**
 * @param {Record<string, string>[]} page its metrics
 * @param {Record<string, string>[]} intervals of the clients
 * @returns {[string, number][]} empty if the page has no count of its worker
 */
export function compareCounts(page, intervals) {
  const ofPage = new Map(page.map(({ metric, value }) => [metric, Number(value)]));
  const count = ofPage.get('worker_count_last');
  return count === undefined
    ? []
    : [['count_difference', count - (ofPage.get('page_pings') ?? 0) - sum(intervals, (second) => Number(second.sent))]];
}

/**
 * @param {import('../../analysis/trials/own.js').Given} given
 * @returns {import('../../analysis/trials/own.js').Reduced}
 */
export const reduce = ({ raw }) => ({
  metrics: compareCounts(readTsv(join(raw, 'browser/metrics.tsv')), readTsv(join(raw, 'client/intervals.tsv'))),
});
