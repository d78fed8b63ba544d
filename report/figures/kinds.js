/** The kinds of chart: `make` builds one from an entry and its tables, and plots/SCRIPT.gp draws it. */
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
  waterfall: { make: makeWaterfall, script: 'waterfall' },
};
