/** `make ec2-list`: lists everything of the suite in an account and region by its tags, no matter who started it. */
import { printable } from '../../harness/common/failure.js';
import { formatDuration, formatTable } from '../../harness/common/format.js';
import { commandOf } from './down.js';
import { isCluster } from './request.js';
import { formatUsd, readPrices } from './prices.js';
import { listHosts, listStacks, listThings } from './stack.js';

/** @typedef {import('./stack.js').Host} Host */

/** @param {string} region @param {Host[]} hosts @returns {string} such as "2.18 $ an hour" */
function describeRate(region, hosts) {
  const prices = readPrices();
  const each = hosts.map(({ type }) => prices.find((price) => price.region === region && price.item === type)?.usd);
  const known = each.filter((usd) => usd !== undefined);
  const unknown = each.length - known.length;
  const cost = `${formatUsd(known.reduce((sum, usd) => sum + usd, 0))} an hour on demand, by prices of ${prices[0].as_of}`;
  return unknown ? `${cost}, and ${unknown} hosts of unknown price` : cost;
}

/** @param {string} ends ISO time, or - @param {number} now ms @returns {string} */
export function describeEnd(ends, now) {
  const left = Date.parse(ends) - now;
  if (Number.isNaN(left)) return 'unknown';
  return left > 0 ? `in ${formatDuration(left / 1000)}` : `${formatDuration(-left / 1000)} ago`;
}

/** @param {import('./amazon.js').Amazon} amazon */
export async function listAll(amazon) {
  const [stacks, hosts, things] = [await listStacks(amazon), await listHosts(amazon), await listThings(amazon)];
  if (stacks.length + hosts.length + things.length === 0) return console.log(`${amazon.region}: there is nothing of the suite`);
  const clusters = [...new Set([...stacks, ...hosts, ...things].map(({ cluster }) => cluster))].sort();
  for (const cluster of clusters) {
    const stack = stacks.find((each) => each.cluster === cluster);
    const own = hosts.filter((each) => each.cluster === cluster);
    const others = things.filter((each) => each.cluster === cluster);
    console.log(`${printable(cluster)} in ${amazon.region}: ${stack ? `stack ${stack.stack}, ${stack.status}; ends itself ${describeEnd(stack.ends, Date.now())}` : 'no stack'}`);
    if (own.length) {
      const rows = own.map(({ name, id, type, state, launched, ...at }) => (
        [printable(name), id, type, state, at.private ?? '-', at.public ?? '-', launched?.toISOString() ?? '-']
      ));
      console.log(formatTable(['host', 'instance', 'type', 'state', 'address', 'public', 'since'], rows));
      console.log(describeRate(amazon.region, own));
    }
    if (others.length) console.log(`besides: ${others.map(({ type, id }) => `${type} ${id}`).join(', ')}`);
    console.log(isCluster(cluster) ? `remove  ${commandOf(amazon, cluster)}\n` : 'remove  in the console of Amazon: no cluster of the suite has such a name\n');
  }
}
