/** The hosts of a run: hosts.toml, checked as a whole (docs/hosts.md). */
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { inspectManifest } from './manifest.js';

/**
 * @typedef {object} Host
 * @property {string} name
 * @property {string} [ssh] the destination for `ssh`
 * @property {string[]} [exec] instead of ssh: a command that runs its arguments there, with their standard streams
 * @property {'server' | 'client' | 'both'} role
 * @property {string} address on the network of the load
 * @property {string[]} [addresses] further addresses for a client host to connect from
 * @property {number} [leave_cores] number of cores kept from trials
 * @property {string} [suite] the suite's folder there, if already installed
 * @property {string} [metrics] where its agent answers Prometheus: "address:port", or "none"
 */
/** @typedef {Omit<Host, 'ssh' | 'exec' | 'suite' | 'metrics'>} Seen In records, which do not disclose how to reach the host */
/** @typedef {{ssh_config?: string, folder: string, hosts: Host[]}} Hosts `ssh_config` is a path; `folder` lies in each host's home */

const CLIENTS_MAX = 100; // a run has one server host, and at most this many client hosts
const FOLDER = 'wscale';
const METRICS = '127.0.0.1:9465'; // default of each host's agent

/** @param {Pick<Host, 'role'>} host */
export const isServer = ({ role }) => role !== 'client';
/** @param {Pick<Host, 'role'>} host */
export const isClient = ({ role }) => role !== 'server';

/** @param {Host} host @returns {string[]} addresses it connects from */
export const addressesOf = ({ address, addresses = [] }) => [address, ...addresses];

/** @param {Host} host @returns {{address: string, port: number} | undefined} by default on loopback */
export function metricsOf({ metrics = METRICS }) {
  const [, address, port] = /^(.*):(\d+)$/.exec(metrics) ?? [];
  return address === undefined ? undefined : { address, port: Number(port) };
}

/** @param {string} path of hosts.toml @returns {Hosts} @throws {UserError} with every problem found */
export function readHosts(path) {
  const whole = resolve(path);
  const { value, problems } = inspectManifest(whole, 'hosts');
  const { ssh_config, folder = FOLDER, hosts } = value;
  const config = typeof ssh_config === 'string' && ssh_config ? resolve(dirname(whole), ssh_config) : undefined;
  const more = [
    ...checkHosts(onlySound(hosts)),
    ...(config && !existsSync(config) ? [`ssh_config: "${ssh_config}" is no file from here; correct it, or leave it out for your own configuration`] : []),
  ];
  const all = [...problems, ...more.map((problem) => `${relative(ROOT, whole)}: ${problem}`)];
  if (all.length) throw new UserError(all);
  return { folder, hosts, ...(config && { ssh_config: config }) };
}

const ROLES = ['server', 'client', 'both'];

/** Drop values of a wrong type, reported elsewhere, to find all problems at once. @param {unknown} hosts @returns {Partial<Host>[]} */
function onlySound(hosts) {
  const isText = (/** @type {unknown} */ value) => typeof value === 'string';
  const tables = Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'object' && host !== null) : [];
  return tables.map(({ name, ssh, exec, role, address, addresses }) => ({
    ...(isText(name) && { name }), ...(ssh !== undefined && { ssh }), ...(exec !== undefined && { exec }),
    ...(ROLES.includes(role) && { role }), ...(isText(address) && { address }),
    addresses: Array.isArray(addresses) ? [...new Set(addresses.filter(isText))] : [],
  }));
}

/** @param {Partial<Host>[]} hosts @returns {string[]} problems between hosts */
function checkHosts(hosts) {
  const named = (/** @type {(host: Pick<Host, 'role'>) => boolean} */ has) => (
    hosts.flatMap(({ role, name = 'one' }) => (role && has({ role }) ? [name] : [])));
  const [servers, clients] = [named(isServer), named(isClient)];
  const isWhole = hosts.length > 0 && hosts.every(({ role }) => role); // else an invalid host may be the missing one
  const ways = (/** @type {Partial<Host>} */ { ssh, exec }) => Number(ssh !== undefined) + Number(exec !== undefined);
  return [
    ...hosts.filter((host) => ways(host) !== 1).map(({ name = 'one', ...host }) => `hosts: ${name} has ${ways(host) ? 'both "ssh" and "exec"' : 'neither "ssh" nor "exec"'}; give one way to it`),
    ...listTwice(hosts.flatMap(({ name }) => name ?? [])).map((name) => `hosts: "${name}" is the name of two; give each its own`),
    ...listTwice(hosts.flatMap(({ address, addresses = [] }) => [...(address ? [address] : []), ...addresses])).map((address) => `hosts: ${address} is an address of two; give each its own`),
    ...(isWhole && servers.length === 0 ? ['hosts: none has the role "server"; give it to one'] : []),
    ...(servers.length > 1 ? [`hosts: ${servers.join(', ')} have the role "server" or "both"; leave it to one`] : []),
    ...(isWhole && clients.length === 0 ? ['hosts: none has the role "client"; give it to one, or "both" to the server'] : []),
    ...(clients.length > CLIENTS_MAX ? [`hosts: ${clients.length} are clients; use ${CLIENTS_MAX} at most`] : []),
  ];
}

/** @param {(string | undefined)[]} words @returns {(string | undefined)[]} the duplicates */
const listTwice = (words) => [...new Set(words.filter((word, at) => word !== undefined && words.indexOf(word) !== at))];
