/**
 * The raw captures of one block of a record, or of as many of its trials as the tree has room for. They are in the tree, so that anyone
 * can recompute the numbers of these trials (check/verify.js). An archive of a run has the captures of all blocks.
 */
import { cpSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pack, unpack } from '../common/archive.js';
import { columnsOf, readJson, readTsv, writeTsv } from '../common/files.js';

const CAPTURES = 'captures.tar.xz';
/** Of one record. All records together have 6 MB (test/unit/weight.test.js). */
const WEIGHT_MAX_B = 120_000;

/** @typedef {Record<string, string>} Row */

/** @param {string} record @returns {boolean} old records have none */
export const hasCaptures = (record) => existsSync(join(record, CAPTURES));

/** @param {Row[]} plan @returns {Row[]} of its first block, with repeated trials */
const rowsOfBlock = (plan) => plan.filter(({ block }) => block === plan[0].block);

/**
 * Packs the block's reference and as many of its other trials as there is room for: at least one. Engines come in the order
 * in which the command named them, others in that of the run, which is random; points that claims compare come before others. One that
 * alone is too heavy is passed over.
 * @param {string} bundle @param {string} record @param {number} [weight_max_b]
 */
export function packCaptures(bundle, record, weight_max_b = WEIGHT_MAX_B) {
  const { reference: { engine: reference } = {}, chosen: { engines: named = [] } = {} } = readJson(join(bundle, 'spec.json'));
  const rows = rowsOfBlock(readTsv(join(bundle, 'plan.tsv')));
  const needed = rows.filter(({ engine }) => engine === reference);
  const placeOf = (/** @type {Row} */ { engine }) => (named.includes(engine) ? named.indexOf(engine) : named.length);
  const compared = readTsv(join(bundle, 'comparisons.tsv'));
  const isCompared = (/** @type {Row} */ { engine, workload, setting }) =>
    compared.some((row) => row.of === engine && row.workload === workload && row.setting === setting);
  const archive = join(record, CAPTURES);
  const fit = (/** @type {Row[]} */ some) => {
    pack(archive, bundle, some.map(({ trial }) => `trials/${trial}`).sort());
    return statSync(archive).size <= weight_max_b;
  };
  const all = rows.filter(({ engine }) => engine !== reference)
    .sort((a, b) => placeOf(a) - placeOf(b) || Number(isCompared(b)) - Number(isCompared(a)));
  const light = all.filter((row) => fit([row]));
  const others = light.length ? light : all;
  const packFirst = (/** @type {number} */ count) => fit([...needed, ...others.slice(0, count)]);
  if (packFirst(others.length)) return;
  let [fits, tooMany] = [Math.min(1, others.length), others.length];
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    if (packFirst(count)) fits = count;
    else tooMany = count;
  }
  packFirst(fits);
}

/** @param {string} record @param {string} folder becomes a bundle of these trials @returns {string[]} the trials */
export function unpackCaptures(record, folder) {
  unpack(join(record, CAPTURES), folder);
  for (const name of ['spec.json', 'comparisons.tsv']) cpSync(join(record, name), join(folder, name));
  const plan = rowsOfBlock(readTsv(join(record, 'plan.tsv'))).filter(({ trial }) => existsSync(join(folder, 'trials', trial)));
  writeTsv(join(folder, 'plan.tsv'), columnsOf(plan), plan);
  return plan.map(({ trial }) => trial);
}
