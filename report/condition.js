/** The conditions of a run in words, for the captions of figures and above tables. */
import { tellRange } from './figures/words.js';
import { splitRepaired } from './flagged.js';
import { describePlacements } from '../harness/common/placements.js';
import { group } from '../harness/common/format.js';
import { ARRIVALS } from '../harness/spec/arrivals.js';
import { usualGenerator } from '../harness/spec/engines.js';
import { countsClients, isNative, listPoints, resolveConditions } from '../harness/spec/points.js';
import { listReferences } from '../harness/spec/reference.js';
import { staircaseOf } from '../harness/spec/sweep.js';
import { spellSettings } from '../harness/common/setting.js';
import { listLoosened } from '../analysis/trials/validity.js';

/** @typedef {Record<string, {version: string, runtime?: string, pinned_runtime?: string}>} Generators */
/** @typedef {import('../harness/spec/spec.js').Spec} Spec */
/** @typedef {Spec & {environment: any, engines: Record<string, any>, generators?: Generators}} RecordedSpec */

/** @param {RecordedSpec} spec @returns {boolean} do some points or searches use another number of connections than the profile? */
function hasOwn(spec) {
  const { connections } = spec.phases;
  const isOther = (/** @type {any} */ point) =>
    resolveConditions(spec, point).search || Number(point['setting.connections'] ?? connections) !== connections;
  return spellSettings(listPoints(spec)).some(isOther);
}

/** @param {RecordedSpec} spec @param {'warmup_s' | 'hold_s'} what @returns {string} the range over its points */
const describeLengths = (spec, what) => tellRange(listPoints(spec).map((point) => resolveConditions(spec, point)[what]));

/**
 * Connections, their opening and the window, against the source's where a claim states it, else against `paper`. A claim's card has more
 * (analysis/claims/found.js).
 * @param {RecordedSpec} spec @returns {string} '' if they do not differ, or if the source gives no load
 */
export function describeScale(spec) {
  const { phases, source_phases: source, claims, load } = spec;
  if (claims?.length && claims.every(({ any_load }) => any_load)) return '';
  const lengthsIn = (/** @type {RecordedSpec} */ each) => listPoints(spec).map((point) => resolveConditions(each, point).hold_s);
  const [held, heldThere] = [spec, { ...spec, phases: source }].map(lengthsIn);
  const [shorter, longer] = [held, heldThere].map((all) => tellRange(all.filter((_, index) => held[index] < heldThere[index])));
  const save = hasOwn(spec) ? ', except where a point has its own' : '';
  const stated = (claims ?? []).flatMap((claim) => claim.source?.connections ?? []);
  const [here, there] = stated.length
    ? [phases.connections * (load.per_client ? load.client_processes : 1), Math.max(...stated)]
    : [phases.connections, source.connections];
  return [
    here < there ? `Reduced load${save}: ${group(here)} connections, source ${group(there)}.` : '',
    phases.connect_rate_hz > source.connect_rate_hz ? `Faster opening${save}: ${group(phases.connect_rate_hz)} a second, source ${group(source.connect_rate_hz)}.` : '',
    shorter ? `Shorter window: ${shorter} s, in profile paper ${longer} s.` : '',
  ].filter(Boolean).join(' ');
}

/** @param {RecordedSpec} spec @returns such as "20 B messages" or "1 to 65,536 B messages"; '' for events: the dialect sets their size */
function describeSizes(spec) {
  const sizes = listPoints(spec).flatMap((point) => {
    const { sizes_b, exchange } = /** @type {any} */ (spec.workloads[point.workload]);
    return sizes_b ?? exchange?.sizes_b ?? [resolveConditions(spec, point).payload.bytes];
  }).filter((bytes) => bytes > 0);
  return sizes.length ? `${tellRange(sizes, group)} B messages` : '';
}

/** @param {RecordedSpec} spec @returns {string} such as "open load of 20 B messages" */
function describeKindOfLoad(spec) {
  const kinds = new Set(spec.axes.workload.map((name) => ARRIVALS[spec.workloads[name].arrivals.kind].load));
  const size = describeSizes(spec);
  return `${[...kinds].join(' and ')} load${size && ` of ${size}`}`;
}

