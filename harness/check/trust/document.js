/** The part of docs/validation.md written by `make check-trust`: the judgement of each part. All its numbers are computed. */
import { formatMarkdownTable } from '../../common/format.js';
import { fillParagraphs } from '../../common/prose.js';

/** @typedef {{name: string, title: string, planted: string, outcome: import('./outcomes.js').Outcome}} JudgedPart */
/**
 * @typedef {{profile: string, part?: string, began: string, seed: number, machine: string, commit: string, took: string, bounds: string}}
 *   Run `part`: set if only one was measured; `began`: a date; `bounds`: those looser than usual
 */

/** Beyond this many rows, the figure alone is shown. */
const ROWS_MAX = 8;
const QUICK = '**This is a quick run**: one engine, few blocks. It shows that each part works; `make check-trust`, an hour on a quiet machine, says more.\n\n';

/** @param {boolean | null} passed */
const nameVerdict = (passed) => (passed === null ? 'can not tell' : passed ? 'yes' : '**no**');

/** @param {JudgedPart} part @returns {string} */
function describePart({ name, title, planted, outcome: { columns, rows, marks } }) {
  const figure = marks.length ? `![${title}](trust/${name}.svg)\n\n` : '';
  const table = rows.length && rows.length <= ROWS_MAX ? `${formatMarkdownTable(columns, rows)}\n\n` : '';
  return `### ${title}\n\nPlanted: ${planted}\n\n${table}${figure}`;
}

/** @param {Omit<Run, 'bounds'>[]} runs of one part each @returns {string} */
const describeAlone = (runs) => runs.map(({ part, began, took, seed, commit }) =>
  ` \`PART=${part}\` was measured by itself on ${began}, in ${took} (seed ${seed}, commit ${commit}).`).join('');

/** @param {Run} run of all parts @param {JudgedPart[]} parts @param {Omit<Run, 'bounds'>[]} [alone] later runs, of one part each */
export function describeTrust({ profile, began, seed, machine, commit, took, bounds }, parts, alone = []) {
  const verdicts = parts.map(({ title, outcome: { said, passed } }) => [title, said, nameVerdict(passed)]);
  return fillParagraphs(`${profile === 'full' ? '' : QUICK}${formatMarkdownTable(['planted', 'the suite says', 'as it must be'], verdicts)}

One run of ${took} on ${began} (seed ${seed}, commit ${commit}) on ${machine}, by \`make check-trust${profile === 'full' ? '' : ` TRUST=${profile}`}\`.${describeAlone(alone)}
What it measured stays on the machine that ran it (\`results/check-trust/\`). ${bounds[0].toUpperCase() + bounds.slice(1)}.

${parts.map(describePart).join('').trimEnd()}
`, 120);
}
