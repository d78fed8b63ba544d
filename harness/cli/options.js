/** Options of the command line. `make` takes them in capitals: `make experiment-3 PROFILE=quick` is `./wscale run 3 --profile quick`. */
import { Option } from 'commander';
import { UserError } from '../common/failure.js';
import { suggest } from '../common/nearest-word.js';
import { parseCount, parseNames, parsePatience, parseRate, parseRegion, parseSeed } from '../common/options.js';
import { parseMetrics, parseWatch } from '../watch/address.js';

/** Values of `make VARIABLE=…` that leave a flag off. */
const OFF = ['0', 'no', 'false', ''];

/**
 * @param {string} flags @param {string} text
 * @param {string[] | ((value: string) => unknown)} [allowed] its values, or a function that throws if a value is wrong; either is checked
 *   before the command installs anything
 */
function option(flags, text, allowed) {
  const made = new Option(flags, text);
  if (!allowed) return made;
  if (Array.isArray(allowed)) return made.choices(allowed).argParser((value) => choose(flags, value, allowed));
  return made.argParser((value) => {
    allowed(value);
    return value;
  });
}

/** @param {string} flags @param {string} value @param {string[]} values @returns {string} the value @throws {UserError} if unknown */
function choose(flags, value, values) {
  if (values.includes(value)) return value;
  throw new UserError(`${flags.split(' ')[0]}: "${value}" is not known; ${suggest(value, values, 'use')} one of ${values.join(', ')}`);
}

/** @param {{long?: string}} option as `--name` @returns {string} its variable of make */
export const variableOf = ({ long = '' }) => long.slice(2).replaceAll('-', '_').toUpperCase();

/** @param {string} name @returns {(value: string) => unknown} */
const count = (name) => (value) => parseCount(name, value);

/** @param {string} value @throws {UserError} */
function checkLoad(value) {
  if (!/^(0?[.]\d+|1([.]0+)?)$/.test(value) || Number(value) < 0.1) throw new UserError(`LOAD: "${value}" is not a share from 0.1 to 1; give one, such as LOAD=0.7`);
}

const PROFILES = ['quick', 'default', 'paper'];

