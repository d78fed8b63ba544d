#!/usr/bin/env node
/**
 * The roles of each engine of a run, in the order in which a mix such as "2+2+1" counts them, and the part of a core that
 * each process had.
 *
 *   node spec-to-roles.js spec.json > roles.tsv
 *
 * Output: engine, position, role, count, core_share; count is that of points without a mix of their own
 *
 *   engine              position  role      count  core_share
 *   socketcluster-2014  1         balancer  1      0.25
 */
import { readFileSync } from 'node:fs';

/** @type {{engines: Record<string, {processes: Record<string, number>}>, cores?: {mode: string, share: number}}} */
const { engines, cores } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const share = cores?.mode === 'emulated' ? cores.share : 1;

console.log('engine\tposition\trole\tcount\tcore_share');
for (const [engine, { processes }] of Object.entries(engines)) {
  Object.entries(processes).forEach(([role, count], index) => console.log([engine, index + 1, role, count, share].join('\t')));
}
