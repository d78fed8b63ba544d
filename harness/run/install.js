/** Installs the parts of a run before any of them starts: parts that start side by side must not install themselves. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ABSENT, InstallError, UserError } from '../common/failure.js';
import { nearestWord } from '../common/nearest-word.js';
import { IS_SEALED, RESULTS, ROOT, RUNTIMES } from '../common/places.js';
import { lastWords, runBeside } from '../common/programs.js';
import { parseSetting } from '../common/setting.js';
import { isSlow } from '../common/shared-names.js';
import {
  LINK_PART, listEngines, listLibraries, listOptionParts, readEngine, readLibrary, readRuntime, readTestedEngines,
} from '../spec/engines.js';
import { generatorOfLibraries, listCompanions, listGenerators, readCompanion, readGenerator } from '../spec/generators.js';
import { isClient, isServer } from '../spec/hosts.js';
import { hasCaptures, listNeededGenerators, listPoints, resolveConditions } from '../spec/points.js';
import { SETTINGS } from '../spec/settings.js';
import { settleEach, valuesOf } from './side-by-side.js';

/** @typedef {import('../spec/engines.js').Installable} Installable */
/** @typedef {import('../spec/spec.js').Spec} Spec */

/** The system's release lacks a package needed by a part (runtimes/apt-install.sh). */
export class Absent extends InstallError {
  /** @param {Installable} part @param {boolean} isBuild false if the install of its runtime failed @param {string} reason */
  constructor(part, isBuild, reason) {
    super(`${relative(ROOT, part.folder)}: ${reason.replace(/^error: /, '')}`);
    this.isOf = (/** @type {Installable} */ other) => (isBuild ? other.folder === part.folder : other.runtime === part.runtime);
  }
}

/** @param {boolean} [tested] only the engines checked by the tests @returns {Installable[]} every part with a folder */
const listAll = (tested = false) => [
  ...listGenerators().map(readGenerator), // first: one of them takes the longest
  ...(tested ? readTestedEngines() : listEngines().map(readEngine)),
  ...listGenerators().flatMap((generator) => listLibraries(generator).map((name) => readLibrary(name, generator))),
  ...listCompanions().map(readCompanion),
  LINK_PART,
];

/**
 * @param {Spec} spec @param {import('../spec/generators.js').Generator} generator
 * @returns {string[]} what the workloads that it runs name at the generator's key `named_by`
 */
const listNamed = (spec, { named_by }) => [...new Set(listPoints(spec).map(({ workload }) => workload))].flatMap((workload) =>
  named_by?.split('.').reduce((/** @type {any} */ found, key) => found?.[key], spec.workloads[workload]) ?? []);

/**
 * @param {import('../spec/generators.js').Generator} generator @param {string[]} names in workloads
 * @returns {Installable[]} what it uses for them @throws {UserError} if one is not a part
 */
export function listUsed({ uses = {} }, names) {
  const folders = Object.entries(uses).filter(([name]) => names.includes(name)).map(([, folder]) => folder);
  checkParts(folders);
  return folders.length ? listAll().filter((part) => folders.includes(nameOf(part))) : [];
}

/** @param {Spec} spec @returns {Installable[]} parts for the server's host */
export const listServerParts = (spec) => [
  ...Object.keys(spec.engines).map(readEngine),
  ...listPoints(spec).flatMap((point) => listOptionParts(readEngine(point.engine), resolveConditions(spec, point).options)),
];

/** @param {Spec} spec @returns {Installable[]} parts for the hosts of the clients */
export const listClientParts = (spec) => [
  ...Object.values(spec.engines).filter(({ library }) => library)
    .map(({ library }) => readLibrary(library, generatorOfLibraries(spec.load))),
  ...listNeededGenerators(spec).map(readGenerator).flatMap((generator) => [generator, ...listUsed(generator, listNamed(spec, generator))]),
  ...(spec.load.companion ? [readCompanion(spec.load.companion)] : []),
];

/** @param {{setting: string}} point @returns {string[]} what its settings need of the machine */
const needsOf = ({ setting }) => Object.entries(parseSetting(setting)).flatMap(([key, value]) => SETTINGS[key]?.needs?.(value) ?? []);

/** @param {Installable} part @returns {string} its folder relative to the suite, the same on every host */
export const nameOf = ({ folder }) => relative(ROOT, folder);

