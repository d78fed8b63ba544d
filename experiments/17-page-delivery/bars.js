/**
 * One load of each workflow, request by request: the one with the largest x of the scenario timeouts, or of files for
 * workflows without timeouts, in the first trial that has it.
 */
import { group } from 'd3-array';
import { PLAIN, settingWithout } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */

export const BAR_COLUMNS = ['engine', 'workflow', 'line', 'what', 'begin_ms', 'first_ms', 'end_ms'];
/** @type {[column: string, words: string][]} */
const MARKS = [['first_paint_ms', 'first paint'], ['interactive_ms', 'interactive'], ['data_ms', 'data there'], ['total_ms', 'complete']];
/** Workflows that differ from `stream` only for files. */
const OF_FILES = ['binary', 'websocket'];

/** @param {string} request its path @returns {string} */
function nameRequest(request) {
  if (request === '/socket.io/') return 'poll';
  if (request.startsWith('/data/')) return 'data';
  if (/^\/[a-z]+\/timeouts\//.test(request)) return 'page';
  if (/^\/[a-z]+\/files\//.test(request)) return 'page: a file';
  return request.replace(/^\/(socket\.io\/)?/, '');
}

/** @param {Row[]} loads of one engine and workflow @returns {Row} the one to show */
function choose(loads) {
  const ofTimeouts = loads.filter(({ scenario }) => scenario === 'timeouts');
  const candidates = ofTimeouts.length ? ofTimeouts : loads;
  const first = candidates.filter(({ trial }) => trial === candidates[0].trial);
  return first.reduce((best, row) => (Number(row.x) > Number(best.x) ? row : best), first[0]);
}

/**
 * @param {Row[]} loads of loads.tsv @param {Row[]} waterfall the requests of loads with few requests @returns {Record<string, unknown>[]}
 */
export function listBars(loads, waterfall) {
  const isShown = (/** @type {Row} */ { scenario, workflow }) => scenario === 'timeouts' || (scenario === 'files' && OF_FILES.includes(workflow));
  const shown = loads.filter((load) => isShown(load) && settingWithout(load, 'capture') === PLAIN);
  const chosen = [...group(shown, ({ engine, workflow }) => `${engine} ${workflow}`).values()].map(choose);
  return chosen.flatMap((load) => {
    const requests = waterfall.filter((row) => row.trial === load.trial && row.load === load.load)
      .map(({ request, begin_ms, first_ms, end_ms }) => ({ what: nameRequest(request), begin_ms, first_ms, end_ms }));
    const marks = MARKS.map(([column, what]) => ({ what, begin_ms: load[column] ?? '-', first_ms: '-', end_ms: load[column] ?? '-' }));
    return [...requests, ...marks]
      .map((row, index) => ({ engine: load.engine, workflow: load.workflow, line: index + 1, ...row }))
      .filter(({ begin_ms }) => begin_ms !== '-');
  });
}
