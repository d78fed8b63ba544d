/** docs/metrics.md: the dictionary of metrics, for a reader. */
import { join, relative } from 'node:path';
import { listGroupsHere, listOwnGroups } from '../harness/spec/metrics.js';
import { writeAtomically } from '../harness/common/files.js';
import { ROOT } from '../harness/common/places.js';
import { fillParagraph } from '../harness/common/prose.js';

/** @typedef {import('../harness/spec/metrics.js').Group} Group */

const DOCUMENT = join(ROOT, 'docs', 'metrics.md');

const INTRODUCTION = `# Metrics

Written by \`make docs-metrics\`; do not edit. Each number of a trial is a row of \`reduced/trials.tsv\`, with its name in
the column \`metric\`. CPU times are from the kernel's accounts, at both ends of the window.

A message is a ping and its answer. A window is the part of a trial that is measured, at steady load.

In a name, a word in < > stands for something else:

- \`<role>\`: a role of the engine or of the load, such as worker, balancer or client; \`<side>\`: server or client
- \`<p>\`: a percentile, or a percentage
- \`<b>\`: a number of bytes
- \`<mix>\`, \`<workflow>\`, \`<scenario>\`, \`<x>\`: what an experiment varies
`;

/** @param {string} text @returns {string} as a cell of a table */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {Group} group @returns {string} */
function describeGroup({ heading, computed, metrics }) {
  const rows = Object.entries(metrics).map(([name, { unit, definition, source }]) =>
    `| \`${name}\` | ${[unit, source ? `${definition} (${source})` : definition].map(cell).join(' | ')} |\n`);
  return `
## ${heading}

[Computed here](../${computed}).

| metric | unit | definition |
| --- | --- | --- |
${rows.join('')}`;
}

/** @returns {string} where those of a generator or a companion are defined */
const describeOwn = () =>
  `What a generator or a companion adds is defined in its own folder: ${listOwnGroups().map(({ computed }) => `[${computed}](../${computed})`).join(', ')}.`;

/** @returns {string} docs/metrics.md */
export const describeMetrics = () => `${INTRODUCTION}${listGroupsHere().map(describeGroup).join('')}
${fillParagraph(describeOwn(), 120)}
`;

/** Write docs/metrics.md. */
export function writeMetrics() {
  writeAtomically(DOCUMENT, describeMetrics());
  console.log(relative(process.cwd(), DOCUMENT));
}
