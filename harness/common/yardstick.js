/**
 * Describes what basic operations cost on a machine during a run, from the rows of yardsticks in its bundle (harness/yardstick), and
 * whether these costs changed. Old runs have none.
 */
import { join } from 'node:path';
import { max, median, min, quantile } from 'd3-array';
import { readTsv, writeTsv } from './files.js';
import { digits } from './format.js';

/** The metric that moves most from hour to hour. */
export const WAKING = 'wake_cpu_us';

/** @param {string} bundle or record @returns {string[]} what waking cost in it, by host, and a line if costs moved */
export const describeWaking = (bundle) => describeYardsticks(bundle, ({ metric }) => metric === WAKING);

/** The table of a bundle, and of a record. */
export const YARDSTICKS = 'yardstick.tsv';

/**
 * Metrics, in the words of a sentence. `isJudged`: an engine's absolute cost moves with it. A switch between two cores is mostly waking,
 * and one on a single core is mostly code that `echo_high_cpu_us` also runs, so neither adds information.
 * @type {{metric: string, words: string, unit: string, isJudged?: boolean}[]}
 */
export const METRICS = [
  { metric: WAKING, words: 'waking', unit: 'us', isJudged: true },
  { metric: 'switch_same_core_us', words: 'a switch on one core', unit: 'us' },
  { metric: 'switch_two_cores_us', words: 'a switch between two cores', unit: 'us' },
  { metric: 'echo_low_cpu_us', words: 'a TCP echo at 1,000 a second', unit: 'us', isJudged: true },
  { metric: 'echo_high_cpu_us', words: 'a TCP echo at full rate', unit: 'us', isJudged: true },
  { metric: 'arithmetic_ns', words: 'a multiplication', unit: 'ns', isJudged: true },
  { metric: 'steal_share', words: 'steal', unit: '' },
  { metric: 'took_s', words: 'its own time', unit: 's' },
];

const COLUMNS = ['block', 'position', 'start', 'host', ...METRICS.map(({ metric }) => metric)];

/**
 * @typedef {{block: number, position: 'before' | 'between' | 'resumed' | 'after', start: string, host: string} & Record<string, any>}
 *   Measured a row to write
 */
/**
 * @typedef {typeof METRICS[number] & {mid: number, least: number, most: number, low: number, high: number, n: number}} Charge
 *   of a host, over a run; `low` and `high`: the 10th and 90th percentile */

/** @param {string} bundle @param {Measured[]} rows */
export const writeYardsticks = (bundle, rows) => writeTsv(join(bundle, YARDSTICKS), COLUMNS, rows);

/** @param {string} bundle or record @returns {Record<string, string>[]} none for an old run, or if nothing could be measured */
export const readYardsticks = (bundle) => readTsv(join(bundle, YARDSTICKS));

/**
 * Absolute costs are not compared if a yardstick's metric differs by more than this factor. Yardsticks of one moment differ by less, even
 * while 18 programs queue for two cores (five of 3 s: 1.24 in waking, 1.2 in the echo at a low rate, 1.07 in the echo at full rate, 1.02 in
 * arithmetic). They differed by 1.8 to 2.1 between two days on which one engine's cost doubled. Other programs on a waking core can move
 * waking further (once by 1.7 in 20 s). This is reported, too, since it moves a server's cost.
 */
const MOVED_MAX = 1.25;

/** @param {Record<string, string>[]} rows of one host @returns {Charge[]} of what was measured, over all of them */
function summariseCharges(rows) {
  return METRICS.flatMap((each) => {
    const values = rows.map((row) => Number(row[each.metric])).filter(Number.isFinite);
    if (values.length === 0) return [];
    const [low, high] = [0.1, 0.9].map((share) => Number(quantile(values, share)));
    return [{ ...each, n: values.length, mid: Number(median(values)), least: Number(min(values)), most: Number(max(values)), low, high }];
  });
}

/**
 * Minimum and maximum of many yardsticks differ by more than the factor by chance, so a tenth at each end is left out. The two of a smoke
 * run are too few to judge.
 * @param {Charge[]} charges @returns {Charge[]} those that moved by more than the factor
 */
const findMoved = (charges) => charges.filter(({ isJudged, n, low, high }) => isJudged && n > 2 && high > MOVED_MAX * low);

/** @param {Charge} charge @returns {string} such as "waking cost 12 us, 10 to 14 over the run" */
function describeCharge({ words, unit, mid, least, most, n }, index = 0) {
  const range = n > 1 ? `, ${digits(least)} to ${digits(most)}${index ? '' : ' over the run'}` : '';
  return `${words} ${index ? '' : 'cost '}${digits(mid)} ${unit}${range}`;
}

/** @param {string} bundle or record @returns {Map<string, Charge[]>} by host, the server's first */
export const readCharges = (bundle) =>
  new Map([...Map.groupBy(readYardsticks(bundle), ({ host }) => host)].map(([host, rows]) => [host, summariseCharges(rows)]));

/**
 * @param {string} bundle or record @param {(charge: Charge) => boolean | undefined} [isTold]
 * @returns {string[]} one line per host with its costs, and a line if they moved
 */
export function describeYardsticks(bundle, isTold = ({ isJudged }) => isJudged) {
  const hosts = [...readCharges(bundle)];
  return hosts.map(([host, charges]) => {
    const told = charges.filter(isTold).map((charge, index) => describeCharge(charge, index)).join('; ');
    const [{ n }] = charges;
    return `${hosts.length > 1 ? `${host}: ` : ''}${told} (${n} yardstick${n === 1 ? '' : 's'})`;
  }).concat(describeMoved(bundle));
}

/** @param {string} bundle or record @returns {string[]} a line if the machine's costs moved */
export function describeMoved(bundle) {
  const hosts = [...readCharges(bundle)];
  const moved = hosts.flatMap(([host, charges]) => findMoved(charges).map(({ words, low, high }) =>
    `${hosts.length > 1 ? `${host}: ` : ''}${words} by ${digits(high / low)}`));
  return moved.length ? [`THE MACHINE CHANGED DURING THIS RUN: ${moved.join(', ')}; compare within blocks alone, absolute costs are of no one hour`] : [];
}

/**
 * Compares the first host, the server's.
 * @param {string} a a bundle, or a record @param {string} b
 * @returns {{words: string, ratio: number}[]} costs that differ between A and B by more than the factor
 */
export function findApart(a, b) {
  const [ofA, ofB] = [a, b].map((bundle) => [...readCharges(bundle).values()][0] ?? []);
  return ofA.flatMap(({ metric, words, isJudged, mid }) => {
    const ratio = Number(ofB.find((each) => each.metric === metric)?.mid) / mid;
    return isJudged && Math.max(ratio, 1 / ratio) > MOVED_MAX ? [{ words, ratio }] : [];
  });
}

/** @param {string} a a bundle, or a record @param {string} b @returns {string[]} a line if absolute costs of both are not comparable */
export function describeApart(a, b) {
  const apart = findApart(a, b).map(({ words, ratio }) => `${words} cost ${digits(ratio)} times as much in B as in A`);
  return apart.length ? [`ABSOLUTE COSTS CAN'T BE COMPARED: ${apart.join(', ')}, and more than a factor of ${MOVED_MAX} is another machine; what everything alike differs by is the machine's`] : [];
}
