/**
 * Installs what a command needs before it starts, and says so: Debian packages (all at once), toolchains, packages of npm and Python. The
 * second time there is nothing to do. `./wscale` asks for it; `node harness/main.js` installs nothing.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { refuseWhileMeasuring } from '../common/bundle.js';
import { ABSENT, INTERRUPTED, NOT_INSTALLED } from '../common/failure.js';
import { IS_SEALED, ROOT } from '../common/places.js';
import { lastWords, runProgram } from '../common/programs.js';
import { startNow } from '../common/children.js';

/** Debian packages, each with a command that shows that it is installed (runtimes/apt-install.sh). @type {Record<string, string[]>} */
export const PACKAGES = {
  run: ['procps:top', 'sysstat:sar', 'sysstat:pidstat', 'util-linux:setpriv', 'util-linux:taskset'],
  yardstick: ['gcc:cc', 'libc6-dev'], // builds a small program in 0.2 s (harness/yardstick)
  figures: ['mawk:awk', 'gnuplot-nox:gnuplot', 'fonts-dejavu-core'],
  records: ['xz-utils:xz'],
  awks: ['mawk:mawk', 'gawk:gawk'],
  oracle: ['python3-scipy'],
  hosts: ['openssh-client:ssh', 'openssh-client:ssh-keygen'],
  network: ['iproute2:ip', 'ethtool:ethtool', 'util-linux:nsenter', 'openssl:openssl'],
  capture: ['iproute2:ip', 'ethtool:ethtool', 'util-linux:nsenter', 'openssl:openssl', 'tcpdump:tcpdump', 'tshark:tshark'],
  firefox: ['firefox-esr:firefox-esr'],
  containers: ['podman:podman', 'runc:runc', 'netavark', 'aardvark-dns', 'iptables:iptables', 'debootstrap:debootstrap', 'debian-archive-keyring'],
  shellcheck: ['shellcheck:shellcheck'],
  'rust-lint': ['rust-web-clippy,rust-1.91-clippy:cargo-clippy', 'rustfmt-web,rustfmt-1.91:rustfmt'],
};

/** Each has a script that lists its packages, and installs the rest. @type {Record<string, string>} */
const TOOLCHAINS = { rust: 'runtimes/rust', go: 'runtimes/go', python: 'runtimes/python' };

/** @typedef {{made: string, of: string[], label: string, argv: string[]}} Stage `argv` makes the file `made` from the files `of` */

/** @param {string} folder @param {string} stamp @param {string} label @param {string[]} options @returns {Stage} */
const npm = (folder, stamp, label, ...options) => ({
  made: join(folder, 'node_modules', stamp), of: ['package.json', 'package-lock.json'].map((file) => join(folder, file)), label,
  argv: ['runtimes/node-24/bin/npm', 'ci', '--ignore-scripts', '--loglevel=error', ...(folder ? ['--prefix', folder] : []), ...options],
});

/** @param {string} folder @param {string} label @param {string[]} options @returns {Stage} */
const venv = (folder, label, ...options) => ({
  made: join(folder, 'venv/.complete'), of: [join(folder, 'requirements.txt')], label,
  argv: ['infra/ec2/install-venv.sh', folder, ...options],
});

/** @type {Record<string, Stage>} */
const STAGES = {
  linters: npm('', '.linters-complete', 'the packages of the harness and its linters'),
  ec2: npm('infra/ec2', '.complete', 'what speaks to Amazon', '--omit=dev'),
  ansible: venv('infra/ec2', 'Ansible', '--require-hashes', '--only-binary', ':all:'),
  kubernetes: venv('test/more/kubernetes', "the schemas of Kubernetes' API"),
  amazon: venv('test/more/ec2', 'what stands in for Amazon'),
};

const MANIFESTS = '{engine,client,generator,companion}.toml';

/**
 * @param {string[]} needs names of packages, toolchains and stages of this file, folders of parts such as servers/ws, `permit:NAME`,
 *   `playbook`, and `parts`, `tested` or `companions` for folders: all, those that the tests check, those of generators and companions
 * @returns {string[]} Debian packages and permissions, as runtimes/check-first.sh takes them
 */
export function listPackages(needs) {
  const folders = needs.flatMap((need) => TOOLCHAINS[need] ?? FOLDERS[need]?.() ?? (need.includes('/') ? need : []));
  const permissions = needs.filter((need) => need.startsWith('permit:'));
  const packages = needs.flatMap((need) => PACKAGES[need] ?? LISTS[need]?.() ?? []);
  return [...new Set([...permissions, ...packages, ...listOfFolders(folders)])].sort();
}