/** @param {Spec} spec @param {import('../spec/hosts.js').Host} host @returns {string[]} make's goals on that host */
export function goalsOf(spec, host) {
  const parts = [...(isServer(host) ? listServerParts(spec) : []), ...(isClient(host) ? listClientParts(spec) : [])];
  return ['install', `PARTS=${[...new Set(parts.map(nameOf))].join(' ')}`, ...(hasCaptures(spec) ? ['CAPTURES=1'] : [])];
}

/**
 * @param {Spec} spec
 * @returns {string[]} what this machine needs for the spec beyond every run's needs, as harness/cli/provide.js takes it: `network`,
 *   `capture`, permissions, what settings need, folders of parts, and folders of their runtimes
 */
export function listNeeds(spec) {
  const isLinked = listPoints(spec).some((point) => isSlow(resolveConditions(spec, point).link));
  const parts = [...listServerParts(spec), ...listClientParts(spec), ...(isLinked ? [LINK_PART] : [])];
  const folders = parts.flatMap((part) => [nameOf(part), relative(ROOT, join(RUNTIMES, part.runtime))]);
  return [
    ...(spec.network ? ['network'] : []), ...(hasCaptures(spec) ? ['capture', 'permit:capture'] : []), ...(isLinked ? ['permit:link'] : []),
    ...new Set([...listPoints(spec).flatMap(needsOf), ...folders]),
  ];
}

/** @param {string[]} folders @param {Installable[]} [all] @throws {UserError} if one is not a part */
export function checkParts(folders, all = [...listAll(false), ...listOfOptions()]) {
  const strange = folders.find((folder) => !all.some((part) => nameOf(part) === join(folder)));
  if (!strange) return;
  const near = nearestWord(strange, all.map(nameOf));
  throw new UserError(`PARTS: "${strange}" is not a part; ${near ? `did you mean ${near}? Name` : 'name'} folders such as ${nameOf(all[0])}`);
}

/** @param {string[]} folders none: all @param {Installable[]} all @returns {Installable[]} those in the folders @throws {UserError} */
export function chooseParts(folders, all) {
  checkParts(folders, all);
  const names = folders.map((folder) => join(folder)); // "./servers/ws" is servers/ws
  return all.filter((part) => names.length === 0 || names.includes(nameOf(part)));
}

/** @returns {Installable[]} */
const listOfOptions = () => listEngines().map(readEngine).flatMap((engine) => listOptionParts(engine));

/**
 * Install every part, or only the parts in some folders.
 * @param {{tested?: boolean, folders?: string[]}} [which] `tested`: only the engines checked by the tests; folders are relative to the
 *   suite's root
 * @throws {UserError}
 */
export async function installAll({ tested = false, folders = [] } = {}) {
  const all = [...listAll(tested), ...(folders.length ? listOfOptions() : [])];
  await (folders.length ? installParts : installPresent)(chooseParts(folders, all), console.log);
}

/** @param {Installable[]} parts @throws {UserError} with every part missing in the image */
function checkSealed(parts) {
  const names = (/** @type {Installable[]} */ some) => [...new Set(some.filter(({ build: own }) => own).map(nameOf))];
  const lacking = names(parts.filter((part) => !isInstalled(part)));
  if (!lacking.length) return;
  throw new UserError(`not in this image: ${lacking.join(', ')}; build one that has them (docs/container.md): podman build --build-arg PARTS="${names(parts).join(' ')}" .`);
}

/** Installations at once: they often wait for the registry, the disk or another's lock. */
const SIDE_BY_SIDE = 4;

/**
 * Install what the parts lack: their runtimes, then their own dependencies, side by side. Fast if nothing changed.
 * @param {Installable[]} parts may repeat @param {(text: string) => void} tell
 * @param {AbortSignal} [signal] ends the running installations, and starts no other
 * @throws {UserError} with the path of the log, once none runs any more
 */
export async function installParts(parts, tell, signal) {
  if (IS_SEALED) return checkSealed(parts);
  const runtimes = new Map(parts.map((part) => [part.runtime, part]));
  for (const part of runtimes.values()) await execute([join(RUNTIMES, part.runtime, 'install.sh')], part, tell, signal); // some share one
  const each = [...new Map(parts.map((part) => [part.folder, part])).values()];
  valuesOf(await settleEach(each, SIDE_BY_SIDE, (part) => build(part, tell, signal)));
}

