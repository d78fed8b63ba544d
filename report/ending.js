/** What a run prints at its end: its table, verdicts, figures, and the next command. The rest is in the bundle. */
import { writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { adviseOn } from '../analysis/trials/validity.js';
import { openBundle } from '../harness/common/bundle.js';
import { readJson, readTsv } from '../harness/common/files.js';
import { formatDuration } from '../harness/common/format.js';
import { numberOfExperiment } from '../harness/common/places.js';
import { describeMoved } from '../harness/common/yardstick.js';
import { estimateHereS } from '../harness/plan/plan.js';
import { choicesOf, quoteWord } from '../harness/records/sources.js';
import { describeScale } from './condition.js';
import { MARK, countFlagged } from './flagged.js';
import { describeResult, formatResult, wrapText } from './summary.js';

/** @typedef {import('../analysis/claims/summary.js').ClaimVerdict} ClaimVerdict */

/** The full report of a run as text. */
const SUMMARY = 'summary.txt';
const SMOKE = 'A smoke run, of one short trial a point, shows that everything works; it has no intervals and judges no claim.';
/** If there are more figures, only their folder is printed. */
const FIGURES_MAX = 4;

/** @param {string} experiment @returns {string} how long `default` takes here; '' if it can't be planned */
function timeOf(experiment) {
  try {
    return formatDuration(estimateHereS(experiment, 'default'));
  } catch {
    return ''; // the bundle's experiment no longer exists
  }
}

/** @param {any} spec @returns {string} the options, each after a space, with which `--resume` finds the run */
const optionsOf = (spec) => Object.entries(choicesOf(spec)).filter(([, value]) => value !== undefined)
  .map(([name, value]) => ` --${name} ${quoteWord(String(value))}`).join('');

/** @param {any} spec @param {boolean} isFlagged are all trials flagged? @param {string} bundle as a command takes it @returns {string} */
export function nextCommand(spec, isFlagged, bundle) {
  const number = numberOfExperiment(spec.experiment);
  const profile = spec.profile === 'default' ? '' : ` --profile ${spec.profile}`;
  if (isFlagged) return `./wscale run ${number}${profile}${optionsOf(spec)} --resume --patience 20   (repeats flagged trials, for 20 minutes at most)`;
  if (spec.profile !== 'quick') return `./wscale report ${bundle}`;
  const time = timeOf(spec.experiment);
  return `./wscale run ${number}${time && `   (${time}: intervals, and verdicts on the claims)`}`;
}

/** @param {any} spec @param {ClaimVerdict[]} claims @returns {string} the verdicts, or why there are none */
function describeWorth({ profile, question }, claims) {
  if (profile === 'quick') return `${question} ${SMOKE}`;
  const words = claims.map(({ claim, era, verdict }) => `${claim} ${era} ${verdict}`);
  return words.length ? `Claims: ${words.join(', ')}.` : `${question} No claim was judged.`;
}

/** @param {string[]} paths of figures @returns {string[]} a line each, or one with their folder */
function listFigures(paths) {
  const pictures = paths.filter((path) => path.endsWith('.svg'));
  if (pictures.length > FIGURES_MAX) return [`figures ${relative(process.cwd(), dirname(pictures[0]))}/*.svg (${pictures.length})`];
  return pictures.map((path) => `figure  ${path}`);
}

/**
 * @param {string} bundle @param {string[]} figures their paths @param {number} [columns] of the terminal
 * @returns {string} at most twelve lines besides the table, at 120 columns
 */
function describeEnding(bundle, figures, columns) {
  const { spec, plan } = openBundle(bundle);
  const { claims } = readJson(join(bundle, 'verdict.json'));
  const flagged = countFlagged(plan, readTsv(join(bundle, 'reduced/dropped.tsv')));
  const where = relative(process.cwd(), bundle) || '.';
  const wrap = (/** @type {string} */ text) => wrapText(text, columns);
  const reasons = flagged.groups.map(([reason]) => reason);
  return [
    '', spec.title, ...[describeScale(spec)].filter(Boolean).map(wrap), '',
    formatResult(join(bundle, 'reduced'), spec), '',
    wrap(describeWorth(spec, claims)),
    ...(flagged.trials ? [wrap(`${MARK} ${flagged.trials} of ${flagged.planned} trials are flagged (${reasons.join(', ')}); ${adviseOn(reasons)[0]}.`)] : []),
    ...describeMoved(bundle).map(wrap),
    ...listFigures(figures),
    `bundle  ${where}`,
    `all     ${join(where, SUMMARY)}   (conditions, verdicts, what was left out)`,
    `next    ${nextCommand(spec, flagged.trials === flagged.planned, where)}`,
  ].join('\n');
}

/** @param {string} bundle @param {string[]} figures */
export function printEnding(bundle, figures) {
  writeFileSync(join(bundle, SUMMARY), `${describeResult(bundle, figures)}\n`);
  console.log(describeEnding(bundle, figures, process.stdout.columns));
}
