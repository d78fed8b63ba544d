/**
 * A stand-in for Amazon: moto, plus what moto lacks. Instances are hosts in namespaces (host.sh). A host starts when
 * its console is first requested, and the console shows the host's key. Debian's image is one of moto's. Deleting a
 * stack deletes its route tables.
 *
 * Files in FOLDER:
 * - actions.log gets one line for each action.
 * - refuse: a line "Action Code message" makes that action fail with this error.
 * - other-key: if it exists, hosts have another key than their consoles show.
 * - hours-are-over: once it exists, all hosts shut themselves down.
 *
 * A host that shuts itself down is terminated if its launch template says so, else stopped.
 *
 *     node stand-in.js FOLDER
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';

const MOTO = 'http://127.0.0.1:5555';
const folder = process.argv[2];
Object.assign(process.env, { AWS_ENDPOINT_URL: MOTO, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
const { Amazon } = await import('../../../infra/ec2/amazon.js');
const moto = await Amazon.connect('us-east-1');
const ec2 = (/** @type {string} */ command, /** @type {object} */ input = {}) => moto.ask('ec2', command, input);

/** @type {Map<string, Promise<{child: import('node:child_process').ChildProcess, key: string}>>} by instance id */
const hosts = new Map();

/**
 * @param {string} id @returns {Promise<{child: import('node:child_process').ChildProcess, key: string}>} a running host
 */
async function boot(id) {
  const { Reservations: [{ Instances: [instance] }] } = await ec2('DescribeInstances', { InstanceIds: [id] });
  const stackId = instance.Tags.find((/** @type {any} */ { Key }) => Key === 'aws:cloudformation:stack-id')?.Value;
  const { Stacks: [stack] } = await moto.ask('cloudformation', 'DescribeStacks', { StackName: stackId });
  const { LaunchTemplates } = await ec2('DescribeLaunchTemplates', { Filters: [{ Name: 'tag:aws:cloudformation:stack-id', Values: [stackId] }] });
  const { LaunchTemplateVersions: [{ LaunchTemplateData }] } = await ec2('DescribeLaunchTemplateVersions', {
    LaunchTemplateId: LaunchTemplates[0].LaunchTemplateId, Versions: ['$Latest'],
  });
  const own = join(folder, instance.PrivateIpAddress);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'launch.json'), JSON.stringify(LaunchTemplateData));
  writeFileSync(join(own, 'user-data'), Buffer.from(LaunchTemplateData.UserData, 'base64'));
  writeFileSync(join(own, 'authorized_keys'), stack.Parameters.find((/** @type {any} */ { ParameterKey }) => ParameterKey === 'PublicKey').ParameterValue);
  const key = makeKey(own);
  if (existsSync(join(folder, 'other-key'))) makeKey(own);
  const child = spawn(join(import.meta.dirname, 'host.sh'), [own, instance.PrivateIpAddress], { stdio: ['ignore', 'inherit', 'inherit'] });
  const command = LaunchTemplateData.InstanceInitiatedShutdownBehavior === 'terminate' ? 'TerminateInstances' : 'StopInstances';
  child.once('exit', () => ec2(command, { InstanceIds: [id] }).catch(() => {})); // moto may have forgotten it
  return { child, key };
}

/** @param {string} own folder of a host @returns {string} the public key */
function makeKey(own) {
  rmSync(join(own, 'host_key'), { force: true });
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(own, 'host_key')]);
  return readFileSync(join(own, 'host_key.pub'), 'utf8').trim();
}

/**
 * @param {string} id @returns {Promise<string>} a response to GetConsoleOutput: at first without a key, as with Amazon
 */
async function showConsole(id) {
  const isNew = !hosts.has(id);
  if (isNew) hosts.set(id, boot(id));
  const { key } = await /** @type {NonNullable<ReturnType<typeof boot>>} */ (hosts.get(id));
  const text = isNew ? 'Booting' : `login:\r\n-----BEGIN SSH HOST KEY KEYS-----\r\n${key}\r\n-----END SSH HOST KEY KEYS-----\r\n`;
  return `<GetConsoleOutputResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>x</requestId><instanceId>${id}</instanceId>
    <timestamp>2026-01-01T00:00:00.000Z</timestamp><output>${Buffer.from(text).toString('base64')}</output></GetConsoleOutputResponse>`;
}

/**
 * moto keeps a stack's route tables, so it cannot delete its network. It also keeps gateways, and tags of deleted
 * resources.
 * @param {string} StackName @returns {Promise<() => Promise<void>>} to call once moto has removed the rest
 */