/**
 * Install the parts that this system can build; report why the others are left out.
 * @param {Installable[]} parts @param {(text: string) => void} tell
 * @returns {Promise<Map<string, string>>} reasons, by folder of the part left out
 */
export async function installPresent(parts, tell) {
  /** @type {Map<string, string>} */
  const reasons = new Map();
  for (;;) {
    const present = parts.filter(({ folder }) => !reasons.has(folder));
    try {
      await installParts(present, tell);
      return reasons;
    } catch (error) {
      if (!(error instanceof Absent)) throw error;
      for (const { folder } of present.filter(error.isOf)) reasons.set(folder, error.message);
      tell(`left out: ${error.message}`);
    }
  }
}

/**
 * Runs under a lock on the part's folder, so that of two installations the second finds the first one's result. The stamp is written last,
 * by rename. A shell's children outlive it; setpriv makes the build die with the shell.
 */
const BUILD_ONCE = `
once=$1 wanted=$2 stamp=$3
shift 3
[ "$once" = yes ] && [ "$(cat "$stamp" 2> /dev/null)" = "$wanted" ] && exit 0
rm -f "$stamp"
setpriv --pdeathsig KILL -- "$@" || exit
printf '%s\\n' "$wanted" > "$stamp.new" && mv "$stamp.new" "$stamp"`;

/** @param {Installable} part @param {(text: string) => void} tell @param {AbortSignal} [signal] */
async function build(part, tell, signal) {
  signal?.throwIfAborted();
  if (!part.build) return;
  const isThere = isInstalled(part);
  if (isThere && part.build_inputs) return;
  if (!isThere) tell(`installing ${relative(ROOT, part.folder)}: ${part.build.join(' ')}`);
  const given = [part.build_inputs ? 'yes' : 'no', fingerprint(part).trim(), stampOf(part)];
  await execute(part.build, part, tell, signal, ['flock', '--no-fork', part.folder, 'sh', '-c', BUILD_ONCE, 'sh', ...given]);
}

/** @param {Installable} part */
const stampOf = ({ folder }) => join(folder, '.installed');

/** @param {Installable} part @returns {boolean} as its inputs are now */
export const isInstalled = (part) => !part.build || (existsSync(stampOf(part)) && readFileSync(stampOf(part), 'utf8') === fingerprint(part));

/** @param {Installable} part @returns {string} */
function fingerprint(part) {
  const hash = createHash('sha256').update(JSON.stringify([part.runtime, part.build]));
  for (const input of part.build_inputs ?? []) {
    const path = join(part.folder, input);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UserError(`${relative(ROOT, part.folder)}: build_inputs: "${input}" is no file in it; correct the list`);
    hash.update(readFileSync(path));
  }
  return `${hash.digest('hex')}\n`;
}

/** Only for builds: a compiler's install.sh must not find the link it made itself. @param {string} runtime */
const buildPath = (runtime) => [...readRuntime(runtime).build_path.map((name) => join(RUNTIMES, name, 'bin')), process.env.PATH].join(':');
/** Prefers the npm beside the running Node: the machine may have none, or an old one. */
const INSTALL_PATH = [dirname(process.execPath), process.env.PATH].join(':');

const NO_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' }; // otherwise npm leaves a folder in the temporary directory

/**
 * @param {string[]} argv @param {Installable} part @param {(text: string) => void} tell @param {AbortSignal} [signal]
 * @param {string[]} [by] command put before argv
 */
async function execute(argv, part, tell, signal, by = []) {
  const env = { ...process.env, ...NO_CACHE, PATH: argv === part.build ? buildPath(part.runtime) : INSTALL_PATH };
  const dyingWithUs = ['setpriv', '--pdeathsig', 'KILL', '--', ...by, ...argv];
  const ended = await runBeside(dyingWithUs, { cwd: part.folder, env, signal });
  const { status, stdout, stderr } = ended;
  if (status === 0) {
    if (argv !== part.build) stdout.split('\n').filter(Boolean).forEach(tell);
    return;
  }
  mkdirSync(RESULTS, { recursive: true });
  const log = join(RESULTS, 'install.log');
  appendFileSync(log, `$ ${argv.join(' ')} (in ${relative(ROOT, part.folder)})\n${stdout}${stderr}\n`);
  if (status === ABSENT) throw new Absent(part, argv === part.build, lastWords(ended));
  throw new InstallError(`${relative(ROOT, part.folder)}: \`${argv.join(' ')}\` failed; read ${relative(ROOT, log)}`);
}
