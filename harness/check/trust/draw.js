/** The figure of each part: what was planted and what was found, a line a mark. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../common/failure.js';
import { writeAtomically, writeTsv } from '../../common/files.js';
import { GNUPLOT, quoteForGnuplot } from '../../common/gnuplot.js';
import { lastWords, runProgram } from '../../common/programs.js';
import { finishSvg } from '../../common/svg.js';

/** @typedef {import('./judge.js').Mark} Mark */

const COLUMNS = ['y', 'label', 'expected', 'found', 'low', 'high', 'other'];

/** @param {number | undefined} value */
const cellOf = (value) => (value !== undefined && Number.isFinite(value) ? value : 'NaN');

/**
 * @param {string} path of the SVG @param {{said: string, marks: Mark[]}} outcome @param {import('./parts.js').Axis} axis
 * @param {string} description of the conditions
 */
export function drawMarks(path, { said, marks }, axis, description) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-trust-'));
  try {
    const [data, target] = [join(folder, 'marks.tsv'), join(folder, 'figure.svg')];
    writeTsv(data, COLUMNS, marks.map(({ label, expected, found, low = found, high = found, other }, index) => ({
      y: index + 1, label, expected: cellOf(expected), found: cellOf(found), low: cellOf(low), high: cellOf(high), other: cellOf(other),
    })));
    const words = { data, target, figure_title: said, axis_title: axis.title, expected_words: axis.expected, found_words: axis.found, other_words: axis.other ?? '' };
    const settings = [
      ...Object.entries(words).map(([name, text]) => `${name} = ${quoteForGnuplot(text)}`),
      `lines = ${marks.length}`, `is_log = ${axis.isLog ? 1 : 0}`, `label_characters = ${Math.max(...marks.map(({ label }) => label.length))}`,
    ];
    const script = join(import.meta.dirname, 'figure.gp');
    const drawn = runProgram([...GNUPLOT, '-e', settings.join('; '), script]);
    if (drawn.status !== 0) throw new UserError(`${script}: gnuplot refused it: ${lastWords(drawn)}; see the script`);
    writeAtomically(path, finishSvg(readFileSync(target, 'utf8'), { title: said, description }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
