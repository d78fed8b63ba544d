/**
 * What was measured at a share of saturation, where the load's own core was full before the server fell behind: it is a share of less than
 * that. Messages a CPU second rise with the load, so a server carries at its true share as many at least, and a ratio is known to one side.
 */

/** @typedef {'at least' | 'at most' | 'neither'} Side what is known: the ratio is so much at least, at most, or neither */

const RISES = /^messages_per_cpu_s_at_\d+$/;
const SHARE = /_at_\d+$/;

/**
 * @param {Record<string, string>[]} points of points.tsv
 * @returns {(cells: Record<string, string>) => Side | undefined} of a row of compared.tsv; none where both ends of its interval are known
 */
export function makeSideOf(points) {
  const name = (/** @type {(string | undefined)[]} */ ...cells) => cells.join('\t');
  const least = new Set(points.filter(({ metric, mean }) => metric === 'saturation_at_least' && Number(mean) > 0)
    .map(({ engine, workload, setting }) => name(engine, workload, setting)));
  return ({ of, to, workload, setting, to_setting = setting, metric, to_metric = metric }) => {
    /** @param {string} engine @param {string} at @param {string} what */
    const isLeast = (engine, at, what) => SHARE.test(what) && least.has(name(engine, workload, at));
    const [isOfLeast, isToLeast] = [isLeast(of, setting, metric), isLeast(to, to_setting, to_metric)];
    if (!isOfLeast && !isToLeast) return undefined;
    if ((isOfLeast && isToLeast) || !RISES.test(isOfLeast ? metric : to_metric)) return 'neither';
    return isOfLeast ? 'at least' : 'at most';
  };
}

/**
 * @param {{low: number | null, high: number | null, bounds?: Side}} row
 * @returns {[number | null, number | null]} its interval, open to the side that is not known
 */
export function openInterval({ low, high, bounds }) {
  if (low === null || high === null || !bounds) return [low, high];
  return [bounds === 'at least' ? low : -Infinity, bounds === 'at most' ? high : Infinity];
}
