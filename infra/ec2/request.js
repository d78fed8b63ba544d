/** The checked request of a user. All problems are reported at once, before any call to Amazon. */
import { join } from 'node:path';
import { UserError } from '../../harness/common/failure.js';
import { readTsv } from '../../harness/common/files.js';
import { parsePrices } from './prices.js';

const PRESETS = join(import.meta.dirname, 'presets.tsv');
/** Types with Amazon's ARM processors, such as a1, c7g, c7gn, t4g. They are excluded: the suite's runtimes are for x86-64. */
const ARM = /^(a1|[a-z]+\d+g[a-z]*)\./;
const USUAL = {
  server: 'c7i.4xlarge', client: 'c7i.2xlarge', clients: '1', hours: '3', login: 'admin',
  image: '/aws/service/debian/release/12/latest/amd64', // published by Debian; the suite is tested on it
};

/** @typedef {Record<string, string | boolean | undefined>} Given the options of a command line, by name */
/** @typedef {{server: string, client: string}} Machines */
/**
 * @typedef {object} Request
 * @property {Machines[]} machines in order of preference
 * @property {string} [preset] with these machines
 * @property {string} [zone] the only zone to use
 * @property {number} clients
 * @property {number} hours after which the hosts terminate themselves
 * @property {boolean} isSpot
 * @property {string} image of each host: an AMI, or a public SSM parameter that names one
 * @property {string} login the image's user, with sudo
 * @property {string} [caller] the addresses allowed to reach the hosts, if given
 * @property {Record<string, number>} prices $ an hour by type
 * @property {string} [suite] path of the installed suite on the image
 * @property {string} [cluster] its name
 */

/** @type {[string, string, (value: string) => boolean, string][]} variable, option, check, and a valid value in words */
const RULES = [
  ['SERVER', 'server', isType, 'a type of instance on x86-64, such as SERVER=c7i.4xlarge'],
  ['CLIENT', 'client', isType, 'a type of instance on x86-64, such as CLIENT=c7i.2xlarge'],
  ['CLIENTS', 'clients', (value) => isCount(value, 100), 'a whole number from 1 to 100'],
  ['HOURS', 'hours', (value) => isCount(value, 72), 'a whole number from 1 to 72'],
  ['IMAGE', 'image', (value) => /^(ami-[0-9a-f]+|(\/[\w.-]+)+)$/.test(value), 'an AMI (ami-…) or a parameter of SSM (/aws/service/…)'],
  ['LOGIN', 'login', (value) => /^[a-z_][a-z0-9_-]*$/.test(value), "the name of the image's user, such as LOGIN=admin"],
  ['SUITE', 'suite', (value) => /^\/[\w./-]+$/.test(value), 'an absolute path on the image, such as SUITE=/srv/wscale'],
  ['CALLER', 'caller', isNetwork, 'an IPv4 address, or a network of 256 at most, such as CALLER=198.51.100.7/32'],
  ['ZONE', 'zone', (value) => /^[a-z]{2}-[a-z0-9-]*\d[a-z]$/.test(value), 'a zone of availability, such as ZONE=us-east-1b'],
  ['CLUSTER', 'cluster', isCluster, 'a name of small letters, digits and -, 20 at most'],
  ['PRESET', 'preset', (value) => readPresets().some(({ name }) => name === value), `one of ${readPresets().map(({ name }) => name).join(', ')}`],
];

/** @param {string} value */
function isType(value) {
  return /^[a-z0-9-]+\.[a-z0-9-]+$/.test(value) && !ARM.test(value);
}

/** @param {string} value @param {number} most */
function isCount(value, most) {
  return /^[1-9]\d*$/.test(value) && Number(value) <= most;
}

/** @param {string} value */
function isNetwork(value) {
  const [, address, bits = '32'] = /^([\d.]+)(?:\/(\d+))?$/.exec(value) ?? [];
  const parts = (address ?? '').split('.');
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return isAddress && Number(bits) >= 24 && Number(bits) <= 32;
}

/** @param {string} value */
export function isCluster(value) {
  return /^[a-z][a-z0-9-]{0,19}$/.test(value);
}

/** @returns {Record<string, string>[]} the sources' machines, and the nearest current ones */
export function readPresets() {
  return readTsv(PRESETS);
}

/** @param {Given} given @returns {string[]} its problems */
function findProblems(given) {
  return RULES.flatMap(([variable, option, isSound, words]) => {
    const value = given[option];
    return value === undefined || isSound(String(value)) ? [] : [`${variable}: "${value}" is not ${words}; give one`];
  });
}

/** @param {Given} given @returns {Request} @throws {UserError} with every problem */
export function readRequest(given) {
  const problems = findProblems(given);
  /** @type {Record<string, number>} */
  let prices = {};
  try {
    prices = parsePrices(/** @type {string | undefined} */ (given.price));
  } catch (error) {
    problems.push(.../** @type {UserError} */ (error).problems);
  }
  if (problems.length) throw new UserError(problems);
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const asked = /** @type {Record<string, string>} */ ({ ...USUAL, ...set });
  const caller = given.caller === undefined || asked.caller.includes('/') ? asked.caller : `${asked.caller}/32`;
  return {
    machines: listMachines(given), preset: asked.preset, zone: asked.zone, clients: Number(asked.clients), hours: Number(asked.hours),
    isSpot: given.spot === true,
    image: asked.image, login: asked.login, suite: asked.suite, caller, prices, cluster: asked.cluster,
  };
}

/** @param {Given} given @returns {Machines[]} explicit types override the preset's */
function listMachines({ preset, server, client }) {
  const found = readPresets().find(({ name }) => name === preset);
  const pairs = found ? [[found.server, found.client], [found.server_today, found.client_today]] : [[USUAL.server, USUAL.client]];
  return pairs.map(([ownServer, ownClient]) => ({ server: String(server ?? ownServer), client: String(client ?? ownClient) }));
}
