/** The kinds of chart: each makes of an entry and its tables what plots/KIND.gp draws. */
import { makeBars } from './bars.js';
import { makeDots } from './dots.js';
import { makeTable } from './table.js';
import { makeLines } from './lines.js';
import { makeLoad } from './load.js';
import { makeCounts } from './counts.js';
import { makeProcesses } from './processes.js';
import { makeWaterfall } from './waterfall.js';

/** @type {Record<string, {make: import('./chart.js').Kind, script: string}>} */
export const KINDS = {
  bars: { make: makeBars, script: 'bars' },
  dots: { make: makeDots, script: 'dots' },
  lines: { make: makeLines, script: 'lines' },
  load: { make: makeLoad, script: 'load' },
  counts: { make: makeCounts, script: 'counts' },
  processes: { make: makeProcesses, script: 'dots' },
  table: { make: makeTable, script: '' },
  // the numbers of dots, of more rows than a page has room for
  'table-of-points': { make: (entry, source) => withoutPicture(makeDots(entry, source)), script: '' },
  waterfall: { make: makeWaterfall, script: 'waterfall' },
};

/** @param {import('./chart.js').Chart | undefined} chart @returns {import('./chart.js').Chart | undefined} */
const withoutPicture = (chart) => chart && { ...chart, panels: [] };
