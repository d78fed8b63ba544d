/**
 * The figure stage: each *.gp of an experiment's folder, drawn as SVG, PNG, PDF and text from a bundle's reduced tables.
 * It needs no server, and gives the same bytes each time.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { BRIEF_MAX, describeArrivals, describeBriefly, describeCondition, describeDropped, describeScale, describeVersionsBriefly } from './condition.js';
import { UserError } from '../common/failure.js';
import { readTsv, writeAtomically } from '../common/files.js';
import { GNUPLOT, numberForGnuplot, quoteForGnuplot as quote } from '../common/gnuplot.js';
import { listEngines, readEngine, readRuntime, usualGenerator } from '../spec/engines.js';
import { settingOf } from '../spec/generators.js';
import { EXPERIMENTS, ROOT, figuresOf } from '../common/places.js';
import { lastWords, nextAfter, runBeside } from '../common/programs.js';
import { tablesOf } from '../common/tables.js';
import { wrapWords } from '../common/prose.js';
import { parseSetting } from '../common/setting.js';
import { describeSetting } from './setting-labels.js';
import { finishSvg } from '../common/svg.js';
import { findTitles } from './titles.js';

/** What a figure is drawn as: pictures that scale, pictures of dots, pages, and text. */
const FORMATS = ['svg', 'png', 'pdf', 'txt'];
/** What of it is kept in the tree: what a page shows, and what a diff shows. `make figures` draws the others of the same tables. */
export const FORMATS_OF_RECORD = ['svg', 'txt'];
/** Characters that fit on a line of a caption, in a text and in a picture: see plots/layout.gp. */
const CAPTION_WIDTHS = { text: 126, picture: BRIEF_MAX };

/**
 * @param {string} bundle
 * @param {string[]} [formats]
 * @returns {Promise<string[]>} the figures' paths
 * @throws {UserError} when the bundle was not reduced, or gnuplot refuses a script
 */
export async function makeFigures(bundle, formats = FORMATS) {
  const { spec, plan } = openBundle(bundle);
  const reduced = tablesOf(bundle);
  if (!existsSync(join(reduced, 'points.tsv'))) {
    throw new UserError(`${bundle}: has no reduced tables; make them with: node analysis/analyse.js ${bundle}`);
  }
  const folder = resolve(figuresOf(bundle));
  mkdirSync(folder, { recursive: true });
  const conditions = join(folder, '.conditions.gp');
  const dropped = readTsv(join(reduced, 'dropped.tsv'));
  writeAtomically(conditions, describeForGnuplot(spec, plan, dropped, resolve(reduced)));
  const versions = ['2014', 'today'].flatMap((era) => describeVersionsBriefly(spec, era));
  const description = [...describeCondition(spec, plan), describeDropped(plan, dropped), ...versions].join('\n');
  const titles = findTitles(spec, bundle);
  const paths = [];
  try {
    for (const script of listScripts(spec)) {
      const given = { experiment: spec.experiment, script, folder, conditions, description, finding: titles[script.replace(/\.gp$/, '')] ?? '' };
      const drawn = await Promise.allSettled(formats.map((format) => drawFigure({ ...given, format })));
      for (const figure of drawn) {
        if (figure.status === 'rejected') throw figure.reason;
        paths.push(figure.value);
      }
    }
    return paths;
  } finally {
    rmSync(conditions);
  }
}

/** What a script says of its figure (plots/layout.gp): its title, and its words, of which a picture shows what fits on three lines. */
const TITLE = /^title: (.+)$/m;
const OWN_WORDS = /^caption: (.+)$/m;

/** Scripts of this name compare generators: they are drawn where there are two. */
const COMPARES_GENERATORS = /^generators.*\.gp$/;

/**
 * @param {Pick<import('../spec/spec.js').Spec, 'experiment' | 'axes'>} spec
 * @returns {string[]} the scripts of the figures that there are to draw
 */
