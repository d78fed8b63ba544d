/**
 * The figure stage: each *.gp of an experiment's folder, drawn as SVG, PNG, PDF and text from a bundle's reduced tables.
 * It needs no server, and gives the same bytes each time.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openBundle } from './bundle.js';
import { describeCondition, describeVersions } from './condition.js';
import { UserError } from './failure.js';
import { writeAtomically } from './files.js';
import { EXPERIMENTS, ROOT } from './places.js';

const FORMATS = ['svg', 'png', 'pdf', 'txt'];

/**
 * @param {string} bundle
 * @returns {string[]} the figures' paths
 * @throws {UserError} when the bundle was not reduced, or gnuplot refuses a script
 */
export function makeFigures(bundle) {
  const { spec } = openBundle(bundle);
  if (!existsSync(join(bundle, 'reduced', 'points.tsv'))) {
    throw new UserError(`${bundle}: has no reduced tables; make them with \`analysis/reduce.sh ${bundle}\``);
  }
  const folder = join(bundle, 'figures');
  mkdirSync(folder, { recursive: true });
  const conditions = join(folder, '.conditions.gp');
  writeAtomically(conditions, conditionsScript(spec, resolve(bundle, 'reduced')));
  const scripts = readdirSync(join(EXPERIMENTS, spec.experiment)).filter((name) => name.endsWith('.gp')).sort();
  const figures = scripts.flatMap((script) => FORMATS.map((format) => drawFigure(spec.experiment, script, format, folder, conditions)));
  rmSync(conditions);
  return figures;
}

/** What every script may use: the tables' folder, and the condition for the caption. @param {any} spec @param {string} reduced */
function conditionsScript(spec, reduced) {
  const quote = (/** @type {string} */ text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  return [
    `reduced = ${quote(reduced)}`,
    `caption = ${quote(describeCondition(spec).join('\n'))}`,
    `versions = ${quote(describeVersions(spec).join('\n'))}`,
    `engines = ${quote(spec.axes.engine.join(' '))}`,
    `workloads = ${quote(spec.axes.workload.join(' '))}`,
    `window_from_s = ${spec.phases.ramp_s + spec.phases.settle_s}`,
    `window_to_s = ${spec.phases.ramp_s + spec.phases.settle_s + spec.phases.hold_s}`,
    `title(engine) = ${Object.entries(spec.engines).map(([name, { title }]) => `engine eq ${quote(name)} ? ${quote(title)} : `).join('')}engine`,
    '',
  ].join('\n');
}

/** @param {string} experiment @param {string} script @param {string} format @param {string} folder @param {string} conditions */
function drawFigure(experiment, script, format, folder, conditions) {
  const path = join(folder, script.replace(/\.gp$/, `.${format}`));
  const partial = `${path}.partial`;
  const settings = [`format = "${format}"`, `target = "${partial}"`, `load "${conditions}"`, `load "${join(ROOT, 'plots', 'style.gp')}"`];
  try {
    execFileSync('gnuplot', ['-e', settings.join('; '), join(EXPERIMENTS, experiment, script)], {
      cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8', SOURCE_DATE_EPOCH: '0' },
    });
  } catch (error) {
    const { stderr = '', message } = /** @type {Error & {stderr?: string}} */ (error);
    throw new UserError(`experiments/${experiment}/${script}: gnuplot refused it (${format}): ${(stderr || message).trim().split('\n').pop()}; see the script`);
  }
  if (format === 'pdf') stripDate(partial);
  renameSync(partial, path);
  return relative(process.cwd(), path);
}

/** Cairo writes the time of drawing into a PDF; the same figure is to be the same bytes. @param {string} path */
function stripDate(path) {
  const text = readFileSync(path, 'latin1');
  const still = text.replace(/\/CreationDate \(D:[^)]*\)/, (found) => `/CreationDate (D:20000101000000Z${' '.repeat(Math.max(0, found.length - 34))})`);
  writeFileSync(path, still, 'latin1');
}
