/** A cluster is a CloudFormation stack: make it, wait for it, query it. Everything of the suite carries the same tag. */
import { randomUUID } from 'node:crypto';
import { UserError } from '../../harness/common/failure.js';
import { sleep } from '../../harness/common/timers.js';
import { makeTemplate } from './template.js';

/** @typedef {import('./amazon.js').Amazon} Amazon */
/**
 * @typedef {object} Host
 * @property {string} id of the instance
 * @property {string} name server, or client-1, client-2, ...
 * @property {string} cluster
 * @property {string} type
 * @property {string} state
 * @property {string} [private] address on the network of the load
 * @property {string} [public] address
 * @property {Date} [launched]
 */
/** @typedef {{id: string, stack: string, cluster: string, status: string, ends: string, why?: string}} Stack */
/** @typedef {(line: string) => void} Tell */

const PROJECT = { Key: 'project', Value: 'wscale' };
const CLUSTER = 'wscale:cluster';
const ENDS = 'wscale:ends';
const STACK_PREFIX = 'wscale-';
const LOOK_MS = 2000;
/** Length of an ISO time without milliseconds and zone. */
const SECONDS = 19;
const LIVING = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];

/** @param {any[]} [tags] @param {string} [key] */
const tagOf = (tags = [], key) => tags.find(({ Key }) => Key === key)?.Value ?? '-';

/** @param {string} name @param {string[]} Values */
const filter = (name, Values) => ({ Name: name, Values });
const OURS = filter(`tag:${PROJECT.Key}`, [PROJECT.Value]);

/**
 * @param {Amazon} amazon @param {string} cluster @param {{clients: number, hours: number, ends: Date}} size
 * @param {Record<string, string>} parameters of stack.yaml
 * @returns {Promise<string>} the id of the new stack, not complete yet
 */
export async function createStack(amazon, cluster, { clients, hours, ends }, parameters) {
  const [server, client] = [parameters.ServerType, parameters.ClientType];
  const { StackId } = await amazon.ask('cloudformation', 'CreateStack', {
    StackName: STACK_PREFIX + cluster,
    TemplateBody: JSON.stringify(await makeTemplate(clients, { server, client })),
    Parameters: Object.entries({ ...parameters, Minutes: String(60 * hours), Ends: ends.toISOString().slice(0, SECONDS) })
      .map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    Tags: [PROJECT, { Key: CLUSTER, Value: cluster }, { Key: ENDS, Value: ends.toISOString() }],
    Capabilities: ['CAPABILITY_IAM'], // for the role that terminates hung hosts
    TimeoutInMinutes: 20,
    ClientRequestToken: randomUUID(), // a request that is sent again makes no second stack
  });
  return StackId;
}

/** @param {Amazon} amazon @param {string} stack its name or id @returns {Promise<Stack | undefined>} undefined if there is none */
export async function findStack(amazon, stack) {
  try {
    const { Stacks } = await amazon.ask('cloudformation', 'DescribeStacks', { StackName: stack });
    return asStack(Stacks[0]);
  } catch (error) {
    if (/does not exist/.test(String(error))) return undefined;
    throw error;
  }
}

/** @param {any} stack @returns {Stack} */
const asStack = ({ StackId, StackName, StackStatus, StackStatusReason, Tags }) => (
  { id: StackId, stack: StackName, cluster: tagOf(Tags, CLUSTER), status: StackStatus, ends: tagOf(Tags, ENDS), why: StackStatusReason }
);

/** @param {Amazon} amazon @returns {Promise<Stack[]>} all existing stacks of the suite */
export async function listStacks(amazon) {
  const all = await amazon.askAll('cloudformation', 'DescribeStacks', 'Stacks');
  return all.filter(({ Tags, StackName, StackStatus }) => StackName.startsWith(STACK_PREFIX) && tagOf(Tags, PROJECT.Key) === PROJECT.Value
    && StackStatus !== 'DELETE_COMPLETE').map(asStack);
}

/**
 * @param {Amazon} amazon @param {string} id of a new stack
 * @param {Tell} tell @param {AbortSignal} [signal]
 * @throws {UserError} with Amazon's reason for the first failure
 */
export async function waitUntilMade(amazon, id, tell, signal) {
  for (;;) {
    const stack = await findStack(amazon, id);
    const events = await amazon.askAll('cloudformation', 'DescribeStackEvents', 'StackEvents', { StackName: id });
    const made = events.filter(({ ResourceStatus, ResourceType }) => (
      ResourceStatus === 'CREATE_COMPLETE' && ResourceType !== 'AWS::CloudFormation::Stack'
    ));
    tell(`stack: ${made.length} parts made`);
    if (stack?.status === 'CREATE_COMPLETE') return;
    if (stack?.status !== 'CREATE_IN_PROGRESS') throw new UserError(`stack: ${describeFailure(events, stack)}`);
    await sleep(LOOK_MS, signal);
  }
}

