/** One trial: runs a server and clients, records both, and writes the outcome. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trialFolder } from '../common/bundle.js';
import { Interrupted, StartError, TrialError, UserError } from '../common/failure.js';
import { readGenerator } from '../spec/generators.js';
import { writeAtomically, writeJson, writeTsv } from '../common/files.js';
import { DIR } from '../common/protocol.js';
import { READY_WITHIN_S } from '../common/ready.js';
import { refuseNothing } from '../../analysis/trials/no-load.js';
import { judgeTrial } from '../../analysis/trials/validity.js';
import { looksWithin } from '../spec/arrivals.js';
import { countsClients, resolveConditions } from '../spec/points.js';
import { STEP_COLUMNS, atSaturation, listMarks, listSteps, staircaseOf } from '../spec/sweep.js';
import { clientConfig, writeClientMetrics } from './client-config.js';
import { Clocks } from './clocks.js';
import { folderOf, mergeRecords } from './merge.js';
import { LEAD_US, checkReady, endedEarly, findCause, finishClient, isSecure, startClient, startCompanion, startServer, stopServer, urlOf, waitUntilReady } from './lifecycle.js';
import { sleep } from '../common/timers.js';
import { addressesOf } from '../spec/hosts.js';
import { saturate } from './saturate.js';
import { valuesOf } from './side-by-side.js';
import { HEARD_WITHIN_MS } from './signals.js';
import { splitLoad } from './split.js';
import { conclude, describe, makeTrialFolder } from './status.js';
import { tellSeconds } from './watched.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('../plan/plan.js').Planned} Planned */
/** @import { RemoteProcess, Session } from './session.js' */
/** @typedef {import('./lifecycle.js').ServerConfig} ServerConfig */
/** @typedef {import('../common/ready.js').Ready} Ready */
/** @typedef {{server: ServerConfig, ca?: string, keylog?: string}} Endpoint How clients reach the server, and its certificate */
/** @typedef {{who: string, started: RemoteProcess}[]} Loading The clients and the companion */
/** @typedef {{session: Session, config: Record<string, any>}} Share One host's share of the load */

const LEAD_A_HOST_US = 20_000; // further, for each of several hosts
/** When the fault happens within the window: early, to observe the clients reconnect. */
const FAULT_AT_SHARE_OF_WINDOW = 0.1;

/** @param {{from_s: number, to_s: number}} planned @returns {number} seconds from the start of the load */
const faultAt = ({ from_s, to_s }) => from_s + FAULT_AT_SHARE_OF_WINDOW * (to_s - from_s);

/** Errors of the disk with the results: every further trial would fail the same way. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/**
 * Run one trial. Whatever happens, none of its processes survives.
 * @param {import('./fleet.js').Fleet} fleet @param {Spec} spec @param {Planned} planned @param {string} bundle @param {AbortSignal} signal
 * @param {import('../watch/feed.js').Feed} feed informed each second @returns {Promise<string>} the trial's status
 */
export async function runTrial(fleet, spec, planned, bundle, signal, feed) {
  const folder = trialFolder(bundle, planned.trial);
  let result = 'done';
  try {
    makeTrialFolder(bundle, planned.trial);
    writeAtomically(join(folder, 'status'), 'running\n');
    const sessions = await fleet.open(planned.trial, resolveConditions(spec, planned).placement, signal);
    tellSeconds(sessions.all, join(folder, 'raw'), feed);
    await new Trial(sessions, spec, planned, folder).carryOut();
    refuseNothing(folder);
    judgeTrial(folder, spec);
  } catch (error) {
    await sleep(HEARD_WITHIN_MS); // an interrupt of a program that was asked is heard now
    if (signal.aborted) throw signal.reason;
    if (error instanceof Interrupted) throw error;
    if (NO_ROOM.includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
    result = `failed: ${describe(error)}`;
    // A duet needs this engine, and its next trials would fail the same way
    if (spec.beside && error instanceof StartError) {
      conclude(join(folder, 'status'), result);
      throw new UserError(`${planned.engine}: ${error.message}${readLastWords(join(folder, 'raw', 'server.err'))}`);
    }
  }
  return conclude(join(folder, 'status'), result);
}

const LAST_LINES = 10;

/** @param {string} path of a server's standard error @returns {string} its last lines, to append to a message */
function readLastWords(path) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').filter(Boolean).slice(-LAST_LINES) : [];
  return lines.length ? `; its standard error ends with\n  ${lines.join('\n  ')}` : '';
}

/** @param {Session} session @returns {import('./clocks.js').Place[]} none without a host of hosts.toml */
const placeOf = ({ agent, host }) => (host ? [{ name: host.name, address: host.address, agent }] : []);