/** @param {RecordedSpec} spec @returns {string} the load (open, closed or scripted), its sizes, and what generates it */
function describeLoad(spec) {
  const clients = spec.hosts?.filter(({ role }) => role !== 'server').length ?? 1; // at least one process per host
  const all = listPoints(spec).map((point) => {
    const { client_processes, connections } = resolveConditions(spec, point);
    return countsClients(spec, point) ? client_processes : Math.max(client_processes, Math.min(clients, connections));
  });
  const counts = [...new Set(all)].sort((a, b) => a - b);
  return `${describeKindOfLoad(spec)} from ${counts.join(' or ')} client process${counts.at(-1) === 1 ? '' : 'es'}${spec.load.generator ? ` (${[spec.load.generator, spec.generators?.[spec.load.generator]?.version].filter(Boolean).join(' ')})` : ''}`;
}

/** @param {any} environment @param {string} [core] @returns {string} such as "2 cores of a virtual machine in a container (podman)" */
export const describeMachine = ({ cores, hypervisor, container }, core = 'core') =>
  `${cores} ${core}${cores > 1 ? 's' : ''}${hypervisor === 'yes' ? ' of a virtual machine' : ''}${container ? ` in a container (${container.kind})` : ''}`;

/** @param {RecordedSpec} spec @param {import('../harness/spec/hosts.js').Seen[]} hosts the server's comes first @returns {string} */
function describeHosts({ environment }, [server, ...others]) {
  const clients = [server, ...others].filter(({ role }) => role !== 'server');
  const count = `${clients.length} client host${clients.length === 1 ? '' : 's'}`;
  const where = server.role === 'both' ? `${count}, the server's among them` : `${count} beside it`;
  return `OVER ${1 + others.length} HOST${others.length ? 'S' : ''}: the server on ${describeMachine(environment)}, the load from ${where}`;
}

/** @param {RecordedSpec} spec @returns {string} where the processes of a trial ran */
function describeCores(spec) {
  if (spec.hosts) return describeHosts(spec, spec.hosts);
  const { cores, cpu_quota_cores } = spec.environment;
  const places = listPoints(spec).map((point) => resolveConditions(spec, point).placement);
  return describePlacements(places, describeMachine(spec.environment, 'real core') + describeQuota(cpu_quota_cores), cores);
}

/** How a link gets its rate and delay. */
const LINKS = { netem: 'tc-netem at both ends', carried: 'store and forward: a process carries frames between two TAP devices' };

/** @param {RecordedSpec} spec @returns {string} the network between server and client; '' if the manifest asks for none (loopback) */
function describeNetwork({ network }) {
  if (!network) return '';
  if (network.kind === 'veth') {
    const { link, congestion } = network;
    const between = link ? `, or by a link of the rate and the added round trip that a point names (${LINKS[link]})` : '';
    return `server and client in network namespaces joined by a veth pair${between}: Ethernet frames of an MTU of 1500, offloads off, no other traffic${congestion ? `; congestion control ${congestion}` : ''}`;
  }
  if (network.kind === 'hosts') return 'the hosts\' own network; clocks.tsv of each trial has the round trip from the coordinator to each';
  return `ON LOOPBACK, for this machine permits no network namespaces (${network.why}): segments of up to 64 KiB, no Ethernet`;
}

/** @param {RecordedSpec} spec @returns {string} the load generators besides the engines' own clients; '' if none */
function describeGenerators({ axes, generators = {} }) {
  const others = Object.entries(generators).map(([name, { version }]) => `${name} ${version}`);
  if (!axes.generator) return '';
  return `each point also under ${others.join(' and ')}, in the same blocks with the same draws; what names no generator is ${usualGenerator()}: each engine's own client library`;
}

