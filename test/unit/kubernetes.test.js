/** The manifests of infra/kubernetes, and the hosts.toml made from what kubectl reports about their pods. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../../harness/common/places.js';
import { readHosts } from '../../harness/spec/hosts.js';
import { choosePods, formatHosts } from '../../infra/kubernetes/hosts.js';

const folder = mkdtempSync(join(tmpdir(), 'kubernetes-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name */
const read = (name) => parse(readFileSync(join(ROOT, 'infra/kubernetes', name), 'utf8'));
const [namespace, policy, server, job] = ['namespace.yaml', 'network-policy.yaml', 'server.yaml', 'clients.yaml'].map(read);

test('the server has whole cores of the class Guaranteed, and clients have theirs on other nodes', () => {
  for (const { spec } of [server, job.spec.template]) {
    for (const { resources: { requests, limits } } of spec.containers) {
      assert.deepEqual(requests, limits);
      assert.match(limits.cpu, /^[1-9]\d*$/);
      assert.ok(limits.memory && limits['ephemeral-storage']);
    }
  }
  const [{ topologyKey, labelSelector }] = job.spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  assert.equal(topologyKey, 'kubernetes.io/hostname');
  for (const [name, value] of Object.entries(labelSelector.matchLabels)) assert.equal(server.metadata.labels[name], value, name);
});

test('clients are placed when the server is: kustomize applies the Job first, and clients on every node would leave it none', () => {
  const [{ topologyKey, labelSelector }] = job.spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  assert.equal(topologyKey, 'kubernetes.io/os', 'which every node has: any node will do for the server');
  for (const [name, value] of Object.entries(labelSelector.matchLabels)) assert.equal(server.metadata.labels[name], value, name);
});

test('a pod that is told to end has failed: one of a Job that succeeds is not replaced', () => {
  for (const { spec } of [server, job.spec.template]) assert.match(spec.containers[0].command[2], /^trap "exit 143" TERM;/);
});

test('everything ends by itself, is in one namespace, and each pod is under the policy and has no privilege', () => {
  assert.deepEqual([server, job].map(({ spec }) => spec.activeDeadlineSeconds), [7200, 7200]);
  assert.deepEqual([job.spec.completionMode, job.spec.completions], ['Indexed', job.spec.parallelism]);
  assert.ok(job.spec.ttlSecondsAfterFinished > 0);
  for (const { metadata } of [policy, server, job]) assert.equal(metadata.namespace, namespace.metadata.name);
  const [{ from: [{ podSelector }] }] = policy.spec.ingress;
  for (const { metadata: { labels }, spec } of [server, job.spec.template]) {
    for (const [name, value] of Object.entries(podSelector.matchLabels)) assert.equal(labels[name], value);
    const [{ securityContext }] = spec.containers;
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext;
    assert.deepEqual([spec.securityContext.runAsNonRoot, allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop], [true, false, true, ['ALL']]);
    assert.equal(spec.automountServiceAccountToken, false);
  }
});

test('kustomize has all manifests, and names what they have', () => {
  const { resources, images, patches } = read('kustomization.yaml');
  assert.deepEqual(resources, ['namespace.yaml', 'network-policy.yaml', 'server.yaml', 'clients.yaml']);
  const [{ image }] = server.spec.containers;
  assert.equal(images[0].name, image);
  assert.equal(job.spec.template.spec.containers[0].image, image);
  assert.deepEqual(patches.map((/** @type {any} */ { target }) => `${target.kind} ${target.name}`), [job, server].map(({ kind, metadata }) => `${kind} ${metadata.name}`));
});

/**
 * @param {string} name @param {Record<string, string>} labels @param {object} [status] @param {string} [nodeName]
 * @returns {import('../../infra/kubernetes/hosts.js').Pod}
 */
const pod = (name, labels, status = {}, nodeName = `node-${name}`) => ({
  metadata: { name, labels: { ...server.metadata.labels, ...labels } }, spec: { nodeName },
  status: { phase: 'Running', qosClass: 'Guaranteed', conditions: [{ type: 'Ready', status: 'True' }], ...status },
});
/** @param {number} index @param {object} [status] @param {string} [node] */
const client = (index, status, node) => (
  pod(`wscale-client-${index}-abcd${index}`, { 'app.kubernetes.io/component': 'client', 'batch.kubernetes.io/job-completion-index': String(index) },
    { podIP: `10.244.0.${index + 1}`, ...status }, node));
const SERVER = pod('wscale-server', { 'app.kubernetes.io/component': 'server' }, { podIP: '10.244.1.1' });

test('hosts.toml has the server and so many clients, in the order of their index, and is sound', () => {
  const { warnings, ...chosen } = choosePods([client(2), client(10), SERVER, client(0), client(1, { phase: 'Failed' })], 3);
  assert.deepEqual(warnings, []);
  const path = join(folder, 'hosts.toml');
  writeFileSync(path, formatHosts(chosen, 'mine'));
  const { hosts } = readHosts(path);
  assert.deepEqual(hosts.map(({ name, role }) => `${name} ${role}`), ['server server', 'client-0 client', 'client-2 client', 'client-10 client']);
  assert.deepEqual(hosts[1].exec, ['kubectl', '--context', 'mine', 'exec', '-i', '-n', 'wscale', '-c', 'host', 'pod/wscale-client-0-abcd0', '--']);
  assert.ok(hosts.every(({ suite }) => suite === '/wscale'));
  assert.deepEqual(choosePods([{ ...SERVER, status: { ...SERVER.status, qosClass: 'Burstable' } }, client(0)], 1).warnings,
    ["the server's class is Burstable, not Guaranteed: it has no cores of its own"]);
});

test('of a pod with addresses of both families the IPv4 one is taken, and a pod without one is refused', () => {
  const both = client(0, { podIP: 'fd00::1', podIPs: [{ ip: 'fd00::1' }, { ip: '10.244.0.7' }] });
  assert.match(formatHosts(choosePods([SERVER, both], 1)), /^address = "10\.244\.0\.7"$/m);
  assert.throws(() => choosePods([SERVER, client(0, { podIP: 'fd00::1' })], 1), /wscale-client-0-abcd0 is not ready: fd00::1 is no IPv4 address/);
});

test('pods that are not ready, too few or on the wrong node are named at once, with the reason', () => {
  const pending = { phase: 'Pending', podIP: undefined, conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] };
  const unpulled = { phase: 'Pending', conditions: [], containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }] };
  assert.throws(() => choosePods([SERVER, client(0, pending), client(1, unpulled), client(2, {}, 'node-wscale-server')], 4), (/** @type {any} */ { problems }) => {
    assert.deepEqual(problems.map((/** @type {string} */ problem) => problem.split('; ')[0]), [
      'kubernetes: pod wscale-client-0-abcd0 is not ready: Pending: 0/3 nodes are available',
      'kubernetes: pod wscale-client-1-abcd1 is not ready: Pending: ImagePullBackOff: no such image',
      'kubernetes: there are 3 clients, not 4', "kubernetes: pod wscale-client-2-abcd2 is on the server's node, node-wscale-server",
    ]);
    return true;
  });
  assert.equal(choosePods([SERVER, client(0), client(1)]).clients.length, 2, 'all that there are');
  assert.throws(() => choosePods([SERVER]), /there are 0 clients, not 1/);
  assert.throws(() => choosePods([client(0)], 1), /there is no server in namespace wscale; make it: kubectl apply -k/);
});
