/** What each process used between two marks, by the kernel's cumulative accounts. They are subtracted here. */

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {object} Usage
 * @property {'window' | 'whole'} phase window: window_start to window_end; whole: start to window_end
 * @property {string} side @property {string} role @property {string} index @property {string} pid
 * @property {number} seconds @property {number} cpu_s @property {number} wait_s
 * @property {number} voluntary context switches @property {number} involuntary
 * @property {string} rss_kb at the end
 * @property {number} [descriptors] opened since the start
 */

/** To the microsecond, in which tables keep it. @param {number} value_s */
const round_us = (value_s) => Number(value_s.toFixed(6));

/**
 * @param {Row[]} accounts mark, t_us, pid, side, role, index, cpu_ns, wait_ns, voluntary, involuntary, rss_kb,
 *   descriptors; marks start, window_start, window_end
 * @returns {Usage[]} of who is there at both ends
 */
export function subtractAccounts(accounts) {
  const before = new Map(accounts.filter(({ mark }) => mark !== 'window_end').map((row) => [`${row.mark} ${row.pid}`, row]));
  return accounts
    .filter(({ mark }) => mark === 'window_end')
    .flatMap((row) => [
      ...useBetween('window', before.get(`window_start ${row.pid}`), row, before.get(`start ${row.pid}`)),
      ...useBetween('whole', before.get(`start ${row.pid}`), row, before.get(`start ${row.pid}`)),
    ]);
}

/**
 * @param {Usage['phase']} phase
 * @param {Row | undefined} from
 * @param {Row} to
 * @param {Row | undefined} first
 * @returns {Usage[]}
 */
function useBetween(phase, from, to, first) {
  if (!from) return [];
  const added = (/** @type {string} */ column) => Number(to[column]) - Number(from[column]);
  const { side, role, index, pid, rss_kb } = to;
  return [
    {
      phase,
      side,
      role,
      index,
      pid,
      seconds: round_us(added('t_us') / 1e6),
      cpu_s: round_us(added('cpu_ns') / 1e9),
      wait_s: round_us(added('wait_ns') / 1e9),
      voluntary: added('voluntary'),
      involuntary: added('involuntary'),
      rss_kb,
      ...(first && 'descriptors' in to && { descriptors: Number(to.descriptors) - Number(first.descriptors) }),
    },
  ];
}
