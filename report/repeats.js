/** How many trials each point has, in words: where they are not all alike, which points have how many. */
import { PLAIN, settingsIn } from '../harness/common/setting.js';

/** @typedef {{labels: string[], blocks: Set<string>}} Counted a point by its labels, and the blocks it is in */
/** @typedef {Record<string, string>} Trial a row of plan.tsv */

/** @param {Trial} row @returns {string[]} what a point can be told by, the shortest first; the last is no other's */
function labelsOf(row) {
  const { engine, workload, setting } = row;
  const values = Object.entries(settingsIn(row)).map(([key, value]) => `${key}=${value}`);
  const crossed = [`${workload} of ${engine}`, ...values.map((value) => `${engine} at ${value}`), ...values.map((value) => `${workload} at ${value}`)];
  return [workload, engine, ...values, ...crossed, `${workload} of ${engine} at ${setting === PLAIN ? 'no setting' : `${setting} alone`}`];
}

/** @param {Trial[]} plan @returns {Counted[]} */
function countBlocks(plan) {
  /** @type {Map<string, Counted>} */
  const points = new Map();
  for (const trial of [...plan].sort((a, b) => Number(a.point) - Number(b.point))) {
    const name = [trial.engine, trial.workload, trial.setting].join('\t');
    const point = points.get(name) ?? { labels: labelsOf(trial), blocks: new Set() };
    points.set(name, { ...point, blocks: point.blocks.add(trial.block) }); // a trial that was run again is in the block of the first
  }
  return [...points.values()];
}

/**
 * @param {Counted[]} group @param {Counted[]} others
 * @returns {string[]} few labels that between them are of every point of the group, and of no other
 */
function nameGroup(group, others) {
  const own = [...new Set(group.flatMap(({ labels }) => labels))].filter((label) => !others.some(({ labels }) => labels.includes(label)));
  /** @type {string[]} */
  const names = [];
  for (let left = group; left.length;) {
    const covered = (/** @type {string} */ label) => left.filter(({ labels }) => labels.includes(label)).length;
    const rank = (/** @type {string} */ label) => left[0].labels.indexOf(label);
    const best = own.filter((label) => rank(label) >= 0).sort((a, b) => covered(b) - covered(a) || rank(a) - rank(b))[0];
    names.push(best);
    left = left.filter(({ labels }) => !labels.includes(best));
  }
  return names;
}

/**
 * @param {Counted[]} points @param {number[]} counts in the order in which their points are named, the last not at all
 * @returns {string} such as "1 of connections=25000, else 3 of scheduling=rr, else 6"
 */
function nameCounts(points, counts) {
  const countOf = (/** @type {Counted} */ { blocks }) => blocks.size;
  return counts.map((count, index) => {
    const others = points.filter((point) => counts.indexOf(countOf(point)) > index);
    return others.length ? `${count} of ${nameGroup(points.filter((point) => countOf(point) === count), others).join(', ')}` : `${count}`;
  }).join(', else ');
}

/**
 * @param {Trial[]} plan
 * @returns {string} such as "6 trials a point" or "1 to 6 trials a point (1 of connections=25000, else 3 of scheduling=rr, else 6)"; or
 *   from the most to the fewest, where that takes fewer words
 */
export function describeRepeats(plan) {
  const points = countBlocks(plan);
  const counts = [...new Set(points.map(({ blocks }) => blocks.size))].sort((a, b) => a - b);
  const [least, most] = [counts[0], counts[counts.length - 1]];
  const [named] = [counts, counts.toReversed()].map((order) => nameCounts(points, order)).sort((a, b) => a.length - b.length);
  return `${least < most ? `${least} to ` : ''}${most} trial${most > 1 ? 's' : ''} a point${least < most ? ` (${named})` : ''}`;
}
