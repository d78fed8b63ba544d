/** One trial: a server, a client, the capture between them, and what became of it. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrialError } from '../common/failure.js';
import { formatRows, writeAtomically, writeJson } from '../common/files.js';
import { DIR } from '../common/protocol.js';
import { judgeTrial } from '../judge/validity.js';
import { resolveConditions } from '../spec/points.js';
import { listMarks, listSteps, staircaseOf, writeSteps } from '../spec/sweep.js';
import { clientConfig, writeClientMetrics } from './client-config.js';
import { startCompanion } from './companion.js';
import { finishClient, isSecure, startClient, startServer, stopServer, urlOf, waitUntilReady } from './parties.js';
import { saturate } from './saturate.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('../plan/plan.js').Planned} Planned */
/** @typedef {import('./agent.js').Agent} Agent */
/** @typedef {import('./agent.js').Station} Station */
/** @typedef {import('./party.js').Party} Party */
/** @typedef {import('./parties.js').ServerWish} ServerWish */
/** @typedef {import('../common/ready.js').Ready} Ready */
/** @typedef {{wish: ServerWish, ca?: string, keylog?: string}} Meeting of server and client: where, and by what certificate */
/** @typedef {{who: string, party: Party}[]} Loading the client, and what runs beside it */

/** From both parties being ready to the first connection, beside the warm-up: the samplers start in it. */
const LEAD_US = 250_000;
/** When in the window a fault is: early, so that those who lost their connection can be seen to come back. */
const FAULT_AT_SHARE_OF_WINDOW = 0.1;

/** @param {{from_s: number, to_s: number}} planned @returns {number} seconds from the start of the load */
const faultAt = ({ from_s, to_s }) => from_s + FAULT_AT_SHARE_OF_WINDOW * (to_s - from_s);

/** @param {string} bundle @param {string} trial @returns {string} its folder */
export function trialFolder(bundle, trial) {
  return join(bundle, 'trials', trial);
}

/** @param {string} bundle @param {string} trial @returns {string} planned, running, done or `failed: why` */
export function readStatus(bundle, trial) {
  const path = join(trialFolder(bundle, trial), 'status');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'planned';
}

/**
 * Carry out one trial. Whatever happens in it, nothing of it runs afterwards.
 * @param {Agent} agent of the host
 * @param {Spec} spec
 * @param {Planned} planned
 * @param {string} bundle
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its status
 * @throws {import('../common/failure.js').Interrupted}
 */
export async function runTrial(agent, spec, planned, bundle, signal) {
  const folder = trialFolder(bundle, planned.trial);
  let result = 'done';
  try {
    makeTrialFolder(bundle, planned.trial);
    writeAtomically(join(folder, 'status'), 'running\n');
    const station = await agent.open(planned.trial, { placement: resolveConditions(spec, planned).placement, signal });
    await new Trial(station, spec, planned, folder).carryOut();
    judgeTrial(folder, spec);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    result = `failed: ${describe(error)}`;
  }
  return conclude(join(folder, 'status'), result);
}

/**
 * Write what became of a trial. A full disk has no room for another file, but for a longer word in one that is there.
 * @param {string} path @param {string} result
 * @returns {string} the result, which is not "done" when it could not be written
 */
function conclude(path, result) {
  try {
    writeAtomically(path, `${result}\n`);
    return result;
  } catch (error) {
    const failed = result === 'done' ? `failed: ${describe(error)}` : result;
    if (existsSync(path)) writeFileSync(path, `${failed}\n`, { flag: 'r+' });
    return failed;
  }
}

