/**
 * `make report`: one HTML file that needs no network. Verdicts can be read without JavaScript, which adds a filter and a look-up of every
 * number. The same tables give the same bytes.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import Handlebars from 'handlebars';
import { UserError } from '../../harness/common/failure.js';
import { makeFolder, writeAtomically } from '../../harness/common/files.js';
import { ROOT, numberOfExperiment } from '../../harness/common/places.js';
import { placeFor, readSource } from '../../harness/records/sources.js';
import { BADGES, countVerdicts, describeClaims } from './claim-answers.js';
import { describeExperiment, findFigures, packText } from './experiments.js';

/** @typedef {import('../../harness/records/sources.js').Source} Source */

/** Small enough for mail and for a phone. */
const MOST_B = 4e6;
const HERE = import.meta.dirname;
const UPLOT = join(ROOT, 'node_modules/uplot/dist');
/** Scripts of the page, in this order; none imports another. */
const SCRIPTS = [join(HERE, '../../harness/common/format.js'), join(HERE, 'scale.js'), join(HERE, 'explore.js')];

/** @param {string} from a bundle, or `record` @param {string} [beside] another @returns {Promise<void>} when the file is written */
export async function writeReport(from, beside) {
  const sources = [from, ...(beside ? [beside] : [])].map(readSource);
  const path = placeFor('reports', `${sources.map(({ name }) => name).join('-with-')}.html`);
  const html = await makePage(sources);
  makeFolder(dirname(path));
  writeAtomically(path, html);
  console.log(`${relative(process.cwd(), path)} (${(Buffer.byteLength(html) / 1e6).toFixed(1)} MB)`);
}

/** @param {Source[]} sources @returns {Promise<string>} HTML @throws {UserError} if it would exceed MOST_B */
export async function makePage(sources) {
  const sides = [];
  for (const { runs } of sources) {
    const described = [];
    for (const run of runs) described.push(await describeExperiment(run));
    sides.push(described);
  }
  const handlebars = Handlebars.create();
  handlebars.registerHelper('isOne', (count) => count === 1);
  for (const name of ['rows', 'tables']) handlebars.registerPartial(name, readFileSync(join(HERE, `${name}.hbs`), 'utf8'));
  const render = handlebars.compile(readFileSync(join(HERE, 'report.hbs'), 'utf8'));
  const model = describeReport(sources, sides);
  const figures = sides.flatMap((side, index) =>
    side.flatMap((each) => [...each.figures, ...each.paper?.figures ?? []].map((/** @type {any} */ figure) => ({ figure, index }))));
  // Packed figures need JavaScript: all of the second source, and the largest of the first until the page fits
  for (const { figure, index } of figures) if (index > 0) packFigure(figure);
  const plain = figures.filter(({ index }) => index === 0).sort((a, b) => b.figure.svg.length - a.figure.svg.length);
  for (;;) {
    const html = render(model);
    const bytes = Buffer.byteLength(html);
    if (bytes < MOST_B) return html;
    const largest = plain.shift();
    if (!largest) throw new UserError(`report: ${(bytes / 1e6).toFixed(1)} MB are more than ${MOST_B / 1e6} MB; give one experiment of it: FROM=<folder>/NN-name`);
    packFigure(largest.figure);
  }
}

/** @param {any} figure */
function packFigure(figure) {
  figure.packed = packText(figure.svg);
}

/** @param {string} path @returns {string} without the exports of a module */
const readScript = (path) => readFileSync(path, 'utf8').replaceAll(/^export /gm, '');

/** @param {Source[]} sources @param {any[][]} sides the experiments of each @returns {object} what the template shows */
function describeReport(sources, sides) {
  const claims = describeClaims(sources);
  const isPair = sources.length > 1;
  const names = sources.flatMap(({ runs }) => runs).map(({ experiment }) => experiment);
  const numbers = [...new Set(names.sort().map(numberOfExperiment))];
  const experiments = numbers.map((number) => {
    const own = sides.map((side, index) => ({ letter: isPair ? 'AB'[index] : '', found: side.find((each) => each.number === number) }));
    const { title, question, source } = own.map(({ found }) => found).find(Boolean);
    return { number, title, question, source, sides: own };
  });
  for (const side of claims.flatMap(({ eras }) => eras.flatMap((/** @type {any} */ era) => era.sides))) {
    const index = side.letter === 'B' ? 1 : 0;
    const number = side.experiment && numberOfExperiment(side.experiment);
    const found = sides[index].find((each) => each.number === number);
    side.run = side.isOfPaper ? found?.paper : found;
    if (side.run) side.figures = findFigures(side.run.figures, side.asked);
  }
  return {
    title: isPair ? `${sources[0].name} with ${sources[1].name}` : titleOf(sources[0]), isPair, claims, experiments, badges: BADGES,
    sources: sources.map((source, index) => ({ letter: isPair ? 'AB'[index] : '', ...describeSource(source), counts: countVerdicts(claims, index) })),
    differing: claims.flatMap(({ eras }) => eras).filter(({ differs }) => differs).length,
    documents: [...new Set(claims.map(({ document }) => document))],
    eras: [...new Set(claims.flatMap(({ eras }) => eras.map((/** @type {any} */ { era }) => era)))].sort(),
    style: readFileSync(join(UPLOT, 'uPlot.min.css'), 'utf8') + readFileSync(join(HERE, 'style.css'), 'utf8'),
    scripts: [readFileSync(join(UPLOT, 'uPlot.iife.min.js'), 'utf8'), `(() => {\n${SCRIPTS.map(readScript).join('\n')}\n})();`],
  };
}

/** @param {Source} source @returns {string} */
function titleOf({ name, runs }) {
  if (runs.length === 1) return `Experiment ${numberOfExperiment(runs[0].experiment)}: ${runs[0].spec.title}`;
  return runs.every(({ isRecord }) => isRecord) ? 'The results of record' : name;
}

/** @param {Source} source @returns {object} */
function describeSource({ from, runs }) {
  const all = runs.flatMap((run) => [run, ...(run.paper ? [run.paper] : [])]);
  const days = [...new Set(all.map(({ spec }) => spec.began?.slice(0, 10)).filter(Boolean))].sort();
  const machines = [...new Set(all.map(({ spec: { environment: { cores, cpu } } }) => `${cores} cores, ${cpu}`))];
  const ofPaper = runs.flatMap(({ claims }) => claims).filter(({ isOfPaper }) => isOfPaper).length;
  const profiles = [...new Set(runs.map(({ spec }) => spec.profile)), ...(ofPaper ? [`paper for ${ofPaper} verdicts`] : [])];
  return {
    from, days: [...new Set([days[0], days[days.length - 1]])].join(' to '), machines: machines.join('; '), profiles: profiles.join(', '),
    experiments: runs.length, trials: all.reduce((sum, { plan }) => sum + plan.length, 0),
  };
}
