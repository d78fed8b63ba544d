/** Placements of a trial's processes on the cores of a host. harness/agent/cores.js pins them (taskset). */

/** Prefix of the role that has cores of its own. */
export const ALONE = 'alone-';
/** The carrier of frames fills the last core. The load has the core before, if that leaves one for the server; else they share it. */
export const LINK = 'link';

/**
 * @typedef {object} Placement
 * @property {string} words of a point's `cores`, in captions
 * @property {(machine: string, cores: number) => string} sentence of a caption; of several placements, the first in this order has one
 * @property {string} [alone] replaces it on the server's host if the load has other hosts and needs no core there
 */
const pinned = (/** @type {string} */ machine) =>
  `REAL cores: the server's processes are pinned to those of ${machine}, the load to what they leave, or to the last`;
const forFrames = (/** @type {string} */ machine) => `${machine}, the last of them for what carries frames and for the samplers`;

/** @type {Record<string, Placement>} */
export const PLACEMENTS = {
  /** Each process of the role has a core, and all else the rest. */
  [ALONE]: {
    words: 'alone on a core',
    sentence: (machine) => `REAL cores: the role that is measured has one of ${machine} to itself, all else the rest`,
  },
  /** The server has one core. */
  one: { words: 'all on one core', sentence: pinned },
  /** Each serving process has one. */
  own: { words: 'a core a process', sentence: pinned },
  /** Like `apart`, but the carrier of a link's frames has the last core once the load begins. */
  [LINK]: {
    words: 'the link apart', alone: 'shared',
    sentence: (machine, cores) => (cores > 2 ? `${forFrames(machine)}, the one before for the load, the others for the servers`
      : `${forFrames(machine)}, the first for server and load, which take turns`),
  },
  /** The load has the last core, the server all others. */
  apart: {
    words: 'the load apart', alone: 'shared',
    sentence: (machine) => `${machine}, the last of them for the load alone, the others for the servers`,
  },
  /** Anywhere. */
  shared: { words: 'all cores shared', sentence: (machine) => `${machine}, shared by servers, clients and capture` },
};

/** For manifests. */
export const PLACEMENT_SCHEMA = {
  type: 'string', pattern: `^(${Object.keys(PLACEMENTS).map((name) => (name === ALONE ? `${ALONE}[a-z]+` : name)).join('|')})$`,
};

/** @param {string} placement @returns {string} in captions, such as "the balancer alone on a core" */
export function describePlacement(placement) {
  if (placement.startsWith(ALONE)) return `the ${placement.slice(ALONE.length)} ${PLACEMENTS[ALONE].words}`;
  return PLACEMENTS[placement]?.words ?? `cores ${placement}`;
}

/**
 * @param {string[]} placements of a run's points, at least one @param {string} machine in words @param {number} cores of it
 * @returns {string} where its processes ran
 */
export function describePlacements(placements, machine, cores) {
  const isUsed = (/** @type {string} */ name) => placements.some((placement) => placement.startsWith(name)); // `one-real` in old runs
  const [{ sentence }, ...others] = Object.entries(PLACEMENTS).filter(([name]) => isUsed(name)).map(([, placement]) => placement);
  return `${sentence(machine, cores)}${others.length ? ` (other points: ${others.map(({ words }) => words).join(', ')})` : ''}`;
}
