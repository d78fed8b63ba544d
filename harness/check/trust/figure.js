/** The figure of each part: what was planted and what was found, a line a mark. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../common/failure.js';
import { writeAtomically } from '../../common/files.js';
import { lastWords, runProgram } from '../../common/programs.js';
import { finishSvg } from '../../common/svg.js';
import { drawing, writeForGnuplot } from '../../../report/figures/draw.js';
import { makeLabels } from '../../../report/figures/labels.js';
import { layOut } from '../../../report/figures/layout.js';

/** @typedef {import('./outcomes.js').Mark} Mark */
/** @typedef {import('../../../report/figures/chart.js').Layer} Layer */

const KIND = 'dots';
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
  const height = labels.reduce((sum, label) => sum + label.height, 0);
  return {
    panels: [{ head: '', x: { title, isLog }, y: { title: '' }, labels, height, series }],
    columns: 1, key: series.map(({ words, look, layers }) => ({ words, look, layers })), caption: [], text: [],
  };
}

/**
 * @param {string} path of the SVG @param {{said: string, marks: Mark[]}} outcome @param {import('./parts.js').Axis} axis
 * @param {string} description of the conditions
 */
export function drawMarks(path, { said, marks }, axis, description) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-trust-'));
  try {
    const files = writeForGnuplot({ layout: layOut(makeChart(marks, axis), { title: said, caption: [] }), folder, name: 'marks' });
    const target = join(folder, 'figure.svg');
    const drawn = runProgram(drawing(KIND, files, 'svg', target));
    if (drawn.status !== 0) throw new UserError(`plots/${KIND}.gp: gnuplot refused it: ${lastWords(drawn)}; see the script`);
    const asBytes = (/** @type {string} */ text) => Buffer.from(text).toString('latin1');
    const svg = finishSvg(readFileSync(target, 'latin1'), { title: asBytes(said), description: asBytes(description) });
    writeAtomically(path, Buffer.from(svg, 'latin1').toString());
  } finally {
    rmSync(folder, { recursive: true });
  }
}
