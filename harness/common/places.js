/** Where things are. */
import { dirname, join, resolve } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));
// Overridden by tests, which bring folders of their own.
export const EXPERIMENTS = process.env.WSCALE_EXPERIMENTS ?? join(ROOT, 'experiments');
/** Are experiments and records the suite's own? README.md and thesis-results.md are written from these alone. */
export const ARE_OWN = EXPERIMENTS === join(ROOT, 'experiments') && !process.env.WSCALE_RECORDS;
/** What is generated of experiments, a folder each; of those that lie elsewhere, beside them. */
const RECORDS = process.env.WSCALE_RECORDS ?? join(dirname(resolve(EXPERIMENTS)), 'records');
export const SERVERS = process.env.WSCALE_SERVERS ?? join(ROOT, 'servers');
export const CLIENTS = join(ROOT, 'clients');
export const RUNTIMES = join(ROOT, 'runtimes');
/** In an image (Containerfile): what it has is whole, and nothing is installed. */
export const IS_SEALED = process.env.WSCALE_SEALED === '1';
export const RESULTS = process.env.WSCALE_RESULTS ?? join(ROOT, 'results');
/** Every claim of the sources. */
export const CLAIMS = join(ROOT, 'experiments', 'claims.tsv');
/** What goes before the argv of an agent, a program a word. */
export const AGENT_INSIDE = process.env.WSCALE_AGENT_INSIDE?.split(' ') ?? [];
/** Of a core, for whoever makes the load; all of it where none is given. `make check-trust` starves it so. */
export const CLIENT_QUOTA = process.env.WSCALE_CLIENT_QUOTA ? Number(process.env.WSCALE_CLIENT_QUOTA) : undefined;
/** Seconds that a yardstick takes (harness/plan/yardsticks.js): tests of what becomes of a run take less. */
export const YARDSTICK_S = process.env.WSCALE_YARDSTICK_S ? Number(process.env.WSCALE_YARDSTICK_S) : undefined;

/**
 * A run of `paper` is kept beside the record that is judged: the source's own size leaves time for few blocks.
 * @param {string} experiment @param {string} [profile]
 * @returns {string} the folder of its result of record: a bundle with the captures of one block
 */
export const recordOf = (experiment, profile) => join(RECORDS, experiment, profile === 'paper' ? profile : 'default');

/** @param {string} bundle or record @returns {string} the folder of its figures */
export const figuresOf = (bundle) => join(bundle, 'figures');

/** @param {string} experiment @returns {string} what its results of record come to, in words */
export const resultsOf = (experiment) => join(RECORDS, experiment, 'RESULTS.md');

/** @param {string} experiment @returns {string} the folder of its sample, and of what that must come to, for the golden tests */
const goldenOf = (experiment) => join(ROOT, 'test', 'golden', 'samples', experiment);

/** @param {string} experiment @returns {string} the archive of a bundle as test/golden/take-sample.js left it */
export const sampleOf = (experiment) => join(goldenOf(experiment), 'sample.tar.xz');

/** @param {string} experiment @returns {string} what the sample must come to */
export const expectedOf = (experiment) => join(goldenOf(experiment), 'expected');
