/** The commands of ./kubectl except `exec`. They carry out the manifests as far as podman can. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const { STAND_IN_IMAGE = '', STAND_IN_PREFIX = '' } = process.env;
const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'];

/** @param {string} why @returns {never} */
function fail(why) {
  console.error(`error: stand-in for kubectl: ${why}`);
  process.exit(1);
}

/** @param {string[]} argv @returns {string} */
function podman(...argv) {
  const { status, stdout, stderr } = spawnSync('podman', ['--runtime', 'runc', ...argv], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : fail(stderr.trim());
}

/** @param {string} folder @returns {any[]} */
const readManifests = (folder) => readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort()
  .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => document.toJSON()));

/**
 * @param {string} name @param {{metadata: any, spec: any}} pod @param {Record<string, string>} [more] labels
 */
function startPod(name, { metadata, spec }, more = {}) {
  const [container] = spec.containers;
  const { securityContext: own } = container;
  const { runAsUser, runAsGroup } = spec.securityContext;
  const labels = Object.entries({ ...metadata.labels, ...more, 'stand-in': STAND_IN_PREFIX }).flatMap((pair) => ['--label', pair.join('=')]);
  const requests = JSON.stringify(container.resources.requests);
  const [entry, ...rest] = container.command;
  podman(
    'run', '--detach', '--pull', 'never', '--name', `${STAND_IN_PREFIX}${name}`, ...LIMITS, ...labels,
    '--label', `qos=${requests === JSON.stringify(container.resources.limits) ? 'Guaranteed' : 'Burstable'}`,
    '--user', `${runAsUser}:${runAsGroup}`, '--memory', container.resources.limits.memory.toLowerCase().replace(/i$/, ''),
    ...(own.readOnlyRootFilesystem ? ['--read-only'] : []), ...own.capabilities.drop.flatMap((/** @type {string} */ each) => ['--cap-drop', each]),
    ...(own.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
    ...container.volumeMounts.flatMap((/** @type {{mountPath: string}} */ { mountPath }) => ['--tmpfs', `${mountPath}:mode=1777`]),
    '--entrypoint', entry, STAND_IN_IMAGE, ...rest,
  );
}

/** @type {Record<string, (manifest: any) => void>} */
const KINDS = {
  Namespace: () => {},
  NetworkPolicy: () => {}, // podman has none: only a real cluster can test it
  Pod: (pod) => startPod(pod.metadata.name, pod),
  Job({ metadata, spec }) {
    for (let index = 0; index < Math.min(spec.completions, spec.parallelism); index++) {
      startPod(`${metadata.name}-${index}-x${index}`, spec.template, { 'batch.kubernetes.io/job-completion-index': String(index) });
    }
  },
};

const listNames = () => podman('ps', '--all', '--format', '{{.Names}}', '--filter', `label=stand-in=${STAND_IN_PREFIX}`).split('\n').filter(Boolean);

/** @param {string} name of a container @returns {object} a pod in the format of the API */
function tellPod(name) {
  const [{ Config, State, NetworkSettings }] = JSON.parse(podman('inspect', name));
  const isUp = State.Status === 'running';
  return {
    metadata: { name: name.slice(STAND_IN_PREFIX.length), labels: Config.Labels },
    spec: { nodeName: `node-of-${name}` },
    status: {
      phase: isUp ? 'Running' : 'Pending', podIP: Object.values(NetworkSettings.Networks)[0].IPAddress, qosClass: Config.Labels.qos,
      conditions: [{ type: 'Ready', status: isUp ? 'True' : 'False' }],
    },
  };
}

const words = process.argv.slice(2);
const command = words.slice(0, 2).join(' ');
if (command === 'config current-context') console.log('stand-in');
else if (command === 'apply -f') for (const manifest of readManifests(words[2])) (KINDS[manifest.kind] ?? fail)(manifest);
else if (command === 'get pods') console.log(JSON.stringify({ items: listNames().map(tellPod) }));
else if (command === 'delete namespace') listNames().forEach((name) => podman('rm', '--force', '--time', '0', name));
else fail(`it does not know "${words.join(' ')}"`);