/** @param {unknown} error @returns {string} one line; a fault of the suite's own with its place */
function describe(error) {
  const { message, stack = '', syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  if (error instanceof TrialError || syscall) return message.replaceAll(/\s+/g, ' ');
  return `${message} (${stack.split('\n')[1]?.trim() ?? 'no stack'})`.replaceAll(/\s+/g, ' ');
}

/** What an attempt left behind is kept beside the new one. @param {string} bundle @param {string} trial */
function makeTrialFolder(bundle, trial) {
  const folder = trialFolder(bundle, trial);
  if (existsSync(folder)) {
    const attempts = readdirSync(join(bundle, 'trials')).filter((name) => name.startsWith(`${trial}.attempt-`)).length;
    renameSync(folder, `${folder}.attempt-${attempts + 1}`);
  }
  mkdirSync(join(folder, 'raw', 'client'), { recursive: true });
}

/** Of live.tsv: what the agent told each second, as it came. */
const LIVE_COLUMNS = ['t_s', 'established', 'segments_hz', 'cores', 'doubts'];

/** A trial, phase by phase: each phase is a method, and gives what the next ones need. */
class Trial {
  /** @param {Station} station of the host @param {Spec} spec @param {Planned} planned @param {string} folder */
  constructor(station, spec, planned, folder) {
    this.station = station;
    this.spec = spec;
    this.planned = planned;
    this.folder = folder;
    this.raw = join(folder, 'raw');
    this.conditions = resolveConditions(spec, planned);
    station.onSecond = (second) => this.#follow(second);
  }

  /** Whatever happens, what was captured is brought here, and nothing runs afterwards. */
  async carryOut() {
    try {
      await this.measure();
    } catch (error) {
      await this.clear().catch(() => {}); // the first error is the one to tell
      throw error;
    }
    await this.clear();
    const { fault } = this.conditions;
    writeClientMetrics(join(this.raw, 'client'), this.planned.to_s, fault ? faultAt(this.planned) : undefined);
  }

  async measure() {
    const meeting = await this.connect();
    const serving = await this.serve(meeting.wish);
    const config = await this.configure(meeting);
    const loading = await this.startLoad(meeting.wish, serving.ready, config);
    await this.load(serving.server, loading);
    await this.finish(serving.server, loading);
  }

  /** Make the network between server and client. @returns {Promise<Meeting>} */
  async connect() {
    const { link, behaviour, processes, options, payload, arrivals } = this.conditions;
    const { address, port, keylog } = await this.station.ask('network', { resolved: this.spec.network, settings: link });
    const updates = behaviour === 'updates' ? { period_ms: arrivals.period_ms ?? 0, seed: this.planned.seed } : undefined;
    const wish = { engine: this.planned.engine, address, port, behaviour, processes, options, payload_b: payload.bytes, updates };
    if (!isSecure(options)) return { wish };
    const { path } = await this.station.ask('certify', { address });
    return { wish, ca: path, keylog };
  }

  /** Start the server, and give each of its processes its place. @param {ServerWish} wish */
  async serve(wish) {
    const server = await startServer(this.station, wish, { inside: 'server' });
    const ready = await waitUntilReady(server, 'the server');
    await this.station.ask('place', { side: 'server', processes: ready.processes });
    return { server, ready };
  }

  /** Settle what the client is to do; where its rate is to be found, find it. @param {Meeting} meeting */
  async configure({ wish, ca, keylog }) {
    const { station, planned, spec, conditions, raw } = this;
    const url = urlOf(spec.engines[planned.engine].dialect, wish.address, wish.port, isSecure(conditions.options));
    const rate_hz = conditions.search && await saturate({ station, spec, planned, conditions, url, raw });
    const config = clientConfig({ spec, planned, conditions, url, out: `${DIR}/client`, rate_hz, ca, keylog });
    const network = spec.network && { network: spec.network.kind };
    writeJson(join(this.folder, 'trial.json'), { ...planned, ...network, server: wish, client: config, placement: conditions.placement });
    return config;
  }

  /**
   * Start what makes the load, and what runs beside it, and watch all of them.
   * @param {ServerWish} wish @param {Ready} serverReady @param {Record<string, any>} config @returns {Promise<Loading>}
   */
  async startLoad({ address, port, options }, serverReady, config) {
    const { station, spec: { load: { companion: name } } } = this;
    const inside = /** @type {const} */ ('client');
    await station.ask('record');
    const client = await startClient(station, this.conditions.generator, config, { inside });
    const page = { ...config, url: urlOf('http', address, port, isSecure(options)) };
    const companion = name ? await startCompanion(station, name, page, { inside }) : undefined;
    const clientReady = await waitUntilReady(client, 'the client');
    const companionReady = companion && await waitUntilReady(companion, `the companion ${name}`);
    await station.ask('place', { side: 'client', processes: [...clientReady.processes, ...(companionReady?.processes ?? [])] });
    await station.ask('watch', { processes: [...onSide('server', serverReady), ...onSide('client', clientReady), ...onSide('companion', companionReady)] });
    return [
      { who: 'the client', party: client },
      ...(companion ? [{ who: `the companion ${name}`, party: companion }] : []),
    ];
  }

  /** The load, from its beginning to the end of the window. @param {Party} server @param {Loading} loading */
  async load(server, loading) {
    const { planned, conditions: { warmup_s, arrivals, fault } } = this;
    const staircase = staircaseOf(arrivals);
    const steps = staircase ? listSteps(staircase, planned.from_s) : [];
    if (staircase) writeSteps(join(this.raw, 'steps.tsv'), steps);
    const load = this.station.ask('load', {
      lead_us: LEAD_US + warmup_s * 1e6, go: loading.map(({ party }) => party.pid), server: server.pid,
      marks: [['window_start', planned.from_s], ...listMarks(steps), ['window_end', planned.to_s]],
      ...(fault && { fault: { at_s: faultAt(planned), to_s: planned.to_s } }),
    });
    await Promise.race([load, failWhenEnded({ who: 'the server', party: server }), ...loading.map(failWhenFailed)]);
  }

  /** The records of those that made the load, of the captures, and the end of the server. @param {Party} server @param {Loading} loading */
  async finish(server, loading) {
    for (const { who, party } of loading) await finishClient(party, who, this.spec.load.drain_s);
    await this.station.ask('finish');
    await stopServer(server);
  }

  /** End all that runs, bring here what was recorded, leave nothing there. */
  async clear() {
    await this.station.abort();
    await this.station.collect(this.raw).finally(() => this.station.close());
  }

  /** A line a second, for whoever follows the trial. @param {Record<string, any>} second */
  #follow({ cores = {}, doubts, ...second }) {
    const path = join(this.raw, 'live.tsv');
    const listed = Object.entries(cores).map(([role, used]) => `${role}=${used}`).join(',');
    const line = formatRows(LIVE_COLUMNS, [{ ...second, cores: listed || undefined, doubts: doubts.join(',') || undefined }]);
    appendFileSync(path, existsSync(path) ? line : `${LIVE_COLUMNS.join('\t')}\n${line}`);
  }
}

/** @param {Loading[number]} ending @returns {Promise<never>} rejects when it has ended: before its time, where that is waited for */
async function failWhenEnded({ who, party }) {
  await party.exited;
  throw new TrialError(`${who} ended during the trial: it ${party.describeEnd()}`);
}

/**
 * Who makes load ends by itself when its window is over. On a busy machine that may be before the last mark is read, which is then late,
 * and flagged for it.
 * @param {Loading[number]} ending @returns {Promise<never>} rejects when it has ended otherwise
 */
async function failWhenFailed({ who, party }) {
  const { code } = await party.exited;
  return code === 0 ? new Promise(() => {}) : failWhenEnded({ who, party });
}

/** @param {string} side @param {Ready | undefined} ready @returns {{pid: number, role: string, index: number, side: string}[]} */
function onSide(side, ready) {
  return (ready?.processes ?? []).map((process) => ({ ...process, side }));
}
