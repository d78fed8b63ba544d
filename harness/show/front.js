/**
 * The front of the repository: README.md has, between two marks, what surprised most. `experiments/NN-name/front.md` is a template as
 * findings.md is: a finding in a sentence or two with its numbers, an empty line, and its figure. It is shown with a link to its
 * experiment; one that comes to nothing, since the results of record no longer say it, is left out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS, ROOT, recordOf } from '../common/places.js';
import { renderFindings } from './findings.js';

const FRONT = 'front.md';
const MARKS = { begin: '<!-- what was found: by make thesis-results -->', end: '<!-- end of what was found -->' };

/** @param {string} experiment @returns {boolean} */
export const hasFront = (experiment) => existsSync(join(EXPERIMENTS, experiment, FRONT));

/** @param {string} experiment with a front.md @param {string} [bundle] @returns {string} Markdown; '' where it has nothing to say */
export function renderItem(experiment, bundle = recordOf(experiment)) {
  const [words, ...figures] = renderFindings(experiment, bundle, FRONT).trim().split(/\n{2,}/);
  if (!words) return '';
  return [`${words}\n([experiment ${Number(experiment.split('-')[0])}](experiments/${experiment}/README.md))`, ...figures].join('\n\n');
}

/** @param {string[]} recorded experiments with a result of record @returns {string} README.md */
export function renderFront(recorded) {
  const items = recorded.filter(hasFront).map((name) => renderItem(name)).filter(Boolean);
  const [before, rest] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(MARKS.begin);
  return [before, MARKS.begin, '\n\n', items.join('\n\n'), '\n\n', MARKS.end, rest.split(MARKS.end)[1]].join('');
}
