/** `wscale hosts kubernetes`: prints hosts.toml for the pods of this folder's manifests, from kubectl (docs/kubernetes.md). */
import { isIPv4 } from 'node:net';
import { UserError } from '../../harness/common/failure.js';
import { lastWords, runProgram } from '../../harness/common/programs.js';

/**
 * @typedef {{metadata: {name: string, labels?: Record<string, string>, annotations?: Record<string, string>}, spec: {nodeName?: string},
 *   status: {phase?: string, podIP?: string, podIPs?: {ip: string}[], qosClass?: string, reason?: string, message?: string,
 *     conditions?: {type: string, status: string, message?: string}[],
 *     containerStatuses?: {state?: {waiting?: {reason?: string, message?: string}}}[]}}} Pod the fields that we read
 */

const NAMESPACE = 'wscale';
const SELECTOR = 'app.kubernetes.io/name=wscale';
const CONTAINER = 'host';
const SUITE = '/wscale'; // in the image (Containerfile)
const APPLY = 'kubectl apply -k infra/kubernetes';

/** @param {string[]} argv @returns {string} kubectl's output @throws {UserError} */
function kubectl(...argv) {
  const ended = runProgram(['kubectl', ...argv]);
  if (/** @type {NodeJS.ErrnoException | undefined} */ (ended.error)?.code === 'ENOENT') {
    throw new UserError('kubectl: not in PATH; install it, as your cluster says (Debian: kubernetes-client)');
  }
  if (ended.status !== 0) throw new UserError(`kubectl ${argv[0]}: ${lastWords(ended)}; try: kubectl ${argv.slice(0, 4).join(' ')}`);
  return ended.stdout;
}

/** @param {Pod} pod @param {string} type */
const isTrue = ({ status }, type) => (status.conditions ?? []).some((each) => each.type === type && each.status === 'True');

/** In a dual-stack cluster, IPv4 or IPv6 may come first. @param {Pod} pod @returns {string | undefined} its IPv4 address */
const addressOf = ({ status: { podIP, podIPs = [] } }) => [podIP, ...podIPs.map(({ ip }) => ip)].find((ip) => ip && isIPv4(ip));

/** @param {Pod} pod @returns {string | undefined} why it cannot be used; undefined if it is ready */
function whyNot(pod) {
  const { phase, podIP, reason, message, conditions = [], containerStatuses = [] } = pod.status;
  if (phase === 'Running' && podIP && isTrue(pod, 'Ready')) return addressOf(pod) ? undefined : `${podIP} is no IPv4 address`;
  const { waiting } = containerStatuses[0]?.state ?? {};
  const unscheduled = conditions.find((each) => each.type === 'PodScheduled' && each.status !== 'True');
  const why = message ?? reason ?? unscheduled?.message ?? (waiting && [waiting.reason, waiting.message].filter(Boolean).join(': '));
  return `${phase ?? 'Unknown'}${why ? `: ${why}` : ''}`;
}

/** @param {Pod} pod */
const componentOf = ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'];
/** @param {Pod} pod of an Indexed Job @returns {number} */
const indexOf = ({ metadata: { labels = {}, annotations = {} } }) => {
  const name = 'batch.kubernetes.io/job-completion-index';
  return Number(labels[name] ?? annotations[name]);
};

/**
 * @param {Pod[]} pods of the namespace @param {number} [wanted] number of clients; by default all
 * @returns {{server: Pod, clients: Pod[], warnings: string[]}} @throws {UserError} with the problem of each pod
 */
export function choosePods(pods, wanted) {
  const isGone = ({ status: { phase = '' } }) => ['Failed', 'Succeeded'].includes(phase);
  const [server] = pods.filter((pod) => componentOf(pod) === 'server');
  if (!server) throw new UserError(`kubernetes: there is no server in namespace ${NAMESPACE}; make it: ${APPLY}`);
  const all = pods.filter((pod) => componentOf(pod) === 'client' && !isGone(pod)).sort((a, b) => indexOf(a) - indexOf(b));
  const count = wanted ?? Math.max(1, all.length);
  const clients = all.slice(0, count);
  const look = `kubectl describe pod --namespace ${NAMESPACE}`;
  const problems = [server, ...clients].flatMap((pod) => {
    const why = whyNot(pod);
    return why ? [`kubernetes: pod ${pod.metadata.name} is not ready: ${why}; look at it: ${look} ${pod.metadata.name}`] : [];
  });
  if (clients.length < count) {
    problems.push(`kubernetes: there are ${clients.length} clients, not ${count}; set completions and parallelism in infra/kubernetes/kustomization.yaml, then: ${APPLY}`);
  }
  const beside = clients.filter(({ spec }) => spec.nodeName && spec.nodeName === server.spec.nodeName);
  for (const { metadata: { name } } of beside) problems.push(`kubernetes: pod ${name} is on the server's node, ${server.spec.nodeName}; keep its anti-affinity`);
  if (problems.length) throw new UserError(problems);
  const { qosClass } = server.status;
  const warnings = qosClass === 'Guaranteed' ? [] : [`the server's class is ${qosClass}, not Guaranteed: it has no cores of its own`];
  return { server, clients, warnings };
}

/** @param {string[]} words @returns {string} a TOML array: JSON strings are valid in TOML */
const list = (words) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;

/** @param {{server: Pod, clients: Pod[]}} pods @param {string} [context] of kubectl @returns {string} hosts.toml */
export function formatHosts({ server, clients }, context) {
  const command = ['kubectl', ...(context ? ['--context', context] : []), 'exec', '-i', '-n', NAMESPACE];
  const tables = [server, ...clients].map((pod, index) => [
    `[[hosts]] # on node ${pod.spec.nodeName ?? 'unknown'}`,
    `name = "${index === 0 ? 'server' : `client-${indexOf(pod)}`}"`,
    `exec = ${list([...command, '-c', CONTAINER, `pod/${pod.metadata.name}`, '--'])}`,
    `role = "${index === 0 ? 'server' : 'client'}"`,
    `address = "${addressOf(pod)}"`,
    `suite = "${SUITE}"`,
  ].join('\n'));
  return [`# Pods of namespace ${NAMESPACE}; they end by themselves at their deadline, and at once by: kubectl delete namespace ${NAMESPACE}`, ...tables].join('\n\n');
}

/** @param {number} [count] of clients */
export function printHosts(count) {
  const { items } = JSON.parse(kubectl('get', 'pods', '--namespace', NAMESPACE, '--selector', SELECTOR, '--output', 'json'));
  const context = runProgram(['kubectl', 'config', 'current-context']); // there is none inside a cluster
  const { warnings, ...pods } = choosePods(items, count);
  for (const warning of warnings) console.error(`warning: kubernetes: ${warning}`);
  console.log(formatHosts(pods, context.status === 0 ? context.stdout.trim() : undefined));
}
