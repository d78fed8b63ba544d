/** A stack of hosts on EC2, without a call to Amazon: its template, its image, and what the set-up leaves behind. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { ROOT } from '../../harness/common/places.js';
import { ClusterFolder } from '../../infra/ec2/folder.js';
import { completeTemplate, isBurstable } from '../../infra/ec2/template.js';
import { bringDown } from '../../infra/ec2/down.js';
import { choosePriced, findImage } from '../../infra/ec2/up.js';

const folder = mkdtempSync(join(tmpdir(), 'ec2-stack-test-'));
after(() => rmSync(folder, { recursive: true }));

const TEMPLATE = { Parameters: { P: 1 }, Resources: {
  Server: { Type: 'S', Properties: {} }, Client: { Type: 'T', Properties: { InstanceType: 'x', Tags: [{ Key: 'Name', Value: 'client' }] } },
  End: { Type: 'E', Properties: { When: 'w', Target: { RoleArn: 'r', Input: '' } } },
} };

test('the client of a template is copied, each with its name, and nothing else of it changes', () => {
  const { Resources, Parameters } = completeTemplate(TEMPLATE, 2);
  assert.deepEqual(Parameters, { P: 1 });
  assert.deepEqual(Object.keys(Resources), ['Server', 'Client1', 'Client2', 'End1', 'End2', 'End3']);
  assert.deepEqual(Resources.Client2, { Type: 'T', Properties: { InstanceType: 'x', Tags: [{ Key: 'Name', Value: 'client-2' }] } });
});

test('Amazon ends each host of a stack by a schedule of its own; of many hosts, some by one, and none by two', () => {
  const { Resources: { End2 } } = completeTemplate(TEMPLATE, 1);
  assert.deepEqual(End2, { Type: 'E', Properties: { When: 'w', Target: { RoleArn: 'r', Input: { 'Fn::Sub': '{"InstanceIds":["${Client1}"]}' } } } });
  for (const clients of [1, 19, 20, 57, 100]) {
    const { Resources } = completeTemplate(TEMPLATE, clients);
    const ends = Object.values(Resources).filter(({ Type }) => Type === 'E').map(({ Properties }) => Properties.Target.Input['Fn::Sub']);
    const ended = ends.flatMap((text) => JSON.parse(text).InstanceIds);
    const hosts = Object.keys(Resources).filter((name) => !name.startsWith('End')).map((name) => `\${${name}}`);
    assert.deepEqual([ended.sort(), ends.length], [hosts.sort(), Math.min(1 + clients, 20)]);
  }
});

test('a host whose type earns credits is told to keep within them, and no other type is told so', () => {
  assert.deepEqual(['t2.micro', 't3.small', 't3a.large', 't1.micro', 'c7i.large', 'trn1.2xlarge'].map(isBurstable), [true, true, true, false, false, false]);
  const { Resources: { Server, Client1 } } = completeTemplate(TEMPLATE, 1, { server: 'c7i.large', client: 't3.small' });
  assert.deepEqual([Server.Properties, Client1.Properties.CreditSpecification], [{}, { CPUCredits: 'standard' }]);
});

test('an image that is not to be had is named, with the next step', async () => {
  const failing = (/** @type {string} */ name) => Object.assign(new UserError('Amazon'), { name });
  /** @param {any} answers by command @returns {any} */
  const answering = (answers) => ({ region: 'here', ask: async (/** @type {string} */ _service, /** @type {string} */ command) => {
    if (answers[command] instanceof Error) throw answers[command];
    return answers[command];
  } });
  const image = { Images: [{ Architecture: 'x86_64', RootDeviceName: '/dev/sda1' }] };
  const named = { GetParameter: { Parameter: { Value: 'ami-1' } }, DescribeImages: image };
  assert.deepEqual(await findImage(answering(named), '/a/b'), { id: 'ami-1', root: '/dev/sda1' });
  for (const [given, answers, why] of /** @type {[string, any, RegExp][]} */ ([
    ['/nope', { GetParameter: failing('ParameterNotFound') }, /^Error: IMAGE: "\/nope" is no parameter of SSM in here; give another, an AMI/],
    ['/odd', { GetParameter: { Parameter: { Value: 'x' } } }, /^Error: IMAGE: the parameter "\/odd" of SSM says "x", which is no AMI; give one/],
    ['ami-1', { DescribeImages: failing('InvalidAMIID.NotFound') }, /^Error: IMAGE: ami-1 is not to be had in here; give another/],
    ['/a/b', { ...named, DescribeImages: { Images: [] } }, /^Error: IMAGE: ami-1, which \/a\/b names, is not to be had in here;/],
    ['ami-1', { DescribeImages: { Images: [{ Architecture: 'arm64' }] } }, /^Error: IMAGE: ami-1 is for arm64, .+; give another$/],
  ])) await assert.rejects(findImage(answering(answers), given), (error) => error instanceof UserError && why.test(String(error)), given);
  await assert.rejects(findImage(answering({ GetParameter: failing('AccessDeniedException') }), '/a/b'), { name: 'AccessDeniedException' });
});

