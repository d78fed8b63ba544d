/**
 * The looks of series. Any two in a figure differ in colour, and in mark or dash. Colour-blind readers can tell the colours apart
 * (test/unit/colours.test.js).
 */

/** @typedef {{colour: string, mark: number, dash: number}} Look `mark` of gnuplot, 0 for none; `dash` of gnuplot, 1 is solid */

export const PALETTE = ['#c04000', '#0060a8', '#008060', '#401880', '#c060a0', '#404040', '#a08000'];
const [VERMILION, BLUE, GREEN, VIOLET, PINK, DARK, OCHRE] = PALETTE;

/** Filled and open by turns: circle, square, triangle, diamond, then squares, circles and a cross. @type {Look[]} */
export const SERIES = [
  { colour: VERMILION, mark: 7, dash: 1 },
  { colour: BLUE, mark: 4, dash: 2 },
  { colour: GREEN, mark: 9, dash: 4 },
  { colour: VIOLET, mark: 12, dash: 3 },
  { colour: PINK, mark: 5, dash: 5 },
  { colour: DARK, mark: 6, dash: 1 },
  { colour: OCHRE, mark: 13, dash: 2 },
  { colour: '#000000', mark: 2, dash: 4 },
];

/** For rows of two eras: one round and one square. @type {Record<string, Look>} */
export const ERAS = { 2014: SERIES[0], today: { colour: BLUE, mark: 5, dash: 1 } };

/** Reference lines, in grey. @type {Look[]} */
export const GUIDES = [
  { colour: '#808080', mark: 0, dash: 2 },
  { colour: '#808080', mark: 0, dash: 1 },
];
export const [GUIDE] = GUIDES;
/** Series without a name. @type {Look} */
export const PALE = { colour: '#c8c8c8', mark: 0, dash: 1 };
/** A trial. @type {Look} */
export const TRIAL = { colour: '#707070', mark: 0, dash: 1 };

/** A broker of today does what a store of 2014 did. */
const STORE = { colour: GREEN, mark: 0, dash: 3 };
/** By role, in the order in which a message meets them. @type {Record<string, Look>} */
const ROLES = {
  balancer: { colour: BLUE, mark: 0, dash: 2 },
  worker: { colour: VERMILION, mark: 0, dash: 1 },
  store: STORE,
  broker: STORE,
  master: { colour: '#707070', mark: 0, dash: 4 },
  client: { colour: VIOLET, mark: 0, dash: 1 },
};
/** For roles of no engine here, and for sums. */
const OTHER = { colour: DARK, mark: 0, dash: 5 };
/** In the order in which a key lists them. */
export const ROLE_ORDER = Object.keys(ROLES);

/** @param {string} process such as "worker 1" @returns {Look} */
export const lookOfProcess = (process) => ROLES[process.split(' ')[0]] ?? OTHER;

/** Further threads of a process. */
const FURTHER = { server: { colour: OCHRE, mark: 0, dash: 5 }, client: { colour: VIOLET, mark: 0, dash: 4 } };

/** @param {string} side @returns {Look} of the further threads of its processes */
export const lookOfThread = (side) => (side === 'client' ? FURTHER.client : FURTHER.server);
