/**
 * Runs of other machines beside a record, each in the form of a record. They judge nothing here: RESULTS.md lists where their verdicts
 * differ, and figures take from them points that this machine lacks the cores for.
 */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { recordOf } from '../common/places.js';

/** @typedef {{cpu: string, cores: number, hypervisor?: string}} Machine as spec.json has it */

/** @param {string} experiment @returns {string} */
export const machinesOf = (experiment) => join(dirname(recordOf(experiment)), 'machines');

/** @param {Machine} machine @returns {string} */
export const describeMachine = ({ cpu, cores, hypervisor }) => `${cores} cores of ${cpu}${hypervisor === 'yes' ? ' (virtual)' : ''}`;

/** @param {any} spec from an archive: may hold anything @returns {string} a folder's name, without separators or dots */
export const nameMachine = ({ began, profile, environment: { cpu, cores } }) =>
  [cores, 'cores', cpu, began.slice(0, 10), profile].join('-').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** @param {string} experiment @returns {{folder: string, spec: any, machine: string}[]} sorted by machine and day */
export function listMachines(experiment) {
  const parent = machinesOf(experiment);
  return globSync('*/spec.json', { cwd: parent }).map(dirname).filter((name) => !name.includes('.partial-')).sort().map((name) => {
    const { folder, spec } = openBundle(join(parent, name));
    return { folder, spec, machine: describeMachine(spec.environment) };
  });
}
