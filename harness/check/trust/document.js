/** The part of docs/validation.md written by `make check-trust`: the judgement of each part. All its numbers are computed. */
import { formatMarkdownTable } from '../../common/format.js';
import { fillParagraph } from '../../common/prose.js';

/** @typedef {{name: string, title: string, planted: string, outcome: import('./outcomes.js').Outcome}} JudgedPart */
/**
 * @typedef {{profile: string, part?: string, began: string, seed: number, machine: string, commit: string, took: string, bounds: string}}
 *   Run `part`: set if only one was measured; `began`: a date; `bounds`: those looser than usual
 */

const WIDTH = 120;
/** Beyond this many rows, the figure alone is shown. */
const ROWS_MAX = 8;

/** @param {boolean | null} passed */
const nameVerdict = (passed) => (passed === null ? 'can not tell' : passed ? 'yes' : '**no**');

/** @param {string} text @returns {string} a paragraph */
const fill = (text) => fillParagraph(text, WIDTH);

/** @param {string} text */
const capitalised = (text) => text[0].toUpperCase() + text.slice(1);

/** @param {Run} run @returns {string} */
function describeProfile({ profile }) {
  if (profile === 'full') return '';
  const text = '**This is a quick run**: one engine, few blocks. It shows that each part works; `make check-trust`, an hour on a quiet machine, says more.';
  return `${fill(text)}\n\n`;
}

/** @param {JudgedPart} part @returns {string} */
function describePart({ name, title, planted, outcome: { columns, rows, marks } }) {
  const figure = marks.length ? `![${title}](trust/${name}.svg)\n\n` : '';
  const table = rows.length && rows.length <= ROWS_MAX ? `${formatMarkdownTable(columns, rows)}\n\n` : '';
  return `### ${title}

${fill(`Planted: ${planted}`)}

${table}${figure}`;
}

/** @param {Omit<Run, 'bounds'>[]} runs of one part each @returns {string} */
const describeAlone = (runs) => runs.map(({ part, began, took, seed, commit }) =>
  ` \`PART=${part}\` was measured by itself on ${began}, in ${took} (seed ${seed}, commit ${commit}).`).join('');

/**
 * @param {Run} run of all parts @param {JudgedPart[]} parts @param {Omit<Run, 'bounds'>[]} [alone] later runs, of one part each
 * @returns {string} Markdown, without a heading
 */
export function describeTrust(run, parts, alone = []) {
  return `${describeProfile(run)}${formatMarkdownTable(['planted', 'the suite says', 'as it must be'], parts.map(({ title, outcome }) => [title, outcome.said, nameVerdict(outcome.passed)]))}

${fill(`One run of ${run.took} on ${run.began} (seed ${run.seed}, commit ${run.commit}) on ${run.machine}, by \`make check-trust${run.profile === 'full' ? '' : ` TRUST=${run.profile}`}\`.${describeAlone(alone)} `
    + `What it measured stays on the machine that ran it (\`results/check-trust/\`). ${capitalised(run.bounds)}.`)}

${parts.map(describePart).join('').trimEnd()}
`;
}