async function beginRemoval(StackName) {
  const { Stacks: [stack] } = await moto.ask('cloudformation', 'DescribeStacks', { StackName });
  const cluster = stack.Tags.find((/** @type {any} */ { Key }) => Key === 'wscale:cluster').Value;
  const { RouteTables } = await ec2('DescribeRouteTables', { Filters: [{ Name: 'tag:wscale:cluster', Values: [cluster] }] });
  for (const { RouteTableId, Associations } of RouteTables) {
    for (const { RouteTableAssociationId } of Associations) await ec2('DisassociateRouteTable', { AssociationId: RouteTableAssociationId });
    await ec2('DeleteRouteTable', { RouteTableId });
  }
  return async () => {
    const { Tags } = await ec2('DescribeTags', { Filters: [{ Name: 'key', Values: ['wscale:cluster'] }] });
    for (const { ResourceId, ResourceType } of Tags.filter((/** @type {any} */ { Value }) => Value === cluster)) {
      if (ResourceType === 'internet-gateway') await removeGateway(ResourceId);
      if (ResourceType !== 'instance') await ec2('DeleteTags', { Resources: [ResourceId], Tags: [{ Key: 'project' }, { Key: 'wscale:cluster' }] });
    }
  };
}

/** @param {string} InternetGatewayId */
async function removeGateway(InternetGatewayId) {
  const { InternetGateways: [{ Attachments }] } = await ec2('DescribeInternetGateways', { InternetGatewayIds: [InternetGatewayId] });
  for (const { VpcId } of Attachments) await ec2('DetachInternetGateway', { InternetGatewayId, VpcId });
  await ec2('DeleteInternetGateway', { InternetGatewayId });
}

/** @param {URLSearchParams} asked */
async function endHosts(asked) {
  for (const id of [...asked].filter(([name]) => name.startsWith('InstanceId.')).map(([, value]) => value)) (await hosts.get(id))?.child.kill('SIGTERM');
}

/**
 * @param {string} action @param {string} body
 * @returns {Promise<{type: string, text: string} | undefined>} undefined if moto is to answer
 */
async function answer(action, body) {
  const asked = new URLSearchParams(body);
  if (action === 'GetConsoleOutput') return { type: 'text/xml', text: await showConsole(String(asked.get('InstanceId'))) };
  if (action === 'GetParameter' && JSON.parse(body).Name.startsWith('/aws/service/debian/')) {
    const { Images } = await ec2('DescribeImages');
    const { ImageId } = Images.find((/** @type {any} */ { Architecture }) => Architecture === 'x86_64');
    return { type: 'application/x-amz-json-1.1', text: JSON.stringify({ Parameter: { Name: JSON.parse(body).Name, Value: ImageId } }) };
  }
  if (action === 'TerminateInstances') await endHosts(asked);
  return undefined;
}

/** @param {string} action @returns {string | undefined} the error, if FOLDER/refuse has one */
function refuse(action) {
  const path = join(folder, 'refuse');
  const line = existsSync(path) ? readFileSync(path, 'utf8').split('\n').find((each) => each.startsWith(`${action} `)) : undefined;
  const [, code, message] = /^\S+ (\S+) (.*)$/.exec(line ?? '') ?? [];
  return code && `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>x</RequestID></Response>`;
}

createServer(async (asked, answered) => {
  const pieces = [];
  for await (const piece of asked) pieces.push(piece);
  const body = Buffer.concat(pieces).toString();
  const action = String(asked.headers['x-amz-target'] ?? new URLSearchParams(body).get('Action')).split('.').pop() ?? '';
  appendFileSync(join(folder, 'actions.log'), `${action}\n`);
  const refused = refuse(action);
  const own = refused ? { type: 'text/xml', text: refused } : await answer(action, body).catch((error) => ({ type: 'text/plain', text: String(error.stack) }));
  if (own) {
    answered.writeHead(refused ? 400 : 200, { 'content-type': own.type }).end(own.text);
    return;
  }
  const tidy = action === 'DeleteStack' ? await beginRemoval(String(new URLSearchParams(body).get('StackName'))) : undefined;
  request(`${MOTO}${asked.url}`, { method: asked.method, headers: asked.headers }, async (said) => {
    await tidy?.();
    answered.writeHead(Number(said.statusCode), said.headers);
    said.pipe(answered);
  }).end(body);
}).listen(5556, '127.0.0.1');
