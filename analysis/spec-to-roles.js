#!/usr/bin/env node
/**
 * The roles of each engine of a run, in the order in which a mix such as "2+2+1" counts them.
 *
 *   node spec-to-roles.js spec.json > roles.tsv
 *
 * Output: engine, position, role, count; count is that of points without a mix of their own
 *
 *   engine              position  role      count
 *   socketcluster-2014  1         balancer  1
 */
import { readFileSync } from 'node:fs';

/** @type {{engines: Record<string, {processes: Record<string, number>}>}} */
const { engines } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

console.log('engine\tposition\trole\tcount');
for (const [engine, { processes }] of Object.entries(engines)) {
  Object.entries(processes).forEach(([role, count], index) => console.log([engine, index + 1, role, count].join('\t')));
}
