/** Paths, and settings from the environment. */
import { dirname, join, resolve } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));
// Overridden by tests, which bring folders of their own.
export const EXPERIMENTS = process.env.WSCALE_EXPERIMENTS ?? join(ROOT, 'experiments');
/** Are experiments and records the suite's own, described in its README.md and thesis-results.md? */
export const ARE_OWN = EXPERIMENTS === join(ROOT, 'experiments') && !process.env.WSCALE_RECORDS;
/** Records of experiments, a folder each. Experiments elsewhere have theirs beside them. */
const RECORDS = process.env.WSCALE_RECORDS ?? join(dirname(resolve(EXPERIMENTS)), 'records');
export const SERVERS = process.env.WSCALE_SERVERS ?? join(ROOT, 'servers');
export const CLIENTS = join(ROOT, 'clients');
export const RUNTIMES = join(ROOT, 'runtimes');
/** In an image (Containerfile), which is complete: nothing is installed later. */
export const IS_SEALED = process.env.WSCALE_SEALED === '1';
export const RESULTS = process.env.WSCALE_RESULTS ?? join(ROOT, 'results');
/** Every claim of the sources. */
export const CLAIMS = join(ROOT, 'experiments', 'claims.tsv');
/** Prefix of the argv of an agent, split at spaces. */
export const AGENT_INSIDE = process.env.WSCALE_AGENT_INSIDE?.split(' ') ?? [];
/** Share of a core for the load generator, unlimited by default. `make check-trust` starves it with this. */
export const CLIENT_QUOTA = process.env.WSCALE_CLIENT_QUOTA ? Number(process.env.WSCALE_CLIENT_QUOTA) : undefined;
/** Seconds of a yardstick (harness/run/yardsticks.js). Tests use less. */
export const YARDSTICK_S = process.env.WSCALE_YARDSTICK_S ? Number(process.env.WSCALE_YARDSTICK_S) : undefined;

/**
 * A run of `paper` has its own record beside the `default` one: the source's own size leaves time for few blocks.
 * @param {string} experiment @param {string} [profile]
 * @returns {string} the folder of its record: a bundle with the captures of one block
 */
export const recordOf = (experiment, profile) => join(RECORDS, experiment, profile === 'paper' ? profile : 'default');

/** @param {string} bundle or record @returns {string} the folder of its figures */
export const figuresOf = (bundle) => join(bundle, 'figures');

/** @param {string} experiment @returns {string} the text on its records */
export const resultsOf = (experiment) => join(RECORDS, experiment, 'RESULTS.md');

/** @param {string} experiment such as "03-engineio-vs-socketcluster" @returns {number | string} 3; of a duet, its whole name */
export const numberOfExperiment = (experiment) => Number(/^\d+(?=-)/.exec(experiment)?.[0] ?? NaN) || experiment;