/** Packages that stand elsewhere. @type {Record<string, () => string[]>} */
const LISTS = {
  // What a host on EC2 gets. Tests whose hosts share this machine's files and have no network need it here
  playbook: () => parseYaml(readFileSync(join(ROOT, 'infra/ec2/playbook.yaml'), 'utf8'))[0].vars.packages.split(' '),
};

/** @type {Record<string, () => string[]>} */
const FOLDERS = {
  parts: () => globSync('{servers,clients,runtimes}/*/', { cwd: ROOT }),
  // Modules of the others are not fetched
  tested: () => readManifests('servers/*/engine.toml').filter(({ manifest }) => manifest.ci !== false).map(({ folder }) => folder),
  companions: () => readManifests('clients/*/{companion,generator}.toml').map(({ folder }) => folder),
};

/** @param {string} glob @returns {{folder: string, manifest: Record<string, any>}[]} */
const readManifests = (glob) => globSync(glob, { cwd: ROOT }).sort()
  .map((path) => ({ folder: dirname(path), manifest: parseToml(readFileSync(join(ROOT, path), 'utf8')) }));

/** @param {string[]} folders of parts and runtimes @returns {string[]} what their manifests, runtimes and builds install */
export function listOfFolders(folders) {
  const parts = [...new Set(folders.map((folder) => folder.replace(/[/]+$/, '')))];
  const manifests = parts.flatMap((folder) => readManifests(`${folder}/${MANIFESTS}`));
  const runtimes = [...parts.filter((folder) => folder.startsWith('runtimes/')), ...manifests.map(({ manifest }) => `runtimes/${manifest.runtime}`)];
  return [
    ...[...new Set(runtimes)].flatMap((folder) => askScript(folder, ['./install.sh'])),
    ...manifests.flatMap(({ manifest }) => manifest.packages ?? []),
    ...manifests.flatMap(({ folder, manifest }) => (manifest.build_lists_packages ? askScript(folder, manifest.build) : [])),
  ];
}

/** @param {string} folder @param {string[]} argv of a script there @returns {string[]} the packages that it would install */
function askScript(folder, [script, ...argv]) {
  if (!existsSync(join(ROOT, folder, script))) return []; // an unknown part is refused when it is installed
  const ended = runProgram([script, '--lacking', ...argv], { cwd: join(ROOT, folder) });
  if (ended.status !== 0) throw new Error(`${folder}: ${script} --lacking: ${lastWords(ended)}`);
  return ended.stdout.split(/\s+/).filter(Boolean);
}

/** @param {Stage} stage @returns {boolean} is it newer than what it is made from? */
function isMade({ made, of }) {
  if (!existsSync(join(ROOT, made))) return false;
  const made_ms = statSync(join(ROOT, made)).mtimeMs;
  return of.every((file) => statSync(join(ROOT, file)).mtimeMs <= made_ms);
}

/** @param {string[]} needs as in `listPackages` @returns {number} 0, or the exit code of the program that failed, which has said why */
export function provide(needs) {
  if (IS_SEALED) return 0;
  const packages = listPackages(needs);
  const toolchains = needs.flatMap((need) => (need in TOOLCHAINS ? [[`${TOOLCHAINS[need]}/install.sh`]] : []));
  for (const argv of [...(packages.length ? [['runtimes/check-first.sh', ...packages]] : []), ...toolchains]) {
    const code = startNow(argv);
    if (code) return code === ABSENT ? NOT_INSTALLED : code;
  }
  const stages = needs.flatMap((need) => STAGES[need] ?? []).filter((each) => !isMade(each));
  if (stages.includes(STAGES.linters)) refuseWhileMeasuring(); // npm would empty the folder that a run works with
  for (const stage of stages) {
    console.error(`installing ${stage.label}, once`);
    const code = startNow(stage.argv);
    if (code) {
      console.error(`error: wscale: '${stage.argv.slice(0, 2).join(' ')}' did not succeed; read its report above, then give the same command again`);
      return code === INTERRUPTED ? code : NOT_INSTALLED;
    }
    writeFileSync(join(ROOT, stage.made), '');
    // npm empties node_modules first, and deletes the stamp of ./wscale
    if (stage === STAGES.linters) writeFileSync(join(ROOT, 'node_modules/.harness-complete'), '');
  }
  return 0;
}
