/**
 * Means of groups that were measured in the same blocks: a two-way layout (H. Scheffé, The Analysis of Variance, 1959, chapter 4). Where a
 * group lacks a block, its mean is that of the blocks it has: the effect of a block is then only approximate.
 */
import { mean, rollup, sum } from 'd3-array';
import { moderate } from './moderated.js';

/** @param {{value: number}[]} values */
const meanOf = (values) => Number(mean(values, ({ value }) => value));

/**
 * The standard errors are those of the residuals from the effects of group and block. Each group has its own variance, moderated by those
 * of all (moderated.js). The degrees of freedom that the blocks use are shared by all groups in proportion.
 * @param {{block: string, value: number}[][]} groups each with its values, one of a block @returns {import('./tests.js').Mean[]}
 */
export function estimateInBlocks(groups) {
  const means = groups.map(meanOf);
  const offs = groups.flatMap((values, index) => values.map(({ block, value }) => ({ block, value: value - means[index] })));
  const blocks = rollup(offs, meanOf, ({ block }) => block);
  const own = sum(groups, ({ length }) => length - 1);
  const left = own - blocks.size + 1;
  const variances = groups.map((values, index) => {
    const degrees = left > 0 ? ((values.length - 1) * left) / own : 0;
    const squares = sum(values, ({ block, value }) => (value - means[index] - Number(blocks.get(block))) ** 2);
    return { degrees, variance: degrees > 0 ? squares / degrees : 0 };
  });
  return moderate(variances).map(({ variance, degrees }, index) =>
    ({ mean: means[index], error2: variance / groups[index].length, degrees, together: left }));
}