/** @param {RecordedSpec} spec @returns {string} the reference engine, measured in each block; '' if none */
function describeReference(spec) {
  const conditions = listReferences(spec).map((point) => resolveConditions(spec, point));
  if (!spec.reference || conditions.length === 0) return '';
  const rates = conditions.flatMap(({ arrivals }) => staircaseOf(arrivals)?.steps.map(({ total_rate_hz }) => total_rate_hz) ?? []);
  const at = rates.length ? `at ${Math.min(...rates)} to ${Math.max(...rates)} messages a second over as many connections` : 'under the same load';
  const other = conditions.find(({ behaviour }) => behaviour !== spec.load.behaviour);
  const instead = other ? `; it answers by ${other.behaviour} of ${other.payload.bytes} B, not by ${spec.load.behaviour}` : '';
  return `multiples are of ${spec.engines[spec.reference.engine].title}, measured in each block ${at}${instead}`;
}

/** @param {Record<string, string>[]} plan its rows @returns {string} such as "6 trials a point" or "1 to 6 trials a point" */
export function describeRepeats(plan) {
  const points = Map.groupBy(plan, ({ engine, workload, setting }) => [engine, workload, setting].join('\t'));
  // a repeated trial has the block of the first
  const counts = [...points.values()].map((trials) => new Set(trials.map(({ block }) => block)).size);
  return `${tellRange(counts)} trial${Math.max(...counts) > 1 ? 's' : ''} a point`;
}

/** @param {RecordedSpec} spec @param {Record<string, string>[]} [plan] its rows; without them the number of trials is left out */
export const describeCondition = (spec, plan = []) => [...describeSetup(spec, plan), describeScale(spec)].filter(Boolean);

/** The same without how the load is reduced, which each claim says. @param {RecordedSpec} spec @param {Record<string, string>[]} [plan] */
export function describeSetup(spec, plan = []) {
  const { environment: { cpu, kernel }, phases, load, profile, seed } = spec;
  const each = load.per_client ? ' from each client process' : '';
  return [
    `${describeLoad(spec)}; ${describeCores(spec)}; ${cpu}, ${kernel}`,
    `profile ${profile}: ${phases.warmup_s ? `${describeLengths(spec, 'warmup_s')} s of warm-up, ` : ''}${phases.connections} connection${phases.connections === 1 ? '' : 's'}${each} over ${phases.ramp_s} s${hasOwn(spec) ? ' (save where a point or a search has its own)' : ''}, measured for ${describeLengths(spec, 'hold_s')} s, ${plan.length ? `${describeRepeats(plan)} in random blocks, ` : ''}seed ${seed}`,
    describeNetwork(spec),
    describeGenerators(spec),
    describeReference(spec),
    describeBounds(spec),
    describeUnpinned(spec),
  ].filter(Boolean);
}

/**
 * @param {{engines: Record<string, any>, generators?: Generators}} spec
 * @returns {string} runtimes in another version than the records' pinned one; '' if none
 */
export function describeUnpinned({ engines, generators }) {
  const others = Object.values({ ...engines, ...generators }).filter(({ pinned_runtime: pinned }) => pinned);
  const said = [...new Set(others.map(({ runtime, pinned_runtime: pinned }) => `${runtime} for ${pinned}`))];
  return said.length ? `VERSIONS OTHER THAN THE RECORDS', on which costs depend: ${said.join(', ')}` : '';
}

/** @param {Pick<RecordedSpec, 'validity'>} spec @returns {string} validity rules loosened by its manifest; '' if none */
export function describeBounds({ validity }) {
  const loosened = listLoosened(validity).map(({ rule, bound, usual }) => `${rule} ${bound} for ${usual}`);
  return loosened.length ? `bounds of validity looser than usual: ${loosened.join(', ')}` : '';
}

/** The network actually used, by its kind. */
const WHERE = { veth: ', between network namespaces', loopback: ', on loopback for want of namespaces', hosts: '' };

/** @param {unknown} cores allowed by the control group's CPU quota; without a quota 'none', or undefined in old runs */
const describeQuota = (cores) => (typeof cores === 'number' ? `, held to the time of ${Number(cores.toFixed(2))}` : '');

