/** Numbers, intervals, durations and tables as a person reads them. */

/** @param {string} text of a table @returns {number | null} */
export const numberOrNull = (text) => (text === '-' ? null : Number(text));

/**
 * A row of a table for a program to read.
 * @param {Record<string, unknown>} row @returns {Record<string, unknown>} numbers as numbers, null for none
 */
export const asJson = (row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => {
  if (cell === '-' || cell === '') return [name, null];
  if (name === 'era') return [name, cell]; // an era is called 2014
  return [name, typeof cell === 'string' && Number.isFinite(Number(cell)) ? Number(cell) : cell];
}));

/** @param {number | string} n @returns {string} with a comma at each thousand */
export const group = (n) => String(n).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** @param {number | null} x @returns {string} three significant digits */
export const digits = (x) => (x === null ? '-' : Number(x.toPrecision(3)).toString());

/**
 * @param {number | null} x @param {number[]} others
 * @returns {string} as `digits` has it, or with as many more as tell it from the others: 0.9996 beside 1
 */
export function digitsBeside(x, others) {
  const isTold = (/** @type {string} */ text) => others.every((other) => other === x || Number(text) !== other);
  const more = [3, 4, 5, 6, 7, 8].map((count) => (x === null ? '-' : Number(x.toPrecision(count)).toString()));
  return more.find(isTold) ?? digits(x);
}

/** @param {number | string} n @returns {string} such as "1 trial" */
export const countTrials = (n) => `${n} trial${Number(n) === 1 ? '' : 's'}`;

/**
 * @param {{mean: number | null, low: number | null, high: number | null}} row @param {(x: number | null) => string} [tell]
 * @returns {string} such as "2.41 [2.33, 2.52]"
 */
export function formatInterval({ mean, low, high }, tell = digits) {
  if (mean === null) return '-';
  return low === null ? `${tell(mean)} [no interval]` : `${tell(mean)} [${tell(low)}, ${tell(high)}]`;
}

/**
 * A cell for a value that can be too small to measure, such as memory.
 * @param {{mean: string, low?: string, high?: string}} row of points.tsv @returns {string} such as "under 1.89"; "-" if that is below 0
 */
export function formatCell({ mean, low = '-', high = '-' }) {
  const [centre, least, most] = [mean, low, high].map(numberOrNull);
  if (most !== null && most <= 0) return '-';
  return least !== null && least <= 0 ? `under ${digits(most)}` : formatInterval({ mean: centre, low: least, high: most });
}

/** Memory added since before the first connection. Below 0, other changes of memory hide it. */
const BELOW = /_b_per_idle_connection$/;

/**
 * A value of a point with its interval, and a qualification if it would mislead without.
 * @param {Record<string, string>} row of points.tsv @param {Record<string, string>[]} own all rows of its point
 * @returns {string} such as "at least 73600 [no interval]"
 */
export function describePoint({ metric, mean, low, high }, own) {
  const value = formatInterval({ mean: numberOrNull(mean), low: numberOrNull(low), high: numberOrNull(high) });
  if (BELOW.test(metric) && Number(mean) < 0) return `${value}, below what can be measured`;
  const isLeast = metric === 'saturation_hz' && own.some((each) => each.metric === 'saturation_at_least' && Number(each.mean) > 0);
  return `${isLeast ? 'at least ' : ''}${value}`;
}

/** @param {string[]} header @param {string[][]} rows @returns {string} columns aligned with spaces */
export function formatTable(header, rows) {
  const widths = header.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index].length)));
  return [header, ...rows].map((row) => row.map((cell, index) => cell.padEnd(widths[index])).join('  ').trimEnd()).join('\n');
}

/** Characters with a meaning in Markdown. An underscore within a word has none. */
const MARKUP = /[\\`*<|&]|\](?=[([:])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/** @param {string} text of someone else's @returns {string} Markdown that shows it as it is */
export const inMarkdown = (text) => text.replaceAll(MARKUP, '\\$&');

/** @param {string[]} header @param {(string | undefined)[][]} rows @returns {string} a table of Markdown */
export function formatMarkdownTable(header, rows) {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {number} seconds @returns {string} */
export function formatDuration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes ? `${minutes} min ${String(whole % 60).padStart(2, '0')} s` : `${whole} s`;
}
