/** Makes the template of a stack with a given number of clients. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from './sdk.js';

const TEMPLATE = join(import.meta.dirname, 'stack.yaml');
/**
 * Maximum number of schedules that terminate hosts, limited by the template's size. If possible each host has its own schedule: Amazon
 * terminates none of several hosts if it no longer knows one of them, for example an hour after it took a spot instance.
 */
const ENDS_MAX = 20;
/** Types that earn credits for bursts. Using more than the earned credits costs extra, unless the credits are set to standard. */
const BURSTABLE = /^t[2-9]/;

/** @param {string} type such as "t3.small" */
export const isBurstable = (type) => BURSTABLE.test(type);

/** @param {number} clients @param {{server: string, client: string}} [types] @returns {Promise<any>} */
export async function makeTemplate(clients, types) {
  const { parse } = await load('yaml');
  return completeTemplate(parse(readFileSync(TEMPLATE, 'utf8')), clients, types);
}

/**
 * Copies the template's one client and one schedule: CloudFormation has no loops.
 * @param {any} template @param {number} clients @param {{server: string, client: string}} [types] @returns {any}
 */
export function completeTemplate({ Resources: { Server, Client, End, ...others }, ...template }, clients, types = { server: '', client: '' }) {
  const copies = Array.from({ length: clients }, (_, index) => [`Client${index + 1}`, limitCredits(nameClient(Client, index + 1), types.client)]);
  const hosts = { Server: limitCredits(Server, types.server), ...Object.fromEntries(copies) };
  return { ...template, Resources: { ...others, ...hosts, ...endEach(Object.keys(hosts), End) } };
}

/** @param {any} client @param {number} index @returns {any} */
function nameClient({ Properties, ...rest }, index) {
  return { ...rest, Properties: { ...Properties, Tags: [{ Key: 'Name', Value: `client-${index}` }] } };
}

/** @param {any} host @param {string} type @returns {any} the host, without extra cost for bursts */
function limitCredits({ Properties, ...rest }, type) {
  return { ...rest, Properties: { ...Properties, ...(isBurstable(type) && { CreditSpecification: { CPUCredits: 'standard' } }) } };
}

/** @param {string[]} hosts @param {any} end a schedule @returns {Record<string, any>} schedules that terminate all hosts */
function endEach(hosts, { Properties, ...rest }) {
  const count = Math.min(hosts.length, ENDS_MAX);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => {
    const ids = hosts.filter((_host, at) => at % count === index).map((host) => `"\${${host}}"`);
    const Input = { 'Fn::Sub': `{"InstanceIds":[${ids.join(',')}]}` };
    return [`End${index + 1}`, { ...rest, Properties: { ...Properties, Target: { ...Properties.Target, Input } } }];
  }));
}
