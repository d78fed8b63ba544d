/** The measurements of each part: runs of the suite on real servers with something planted, and their output. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openBundle, readFlags, readStatus, trialFolder } from '../../common/bundle.js';
import { readJson, readTsv } from '../../common/files.js';
import { SERVERS } from '../../common/places.js';
import { Agent } from '../../run/agent.js';
import { ENGINES, measureManifest, pairVersions, readToml, writeManifest } from '../../run/duet/duet.js';
import { measurePool, ONE, PLAIN, PLANTED, TWIN, writePower } from '../check-power.js';
import { compareWithRecomputed, readNumbers } from './recompute.js';

/** @typedef {import('../../run/duet/variants.js').Variant} Variant */
/**
 * @typedef {{size: Size, seed: number, folder: string, noQuota?: string, bundles: Record<string, string>, pool?: Promise<string>}} Context
 *   `noQuota`: why no generator can be confined, if so; `bundles`: those made so far, by part; `pool`: engines, twins and slower copies,
 *   shared by two parts
 */
/** @typedef {{variants: Variant[], workloads: Record<string, object>, connections: number, hold_s: number}} Load */
/** @typedef {typeof SIZES.full} Size of a run */

export const SIZES = {
  full: { engines: ENGINES, blocks: 18, fault_blocks: 5, rank_blocks: 9, surface_engines: 4, surface_blocks: 2 },
  quick: { engines: [ONE], blocks: 6, fault_blocks: 1, rank_blocks: 2, surface_engines: 1, surface_blocks: 1 },
};

/** With all engines, also writes its part of docs/validation.md. @param {Context} context @returns {Promise<string>} the bundle */
async function measurePoolOnce({ bundles, seed, size: { engines, blocks } }) {
  const { bundle, burns } = await measurePool(engines, blocks, seed);
  if (engines === ENGINES) writePower(bundle, burns, seed);
  return (bundles.pool = bundle);
}

/** @param {Context} context */
export async function measureSame(context) {
  return { pairs: pairVersions(await (context.pool ??= measurePoolOnce(context)), PLAIN, TWIN) };
}

/** @param {Context} context */
export async function measureSlowdowns(context) {
  const bundle = await (context.pool ??= measurePoolOnce(context));
  const planted = PLANTED.flatMap(({ version, percent, in: slowed }) => {
    const pairs = pairVersions(bundle, PLAIN, version);
    return context.size.engines.filter((engine) => slowed.includes(engine))
      .map((name) => ({ name, percent, pairs: pairs.filter(({ engine }) => engine === name) }));
  });
  return { planted };
}

/** Phases of fault trials: few connections, so that waiting messages are answered at once. */
const PHASES = { warmup_s: 0, connect_rate_hz: 100, settle_s: 1 };
/** The period does not divide a second, so that each second meets other phases. */
const OPEN = { arrivals: { kind: 'constant', period_ms: 7.26643 } };

/** @param {Context} context @param {string} name of the part @param {Load & {env?: Record<string, string>}} load `env`: for the run */
async function measureFault({ size, seed, bundles }, name, { variants, env, ...load }) {
  const manifest = writeFault({ variants, blocks: size.fault_blocks, ...load });
  bundles[name] = await measureManifest({ name: `trust-${name}`, manifest, variants, seed, env });
  return bundles[name];
}

/** Common load settings of all faults. */
export const LOAD = readToml('check-trust', 'load.toml');

/** @param {Load & {blocks: number}} load @returns {string} experiment.toml */
export const writeFault = ({ variants, workloads, connections, hold_s, blocks }) => writeManifest({
  title: 'A fault that was planted', source: 'none', question: 'Does the suite say so?',
  axes: { engine: variants.map(({ name }) => name), workload: Object.keys(workloads) }, workloads, ...LOAD,
}, { repeats: blocks, ...PHASES, connections, hold_s });

/** The plain engine, its messages counted, and one with a fault. @param {Context} context @param {string} version @param {string} fault */
function spoil({ folder }, version, fault) {
  const variantOf = (/** @type {string} */ name, /** @type {string} */ planted) => ({
    name: `${ONE}-${name}`, folder: join(SERVERS, ONE),
    preload: { file: join(import.meta.dirname, 'fault.cjs'), env: { WSCALE_FAULT: planted, WSCALE_FAULT_LOG: join(folder, 'faults.tsv') } },
  });
  return [variantOf(PLAIN, 'none:0'), variantOf(version, fault)];
}

