/** This machine's yardstick beside that of others (harness/yardstick/machines.tsv), to see whether it is fast, slow or unsteady. */
import { join } from 'node:path';
import { readTsv } from '../common/files.js';
import { digits, formatTable } from '../common/format.js';
import { ROOT } from '../common/places.js';
import { METRICS } from '../common/yardstick.js';

/** Other machines' results, a row per machine and day. To add this one, append its line as printed by the doctor. */
const MACHINES = join(ROOT, 'harness', 'yardstick', 'machines.tsv');

const SHOWN = METRICS.filter(({ metric }) => metric !== 'took_s');

/** @param {string} metric @param {unknown} value @returns {string} */
function formatCharge(metric, value) {
  if (value === null || value === undefined || value === '-') return 'absent';
  return metric === 'steal_share' ? `${(100 * Number(value)).toFixed(1)} %` : digits(Number(value));
}

/** @param {Record<string, unknown>} charges @param {string} machine in words @param {Record<string, string>[]} [others] their rows */
export function describeCharges(charges, machine, others = readTsv(MACHINES)) {
  const rows = [{ machine, date: 'now', ...charges }, ...others].map((/** @type {Record<string, unknown>} */ row) =>
    [String(row.machine), String(row.date), ...SHOWN.map(({ metric }) => formatCharge(metric, row[metric]))]);
  return `what this machine charges, CPU time (harness/yardstick)\n${formatTable(['machine', 'date', ...SHOWN.map(({ metric }) => metric)], rows)}`;
}

/** @typedef {{charges?: Record<string, unknown>, absent?: string}} Charged `absent`: why they could not be measured */

/** @param {import('../run/agent.js').Agent} agent @returns {Promise<Charged>} */
export const measureCharges = (agent) => agent.ask('yardstick', { length_s: 2 });

/** @param {Charged} charged @param {{cpu_model: string, cores: number}} machine @returns {string} */
export const tellCharges = ({ charges, absent }, { cpu_model, cores }) =>
  (charges ? describeCharges(charges, `here: ${cores} x ${cpu_model}`) : `what this machine charges: not measured; ${absent}`);
