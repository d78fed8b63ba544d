/** The figure of each part: planted and found values, a line per mark. */
import { drawFigure } from '../../../report/figures.js';
import { asRows, makeLabels } from '../../../report/figures/labels.js';

/** @typedef {import('./outcomes.js').Mark} Mark */
/** @typedef {import('../../../report/figures/chart.js').Layer} Layer */

const LINE = 18;
const LOOKS = {
  expected: { colour: '#000000', mark: 4, dash: 1 },
  found: { colour: '#0060a8', mark: 7, dash: 1 },
  other: { colour: '#c04000', mark: 8, dash: 1 },
};

/** @param {Mark[]} marks @param {import('./parts.js').Axis} axis @returns {import('../../../report/figures/chart.js').Chart} */
function makeChart(marks, { title, isLog, ...names }) {
  const labels = makeLabels(marks.map(({ label }, index) => ({ key: String(index), words: label, indent: 0 })), LINE);
  const kinds = /** @type {const} */ (['expected', 'found', 'other']).filter((kind) => names[kind]);
  const series = kinds.map((kind) => ({
    look: LOOKS[kind], words: names[kind] ?? '', layers: /** @type {Layer[]} */ (kind === 'found' ? ['across', 'mark'] : ['mark']),
    marks: marks.flatMap((mark, index) => (Number.isFinite(mark[kind]) ? [{
      x: Number(mark[kind]), y: labels[index].at, ...(kind === 'found' ? { x_low: mark.low ?? mark.found, x_high: mark.high ?? mark.found } : {}),
    }] : [])),
  }));
  return { panels: [{ head: '', x: { title, isLog }, ...asRows(labels), series }], key: series, caption: [], text: [] };
}

/**
 * @param {string} folder @param {string} name of the SVG @param {{said: string, marks: Mark[]}} outcome
 * @param {import('./parts.js').Axis} axis @param {string} description of the conditions
 */
export async function drawMarks(folder, name, { said, marks }, axis, description) {
  const paths = await drawFigure({ name, kind: 'dots', title: said, caption: [], description, chart: makeChart(marks, axis) }, folder, ['svg']);
  if (!paths.some((path) => path.endsWith('.svg'))) throw new Error(`${name}: ${marks.length} marks are too many for a figure`);
}
