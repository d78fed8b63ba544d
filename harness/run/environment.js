/** The environment of a run: what a reader years later must know of the machine and the tools. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { formatHashes, hashFiles, listCode, locateCode, sha256 } from '../common/code.js';
import { readCommit } from '../common/commit.js';
import { readEngine, readLibrary, readRuntime, readVersion, runtimePath } from '../spec/engines.js';
import { askVersion, readGenerator } from '../spec/generators.js';
import { ROOT } from '../common/places.js';

/** Settings of the kernel that bear on the load. */
const SYSCTLS = [
  'fs/file-max', 'kernel/sched_autogroup_enabled', 'net/core/somaxconn', 'net/ipv4/ip_local_port_range', 'net/ipv4/tcp_tw_reuse',
  'net/ipv4/tcp_max_syn_backlog', 'net/ipv4/tcp_rmem', 'net/ipv4/tcp_wmem', 'net/ipv4/tcp_congestion_control',
];

/** Tools whose output or arithmetic stands in the results, and how each tells its version. */
const TOOLS = {
  top: ['top', '-V'], pidstat: ['pidstat', '-V'], sar: ['sar', '-V'], awk: ['sh', '-c', 'awk -W version 2>&1 || awk --version'],
  gnuplot: ['gnuplot', '--version'], tcpdump: ['tcpdump', '--version'], tshark: ['tshark', '--version'], npm: [join(dirname(process.execPath), 'npm'), '--version'],
};

/** @param {string} path @returns {string | undefined} */
const readLine = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().replaceAll('\t', ' ') : undefined);

/** Time for a program to tell its version: one that does not know the question may begin to serve. */
const TELLS_WITHIN_MS = 10_000;

/**
 * @param {string[]} argv
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [where]
 * @returns {string} its first line; "absent" when it can't be run
 */
function firstLine([command, ...rest], { cwd = ROOT, env } = {}) {
  try {
    const output = execFileSync(command, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], cwd, env, timeout: TELLS_WITHIN_MS });
    return output.split('\n')[0].trim();
  } catch {
    return 'absent';
  }
}

/** @returns {Record<string, any>} */
export function readHostEnvironment() {
  return {
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    system: /PRETTY_NAME="(.*)"/.exec(readLine('/etc/os-release') ?? '')?.[1],
    cpu: os.cpus()[0]?.model,
    cores: os.availableParallelism(),
    memory_mb: Math.round(os.totalmem() / 1048576),
    governor: readLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor') ?? 'not shown by this machine',
    hypervisor: readFileSync('/proc/cpuinfo', 'utf8').includes(' hypervisor') ? 'yes' : 'no',
    descriptors: { soft: firstLine(['sh', '-c', 'ulimit -Sn']), hard: firstLine(['sh', '-c', 'ulimit -Hn']) },
    sysctl: Object.fromEntries(SYSCTLS.map((name) => [name.replaceAll('/', '.'), readLine(`/proc/sys/${name}`)])),
    tools: { node: process.version, ...Object.fromEntries(Object.entries(TOOLS).map(([name, argv]) => [name, firstLine(argv)])) },
  };
}

/** @typedef {{code_hash: string} & import('../common/commit.js').Commit} Suite */

/** @param {string} experiment @returns {{suite: Suite, code: string}} of its runs; `code` has a line a file, and `code_hash` is its hash */
export function readSuite(experiment) {
  const roots = locateCode(experiment);
  const code = formatHashes(hashFiles(listCode(roots)));
  return { suite: { code_hash: sha256(code), ...readCommit(roots) }, code };
}

/**
 * The versions as installed.
 * @param {Record<string, import('../spec/spec.js').EngineSpec>} engines
 * @param {string} generator whose libraries they are
 * @returns {Record<string, {version: string, runtime: string, library: string, library_version: string}>}
 */
export function readVersions(engines, generator) {
  return Object.fromEntries(Object.entries(engines).map(([name, { library }]) => {
    const engine = readEngine(name);
    const runtime = askRuntime(engine);
    const library_version = library && readVersion(readLibrary(library, generator));
    return [name, { version: readVersion(engine), runtime, library, library_version }];
  }));
}

/**
 * No server is started to be asked: what is native has no runtime, and what built it stands in its place (runtime.toml).
 * @param {Pick<import('../spec/engines.js').Engine, 'folder' | 'runtime'>} engine
 * @returns {string} what its runtime says of itself, such as "v0.10.28" (Node) or "Bun 1.4.5"
 */
export function askRuntime(engine) {
  const { version, version_prefix = '' } = readRuntime(engine.runtime);
  const env = { ...process.env, PATH: `${runtimePath(engine)}:${process.env.PATH}` };
  return version_prefix + firstLine(version, { cwd: engine.folder, env });
}

/**
 * The versions of the generators, by what each says when it is ready; client libraries have theirs beside their engines.
 * @param {string[]} names
 * @returns {Record<string, {version: string}>}
 */
export function readGenerators(names) {
  const native = names.map(readGenerator).filter(({ dialects }) => dialects);
  return Object.fromEntries(native.map((generator) => [generator.name, { version: askVersion(generator) }]));
}
