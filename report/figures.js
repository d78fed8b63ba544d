/**
 * The figure stage: draws each entry of an experiment's figures.toml as SVG, PNG, PDF and text from a bundle's reduced tables. It skips
 * entries without data, needs no server, and gives the same bytes each time.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv, writeAtomically } from '../harness/common/files.js';
import { figuresOf } from '../harness/common/places.js';
import { replaceControls } from '../harness/common/gnuplot.js';
import { lastWords, nextAfter, runBeside } from '../harness/common/programs.js';
import { wrapWords } from '../harness/common/prose.js';
import { finishSvg } from '../harness/common/svg.js';
import { tablesOf } from '../harness/common/tables.js';
import { describeCondition, describeDropped, describePlainly, describeVersions } from './condition.js';
import { drawing, writeForGnuplot } from './figures/draw.js';
import { readEntries } from './figures/entries.js';
import { KINDS } from './figures/kinds.js';
import { HIGHEST, layOut } from './figures/layout.js';
import { openSource } from './figures/source.js';

/** @import { Said } from '../harness/common/svg.js' */
/** @import { Chart } from './figures/chart.js' */
/** @typedef {{name: string, kind: string, title: string, caption: string[], description: string, chart: Chart}} Figure */

/** Formats of a figure: vector, raster, page, and text. */
const FORMATS = ['svg', 'png', 'pdf', 'txt'];
/** Of a figure as text, in characters. */
const WIDTH = 120;
/** Formats committed with a record: SVG for pages, text for diffs. `make figures` draws the others from the same tables. */
export const FORMATS_OF_RECORD = ['svg', 'txt'];

/**
 * All of them, in place of those that are there.
 * @param {string} bundle @param {string[]} [formats] @returns {Promise<string[]>} the figures' paths
 * @throws {UserError} when the bundle was not reduced, or gnuplot refuses a script
 */
export async function makeFigures(bundle, formats = FORMATS) {
  const [folder, partial] = [resolve(figuresOf(bundle)), resolve(`${figuresOf(bundle)}.partial-${process.pid}`)];
  const figures = await prepareFigures(bundle);
  mkdirSync(partial, { recursive: true });
  try {
    /** @type {string[]} */
    const paths = [];
    for (const figure of figures) paths.push(...await drawFigure(figure, partial, formats));
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
    return paths.map((path) => relative(process.cwd(), join(folder, basename(path))));
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** @param {string} bundle @returns {Promise<Figure[]>} the figures to draw @throws {UserError} */
export async function prepareFigures(bundle) {
  const { spec, plan } = openBundle(bundle);
  const reduced = tablesOf(bundle);
  if (!existsSync(join(reduced, 'points.tsv'))) {
    throw new UserError(`${bundle}: has no reduced tables; make them with: node analysis/analyse.js ${bundle}`);
  }
  const dropped = readTsv(join(reduced, 'dropped.tsv'));
  const source = await openSource(bundle, spec, plan);
  const conditions = describePlainly(spec, plan, dropped);
  const description = [...describeCondition(spec, plan), describeDropped(plan, dropped), ...describeVersions(spec)].join('\n');
  return Object.entries(readEntries(spec.experiment)).flatMap(([name, entry]) => {
    const { make, script } = KINDS[entry.kind];
    const chart = entry.paper && spec.profile !== 'paper' ? undefined : make(entry, source);
    if (!chart) return [];
    const caption = [chart.caption.filter(Boolean).join(' '), conditions].filter(Boolean);
    return [{ name, kind: script, title: entry.title, caption, description, chart }];
  });
}

/** @param {Figure} figure @param {string} folder @param {string[]} formats @returns {Promise<string[]>} its paths */
export async function drawFigure(figure, folder, formats) {
  const { name, kind, title, caption, chart, description } = figure;
  const pictures = chart.panels.length ? formats.filter((format) => format !== 'txt') : [];
  const text = join(folder, `${name}.txt`);
  if (formats.includes('txt')) writeAtomically(text, writeText(figure));
  if (pictures.length === 0) return [text];
  const layout = layOut(chart, { title, caption });
  if (layout.height > HIGHEST) return [text]; // too tall for a page: text only
  const files = writeForGnuplot({ layout, folder, name });
  try {
    const said = { title, description: [...caption, description].join('\n') };
    const drawn = await Promise.allSettled(pictures.map((format) =>
      draw({ format, path: join(folder, `${name}.${format}`), kind, files, said })));
    for (const each of drawn) if (each.status === 'rejected') throw each.reason;
    return formats.map((format) => join(folder, `${name}.${format}`));
  } finally {
    for (const path of Object.values(files)) rmSync(path, { force: true });
  }
}

/** @param {Figure} figure @returns {string} the numbers that its picture draws */
function writeText({ title, chart, description }) {
  const said = [chart.caption.filter(Boolean).join(' '), ...description.split('\n')].filter(Boolean);
  return `${[title, ...chart.text, '', ...said.flatMap((line) => wrapWords(line, WIDTH))].map(replaceControls).join('\n')}\n`;
}

/** @param {{format: string, path: string, kind: string, files: {settings: string, data: string}, said: Said}} given */
async function draw({ format, path, kind, files, said }) {
  const partial = `${path}.partial`;
  const drawn = await runBeside(drawing(kind, files, format, partial));
  if (drawn.status !== 0) {
    throw new UserError(`plots/${kind}.gp: gnuplot refused it (${path}): ${lastWords(drawn)}; ${nextAfter(drawn, 'see the script')}`);
  }
  const [title, description] = [said.title, said.description].map((text) => Buffer.from(text).toString('latin1'));
  const finish = FINISH[format];
  if (finish) writeFileSync(partial, finish(readFileSync(partial, 'latin1'), { title, description }), 'latin1');
  renameSync(partial, path);
}

/**
 * Cairo writes the current time into a PDF, despite SOURCE_DATE_EPOCH. The same figure must give the same bytes.
 * @param {string} pdf @returns {string} of the same length: a PDF stores byte offsets
 */
const stripDate = (pdf) => pdf.replace(/(?<=\/CreationDate \()D:[^)]*(?=\))/, (date) => 'D:20000101000000Z'.padEnd(date.length));

/** What is done to a drawn file, by format. @type {Record<string, (text: string, said: Said) => string>} */
const FINISH = { svg: finishSvg, pdf: stripDate };
