/** What RESULTS.md says of runs on other machines. */
import { inMarkdown } from '../harness/common/format.js';
import { listMachines } from '../harness/records/machines.js';
import { readRun } from '../harness/records/sources.js';
import { listChanges } from './changes.js';

/** @typedef {import('../harness/records/sources.js').Run} Run */

/** @param {Run} here the record @returns {string[]} lines of Markdown; none where no other machine ran it */
export function describeMachines(here) {
  const others = listMachines(here.experiment);
  if (others.length === 0) return [];
  const lines = others.map(({ folder, spec, machine }) => {
    const changes = listChanges(here, readRun(folder)).map(({ claim, era, was, was_number, is, is_number }) => {
      const why = was === 'needs more cores' ? `${spec.environment.cores} cores are enough` : 'another machine';
      return `${claim}, ${era}: ${is} (${is_number}), here ${was} (${was_number}): ${why}`;
    });
    const [day, commit] = [spec.began.slice(0, 10), spec.environment.suite.commit.slice(0, 12)];
    return `- **${inMarkdown(machine)}**, ${day}, commit ${commit}: ${changes.length ? inMarkdown(`${changes.join('; ')}.`) : 'every verdict as here.'}`;
  });
  return ['## On other machines', '', ...lines, ''];
}
