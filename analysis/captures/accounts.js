/** Resources used by each process between two marks: differences of the kernel's cumulative accounts. Only this file subtracts them. */

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {object} Used
 * @property {string} pid `host:pid` for a client on another host than the server's
 * @property {string} side @property {string} role @property {string} index @property {string} rss_kb at the second mark
 * @property {number} seconds between the marks @property {number} cpu_s @property {number} wait_s for a core; 0 in older captures
 * @property {number} ticks of CPU, as the kernel samples them; NaN in older captures
 * @property {number} voluntary context switches @property {number} involuntary @property {number} [descriptors] opened
 */

/** @param {Row} from @param {Row} to @returns {Used} */
function subtract(from, to) {
  const added = (/** @type {string} */ column) => Number(to[column]) - Number(from[column]);
  const { pid, side, role, index, rss_kb } = to;
  return {
    pid, side, role, index, rss_kb,
    seconds: added('t_us') / 1e6,
    cpu_s: added('cpu_ns') / 1e9,
    wait_s: (added('wait_ns') || 0) / 1e9,
    ticks: added('ticks'),
    voluntary: added('voluntary'), involuntary: added('involuntary'),
    ...('descriptors' in to && { descriptors: added('descriptors') }),
  };
}

/**
 * @param {Row[]} accounts mark, t_us, pid, side, role, index, cpu_ns, wait_ns, ticks, voluntary, involuntary, rss_kb, descriptors
 * @param {string} from a mark @param {string} to a mark @returns {Used[]} processes present at both
 */
export function subtractAccounts(accounts, from, to) {
  const before = new Map(accounts.filter(({ mark }) => mark === from).map((row) => [row.pid, row]));
  const after = accounts.filter(({ mark, pid }) => mark === to && before.has(pid));
  return after.map((row) => subtract(/** @type {Row} */ (before.get(row.pid)), row));
}

/** @typedef {Used & {phase: 'window' | 'whole'}} Usage window: window_start to window_end; whole: start to window_end */

/** Rounds to microseconds, the resolution of the tables. @param {number} value_s */
const round_us = (value_s) => Number(value_s.toFixed(6));

/** @param {Row[]} accounts with the marks start, window_start and window_end @returns {Usage[]} descriptors count from the start */
export function computeUsage(accounts) {
  const whole = subtractAccounts(accounts, 'start', 'window_end');
  const opened = new Map(whole.map(({ pid, descriptors }) => [pid, descriptors]));
  const tell = (/** @type {Usage['phase']} */ phase) => (/** @type {Used} */ used) => ({
    ...used, phase, seconds: round_us(used.seconds), cpu_s: round_us(used.cpu_s), descriptors: opened.get(used.pid),
  });
  return [...subtractAccounts(accounts, 'window_start', 'window_end').map(tell('window')), ...whole.map(tell('whole'))];
}

/** @param {Row[]} accounts @param {number} step from 1 @param {number} last step, which ends with the window @returns {Used[]} in a step */
export const subtractStep = (accounts, step, last) =>
  subtractAccounts(accounts, `step_${step}_from`, step === last ? 'window_end' : `step_${step}_to`);
