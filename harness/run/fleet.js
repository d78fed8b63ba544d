/**
 * The hosts of a run: one for the server, and one or more for the clients. Without hosts.toml this host is both. With hosts.toml the hosts
 * are others, reached by ssh or another command. The coordinator copies its suite to them and installs it there with make.
 */
import { isDeepStrictEqual } from 'node:util';
import { coresHere } from '../common/cores.js';
import { TrialError, UserError } from '../common/failure.js';
import { PLACEMENTS } from '../common/placements.js';
import { isClient, isServer, metricsOf } from '../spec/hosts.js';
import { Agent } from './agent.js';
import { Connections } from './connections.js';
import { settleEach, valuesOf } from './side-by-side.js';
import { hashSuite, packTree } from './tree.js';
import { quote } from './way.js';

/** @import { Host, Hosts } from '../spec/hosts.js' */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./environment.js').Versions} Versions */
/** @typedef {{agent: Agent, host?: Host, way?: import('./way.js').Way, folder: string}} Member One host; `folder`: its copy of the suite */
/** @typedef {{server: Session, clients: Session[], all: Session[]}} Sessions `all`: each session once, the server's first */

/** Logins and Node processes started at once: hosts may be namespaces of one machine, and a coordinator has few cores. */
export const STARTS_AT_A_TIME = 10;

export class Fleet {
  /** @param {Member[]} members the server's host first @param {{connections: Connections, hosts: Hosts}} [others] if not this host */
  constructor(members, others) {
    this.members = members;
    this.others = others;
  }

  /** @param {number} [port] where the agent answers Prometheus @returns {Promise<Fleet>} this host alone */
  static async here(port) {
    const agent = await Agent.start(undefined, undefined, port === undefined ? undefined : { address: '127.0.0.1', port });
    if (agent.noMetrics) console.log(`no metrics of the agent: ${agent.noMetrics}`);
    return new Fleet([{ agent, folder: '' }]);
  }

  /** Connect only. @param {Hosts} hosts @throws {UserError} names every host that can't be reached */
  static async connect(hosts) {
    const connections = new Connections(hosts.ssh_config);
    const sorted = [...hosts.hosts.filter(isServer), ...hosts.hosts.filter((host) => !isServer(host))];
    const fleet = new Fleet(sorted.map((host) => makeMember(connections, host)), { connections, hosts });
    try {
      await fleet.each((member) => member.way?.open(), STARTS_AT_A_TIME);
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  get isSpread() {
    return this.others !== undefined;
  }

  get server() {
    return this.members[0];
  }

  get clients() {
    return this.isSpread ? this.members.filter(({ host }) => host && isClient(host)) : this.members;
  }

  /** @returns {Host[]} in the order of the members */
  get hosts() {
    return this.members.flatMap(({ host }) => (host ? [host] : []));
  }

  /**
   * @template T @param {(member: Member) => T | Promise<T>} act @param {number} [atATime] hosts at once @returns {Promise<Awaited<T>[]>}
   * @throws {UserError} with the problems of all hosts, once all have ended
   */
  async each(act, atATime = this.members.length) {
    const ends = await settleEach(this.members, atATime, act);
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [explain(end.reason)] : []));
    const strange = errors.find((error) => !(error instanceof UserError));
    if (strange) throw strange;
    if (errors.length) throw new UserError(errors.flatMap(({ problems }) => problems));
    return valuesOf(ends);
  }

  /** @returns {Promise<number>} cores of the server's host that a trial may use */
  async countCores() {
    if (!this.isSpread) return coresHere();
    const { way, host } = this.server;
    return Number(await way?.run('nproc', 'counting its cores')) - (host?.leave_cores ?? 0);
  }

  /**
   * Copy the suite to the hosts without it, run make there, and start the agents.
   * @param {(host: Host) => string[]} goals for make on a host @param {(line: string) => void} tell @param {AbortSignal} [signal]
   */
  async prepare(goals, tell, signal) {
    if (!this.others) return;
    const { connections, hosts } = this.others;
    const tree = this.hosts.some(({ suite }) => suite === undefined) ? packTree(connections.folder) : undefined;
    await this.each(async (member) => {
      const { way, host } = member;
      if (!way || !host || host.suite || !tree) return;
      const say = (/** @type {string} */ line) => tell(`${host.name}: ${line}`);
      member.folder = await bringTree(way, hosts.folder, tree, say, signal);
      await make(way, member.folder, goals(host), say, signal);
    });
    await this.startAgents();
    for (const { agent } of this.members) if (agent.noMetrics) tell(`${agent.name}: no metrics: ${agent.noMetrics}`);
  }

  /** Start the agents that do not run, including lost ones. @throws {UserError} */
  async startAgents() {
    await this.each(({ agent }) => agent.connect(), STARTS_AT_A_TIME);
  }