export function listScripts({ experiment, axes }) {
  const scripts = readdirSync(join(EXPERIMENTS, experiment)).filter((name) => name.endsWith('.gp')).sort();
  return scripts.filter((name) => axes.generator || !COMPARES_GENERATORS.test(name));
}

/**
 * What every script may use: the tables' folder, the points, and the words for its caption.
 * @param {any} spec
 * @param {Record<string, string>[]} plan its rows
 * @param {Record<string, string>[]} dropped rows of dropped.tsv
 * @param {string} reduced
 * @returns {string} assignments for gnuplot
 */
function describeForGnuplot(spec, plan, dropped, reduced) {
  const { axes, engines, phases, workloads } = spec;
  const generators = axes.generator ?? [usualGenerator()];
  const scale = describeScale(spec);
  const condition = describeCondition(spec, plan).filter((line) => line !== scale);
  return [
    `reduced = ${quote(reduced)}`,
    `analysis = ${quote(join(ROOT, 'analysis'))}`,
    `plots = ${quote(join(ROOT, 'plots'))}`,
    `compressed = ${quote(scale)}`,
    `caption = ${wrapped([...condition, describeDropped(plan, dropped)], [describeBriefly(spec, plan, dropped)])}`,
    `versions(era) = era eq "2014" ? ${wrapped(describeVersionsBriefly(spec, '2014'), [])} : ${wrapped(describeVersionsBriefly(spec, 'today'), [])}`,
    `engines = ${quote(axes.engine.join(' '))}`,
    `workloads = ${quote(axes.workload.join(' '))}`,
    `generators = ${quote(generators.join(' '))}`,
    `is_over_hosts = ${spec.hosts ? 1 : 0}`,
    `repeats = ${numberForGnuplot(phases.repeats)}`,
    `window_from_s = ${numberForGnuplot(phases.ramp_s + phases.settle_s)}`,
    `window_to_s = ${numberForGnuplot(phases.ramp_s + phases.settle_s + phases.hold_s)}`,
    lookup('title', engines, ({ title }) => title),
    lookup('era', engines, ({ era }) => era),
    lookup('dialect', engines, ({ dialect }) => dialect),
    lookup('language', Object.fromEntries(axes.engine.map((/** @type {string} */ name) => [name, languageOf(name)])), String),
    lookup('setting', Object.fromEntries(generators.map((/** @type {string} */ name) => [name, settingOf(name)])), String),
    lookup('arrivals', workloads, describeArrivals),
    ...describePoints(spec, plan),
    '',
  ].join('\n');
}

/** @param {string} engine @returns {string} what it is written in; its own name where its folder is gone */
const languageOf = (engine) => (listEngines().includes(engine) ? readRuntime(readEngine(engine).runtime).language : engine);

/**
 * The points that figures show: a list of words `engine|workload|setting`, and of each its words and its window. A twin that
 * the second generator made is not among them: the figures that compare generators know where it is.
 * @param {any} spec
 * @param {Record<string, string>[]} plan its rows
 * @returns {string[]} assignments for gnuplot
 */
function describePoints({ axes, engines, phases, settings: own }, plan) {
  const inOrder = [...plan].sort((a, b) => Number(a.point) - Number(b.point));
  const rows = inOrder.filter(({ setting }) => !axes.generator || parseSetting(setting).generator !== axes.generator[1]);
  const points = new Map(rows.map((row) => [[row.engine, row.workload, row.setting].join('|'), row]));
  const settings = Object.fromEntries(rows.map(({ engine, setting }) => [`${engine}|${setting}`, describeSetting(setting, Object.keys(engines[engine].processes), own)]));
  const from_s = phases.ramp_s + phases.settle_s;
  const to_s = from_s + phases.hold_s;
  const unusual = Object.fromEntries([...points].filter(([, row]) => Number(row.from_s) !== from_s || Number(row.to_s) !== to_s));
  return [
    `planned = ${quote([...points.keys()].join(' '))}`,
    lookup('words_of_setting', settings, String),
    'describe_setting(engine, setting) = words_of_setting(engine . "|" . setting)',
    lookup('opens_s', unusual, (row) => Number(row.from_s), numberForGnuplot(from_s)),
    lookup('closes_s', unusual, (row) => Number(row.to_s), numberForGnuplot(to_s)),
  ];
}

