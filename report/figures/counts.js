/** Counts shown by a browser's page over time, beside those of its server, with an inset picture of the page. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeSeries } from './lines.js';
import { SERIES } from './looks.js';

/** @import { KeyEntry, Kind } from './chart.js' */

const HEIGHT = 190;
/** What is counted, in drawing order. */
const COUNTS = /** @type {(KeyEntry & {count: string})[]} */ ([
  { count: 'clients', words: 'the clients have sent', look: { ...SERIES[3], dash: 2 }, layers: ['line'] },
  { count: 'worker', words: 'the worker counts', look: SERIES[0], layers: ['line'] },
  { count: 'page', words: 'the page shows', look: { colour: '#000000', mark: 6, dash: 1 }, layers: ['mark'] },
]);

/** @type {Kind} */
export function makeCounts(entry, source) {
  const all = source.select(entry.table ?? '', entry.where);
  if (all.length === 0) return undefined;
  const { phases } = source.spec;
  const from = phases.ramp_s + phases.settle_s;
  const [end, most] = ['t_s', 'value'].map((column) => Math.max(...all.map((row) => Number(row[column]))));
  const panels = [...Map.groupBy(all, ({ engine }) => engine)].map(([engine, own]) => {
    const picture = join(source.folder, `live-${engine}.png`);
    const rows = own.filter(({ trial }) => trial === own[0].trial);
    return {
      head: source.titleOf(engine),
      height: HEIGHT,
      x: { title: 'time, s', from: 0, to: end * 1.02 },
      y: { title: 'pings', from: 0, to: 1.3 * most },
      grounds: [{ along: /** @type {const} */ ('x'), from, to: from + phases.hold_s }],
      picture: existsSync(picture) ? picture : '',
      series: COUNTS.map(({ count, ...series }) =>
        ({ ...series, marks: rows.filter((row) => row.count === count).map((row) => ({ x: Number(row.t_s), y: Number(row.value) })) })),
    };
  });
  return {
    panels,
    columns: Math.min(2, panels.length),
    key: COUNTS,
    caption: [entry.caption ?? '', 'Grey ground: the measuring window.'],
    text: panels.flatMap(({ head, series }) => writeSeries(head, 'time, s', series)),
  };
}