  /** @param {import('./environment.js').Asked} asked @returns {Promise<Versions>} as installed @throws {UserError} if two hosts differ */
  async readVersions(asked) {
    const own = hashSuite();
    const installed = await this.each(async ({ way, host, folder }) => {
      if (!way || !host) throw new UserError('hosts: none');
      const { engines, ...ofClients } = asked;
      const wanted = { ...(isServer(host) && { engines }), ...(isClient(host) && ofClients) };
      const command = `cd ${quote(folder)} && infra/hosts/held.sh runtimes/node-24/bin/node harness/main.js versions ${quote(JSON.stringify(wanted))}`;
      const { code, ...versions } = JSON.parse(await way.run(command, 'asking for versions'));
      if (code !== own) throw new UserError(`hosts: ${host.name}: the suite in ${folder} is of other code than here; bring it to the same commit, or leave \`suite\` out`);
      return /** @type {Versions} */ (versions);
    }, STARTS_AT_A_TIME);
    const all = this.clients.map((member) => {
      const { engines: _engines, ...ofLoad } = installed[this.members.indexOf(member)];
      return { name: member.agent.name, ofLoad };
    });
    const differs = all.find(({ ofLoad }) => !isDeepStrictEqual(ofLoad, all[0].ofLoad));
    if (differs) throw new UserError(`hosts: ${differs.name}: other versions of what makes the load than on ${all[0].name}; install the same on both`);
    return { ...all[0].ofLoad, engines: installed[0].engines };
  }

  /** @returns {Promise<Record<string, any>>} facts of the server's host; with other hosts, `hosts` has the facts of each */
  async readFacts() {
    const all = await this.each(({ agent }) => agent.ask('facts'), STARTS_AT_A_TIME); // each agent asks a dozen programs for their versions
    return this.isSpread ? { ...all[0], hosts: Object.fromEntries(this.hosts.map(({ name }, index) => [name, all[index]])) } : all[0];
  }

  /** @param {string} trial @param {string} placement of the processes on cores @param {AbortSignal} signal @returns {Promise<Sessions>} */
  async open(trial, placement, signal) {
    const place = (/** @type {Member} */ member) => {
      if (!this.isSpread) return placement;
      return member === this.server ? PLACEMENTS[placement]?.alone ?? placement : 'shared';
    };
    const opened = await Promise.allSettled(this.members.map((member) =>
      member.agent.open(trial, { placement: place(member), signal, host: member.host })));
    const isWhole = opened.every((end) => end.status === 'fulfilled');
    if (!isWhole) await Promise.allSettled(opened.map(async (end) => end.status === 'fulfilled' && end.value.close()));
    const all = valuesOf(opened);
    return { server: all[0], clients: all.filter((_, index) => this.clients.includes(this.members[index])), all };
  }

  /** Resolves when nothing of the fleet is left on any host. */
  async close() {
    await Promise.allSettled(this.members.map(({ agent }) => agent.close()));
    await this.others?.connections.close();
  }
}

/** An agent may end outside a trial; then the run fails instead of a trial. @param {any} error @returns {any} */
const explain = (error) => (error instanceof TrialError ? new UserError(`hosts: ${error.message}; run it again`) : error);

/** @param {Connections} connections @param {Host} host @returns {Member} */
function makeMember(connections, host) {
  const way = connections.to(host);
  /** @type {Member} */
  const member = { host, way, folder: host.suite ?? '', agent: /** @type {any} */ (undefined) };
  member.agent = new Agent([], {
    name: host.name, env: connections.env, leave_cores: host.leave_cores, metrics: metricsOf(host),
    program: way.program, reach: () => way.open(), whyLost: () => way.whyLost(),
    get argv() {
      // The shell stays to report how the agent ended: ssh reports nothing about a killed program
      return way.argv(`cd ${quote(member.folder)} && runtimes/node-24/bin/node harness/agent/main.js; exit $?`);
    },
  });
  return member;
}

/**
 * @param {import('./way.js').Way} way @param {string} folder in the home folder there @param {import('./tree.js').Tree} tree
 * @param {(line: string) => void} tell @param {AbortSignal} [signal] @returns {Promise<string>} path of the complete copy
 */
async function bringTree(way, folder, { hash, archive }, tell, signal) {
  const into = quote(folder);
  const [path, there] = (await way.run(`cd && mkdir -p ${into} && cd ${into} && pwd && if test -d ${hash}; then echo there; fi`, 'looking for the suite', { signal })).split('\n');
  if (there === 'there') return `${path}/${hash}`;
  tell(`bringing the suite to ${path}/${hash}`);
  // Unpacked under another name until complete. If several hosts share a folder, the first copy stays
  const unpack = `cd ${quote(path)} && t=$(mktemp -d ${hash}.partial-XXXXXX) && trap 'rm -rf "$t"' EXIT && tar -xzf - -C "$t" && chmod 755 "$t" && { mv -T "$t" ${hash} 2> /dev/null || test -d ${hash}; }`;
  await way.run(unpack, 'bringing the suite', { input: archive, signal });
  return `${path}/${hash}`;
}

/**
 * @param {import('./way.js').Way} way @param {string} folder of the suite there @param {string[]} goals and variables
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 */
async function make(way, folder, goals, tell, signal) {
  const command = [
    `cd ${quote(folder)}`,
    'if ! command -v make > /dev/null; then echo "make is not there; install it: sudo apt-get install make" >&2; exit 69; fi',
    // The lock is for hosts that share a folder: they install one at a time
    `exec infra/hosts/held.sh flock .install.lock make --no-print-directory ${goals.map(quote).join(' ')}`,
  ].join(' && ');
  await way.run(command, 'installing', { tell: (line) => line && tell(line), signal });
}