/** @type {[RegExp, string][]} */
const REMEDIES = [
  [/not authorized|AccessDenied|not allowed to/i, 'these credentials may not do it; docs/ec2.md lists what they must be allowed'],
  [/quota|limit|vCPU/i, 'raise the quota in the console of Service Quotas, or ask for less'], // "more vCPU capacity than your current limit"
  [/capacity|not supported|Unsupported/i, 'try another zone (ZONE=), type, region or hour'],
];

/** @param {any[]} events newest first @param {Stack} [stack] @returns {string} */
function describeFailure(events, stack) {
  const first = events.filter(({ ResourceStatus }) => ResourceStatus === 'CREATE_FAILED').pop();
  const why = first ? `${first.LogicalResourceId}: ${first.ResourceStatusReason}` : `${stack?.status ?? 'it is gone'}: ${stack?.why ?? 'no reason given'}`;
  const [, next] = REMEDIES.find(([pattern]) => pattern.test(why)) ?? [];
  return `it could not be made: ${why}; ${next ?? 'give other types, or another REGION'}`;
}

/** @param {Amazon} amazon @param {string} [cluster] by default all clusters @returns {Promise<Host[]>} living hosts, server first */
export async function listHosts(amazon, cluster) {
  const Filters = [OURS, filter('instance-state-name', LIVING), ...(cluster ? [filter(`tag:${CLUSTER}`, [cluster])] : [])];
  const reservations = await amazon.askAll('ec2', 'DescribeInstances', 'Reservations', { Filters });
  const hosts = reservations.flatMap(({ Instances }) => Instances).map((found) => ({
    id: found.InstanceId, name: tagOf(found.Tags, 'Name'), cluster: tagOf(found.Tags, CLUSTER), type: found.InstanceType, state: found.State.Name,
    private: found.PrivateIpAddress, public: found.PublicIpAddress, launched: found.LaunchTime,
  }));
  const placeOf = (/** @type {Host} */ { name }) => Number(name.split('-')[1] ?? 0);
  return hosts.sort((a, b) => a.cluster.localeCompare(b.cluster) || placeOf(a) - placeOf(b));
}

/** @typedef {{id: string, type: string, cluster: string}} Thing */

/** @param {Amazon} amazon @returns {Promise<Thing[]>} all other EC2 resources with the tag */
export async function listThings(amazon) {
  const tags = await amazon.askAll('ec2', 'DescribeTags', 'Tags', { Filters: [filter('key', [PROJECT.Key, CLUSTER])] });
  const ours = tags.filter(({ Key, Value }) => Key === PROJECT.Key && Value === PROJECT.Value);
  const clusterOf = (/** @type {string} */ id) => tags.find(({ Key, ResourceId }) => Key === CLUSTER && ResourceId === id)?.Value ?? '-';
  return ours.filter(({ ResourceType }) => ResourceType !== 'instance')
    .map(({ ResourceId, ResourceType }) => ({ id: ResourceId, type: ResourceType, cluster: clusterOf(ResourceId) }));
}

/**
 * @param {Amazon} amazon @param {Stack} stack @param {Tell} tell
 * @returns {Promise<void>} once it is gone or its removal has failed; then the stack still exists, with the reason
 */
export async function removeStack(amazon, stack, tell) {
  await amazon.ask('cloudformation', 'DeleteStack', { StackName: stack.id });
  for (;;) {
    const found = await findStack(amazon, stack.id);
    if (!found || found.status === 'DELETE_COMPLETE' || found.status === 'DELETE_FAILED') return;
    tell(`${stack.cluster}: the stack is going`);
    await sleep(LOOK_MS);
  }
}

/** @param {Amazon} amazon @param {string} cluster @param {Tell} tell @returns {Promise<void>} once all its hosts have terminated */
export async function endHosts(amazon, cluster, tell) {
  for (;;) {
    const hosts = await listHosts(amazon, cluster);
    if (hosts.length === 0) return;
    const asked = hosts.filter(({ state }) => state !== 'shutting-down');
    if (asked.length) await amazon.ask('ec2', 'TerminateInstances', { InstanceIds: asked.map(({ id }) => id) });
    tell(`${cluster}: ${hosts.length} hosts are ending`);
    await sleep(LOOK_MS);
  }
}
