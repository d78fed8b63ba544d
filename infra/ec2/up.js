/** `make ec2-up`: shows the cost, asks for a yes, makes a stack, sets up its hosts, writes hosts.toml. A failure takes the stack down. */
import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Interrupted, UserError } from '../../harness/common/failure.js';
import { IS_REAL } from './amazon.js';
import { commandOf, formatEnd, takeDown } from './down.js';
import { ClusterFolder } from './folder.js';
import { waitForHostKeys } from './host-keys.js';
import { describeCost, estimate, readPrices } from './prices.js';
import { provision } from './provision.js';
import { reachHosts } from './reach.js';
import { Progress, TO_LOOK } from './say.js';
import { isBurstable } from './template.js';
import { createStack, findStack, listHosts, waitUntilMade } from './stack.js';

/** @typedef {import('./amazon.js').Amazon} Amazon */
/** @typedef {import('./request.js').Request} Request */
/** @typedef {import('./request.js').Machines} Machines */
/** @typedef {{cluster: string, hosts: string, ends: Date, remove: string}} Cluster `hosts`: path of its hosts.toml; `remove`: a command */

/** Types that placement groups do not support, by Amazon's manual: previous generations and burstable ones. */
const NOT_NEAR = /^(m1|m2|m3|c1|t\d[a-z]*|mac\d|m7i-flex)\./;
const CALLER_URL = 'https://checkip.amazonaws.com';

/** @param {string} region @param {Request} request @returns {Machines} the first with prices, for a plan that asks Amazon nothing */
export function choosePriced(region, { machines, prices: given }) {
  const known = readPrices().filter((price) => price.region === region).map(({ item }) => item);
  const isKnown = (/** @type {string} */ type) => type in given || known.includes(type);
  return machines.find(({ server, client }) => isKnown(server) && isKnown(client)) ?? machines[0];
}

/** Shows the cost of hosts. @param {string} region @param {Machines} machines @param {Request} request */
export function showCost(region, { server, client }, { clients, hours, prices, isSpot }) {
  const order = { region, server, client, clients, hours };
  console.log(describeCost(order, estimate(order, readPrices(), prices), isSpot));
  const slow = [...new Set([server, client])].filter(isBurstable);
  if (slow.length) console.log(`${slow.join(' and ')}: with standard credits, which cost nothing more; when they are spent it is slowed down: enough to try the way, not to measure.`);
}

/** @param {boolean} isGiven whether YES=1 was given @throws {UserError} unless it was, or the user answers yes at a terminal */
export async function askForYes(isGiven) {
  if (isGiven) return;
  if (!process.stdin.isTTY) throw new UserError('YES: nothing was started, for there is no terminal to ask at; give YES=1');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question('Start them? yes or no: ')
    .catch((error) => { throw /Ctrl\+C/.test(error.message) ? new Interrupted('SIGINT') : error; })
    .finally(() => lines.close());
  if (answer.trim() !== 'yes') throw new UserError(`YES: nothing was started, for "${answer.trim()}" is not yes; give the command again`);
}

/**
 * @param {Amazon} amazon @param {Request} request
 * @returns {Promise<Machines & {zone: string}>} the first requested machines available in a zone of the region
 */
export async function chooseMachines(amazon, { machines, preset, zone: wanted }) {
  const types = [...new Set(machines.flatMap(({ server, client }) => [server, client]))];
  const offers = await amazon.askAll('ec2', 'DescribeInstanceTypeOfferings', 'InstanceTypeOfferings', {
    LocationType: 'availability-zone', Filters: [{ Name: 'instance-type', Values: types }],
  });
  const zones = [...new Set(offers.map(({ Location }) => Location))].sort();
  const isOffered = (/** @type {string} */ type, /** @type {string} */ zone) => (
    offers.some(({ InstanceType, Location }) => InstanceType === type && Location === zone)
  );
  const having = (/** @type {Machines} */ { server, client }) => zones.filter((each) => isOffered(server, each) && isOffered(client, each));
  for (const [index, pair] of machines.entries()) {
    const { server, client } = pair;
    const zone = having(pair).find((each) => each === (wanted ?? each));
    if (zone && index > 0) console.log(`${preset}: ${machines[0].server} and ${machines[0].client} are not to be had in ${amazon.region}; today's nearest are taken`);
    if (zone) return { server, client, zone };
  }
  const pairs = machines.map(({ server, client }) => `${server} with ${client}`).join(', or ');
  const others = [...new Set(machines.flatMap(having))].join(', ');
  if (wanted && others) throw new UserError(`ZONE: "${wanted}" does not have ${pairs} in ${amazon.region}; give one of ${others}, or leave it out`);
  throw new UserError(`SERVER: no zone of ${amazon.region} has ${pairs}; give other types, or another region`);
}

/**
 * @template T
 * @param {RegExp} codes Amazon's error codes @param {T} nothing @returns {(error: any) => T} returns `nothing` for these errors
 */
const nothingFor = (codes, nothing) => (error) => {
  if (codes.test(error.name)) return nothing;
  throw error;
};

/** @param {Amazon} amazon @param {string} Name of a public SSM parameter @returns {Promise<string>} its AMI */
async function readParameter(amazon, Name) {
  const { Parameter } = await amazon.ask('ssm', 'GetParameter', { Name }).catch(nothingFor(/^(ParameterNotFound|ValidationException)/, {}));
  if (!Parameter) throw new UserError(`IMAGE: "${Name}" is no parameter of SSM in ${amazon.region}; give another, an AMI (ami-…), or leave it out for Debian 12`);
  if (/^ami-[0-9a-f]+$/.test(Parameter.Value)) return Parameter.Value;
  throw new UserError(`IMAGE: the parameter "${Name}" of SSM says "${Parameter.Value}", which is no AMI; give one that names an AMI`);
}

