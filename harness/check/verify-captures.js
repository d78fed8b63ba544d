/** `wscale verify RECORD`: recomputes the numbers of one block of a published record from the raw captures in the tree. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyse } from '../../analysis/analyse.js';
import { TRIAL_COLUMNS } from '../../analysis/trials/bundle.js';
import { readTsv } from '../common/files.js';
import { tablesOf } from '../common/tables.js';
import { unpackCaptures } from '../records/captures.js';
import { listChangedCaptures } from '../records/provenance.js';
import { compareText, printSome } from './same-numbers.js';

/** Tables with numbers of single trials, all read together: today's rules may flag other trials than the rules of that day. */
const TABLES = ['trials', 'flagged', 'reference'];

/** More trials are not named. */
const TOLD_MAX = 4;

/** @param {string} folder of tables @param {string[]} trials @returns {string} all their rows, as one table */
function readNumbers(folder, trials) {
  const rows = TABLES.flatMap((name) => (existsSync(join(folder, `${name}.tsv`)) ? readTsv(join(folder, `${name}.tsv`)) : []));
  const lines = rows.filter(({ trial }) => trials.includes(trial)).map((row) => TRIAL_COLUMNS.map((column) => row[column]).join('\t'));
  return [TRIAL_COLUMNS.join('\t'), ...lines.sort()].join('\n');
}

/** @param {string} record with captures @returns {Promise<number>} exit code: 0 if all is the same, else 1 */
export async function verifyRecord(record) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-verify-'));
  try {
    const trials = unpackCaptures(record, folder);
    const changed = await listChangedCaptures(record, folder, trials);
    printSome(changed.map((trial) => `${trial}: its captures are not those of the run (raw.sha256)`));
    await analyse(folder);
    const { numbers, differing } = compareText('trials', readNumbers(tablesOf(record), trials), readNumbers(join(folder, 'reduced'), trials));
    printSome(differing);
    const isSame = changed.length + differing.length === 0;
    console.log(`${record}: ${numbers} numbers of ${trials.length} trials of the first block${trials.length <= TOLD_MAX ? ` (${trials.join(', ')})` : ''}, from the captures: ${isSame ? 'all the same' : 'NOT the same'}`);
    return isSame ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
