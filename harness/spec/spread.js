/** Adapts an experiment to several hosts. The network between them is left as it is; points that need another are not run. */
import { UserError } from '../common/failure.js';
import { addressesOf, isClient } from './hosts.js';
import { listPoints } from './points.js';
import { formatSetting, parseSetting } from '../common/setting.js';
import { SETTINGS } from './settings.js';
import { keepUsed } from './spec.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./points.js').Point} Point */

/** @param {string} key of a setting @returns {boolean} whether it belongs to a link made for a trial */
const isOfLink = (key) => SETTINGS[key]?.network === 'veth';
/** @param {string} key @returns {boolean} whether its value is a number of client addresses */
const isOfAddresses = (key) => SETTINGS[key]?.network === 'loopback';

/** @param {Spec} spec @param {import('./hosts.js').Host[]} hosts the server's first @throws {UserError} if no point can be run there */
export function spreadSpec(spec, hosts) {
  const { generator: _twice, ...axes } = spec.axes; // each point is crossed with the generators when it is listed
  const points = listPoints({ ...spec, axes });
  const addresses = hosts.filter(isClient).flatMap(addressesOf).length;
  const isHad = (/** @type {Point} */ { setting }) =>
    Object.entries(parseSetting(setting)).every(([key, value]) => !isOfAddresses(key) || Number(value) <= addresses);
  const had = points.filter(isHad);
  if (had.length === 0) {
    throw new UserError(`HOSTS: each point of ${spec.experiment} wants more addresses of clients than the ${addresses} of hosts.toml; give client hosts more \`addresses\``);
  }
  const groups = new Map(had.map((point) => [JSON.stringify(groupOf(point)), groupOf(point)]));
  const links = [...new Set(had.flatMap(({ setting }) => Object.keys(parseSetting(setting)).filter(isOfLink)))];
  const notes = [
    ...(had.length < points.length ? [`${points.length - had.length} points are left out: they want more addresses of clients than the ${addresses} of hosts.toml`] : []),
    ...(links.length ? [`${links.join(', ')}: the network between hosts is not changed, and points are run without them`] : []),
  ];
  const listed = hosts.map(({ ssh: _way, exec: _other, suite: _place, metrics: _told, ...seen }) => seen);
  const { capture } = spec.network ?? {};
  const network = /** @type {const} */ ({ kind: 'hosts', ...(capture && { capture }) });
  const claims = spec.claims.map(judgeOnLink);
  return { spec: keepUsed({ ...spec, points: [...groups.values()], claims, network, hosts: listed }), notes };
}

/** @param {string} setting @returns {string} without settings of a link */
const withoutLink = (setting) => formatSetting(Object.fromEntries(Object.entries(parseSetting(setting)).filter(([key]) => !isOfLink(key))));

/**
 * A claim whose source names no link is judged on the hosts' network. Other claims depend on their links; their comparisons are not run.
 * @param {import('./spec.js').Claim} claim @returns {import('./spec.js').Claim}
 */
export function judgeOnLink(claim) {
  if (!claim.any_link) return claim;
  const compare = claim.compare.map(({ at, to_at, variant: _link, ...rest }) => (
    { ...rest, variant: 'the hosts\' own network', ...(at && { at: withoutLink(at) }), ...(to_at && { to_at: withoutLink(to_at) }) }));
  return { ...claim, compare: [...new Map(compare.map((each) => [JSON.stringify(each), each])).values()] }; // links may coincide now
}

/** @param {Point} point @returns {import('./points.js').Group} with this point alone, without settings of a link */
function groupOf({ engine, workload, setting, repeats_max }) {
  const settings = Object.fromEntries(Object.entries(parseSetting(withoutLink(setting))).map(([key, value]) => [key, [value]]));
  return { engine: [engine], workload: [workload], ...(repeats_max && { repeats_max, repeats_max_in_paper: true }), ...settings };
}
