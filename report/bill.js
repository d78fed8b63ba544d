/** `wscale dollars --rate`: what a month of one load costs at Amazon's prices, by the cost surfaces of a run. */
import { PRICES, REGION, priceMonths } from '../analysis/points/dollars.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { asJson, digits, formatInterval, formatTable, numberOrNull } from '../harness/common/format.js';
import { describeLoad, rankBundle } from './rank.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./rank.js').Asked} Asked */

/** @param {string} bundle @param {Asked} asked @returns {{spec: any, rows: Row[]}} cheapest first @throws {UserError} */
function priceBundle(bundle, asked) {
  const { spec, rows } = rankBundle(bundle, asked);
  const priced = priceMonths(readTsv(PRICES), REGION, rows);
  if (priced.length) return { spec, rows: priced };
  throw new UserError(`${bundle}: no engine's cost is known at this load (${[...new Set(rows.map(({ how }) => how))].join('; ')}); ask for another`);
}

/** @param {string} bundle @param {Asked} asked @returns {string} JSON, one row per engine @throws {UserError} */
export const billAsJson = (bundle, asked) => JSON.stringify(priceBundle(bundle, asked).rows.map(asJson), null, 2);

/** @param {string} bundle @param {Asked} asked @returns {string} a table for each workload and setting @throws {UserError} */
export function describeBill(bundle, asked) {
  const { spec, rows } = priceBundle(bundle, asked);
  const tables = [...Map.groupBy(rows, ({ workload, setting }) => `${workload}\t${setting}`).values()].map((own) => {
    const lines = own.map((row) => [
      row.engine, row.language,
      formatInterval({ mean: Number(row.usd), low: numberOrNull(row.usd_low), high: numberOrNull(row.usd_high) }),
      ...['cpu_usd', 'memory_usd', 'egress_usd'].map((column) => digits(numberOrNull(row[column]))), row.how,
    ]);
    return `A month of ${describeLoad(spec, own[0])}:\n${formatTable(['engine', 'language', 'all, $ [95 %]', 'CPU', 'memory', 'traffic', 'how'], lines)}`;
  });
  return [
    ...tables,
    `Prices of ${rows[0].as_of}: infra/ec2/prices.tsv. Of the CPU and memory that are used, a core as one vCPU: you rent whole machines (./wscale processes).`,
    'Memory: of idle connections; engines for which it was not found come last. Traffic: one answer a message, with headers, as they leave Amazon\'s network. how: as in ./wscale rank.',
  ].join('\n');
}
