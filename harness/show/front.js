/**
 * The front of the repository: README.md has, between two marks, what surprised most. `experiments/NN-name/front.md` is a template as
 * findings.md is, of one sentence or two; it is shown with the experiment's result of record and a link to it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { renderFindings } from './findings.js';

const MARKS = { begin: '<!-- what was found: by make thesis-results -->', end: '<!-- end of what was found -->' };

/** @param {string[]} recorded experiments with a result of record @returns {string} README.md */
export function renderFront(recorded) {
  const shown = recorded.filter((name) => existsSync(join(EXPERIMENTS, name, 'front.md')));
  const items = shown.map((name) => {
    const text = renderFindings(name, join(EXPERIMENTS, name, 'record'), 'front.md').trim();
    return `${text}\n([experiment ${Number(name.split('-')[0])}](experiments/${name}/README.md))`;
  });
  const [before, rest] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(MARKS.begin);
  return [before, MARKS.begin, '\n\n', items.join('\n\n'), '\n\n', MARKS.end, rest.split(MARKS.end)[1]].join('');
}