/** @param {string[]} text lines @param {string[]} picture lines @returns {string} an expression of gnuplot: those of the format, broken */
function wrapped(text, picture) {
  const broken = (/** @type {string[]} */ lines, /** @type {number} */ width) => quote(lines.flatMap((line) => wrapWords(line, width)).join('\n'));
  return `(format eq "txt" ? ${broken(text, CAPTION_WIDTHS.text)} : ${broken(picture, CAPTION_WIDTHS.picture)})`;
}

/**
 * @param {string} name
 * @param {Record<string, any>} table
 * @param {(value: any) => string | number} choose
 * @param {string} [otherwise] an expression for a key that is not in the table
 * @returns {string} a function of gnuplot from a key of the table to what is chosen of its value
 */
function lookup(name, table, choose, otherwise = 'key') {
  const literal = (/** @type {string | number} */ chosen) => (typeof chosen === 'number' ? numberForGnuplot(chosen) : quote(chosen));
  const cases = Object.entries(table).map(([key, value]) => `key eq ${quote(key)} ? ${literal(choose(value))} : `);
  return `${name}(key) = ${cases.join('')}${otherwise}`;
}

/**
 * @param {Record<'experiment' | 'script' | 'format' | 'folder' | 'conditions' | 'description' | 'finding', string>} given
 *   `conditions`: the path of what every script may use; `description`: all conditions, for a format that can hold what it doesn't show;
 *   `finding`: a title that says what was found, or ""
 * @returns {Promise<string>} its path
 */
async function drawFigure({ experiment, script, format, folder, conditions, description, finding }) {
  const path = join(folder, script.replace(/\.gp$/, `.${format}`));
  const partial = `${path}.partial`;
  const style = join(ROOT, 'plots', 'style.gp');
  const settings = [`format = ${quote(format)}`, `target = ${quote(partial)}`, `finding = ${quote(finding)}`, `load ${quote(conditions)}`, `load ${quote(style)}`];
  const argv = [...GNUPLOT, '-e', settings.join('; '), join(EXPERIMENTS, experiment, script)];
  const drawn = await runBeside(argv, { cwd: folder });
  if (drawn.status !== 0) throw new UserError(`experiments/${experiment}/${script}: gnuplot refused it (${format}): ${lastWords(drawn)}; ${nextAfter(drawn, 'see the script')}`);
  const [title = '', words] = [TITLE, OWN_WORDS].map((said) => said.exec(drawn.stderr)?.[1]);
  const finish = FINISH[format];
  const asBytes = (/** @type {string} */ text) => Buffer.from(text).toString('latin1');
  const said = { title: asBytes(title), description: asBytes([words, description].filter(Boolean).join('\n')) };
  if (finish) writeFileSync(partial, finish(readFileSync(partial, 'latin1'), said), 'latin1');
  renameSync(partial, path);
  return relative(process.cwd(), path);
}

/**
 * Cairo writes the time of drawing into a PDF, whatever SOURCE_DATE_EPOCH says; the same figure is to be the same bytes.
 * @param {string} pdf
 * @returns {string} of the same length: a PDF holds the offsets of its parts
 */
function stripDate(pdf) {
  return pdf.replace(/(?<=\/CreationDate \()D:[^)]*(?=\))/, (date) => 'D:20000101000000Z'.padEnd(date.length));
}

/** Gnuplot fills each line of a text to its width, and begins a page. @param {string} text @returns {string} */
function stripBlanks(text) {
  return text.replaceAll('\f', '').replace(/[ \t]+$/gm, '').replace(/\n+$/, '\n');
}

/** @type {Record<string, (text: string, said: import('../common/svg.js').Said) => string>} what is left to do to a figure, by format */
const FINISH = { svg: finishSvg, pdf: stripDate, txt: stripBlanks };