/**
 * The conditions in three sentences, for a caption. The picture's description has all of them.
 * @param {RecordedSpec} spec @param {Record<string, string>[]} plan its rows @param {Record<string, string>[]} dropped rows of dropped.tsv
 */
export function describePlainly(spec, plan, dropped) {
  const { environment, hosts, network, profile } = spec;
  const isPinned = listPoints(spec).some((point) => resolveConditions(spec, point).placement !== 'shared');
  const where = hosts ? ` of ${hosts.length} host${hosts.length > 1 ? 's' : ''}` : '';
  const machine = `${describeMachine(environment)}${where}${describeQuota(environment.cpu_quota_cores)}`;
  const loosened = listLoosened(spec.validity).map(({ rule }) => rule.replaceAll('-', ' ').replace('cpu', 'CPU').replace('littles law', 'Little\'s law'));
  return [
    describeScale(spec),
    `Profile ${profile}: ${describeDropped(plan, dropped).replace(/ \(.*\)/, '')}.`,
    `${capitalise(describeKindOfLoad(spec))}; ${machine}, ${isPinned ? 'processes pinned' : 'shared by all processes'}${network ? WHERE[network.kind] : ''}.`,
    loosened.length ? `Trials are flagged by looser bounds than usual: ${loosened.join(', ')}.` : '',
  ].filter(Boolean).join(' ');
}

/** @param {string} text */
const capitalise = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} runtime as recorded (environment.js) @returns {string} such as "Node 0.10.28" */
const nameRuntime = (runtime) => runtime.replace(/^v(?=\d)/, 'Node ');

/**
 * @param {RecordedSpec} spec
 * @returns {string[]} versions of servers, and of client libraries if they made load; engines with the same runtime and number of
 *   processes share a line
 */
export function describeVersions(spec) {
  const described = Object.entries(spec.engines).map(([name, { version, rebuilt, runtime, processes, library_version }]) => {
    const points = listPoints(spec).filter(({ engine }) => engine === name);
    const isMixed = points.length > 0 && spellSettings(points).every((point) => 'setting.processes' in point);
    const roles = isMixed ? [] : Object.entries(processes).map(([role, count]) => `${count} ${role}`);
    const library = points.some((point) => !isNative(resolveConditions(spec, point).generator)) ? library_version : '';
    const more = [...(rebuilt ? [`${rebuilt} rebuilt`] : []), ...(library ? [`client ${library}`] : [])].join('; ');
    return { words: `${name} ${version}${more && ` (${more})`}`, ran: `on ${nameRuntime(runtime)}${roles.length ? `, ${roles.join(' + ')}` : ''}` };
  });
  return [...Map.groupBy(described, ({ ran }) => ran)].map(([ran, own]) => `${own.map(({ words }) => words).join(', ')} ${ran}${own.length > 1 ? ' each' : ''}`);
}

/** @param {import('../harness/spec/spec.js').Workload} workload @returns {string} when messages are sent */
export function describeArrivals({ arrivals, search, sizes_b }) {
  if (sizes_b) return 'rounds on one connection: connect, echoes of each size one after the other, close';
  if (search && arrivals.kind !== 'staircase') return `random times; saturation found by search, costs and latency measured at ${search.measured_share} of it`;
  return ARRIVALS[arrivals.kind].words(arrivals);
}

/**
 * @param {Record<string, string>[]} plan
 * @param {Record<string, string>[]} dropped rows of dropped.tsv: a trial has one for each rule that flags it
 * @returns {string} how many trials were left out, and why, such as "62 trials, 2 left out (steal), 1 run again"
 */
export function describeDropped(plan, dropped) {
  const { open, repaired } = splitRepaired(plan, dropped);
  const left = new Set(open.map(({ trial }) => trial)).size;
  const reasons = [...new Set(open.map(({ reason }) => reason))].join(', ');
  return `${plan.length} trials, ${left || 'none'} left out${left ? ` (${reasons})` : ''}${repaired ? `, ${repaired} run again` : ''}`;
}