/** @param {Amazon} amazon @param {string} image an AMI or an SSM parameter @returns {Promise<{id: string, root: string}>} */
export async function findImage(amazon, image) {
  const id = image.startsWith('ami-') ? image : await readParameter(amazon, image);
  const { Images: [found] } = await amazon.ask('ec2', 'DescribeImages', { ImageIds: [id] }).catch(nothingFor(/^InvalidAMIID/, { Images: [] }));
  const named = id === image ? id : `${id}, which ${image} names,`;
  if (!found) throw new UserError(`IMAGE: ${named} is not to be had in ${amazon.region}; give another, or leave it out`);
  if (found.Architecture !== 'x86_64') throw new UserError(`IMAGE: ${named} is for ${found.Architecture}, and the suite's runtimes are for x86-64; give another`);
  return { id, root: found.RootDeviceName ?? '/dev/xvda' };
}

/** @param {string} [caller] if given @returns {Promise<string>} the network allowed to reach the hosts */
async function findCaller(caller) {
  if (caller) return caller;
  const text = IS_REAL ? await fetch(CALLER_URL, { signal: AbortSignal.timeout(10_000) }).then((answer) => answer.text()).catch(() => '') : '';
  if (/^\d+\.\d+\.\d+\.\d+\s*$/.test(text)) return `${text.trim()}/32`;
  throw new UserError(`CALLER: ${CALLER_URL} does not say by which address you are seen; give it, such as CALLER=198.51.100.7`);
}

/** @returns {string} such as "hk3t9q" */
const makeName = () => `h${Array.from({ length: 5 }, () => randomInt(36).toString(36)).join('')}`;

/**
 * @param {Amazon} amazon @param {Request} request @param {Machines & {zone: string}} machines
 * @param {{signal?: AbortSignal, keep?: boolean}} options `keep`: do not take the cluster down after a failure
 * @returns {Promise<Cluster>}
 */
export async function bringUp(amazon, request, { server, client, zone }, { signal, keep = false }) {
  const cluster = request.cluster ?? makeName();
  const [image, caller] = await Promise.all([findImage(amazon, request.image), findCaller(request.caller)]);
  if (await findStack(amazon, `wscale-${cluster}`)) throw new UserError(`CLUSTER: ${cluster} is there already; remove it with ${commandOf(amazon, cluster)}, or give another name`);
  const folder = new ClusterFolder(cluster);
  if (folder.exists) throw new UserError(`CLUSTER: ${relative(process.cwd(), folder.path)} has the keys of another ${cluster}, perhaps in another region; remove that one, then the folder, or give another name`);
  const progress = new Progress();
  const ends = new Date(Date.now() + request.hours * 3_600_000);
  try {
    console.log(`cluster ${cluster} in ${zone}; it ends at ${formatEnd(ends)}, and ${commandOf(amazon, cluster)} ends it before`);
    const id = await createStack(amazon, cluster, { clients: request.clients, hours: request.hours, ends }, {
      ServerType: server, ClientType: client, Zone: zone, ImageId: image.id, RootDevice: image.root, CallerCidr: caller,
      PublicKey: folder.makeKey(),
      Market: request.isSpot ? 'spot' : 'on-demand', Placement: [server, client].some((type) => NOT_NEAR.test(type)) ? 'anywhere' : 'cluster',
    });
    await waitUntilMade(amazon, id, progress.tell, signal);
    const hosts = await setUp(amazon, request, cluster, folder, progress, signal);
    return { cluster, hosts, ends, remove: commandOf(amazon, cluster) };
  } catch (error) {
    progress.end();
    if (/** @type {Error} */ (error).name === 'AlreadyExistsException') {
      folder.remove();
      throw new UserError(`CLUSTER: ${cluster} was made meanwhile by another; give another name`);
    }
    if (keep) console.error(`${cluster} is kept; remove it with ${commandOf(amazon, cluster)}`);
    else await takeDown(amazon, cluster, ends);
    throw error;
  } finally {
    progress.end();
  }
}

/**
 * @param {Amazon} amazon @param {Request} request @param {string} cluster @param {ClusterFolder} folder @param {Progress} progress
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} the path of hosts.toml
 */
async function setUp(amazon, { clients, login, suite }, cluster, folder, progress, signal) {
  const hosts = await listHosts(amazon, cluster);
  if (hosts.length !== 1 + clients) throw new UserError(`${cluster}: ${hosts.length} hosts of ${1 + clients} are there; ${TO_LOOK}`);
  const keys = await waitForHostKeys(amazon, hosts, progress.tell, signal);
  const reached = hosts.map((host) => {
    const at = IS_REAL ? host.public : host.private;
    if (!at) throw new UserError(`${cluster}: ${host.name} (${host.id}) has no public address; ${TO_LOOK}`);
    return { host, at, keys: keys.get(host.id) ?? [] };
  });
  folder.writeSsh(reached, login);
  await reachHosts(folder.at('ssh_config'), hosts.map(({ name }) => name), progress.tell, signal);
  await provision(folder, progress.tell, signal);
  return folder.writeHosts(hosts, suite);
}

/** @param {Cluster} cluster */
export function tellCluster({ hosts, remove }) {
  const path = relative(process.cwd(), hosts);
  console.log(`hosts   ${path}
try     ./wscale doctor --hosts ${path}
run     ./wscale run 5 --hosts ${path}
end     ${remove}`);
}