export const OPTIONS = {
  profile: option('--profile <name>', "quick: seconds a trial; default: minutes an experiment; paper: the source's own durations", PROFILES),
  generator: option('--generator <name>', "forked: the engines' own clients alone; swarm: each point from swarm as well"),
  engines: option('--engines <names>', "these engines alone, such as 'ws gorilla' or ws,gorilla", parseNames),
  points: option('--points <pattern>', "points with such names alone, as --plan lists them: 'ws-sweep', '*-sweep'"),
  blocks: option('--blocks <n>', 'blocks of trials: each has one trial of every point', count('BLOCKS')),
  bytes: option('--bytes <n>', 'size of the messages', (value) => parseCount('BYTES', value, 7)),
  seed: option('--seed <n>', "seed of the order of trials and of the load", parseSeed),
  resume: option('--resume', 'continue after the trials that are done'),
  plan: option('--plan', 'print what would happen and how long it takes, and stop'),
  hosts: option('--hosts <file>', 'hosts to run on, instead of this machine (docs/hosts.md)'),
  watch: option('--watch <port>', 'port of 127.0.0.1 where a browser can watch the run (docs/watch.md)', parseWatch),
  metrics: option('--metrics <port>', 'port of 127.0.0.1 where Prometheus can scrape the agent (docs/watch.md)', parseMetrics),
  patience: option('--patience <minutes>', 'minutes for repeating trials that the machine disturbed', parsePatience),
  same: option('--same', 'fail if the two differ by more than chance allows'),
  rate: option('--rate <n>', 'messages a second, over all connections', parseRate),
  onlyBytes: option('--bytes <n>', 'points of this size of messages alone', (value) => parseCount('BYTES', value, 7)),
  onlyConnections: option('--connections <n>', 'points with so many connections alone', (value) => parseCount('CONNECTIONS', value, 7)),
  connections: option('--connections <n>', 'open connections, by default those of most measurements', (value) => parseCount('CONNECTIONS', value, 7)),
  language: option('--language <name>', 'engines of this language alone, such as Go'),
  workload: option('--workload <name>', 'points of this workload alone, such as sweep'),
  load: option('--load <share>', 'the share of its core that a process may use, 0.7 by default', checkLoad),
  members: option('--members <n>', 'members of a room: so many connections get each message, by default its sender alone', (value) => parseCount('MEMBERS', value, 7)),
  from: option('--from <folder>', 'the run to read, else the records'),
  with: option('--with <folder>', 'another run, beside the first'),
  format: option('--format <name>', "csv (every trial), json (means and verdicts) or bencher (Bencher's metric format)", ['csv', 'json', 'bencher']),
  trials: option('--trials <n>', 'trials, 132 by default; fewer to see that it works', count('TRIALS')),
  trust: option('--trust <name>', 'full (an hour) or quick (10 minutes, to see that it works)', ['full', 'quick']),
  part: option('--part <name>', 'measure one part alone: an engine and its slower copy, or answers of the surface', ['ranked', 'surface']),
  tested: option('--tested', 'only the engines that the tests check'),
  captures: option('--captures', 'also what captures packets'),
  all: option('--all', 'all of them'),
  json: option('--json', 'print JSON, for a program to read'),
  peers: option('--peers', 'also measure k6, which is installed for it'),
  repeats: option('--repeats <n>', 'repeats, 7 by default', count('REPEATS')),
  quick: option('--quick', 'once and briefly, to see that it works'),
  add: option('--add', 'as a further run of the record, taken at another hour'),
  baseline: option('--baseline <path>', 'another build of swarm, by turns with this one: did a change cost anything?'),
  loads: option('--loads <ids>', 'these alone, such as k1-c5000,open-constant; an unknown one lists all'),
  keep: option('--keep', 'leave in place what was made'),
  region: option('--region <name>', 'of EC2, where your profile has no other', parseRegion),
  zone: option('--zone <name>', 'zone of the region to take hosts in, else the first that has their types'),
  server: option('--server <type>', 'type of the instance of the server, such as c7i.4xlarge'),
  client: option('--client <type>', 'type of the instances of clients'),
  clients: option('--clients <n>', 'how many hosts make the load'),
  hours: option('--hours <n>', 'how long the hosts live at most'),
  preset: option('--preset <name>', "the machines of a source, or today's nearest (docs/ec2.md)"),
  price: option('--price <type=usd>', '$ an hour, where infra/ec2/prices.tsv has none'),
  image: option('--image <ami>', 'another image'),
  login: option('--login <user>', 'user of that image'),
  suite: option('--suite <path>', 'where that image has the suite'),
  release: option('--suite <name>', 'bookworm or trixie of Debian; jammy, noble or resolute of Ubuntu', ['bookworm', 'trixie', 'jammy', 'noble', 'resolute']),
  caller: option('--caller <address>', 'from where the hosts may be reached, else your public address'),
  cluster: option('--cluster <name>', 'which hosts on EC2'),
  spot: option('--spot', 'take spare instances'),
  yes: option('--yes', 'do not ask before money is spent'),
};

/**
 * The arguments of a command called by make. Values come as environment variables, so that no shell interprets them.
 * @param {{operands: string[], options: Option[]}} command @param {NodeJS.ProcessEnv} env
 */
export function readVariables({ operands, options }, env) {
  const valueOf = (/** @type {string} */ name) => env[`WSCALE_VALUE_${name}`] ?? env[name];
  const given = options.flatMap((each) => {
    const value = valueOf(variableOf(each));
    if (value === undefined || value === '') return [];
    if (each.isBoolean()) return OFF.includes(value) ? [] : [`${each.long}`];
    return [`${each.long}=${value}`];
  });
  const named = operands.flatMap((name) => valueOf(name) || []);
  return [...given, ...(named.length ? ['--', ...named] : [])];
}

const BY_VARIABLE = new Map(Object.values(OPTIONS).map((each) => [variableOf(each), each]));

/**
 * Errors name an option by its variable of make. For users of ./wscale they are rewritten.
 * @param {string} problem such as `RATE: "x" is no number; give one, such as RATE=5000` @param {boolean} isOfMake
 */
export function nameOptions(problem, isOfMake) {
  if (isOfMake) return problem.replace(/^(--[a-z]+)(?=: )/, (long) => variableOf({ long }));
  const told = problem.replace(/^([A-Z_]+)(?=: )/, (name) => BY_VARIABLE.get(name)?.long ?? name);
  if (/\bmake [a-z]/.test(told)) return told; // a whole command
  return told.replaceAll(/\b([A-Z]+)=(\S+)/g, (text, name, value) => {
    const known = BY_VARIABLE.get(name);
    return known ? `${known.long}${known.isBoolean() ? '' : ` ${value}`}` : text;
  });
}
