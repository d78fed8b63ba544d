/** Engines sorted by what a message costs at a rate that a reader names, from the sweeps of a run. There is no single score. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { UserError } from '../common/failure.js';
import { parseTsv } from '../common/files.js';
import { digits, formatInterval, formatTable, numberOrNull } from '../common/format.js';
import { ROOT } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { PLAIN } from '../spec/setting.js';
import { describeSetting } from './settings-words.js';

const FILTERS = ['student.awk', 'interval.awk', 'sweep.awk', 'steps-to-ranks.awk'];
/** Where the server's core was less loaded than this in a sweep's last step, at 0.8 of what was found, the load's core was the limit. */
const LOADED_MIN = 0.6;

/**
 * @param {string} bundle a run or a result of record
 * @param {string} rate messages a second over all connections, as a person gave it
 * @returns {string} a table for each setting
 * @throws {UserError} where the bundle has no sweep
 */
export function rankEngines(bundle, rate) {
  const rate_hz = Number(rate);
  if (!(rate_hz > 0)) throw new UserError(`RATE: "${rate}" is not a number of messages a second; give one above 0, such as 5000`);
  const { spec } = openBundle(bundle);
  const tables = tablesOf(bundle);
  if (!existsSync(join(tables, 'steps.tsv'))) throw new UserError(`${bundle}: holds no sweep, which tells costs at any rate; name a run of an experiment that has one`);
  const rows = filterRanks(tables, rate_hz);
  const groups = [...new Set(rows.map(({ workload, setting }) => `${workload}\t${setting}`))];
  return groups.map((group) => describeGroup(spec, rate_hz, rows.filter(({ workload, setting }) => `${workload}\t${setting}` === group))).join('\n\n');
}

/** @param {string} tables @param {number} rate_hz @returns {Record<string, string>[]} */
function filterRanks(tables, rate_hz) {
  const programs = FILTERS.flatMap((name) => ['-f', join(ROOT, 'analysis', name)]);
  const { status, stdout, stderr } = spawnSync('awk', ['-v', `rate_hz=${rate_hz}`, ...programs, join(tables, 'trials.tsv'), join(tables, 'steps.tsv')],
    { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 64 << 20 });
  if (status !== 0) throw new UserError(`${tables}: steps-to-ranks failed: ${stderr.trim().split('\n').pop()}; run it by hand to see more`);
  return parseTsv(stdout);
}

/** @param {any} spec @param {number} rate_hz @param {Record<string, string>[]} rows of one workload and setting @returns {string} */
function describeGroup(spec, rate_hz, rows) {
  const [{ workload, setting }] = rows;
  const bytes = spec.load.payload?.bytes;
  const size = setting === PLAIN ? bytes && `${bytes} B` : describeSetting(setting, []);
  const lines = rows.map(({ rank, is_shared, era, engine, n, us_per_message, low, high, cores, saturation_hz, server_cores_most }) => {
    const found = saturation_hz === '-' ? '-' : digits(Number(saturation_hz));
    const most = Number(server_cores_most) < LOADED_MIN && found !== '-' ? `over ${found}` : found;
    if (us_per_message === '-') return ['-', engine, era, n, 'does not answer so many', '-', most];
    const cost = formatInterval({ mean: numberOrNull(us_per_message), low: numberOrNull(low), high: numberOrNull(high) });
    return [`${rank}${is_shared === 'yes' ? ' =' : ''}`, engine, era, n, cost, digits(Number(cores)), most];
  });
  const head = ['rank', 'engine', 'era', 'n', 'CPU, us a message [95 %]', 'cores', 'msg/s at saturation'];
  return [
    `${workload}, ${rate_hz} messages a second over all connections${size ? `, ${size}` : ''}:`,
    formatTable(head, lines),
    'Sorted by cost. Ranks that are equal (=) can\'t be told apart: the 95 % interval of the ratio holds 1, each pair by itself.',
    ...(lines.some((line) => line.at(-1)?.startsWith('over')) ? ['"over": the load\'s core was busy before the server\'s; it may answer more.'] : []),
  ].join('\n');
}
