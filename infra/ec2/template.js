/** The template of a stack of as many clients as are asked for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from './sdk.js';

const TEMPLATE = join(import.meta.dirname, 'stack.yaml');

/** @param {number} clients @returns {Promise<any>} */
export async function makeTemplate(clients) {
  const { parse } = await load('yaml');
  return repeatClient(parse(readFileSync(TEMPLATE, 'utf8')), clients);
}

/** CloudFormation has no loops of its own: the one client is copied. @param {any} template @param {number} clients @returns {any} */
export function repeatClient({ Resources: { Client, ...others }, ...template }, clients) {
  const copies = Array.from({ length: clients }, (_, index) => [`Client${index + 1}`, nameClient(Client, index + 1)]);
  return { ...template, Resources: { ...others, ...Object.fromEntries(copies) } };
}

/** @param {any} client @param {number} index @returns {any} */
function nameClient({ Properties, ...rest }, index) {
  return { ...rest, Properties: { ...Properties, Tags: [{ Key: 'Name', Value: `client-${index}` }] } };
}
