/** The cost of hosts, from a dated table (prices.tsv): check it, because it is not Amazon's own. */
import { join } from 'node:path';
import { UserError } from '../../harness/common/failure.js';
import { readTsv } from '../../harness/common/files.js';
import { formatTable } from '../../harness/common/format.js';

const TABLE = join(import.meta.dirname, 'prices.tsv');
const PRICING = 'https://aws.amazon.com/ec2/pricing/on-demand/';

/** Volume of each host, as in stack.yaml. */
const VOLUME_GB = 30;
/** Amazon's hours per month. */
const MONTH_H = 730;

/** @typedef {{as_of: string, region: string, item: string, unit: string, usd: number}} Price */
/** @typedef {{region: string, server: string, client: string, clients: number, hours: number}} Order */
/** @typedef {{count: number, what: string, each_usd_h: number}} Line */
/** @typedef {{lines: Line[], usd_h: number, usd: number, as_of: string, egress_usd_gb: number}} Estimate */

/** @returns {Price[]} */
export function readPrices() {
  return readTsv(TABLE).map(({ as_of, region, item, unit, usd }) => ({ as_of, region, item, unit, usd: Number(usd) }));
}

/**
 * @param {Order} order @param {Price[]} prices @param {Record<string, number>} [given] $ an hour by type; overrides the table
 * @returns {Estimate} for the maximum lifetime of the hosts
 * @throws {UserError} for each type without a price
 */
export function estimate({ region, server, client, clients, hours }, prices, given = {}) {
  const priceOf = (/** @type {string} */ item) => prices.find((price) => price.region === region && price.item === item);
  const lacking = [...new Set([server, client])].filter((type) => given[type] === undefined && priceOf(type) === undefined);
  if (lacking.length) throw new UserError(lacking.map((type) => describeLack(type, region, prices)));
  const usdOf = (/** @type {string} */ type) => given[type] ?? Number(priceOf(type)?.usd);
  // A few per cent of the total. If the table lacks the region, we take the price of the most expensive region.
  const dearest = (/** @type {string} */ item) => prices.filter((price) => price.item === item).sort((a, b) => b.usd - a.usd)[0];
  const besides = (/** @type {string} */ item) => (priceOf(item) ?? dearest(item)).usd;
  const lines = [
    { count: 1, what: `${server} (server)`, each_usd_h: usdOf(server) },
    { count: clients, what: `${client} (client)`, each_usd_h: usdOf(client) },
    { count: 1 + clients, what: `volume of ${VOLUME_GB} GB`, each_usd_h: VOLUME_GB * besides('volume') / MONTH_H },
    { count: 1 + clients, what: 'public address', each_usd_h: besides('public-address') },
  ];
  const usd_h = lines.reduce((sum, { count, each_usd_h }) => sum + count * each_usd_h, 0);
  const as_of = prices.reduce((oldest, price) => (price.as_of < oldest ? price.as_of : oldest), prices[0].as_of);
  return { lines, usd_h, usd: usd_h * hours, as_of, egress_usd_gb: besides('egress') };
}

/** @param {string} type @param {string} region @param {Price[]} prices @returns {string} */
function describeLack(type, region, prices) {
  const regions = [...new Set(prices.map((price) => price.region))];
  const elsewhere = prices.filter((price) => price.item === type).map((price) => price.region);
  const known = regions.includes(region) ? elsewhere.length ? `it knows that of ${elsewhere.join(', ')}` : 'nor of any other region' : `it knows ${regions.join(', ')}`;
  return `PRICE: infra/ec2/prices.tsv has no price of ${type} in ${region} (${known}); `
    + `look it up at ${PRICING} and give it in $ an hour: PRICE=${type}=1.23`;
}

/** @param {string} [text] such as "c7i.large=0.09,m7i.large=0.1" @returns {Record<string, number>} @throws {UserError} */
export function parsePrices(text = '') {
  const pairs = text.split(/[\s,]+/).filter(Boolean).map((pair) => /^([a-z0-9.-]+)=(\d+(?:\.\d+)?)$/.exec(pair) ?? pair);
  const wrong = pairs.filter((pair) => typeof pair === 'string');
  if (wrong.length) throw new UserError(wrong.map((pair) => `PRICE: "${pair}" is not TYPE=USD; give $ an hour, such as PRICE=c7i.4xlarge=0.714`));
  return Object.fromEntries(pairs.map(([, type, usd]) => [type, Number(usd)]));
}

/** @param {number} usd @returns {string} */
export const formatUsd = (usd) => `$${usd < 1 ? usd.toPrecision(3) : usd.toFixed(2)}`;

/** @param {Order} order @param {Estimate} cost @param {boolean} isSpot @returns {string} */
export function describeCost({ region, hours }, { lines, usd_h, usd, as_of, egress_usd_gb }, isSpot) {
  const rows = lines.map(({ count, what, each_usd_h }) => [String(count), what, formatUsd(each_usd_h), formatUsd(count * each_usd_h)]);
  return [
    formatTable(['', region, 'each an hour', 'an hour'], [...rows, ['', 'in all', '', formatUsd(usd_h)]]),
    `At most ${formatUsd(usd)} for ${hours} h, after which Amazon ends the hosts. Besides: ${formatUsd(egress_usd_gb)} a GB that leaves Amazon's network.`,
    `Prices on demand of ${as_of}, from infra/ec2/prices.tsv, a table to be checked: ${PRICING}`,
    ...(isSpot ? ['Spot instances cost less, and no more than this; Amazon may end them at any time.'] : []),
  ].join('\n');
}
