/** The front of the repository: README.md has, between two marks, the findings that an experiment's findings.toml puts there. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, figuresOf, recordOf } from '../harness/common/places.js';
import { fillParagraph } from '../harness/common/prose.js';
import { readFindings } from './findings.js';

const WIDTH = 120;
const MARKS = { begin: '<!-- what was found: by make thesis-results -->', end: '<!-- end of what was found -->' };

/** @param {string} experiment @returns {string} Markdown; '' where it has nothing to say there */
export function renderItem(experiment) {
  const { front } = readFindings(experiment);
  if (!front) return '';
  const link = `([experiment ${Number(experiment.split('-')[0])}](experiments/${experiment}/README.md))`;
  const path = front.figure && relative(ROOT, join(figuresOf(recordOf(experiment)), `${front.figure}.svg`));
  return [fillParagraph(`${front.text.trim()} ${link}`, WIDTH), ...(path ? [`![${front.figure}](${path})`] : [])].join('\n\n');
}

/** @param {string[]} recorded experiments with a result of record @returns {string} README.md */
export function renderFront(recorded) {
  const items = recorded.map(renderItem).filter(Boolean);
  const [before, rest] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(MARKS.begin);
  return [before, MARKS.begin, '\n\n', items.join('\n\n'), '\n\n', MARKS.end, rest.split(MARKS.end)[1]].join('');
}
