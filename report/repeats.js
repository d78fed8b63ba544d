/** How many trials each point has, in words. */
import { extent } from 'd3-array';

/**
 * @param {Record<string, string>[]} plan its rows
 * @returns {string} such as "6 trials a point" or "1 to 6 trials a point"
 */
export function describeRepeats(plan) {
  const points = Map.groupBy(plan, ({ engine, workload, setting }) => [engine, workload, setting].join('\t'));
  // a repeated trial has the block of the first
  const [least = 0, most = 0] = extent([...points.values()], (trials) => new Set(trials.map(({ block }) => block)).size);
  return `${least < most ? `${least} to ` : ''}${most} trial${most > 1 ? 's' : ''} a point`;
}