/** A trial, phase by phase. Each phase is a method, and returns what later phases need. */
class Trial {
  /** @param {import('./fleet.js').Sessions} sessions of all hosts @param {Spec} spec @param {Planned} planned @param {string} folder */
  constructor({ server, clients, all }, spec, planned, folder) {
    this.sessions = all;
    this.session = server;
    this.clients = clients;
    this.spec = spec;
    this.planned = planned;
    this.folder = folder;
    this.raw = join(folder, 'raw');
    this.conditions = resolveConditions(spec, planned);
    this.clocks = server.host && new Clocks(all.flatMap(placeOf)); // only with several hosts; one host has one clock
    this.watched = /** @type {Session[]} */ ([]);
  }

  /** Run all phases. Whatever happens, captures are copied here and no process survives. */
  async carryOut() {
    const shares = await this.measure().catch(async (error) => {
      await this.clear().catch(() => {}); // report the first error
      throw error;
    });
    await this.clear();
    this.clocks?.write(this.raw);
    if (this.clocks) mergeRecords(this.raw, shares.map(({ session }) => session.agent.name), this.session.agent.name);
    const { fault, arrivals } = this.conditions;
    writeClientMetrics(join(this.raw, 'client'), arrivals, this.planned.to_s, fault ? faultAt(this.planned) : undefined);
  }

  /** @returns {Promise<Share[]>} the load by host */
  async measure() {
    const endpoint = await this.connect();
    const { server, ready } = await this.serve(endpoint.server);
    /** @type {Share[]} */
    let shares;
    try {
      shares = await this.configure(endpoint);
      const loading = await this.startLoad(endpoint.server, ready, shares);
      await this.load(server, loading);
      await this.finishLoad(loading);
    } catch (error) {
      throw await findCause(server, error);
    }
    await stopServer(server);
    return shares;
  }

  /** @returns {Spec['network']} the network between server and client; undefined on loopback */
  get network() {
    const { isOnLoopback, isCaptured } = this.conditions;
    return isOnLoopback || !this.spec.network ? undefined : { ...this.spec.network, ...(isCaptured && { capture: true }) };
  }

  /** Make the network between server and client. @returns {Promise<Endpoint>} */
  async connect() {
    const { link, behaviour, processes, options, payload, arrivals } = this.conditions;
    const [{ address, port, keylog }] = await Promise.all(this.sessions.map((session) =>
      session.ask('network', { resolved: this.network, settings: link, address: session.host?.address })));
    const updates = behaviour === 'updates' ? { period_ms: arrivals.period_ms ?? 0, seed: this.planned.seed } : undefined;
    const server = { engine: this.planned.engine, address, port, behaviour, processes, options, payload_b: payload.bytes, updates };
    if (!isSecure(options)) return { server };
    const { path, pem } = await this.session.ask('certify', { address });
    if (!this.clocks) return { server, ca: path, keylog };
    await Promise.all(this.clients.map((session) => session.ask('put', { name: 'ca.pem', text: pem })));
    return { server, ca: `${DIR}/ca.pem`, keylog };
  }

  /** Start the server, and place its processes on their cores. @param {ServerConfig} config */
  async serve(config) {
    const server = await startServer(this.session, config);
    const ready = await waitUntilReady(server, 'the server').catch((error) => {
      throw error instanceof TrialError ? new StartError(error.message) : error;
    });
    checkReady(ready, config);
    await this.session.ask('place', { side: 'server', processes: ready.processes });
    return { server, ready };
  }

  /** @param {Record<string, any>} config of the whole load @returns {Share[]} the shares of the client hosts */
  split(config) {
    const { clients, clocks } = this;
    if (!clocks) return [{ session: clients[0], config }];
    const generator = readGenerator(this.conditions.generator);
    const shares = splitLoad(config, clients.flatMap(({ host }) => host ?? []), generator, countsClients(this.spec, this.planned));
    return shares.map(({ host, config: own }, index) => ({
      session: clients[index],
      config: { ...own, ...(generator.takes?.includes('clock_offset_us') && { clock_offset_us: clocks.offsetToServer(host) }) },
    }));
  }

  /** Configure the clients, after finding the rate if the point searches one. @param {Endpoint} endpoint @returns {Promise<Share[]>} */
  async configure({ server, ca, keylog }) {
    const { planned, spec, raw, clocks, session } = this;
    const url = urlOf(spec.engines[planned.engine].dialect, server.address, server.port, isSecure(this.conditions.options));
    const split = (/** @type {Record<string, any>} */ config) => this.split(config);
    const before = this.conditions;
    const saturation_hz = before.search && await saturate({ split, session, spec, planned, conditions: before, url, raw, ca });
    const conditions = this.conditions = saturation_hz ? atSaturation(before, saturation_hz) : before;
    await clocks?.readBefore();
    const config = clientConfig({ spec, planned, conditions, url, out: `${DIR}/client`, ca, keylog });
    const shares = split(config);
    const network = this.network && { network: this.network.kind };
    const hosts = clocks && { hosts: await this.#describeHosts(shares) };
    writeJson(join(this.folder, 'trial.json'), { ...planned, ...network, ...hosts, server, client: config, placement: conditions.placement });
    return shares;
  }

  /** @param {Share[]} shares @returns {Promise<object[]>} each host's part in the trial; hosts with the same `boot` share a kernel */
  async #describeHosts(shares) {
    return Promise.all(this.sessions.map(async (session) => {
      const { host } = session;
      const boot = await session.ask('boot');
      const { connections, processes, seed } = shares.find((share) => share.session === session)?.config ?? {};
      const known = host && { name: host.name, role: host.role, addresses: addressesOf(host) };
      return { ...known, boot, ...(connections && { connections, processes, seed }) };
    }));
  }

