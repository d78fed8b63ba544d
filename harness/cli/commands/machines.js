/** Commands on engines, and on the machines that run them. */
import { UserError } from '../../common/failure.js';
import { parseCount } from '../../common/options.js';
import { OPTIONS as O } from '../options.js';
import { MEASURES, checkHosts, command, needsOfHosts, splitWords } from './command.js';

const ENGINES = [
  command('Engines', {
    name: 'engines', summary: 'list the engines', options: [O.json], needs: ['records'], examples: ['engines', 'engines --json'],
    run: async ({ json }) => console.log((await import('../../../report/engines-list.js')).describeEngines(json)),
  }),
  command('Engines', {
    name: 'server check', summary: 'check engines against servers/CONTRACT.md', operands: ['[ENGINE]'], options: [O.all],
    check: async ({ all = false }, [engine]) => {
      if (all === (engine !== undefined)) throw new UserError('server check: give one ENGINE, or --all, for example: ./wscale server check ws');
      if (!all) (await import('../../spec/engines.js')).readEngine(engine);
    },
    needs: ({ all }, [engine]) => ['run', ...(all ? ['parts'] : engine ? [`servers/${engine}`] : [])],
    examples: ['server check ws', 'server check --all'],
    run: async ({ all = false }, [engine]) => {
      const names = all ? (await import('../../spec/engines.js')).listEngines() : [engine];
      return (await import('../../check/conformance.js')).checkServers(names);
    },
  }),
  command('Engines', {
    name: 'install', summary: 'install engines and clients now, not when one is first needed',
    operands: ['[PARTS...]'], options: [O.tested, O.captures], examples: ['install', 'install servers/ws clients/swarm'],
    check: async ({ tested }, parts) => {
      if (tested && parts.length) throw new UserError('TESTED: PARTS says already what to install; give one of the two');
      (await import('../../run/install.js')).checkParts(splitWords(parts));
    },
    needs: ({ tested, captures }, parts) => {
      const folders = splitWords(parts);
      return ['run', 'yardstick', ...(captures ? ['capture'] : []), ...(folders.length ? folders.filter((each) => each.includes('/')) : [tested ? 'tested' : 'parts'])];
    },
    run: async ({ tested = false }, parts) => (await import('../../run/install.js')).installAll({ tested, folders: splitWords(parts) }),
  }),
  command('Engines', {
    name: 'swarm', summary: 'build the load generator swarm, and load a server with it', passes: true,
    needs: ['rust'], examples: ['swarm --help', 'swarm ws://127.0.0.1:8080 -c 100 -r 1000'],
    run: async (_given, _operands, rest) => (await import('../suite.js')).swarm(rest),
  }),
];

const HOSTS = [
  O.region, O.server, O.client, O.clients, O.hours, O.preset, O.price, O.zone, O.image, O.login, O.suite, O.caller, O.cluster, O.spot,
  O.plan, O.yes, O.keep,
];
const OF_AMAZON = ['ec2', 'ansible', 'hosts', 'python'];

/** @param {any} given @throws {UserError} */
const checkRequest = async (given) => void (await import('../../../infra/ec2/request.js')).readRequest(given);

/** @param {string} name @param {string[]} operands @param {any} given @returns {Promise<number | void>} */
const ec2 = async (name, operands, given) => (await import('../../../infra/ec2/ec2.js')).carryOut(name, operands, given);

/** @param {string} text @returns {any} @throws {UserError} */
function parseAsked(text) {
  try {
    const asked = JSON.parse(text);
    const isList = (/** @type {unknown} */ value) => Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (asked?.constructor === Object) {
      const { engines = [], generators = [], companions = [], libraries = {} } = asked;
      if ([engines, generators, companions, Object.values(libraries)].every(isList)) return asked;
    }
  } catch {
    // not even JSON
  }
  throw new UserError(`versions: "${text}" is not a JSON object; give one, such as '{"engines":["ws"]}'`);
}

const MACHINES = [
  command('Hosts', {
    name: 'doctor', summary: 'say what would spoil a run here, or on hosts (where it installs the suite), and how to change it',
    options: [O.hosts, O.json], check: ({ hosts }) => checkHosts(hosts), needs: ({ hosts }) => (hosts ? needsOfHosts(hosts) : []),
    examples: ['doctor', 'doctor --hosts hosts.toml', 'doctor --json'],
    run: async ({ hosts, json }) => (hosts ? (await import('../../check/doctor-hosts.js')).doctorHosts(hosts, { json }) : (await import('../../check/doctor.js')).doctor({ json })),
  }),
  command('Hosts', {
    name: 'ec2 up', summary: 'make hosts on EC2 that end themselves; says what they cost, and asks', options: HOSTS, check: checkRequest,
    needs: ({ plan }) => (plan ? ['ec2'] : OF_AMAZON),
    examples: ['ec2 up --server c7i.4xlarge --clients 4 --hours 2', 'ec2 up --preset thesis --plan'],
    run: (given) => ec2('up', [], given),
  }),
  command('Hosts', {
    name: 'ec2 run', summary: 'make hosts, run an experiment on them, take them down', operands: ['<EXPERIMENT>'],
    options: [O.profile, O.generator, O.engines, O.points, O.blocks, O.bytes, O.seed, O.patience, ...HOSTS],
    check: async (given, [experiment]) => void (await import('../../../infra/ec2/ec2.js')).readRun(experiment, given),
    needs: ({ plan }) => (plan ? ['ec2'] : [...OF_AMAZON, ...MEASURES]),
    examples: ['ec2 run 5 --profile paper --server c7i.4xlarge', 'ec2 run 3 --preset thesis --plan'],
    run: (given, operands) => ec2('run', operands, given),
  }),
  command('Hosts', {
    name: 'ec2 list', summary: 'list what the suite has in your account', options: [O.region], needs: ['ec2'],
    examples: ['ec2 list', 'ec2 list --region eu-central-1'], run: (given) => ec2('list', [], given),
  }),
  command('Hosts', {
    name: 'ec2 down', summary: 'remove hosts on EC2, and say what is left', options: [O.region, O.cluster, O.all], needs: ['ec2'],
    check: ({ cluster, all }) => {
      if (cluster && all) throw new UserError('ec2 down: --cluster names one, and --all means each; give one of the two');
    },
    examples: ['ec2 down --cluster try', 'ec2 down --all'], run: (given) => ec2('down', [], given),
  }),
  command('Hosts', {
    name: 'hosts kubernetes', summary: 'print hosts.toml of the pods that infra/kubernetes makes', options: [O.clients],
    examples: ['hosts kubernetes --clients 4 > hosts.toml', 'run 3 --hosts hosts.toml'],
    run: async ({ clients }) => (await import('../../../infra/kubernetes/hosts.js')).printHosts(parseCount('CLIENTS', clients, 3)),
  }),
  command('Hosts', {
    name: 'versions', summary: 'print what is installed here, for other hosts', operands: ['<JSON>'],
    examples: [`versions '{"engines":["ws"]}'`, `versions '{"generators":["swarm"]}'`],
    run: async (_given, [asked]) => {
      const [{ readVersions }, { hashSuite }] = await Promise.all([import('../../run/environment.js'), import('../../run/tree.js')]);
      console.log(JSON.stringify({ code: hashSuite(), ...readVersions(parseAsked(asked)) }));
    },
  }),
];

export default [...ENGINES, ...MACHINES];