/** @param {string} bundle @returns {{trial: string, folder: string}[]} its completed trials */
const listDone = (bundle) => openBundle(bundle).plan.filter(({ trial }) => readStatus(bundle, trial) === 'done')
  .map(({ trial }) => ({ trial, folder: trialFolder(bundle, trial) }));

const DROPPED_ONE_IN = 100;

/** @param {Context} context */
export async function measureLosses(context) {
  const variants = spoil(context, 'drops', `drop:${DROPPED_ONE_IN}`);
  const bundle = await measureFault(context, 'losses', { variants, workloads: { open: OPEN }, connections: 50, hold_s: 5 });
  const path = join(context.folder, 'faults.tsv'); // has no header
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const counts = new Map(lines.map((line) => line.split('\t').map(Number)).map(([pid, ...rest]) => [pid, rest]));
  const numbers = readNumbers(bundle);
  return { trials: listDone(bundle).map(({ trial, folder }) => {
    const [, ready = '{"processes":[{}]}'] = /^ready (.*)$/m.exec(readFileSync(join(folder, 'raw/server.out'), 'utf8')) ?? [];
    const [came = 0, dropped = 0] = counts.get(JSON.parse(ready).processes[0].pid) ?? [];
    const { totals: { missing } } = readJson(join(folder, 'raw/client/summary.json'));
    const answered_share = Number(numbers.find((row) => row.trial === trial && row.metric === 'answered_share')?.value);
    return { trial, flags: readFlags(folder), came, dropped, missing, answered_share };
  }) };
}

const STALL_MS = 200;
const PERCENTILES = [50, 90, 99];

/** @param {Context} context */
export async function measureStall(context) {
  const variants = spoil(context, 'stalls', `stall:${STALL_MS}`);
  const workloads = { open: OPEN, closed: { arrivals: { kind: 'closed', outstanding: 1 } } };
  const bundle = await measureFault(context, 'stall', { variants, workloads, connections: 5, hold_s: 10 });
  const numbers = readNumbers(bundle);
  const medianOf = (/** @type {string} */ version, /** @type {string} */ workload, /** @type {string} */ metric) => {
    const own = numbers.filter((row) => row.engine === `${ONE}-${version}` && row.workload === workload && row.metric === metric);
    return own.map(({ value }) => Number(value)).sort((a, b) => a - b)[Math.floor(own.length / 2)];
  };
  const percentiles = PERCENTILES.map((percentile) => ({
    percentile, calm_ms: medianOf(PLAIN, 'open', `latency_p${percentile}_ms`), open_ms: medianOf('stalls', 'open', `latency_p${percentile}_ms`),
    closed_ms: medianOf('stalls', 'closed', `service_p${percentile}_ms`),
  })).filter((each) => Object.values(each).every(Number.isFinite));
  return { stall_ms: STALL_MS, percentiles, flags: readTsv(join(bundle, 'reduced/dropped.tsv')).map(({ reason }) => reason) };
}

/** Share of a core: less than the load takes. */
const QUOTA = 0.05;

/** @returns {Promise<{facts: Record<string, any>, noQuota?: string}>} facts of this host, and why no generator can be confined, if so */
export async function askHost() {
  const agent = await Agent.start();
  try {
    return { facts: await agent.ask('facts'), noQuota: await agent.ask('tryQuota', { cores: QUOTA }) ?? undefined };
  } finally {
    await agent.close();
  }
}

/** @param {Context} context */
export async function measureStarved(context) {
  if (context.noQuota) return { quota: QUOTA, free: [], starved: [], why: context.noQuota };
  const variants = [{ name: `${ONE}-${PLAIN}`, folder: join(SERVERS, ONE) }];
  const load = { variants, workloads: { fast: { arrivals: { kind: 'constant', period_ms: 10 } } }, connections: 100, hold_s: 5 };
  const free = await measureFault(context, 'unconfined', load);
  const starved = await measureFault(context, 'starved', { ...load, env: { WSCALE_CLIENT_QUOTA: String(QUOTA) } });
  return { quota: QUOTA, free: readRules(free), starved: readRules(starved) };
}

/** @param {string} bundle @returns {any[][]} validity rules of each trial */
const readRules = (bundle) => listDone(bundle).map(({ folder }) => readTsv(join(folder, 'validity.tsv')));

/** @param {Context} context @returns {Promise<{compared: import('./outcomes.js').Compared[], of: string[]}>} from the runs so far */
export async function measureRecomputed({ bundles }) {
  const found = Object.entries(bundles).filter(([name]) => name !== 'starved');
  return { compared: compareWithRecomputed(found.map(([, bundle]) => bundle)), of: found.map(([name, bundle]) => `${name}: ${basename(bundle)}`) };
}