  /** Start clients and companion, and watch everything. @param {ServerConfig} config @param {Ready} serverReady @param {Share[]} shares */
  async startLoad({ address, port, options }, serverReady, shares) {
    const { companion: name } = this.spec.load;
    const url = urlOf('http', address, port, isSecure(options));
    const started = await Promise.all(shares.map(async ({ session, config }, index) => {
      const who = session.host ? `the client on ${session.host.name}` : 'the client';
      await session.ask('record');
      const client = await startClient(session, this.conditions.generator, config);
      const companion = name && index === 0 ? await startCompanion(session, name, { ...config, url }) : undefined;
      const clientReady = await waitUntilReady(client, who, READY_WITHIN_S + shares.length); // all start at once
      const companionReady = companion && await waitUntilReady(companion, `the companion ${name}`);
      await session.ask('place', { side: 'client', processes: [...clientReady.processes, ...(companionReady?.processes ?? [])] });
      const loading = [{ who, started: client }, ...(companion ? [{ who: `the companion ${name}`, started: companion }] : [])];
      return { session, loading, processes: [...onSide('client', clientReady), ...onSide('companion', companionReady)] };
    }));
    const serving = { session: this.session, processes: onSide('server', serverReady) };
    const watched = Map.groupBy([serving, ...started], ({ session }) => session);
    this.watched = [...watched.keys()];
    await Promise.all([...watched].map(([session, all]) =>
      session.ask('watch', { processes: all.flatMap(({ processes }) => processes), isSpread: this.clocks && true })));
    return started.flatMap(({ loading }) => loading);
  }

  /** Run the load up to the end of the window. @param {RemoteProcess} server @param {Loading} loading */
  async load(server, loading) {
    const { planned, clocks, conditions: { warmup_s, arrivals, fault } } = this;
    const staircase = staircaseOf(arrivals);
    const steps = staircase ? listSteps(staircase, planned.from_s) : [];
    if (staircase) writeTsv(join(this.raw, 'steps.tsv'), STEP_COLUMNS, steps);
    const marks = [['window_start', planned.from_s], ...listMarks(steps), ['window_end', planned.to_s]];
    const startOf = clocks?.agree(LEAD_US + this.sessions.length * LEAD_A_HOST_US + warmup_s * 1e6);
    const loads = this.watched.map((session) => session.ask('load', {
      ...(startOf ? { start_us: startOf(session.agent.name) } : { lead_us: LEAD_US + warmup_s * 1e6 }),
      go: loading.filter(({ started }) => started.session === session).map(({ started }) => started.pid), marks,
      ...(session === this.session && {
        server: server.pid, ...(clocks && { looks: looksWithin(arrivals, planned) }),
        ...(fault && { fault: { at_s: faultAt(planned), to_s: planned.to_s } }),
      }),
    }));
    await Promise.race([Promise.all(loads), failWhenEnded({ who: 'the server', started: server }), ...loading.map(failWhenFailed)]);
  }

  /** @param {Loading} loading */
  async finishLoad(loading) {
    for (const { who, started } of loading) await finishClient(started, who, this.spec.load.drain_s);
    await Promise.all(this.watched.map((session) => session.ask('finish')));
    await this.clocks?.readAfter();
  }

  /** End all processes, copy the records here, and leave nothing on the hosts. */
  async clear() {
    valuesOf(await Promise.allSettled(this.sessions.map(async (session) => {
      const folder = session === this.session ? this.raw : folderOf(this.raw, session.agent.name);
      mkdirSync(folder, { recursive: true });
      await session.abort();
      await session.collect(folder).finally(() => session.close());
    })));
  }
}

/** @param {Loading[number]} ending @returns {Promise<never>} rejects once the process has ended, which is too early here */
async function failWhenEnded({ who, started }) {
  await started.exited;
  throw endedEarly(who, started);
}

/**
 * A client ends by itself when its window is over. On a busy machine that may happen before the last mark is read; the mark is then late,
 * and flagged.
 * @param {Loading[number]} ending @returns {Promise<never>} rejects if the process failed
 */
async function failWhenFailed({ who, started }) {
  const { code } = await started.exited;
  return code === 0 ? new Promise(() => {}) : failWhenEnded({ who, started });
}

/** @param {string} side @param {Ready | undefined} ready @returns {object[]} its processes, with their side */
const onSide = (side, ready) => (ready?.processes ?? []).map((process) => ({ ...process, side }));