test('the log of setting up is kept when the folder of a cluster goes', () => {
  const own = new ClusterFolder('gone');
  own.path = join(folder, 'ec2', 'gone');
  own.makeKey();
  writeFileSync(own.log, 'fatal');
  own.remove();
  assert.deepEqual([existsSync(own.path), readFileSync(own.log, 'utf8')], [false, 'fatal']);
});

test('npm leaves no cache in the folder of temporary files', () => {
  const own = mkdtempSync(join(folder, 'tmp-'));
  const env = { PATH: process.env.PATH, HOME: own, TMPDIR: own };
  const { status, stdout } = spawnSync(join(ROOT, 'wscale'), ['install', 'clients/forked/ws'], { cwd: ROOT, encoding: 'utf8', env });
  assert.deepEqual([status, readdirSync(own).filter((name) => name.includes('cache'))], [0, []], stdout);
});

test('a plan has the price of the first machines that the region has one of', () => {
  const request = /** @type {any} */ ({ machines: [{ server: 'm3.2xlarge', client: 'm3.large' }, { server: 'm7i.2xlarge', client: 'm7i.large' }], prices: {} });
  assert.equal(choosePriced('us-east-2', request).server, 'm7i.2xlarge');
  assert.equal(choosePriced('us-east-2', { ...request, prices: { 'm3.2xlarge': 1, 'm3.large': 1 } }).server, 'm3.2xlarge');
  assert.equal(choosePriced('nowhere', request).server, 'm3.2xlarge');
});

test('of several clusters, one that can not be ended keeps none of the others', async () => {
  const hosts = new Map([['unit-a', 'i-a'], ['unit-b', 'i-b']]);
  const inCluster = (/** @type {string} */ cluster) => (hosts.has(cluster) ? [{ Instances: [{ InstanceId: hosts.get(cluster), State: { Name: 'running' }, Tags: [{ Key: 'wscale:cluster', Value: cluster }] }] }] : []);
  const amazon = /** @type {any} */ ({
    region: 'here',
    ask: async (/** @type {string} */ _service, /** @type {string} */ _command, /** @type {any} */ { InstanceIds: [id] }) => {
      if (id === 'i-a') throw new UserError('it is protected');
      hosts.delete('unit-b');
    },
    /** @param {string} _service @param {string} command @param {string} _list @param {any} given */
    askAll: async (_service, command, _list, given) => {
      if (command !== 'DescribeInstances') return [];
      const named = given.Filters.find((/** @type {any} */ { Name }) => Name === 'tag:wscale:cluster');
      return (named ? named.Values : ['unit-a', 'unit-b']).flatMap(inCluster);
    },
  });
  assert.equal(await bringDown(amazon, ['unit-a', 'unit-b'], 1), 1);
  assert.deepEqual([...hosts.keys()], ['unit-a']);
});
