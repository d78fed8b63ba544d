/** The hosts of a run: hosts.toml, checked as a whole (docs/hosts.md). */
import { dirname, relative, resolve } from 'node:path';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { inspectManifest } from './manifest.js';

/**
 * @typedef {object} Host
 * @property {string} name
 * @property {string} ssh the destination, as it stands behind `ssh`
 * @property {'server' | 'client' | 'both'} role
 * @property {string} address on the network of the load
 * @property {string[]} [addresses] more of them, from which a client host connects
 * @property {number} [leave_cores] that no process of a trial may use
 * @property {string} [suite] where the suite stands there already
 * @property {string} [metrics] where its agent answers Prometheus, "address:port"; "none": nowhere
 */
/** @typedef {Omit<Host, 'ssh' | 'suite' | 'metrics'>} Seen in records: the way to it is no one's but its owner's */
/** @typedef {{ssh_config?: string, folder: string, hosts: Host[]}} Hosts `ssh_config` is a path; `folder` is one of each host's home */

/** A run has one server host, and so many client hosts at most. */
const CLIENTS_MAX = 100;
const FOLDER = 'wscale';
/** Of the agent of each host. */
const METRICS = '127.0.0.1:9465';

/** @param {Pick<Host, 'role'>} host */
export const isServer = ({ role }) => role !== 'client';
/** @param {Pick<Host, 'role'>} host */
export const isClient = ({ role }) => role !== 'server';

/** @param {Host} host @returns {string[]} from which it connects */
export const addressesOf = ({ address, addresses = [] }) => [address, ...addresses];

/** @param {Host} host @returns {{address: string, port: number} | undefined} on loopback, unless told */
export function metricsOf({ metrics = METRICS }) {
  const [, address, port] = /^(.*):(\d+)$/.exec(metrics) ?? [];
  return address === undefined ? undefined : { address, port: Number(port) };
}

/** @param {string} path of hosts.toml @returns {Hosts} @throws {UserError} with every problem found */
export function readHosts(path) {
  const whole = resolve(path);
  const { value, problems, places } = inspectManifest(whole, 'hosts');
  const isList = !places.some((place) => /^hosts([.]\d+)?$/.test(place));
  const isSound = (/** @type {string} */ key) => !places.some((place) => place.split('.')[2] === key);
  const together = isList ? [...checkNames(value.hosts), ...(isSound('role') ? checkRoles(value.hosts) : [])] : [];
  const all = [...problems, ...together.map((problem) => `${relative(ROOT, whole)}: ${problem}`)];
  if (all.length) throw new UserError(all);
  const { ssh_config, folder = FOLDER, hosts } = value;
  return { folder, hosts, ...(ssh_config && { ssh_config: resolve(dirname(whole), ssh_config) }) };
}

/** @param {Host[]} hosts @returns {string[]} what is wrong with their names and addresses */
const checkNames = (hosts) => [
  ...listTwice(hosts.map(({ name }) => name)).map((name) => `hosts: "${name}" is the name of two; give each its own`),
  ...listTwice(hosts.flatMap(addressesOf)).map((address) => `hosts: ${address} is an address of two; give each its own`),
];

/** @param {Host[]} hosts @returns {string[]} what is wrong with who does what */
function checkRoles(hosts) {
  const servers = hosts.filter(isServer).map(({ name }) => name);
  const clients = hosts.filter(isClient).map(({ name }) => name);
  return [
    ...(servers.length === 0 ? ['hosts: none has the role "server"; give it to one'] : []),
    ...(servers.length > 1 ? [`hosts: ${servers.join(', ')} have the role "server" or "both"; leave it to one`] : []),
    ...(clients.length === 0 ? ['hosts: none has the role "client"; give it to one, or "both" to the server'] : []),
    ...(clients.length > CLIENTS_MAX ? [`hosts: ${clients.length} are clients; use ${CLIENTS_MAX} at most`] : []),
  ];
}

/** @param {(string | undefined)[]} words @returns {(string | undefined)[]} those that are there more than once */
const listTwice = (words) => [...new Set(words.filter((word, at) => word !== undefined && words.indexOf(word) !== at))];
