/**
 * A recorded terminal as a picture for the README: what `script` recorded of a command goes through an emulator of a terminal, as
 * progress is drawn over, and the lines that are left become an SVG. `make terminal` records and draws it.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import xterm from '@xterm/headless';
import { writeAtomically } from '../harness/common/files.js';
import { ROOT } from '../harness/common/places.js';

/** As wide as the command was told that its terminal is: see the Makefile. */
export const COLUMNS = 120;
const DRAWN = join(ROOT, 'docs/terminal.svg');

/** px of a character and of what surrounds them. */
const CELL = { width: 7.2, height: 16 };
const MARGIN = 14;
const FONT = 'font-family="ui-monospace, SFMono-Regular, Menlo, DejaVu Sans Mono, monospace" font-size="12"';
const COLOURS = { ground: '#1e2430', text: '#d8dee9', prompt: '#a3be8c' };
/** The sixteen colours of a terminal, on a dark ground. */
const ANSI = ['#4c566a', '#e06c75', '#a3be8c', '#ebcb8b', '#81a1c1', '#c794c0', '#88c0d0', '#e5e9f0',
  '#7b88a1', '#ff8790', '#bde0a0', '#ffe0a0', '#9cc0e8', '#e0b0d8', '#a0dce8', '#ffffff'];
const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** @typedef {{text: string, colour?: string, isBold: boolean}} Run characters that look alike */

/**
 * @param {string} typed what a terminal was sent @param {number} [columns]
 * @returns {Promise<Run[][]>} the lines that are left on it, from the first
 */
export async function readScreen(typed, columns = COLUMNS) {
  const terminal = new xterm.Terminal({ cols: columns, rows: 24, scrollback: 5000, allowProposedApi: true });
  await new Promise((done) => terminal.write(typed, () => done(undefined)));
  const { normal } = terminal.buffer;
  const lines = Array.from({ length: normal.length }, (_, y) => readLine(normal.getLine(y)));
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((runs) => runs.length > 0) + 1);
}

/** @param {import('@xterm/headless').IBufferLine | undefined} line @returns {Run[]} without the blanks at its end */
function readLine(line) {
  /** @type {Run[]} */
  const runs = [];
  const { length } = line?.translateToString(true) ?? '';
  for (let x = 0; x < length; x++) {
    const cell = line?.getCell(x);
    const look = { colour: cell?.isFgPalette() ? ANSI[cell.getFgColor()] : undefined, isBold: Boolean(cell?.isBold()) };
    const last = runs.at(-1);
    const text = cell?.getChars() || ' ';
    if (last && last.colour === look.colour && last.isBold === look.isBold) last.text += text;
    else runs.push({ text, ...look });
  }
  return runs;
}

/** @param {string} recorded by script @returns {string} without the lines that it puts around it */
export const stripRecorder = (recorded) => recorded.replace(/^Script started on .*\r?\n/, '').replace(/\r?\n?Script done on .*\r?\n?$/, '\n');

/** @param {string} command as it was typed @param {Run[][]} lines what it printed @returns {string} an SVG */
export function drawScreen(command, lines) {
  const width = COLUMNS * CELL.width + 2 * MARGIN;
  const all = [[{ text: '$ ', colour: COLOURS.prompt, isBold: true }, { text: command, isBold: true }], ...lines];
  const height = all.length * CELL.height + 2 * MARGIN;
  const texts = all.map((runs, index) => drawLine(runs, MARGIN + (index + 0.75) * CELL.height)).filter(Boolean);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT} fill="${COLOURS.text}">`,
    `<title>${escape(`What ${command} prints on a terminal`)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.ground}"/>`,
    ...texts,
    '</svg>\n',
  ].join('\n');
}

/** @param {Run[]} runs @param {number} y @returns {string} */
function drawLine(runs, y) {
  const characters = runs.reduce((count, { text }) => count + text.length, 0);
  if (characters === 0) return '';
  const parts = runs.map(({ text, colour, isBold }) => {
    const look = `${colour ? ` fill="${colour}"` : ''}${isBold ? ' font-weight="bold"' : ''}`;
    return look ? `<tspan${look}>${escape(text)}</tspan>` : escape(text);
  });
  // as long as its characters are in whatever face there is, so that columns stand below one another
  const length = (characters * CELL.width).toFixed(1);
  return `<text x="${MARGIN}" y="${y}" xml:space="preserve" textLength="${length}" lengthAdjust="spacingAndGlyphs">${parts.join('')}</text>`;
}

/** @param {string} text @returns {string} */
const escape = (text) => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character]);

/** @param {string} path what script recorded @param {string} command as it was typed */
export async function drawRecording(path, command) {
  writeAtomically(DRAWN, drawScreen(command, await readScreen(stripRecorder(readFileSync(path, 'utf8')))));
  console.log(relative(process.cwd(), DRAWN));
}
