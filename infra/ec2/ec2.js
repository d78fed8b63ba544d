/** The command line of the targets ec2-*; `make` calls it. docs/ec2.md is its manual. */
import '../../harness/common/surroundings.js';
import { parseArgs } from 'node:util';
import { Interrupted, UserError } from '../../harness/common/failure.js';
import { finish } from '../../harness/common/output.js';
import { Amazon } from './amazon.js';
import { bringDown, chooseClusters } from './down.js';
import { listAll } from './list.js';
import { checkHours, coresOf, estimateHours, runThere } from './run.js';
import { Signals } from './signals.js';
import { askForYes, bringUp, chooseMachines, showCost, tellCluster } from './up.js';
import { readRequest } from './request.js';

const USAGE = `usage: ec2.js COMMAND [options]

  up                    hosts on EC2: what they cost, a yes, a stack, hosts.toml
  run EXPERIMENT        up, the experiment, down        [--profile quick|default|paper] [--generator NAME] [--seed N]
                        [--engines "NAME NAME"] [--blocks N] [--bytes N] [--patience MINUTES]
  list                  everything of the suite in an account and region
  down                  remove it                       [--cluster NAME | --all]

  --region NAME         else of AWS_REGION, or of your profile
of up and run:
  --server TYPE --client TYPE --clients N --hours N --preset NAME --spot --plan --yes --keep
  --price TYPE=USD,... --zone NAME --image AMI|PARAMETER --login USER --suite PATH --caller ADDRESS --cluster NAME

Exit codes: 0 done, 1 a trial failed or something is left, 2 bad input or Amazon's refusal, 130 interrupted.`;

const TEXT = /** @type {const} */ ({ type: 'string' });
const FLAG = /** @type {const} */ ({ type: 'boolean' });
const OPTIONS = {
  ...Object.fromEntries(['region', 'server', 'client', 'clients', 'hours', 'preset', 'price', 'zone', 'image', 'login', 'suite', 'caller', 'cluster'].map((name) => [name, TEXT])),
  ...Object.fromEntries(['spot', 'plan', 'yes', 'keep'].map((name) => [name, FLAG])),
};

/** What is passed on to `make experiment-N`, besides `hosts`. */
const OF_THE_RUN = ['profile', 'generator', 'seed', 'engines', 'blocks', 'bytes', 'patience'];

/** @typedef {(operands: string[], given: any) => Promise<number | void>} CarryOut */
/** @type {Record<string, {options: Record<string, typeof TEXT | typeof FLAG>, operands: number, carryOut: CarryOut}>} */
const COMMANDS = {
  up: { options: OPTIONS, operands: 0, carryOut: async (_none, given) => up(given) },
  run: {
    options: { ...OPTIONS, ...Object.fromEntries(OF_THE_RUN.map((name) => [name, TEXT])) }, operands: 1,
    carryOut: async ([experiment], given) => run(experiment, given),
  },
  list: { options: { region: TEXT }, operands: 0, carryOut: async (_none, { region }) => listAll(await Amazon.connect(region)) },
  down: {
    options: { region: TEXT, cluster: TEXT, all: FLAG }, operands: 0, carryOut: async (_none, { region, cluster, all = false }) => {
      const amazon = await Amazon.connect(region);
      return bringDown(amazon, await chooseClusters(amazon, { cluster, all }));
    },
  },
};

/** @param {any} given @returns {Promise<number | void>} */
async function up(given) {
  const request = readRequest(given);
  const order = await place(request, given);
  if (!order) return;
  tellCluster(await bringUp(order.amazon, request, order.machines, { signal: new Signals().signal, keep: given.keep }));
}

/** @param {string} experiment @param {Record<string, any>} all @returns {Promise<number | void>} */
async function run(experiment, all) {
  const isOfTheRun = (/** @type {[string, unknown]} */ [name]) => OF_THE_RUN.includes(name);
  const passed = Object.fromEntries(Object.entries(all).filter(isOfTheRun));
  const given = Object.fromEntries(Object.entries(all).filter((entry) => !isOfTheRun(entry)));
  const { machines } = readRequest({ ...given, hours: given.hours ?? '1' });
  const task = { experiment, passed, cores: Math.max(...machines.map(({ server }) => coresOf(server))) };
  const request = readRequest({ ...given, hours: given.hours ?? String(estimateHours(task)) });
  checkHours(task, request.hours);
  const order = await place(request, given);
  if (order) return runThere(order.amazon, request, order.machines, task, given.keep === true, new Signals());
}

/** What it costs, and a yes. @param {import('./request.js').Request} request @param {any} given @returns what to bring up, unless PLAN=1 */
async function place(request, { region, plan, yes = false }) {
  const amazon = await Amazon.connect(region);
  if (plan) return void showCost(amazon.region, request.machines[0], request);
  const machines = await chooseMachines(amazon, request);
  showCost(amazon.region, machines, request);
  await askForYes(yes);
  return { amazon, machines };
}

/** @param {string[]} argv @returns {Promise<number>} */
async function main([name, ...rest]) {
  if (!name || name === '--help' || rest.includes('--help')) {
    console.log(USAGE);
    return name ? 0 : 2;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UserError(`command: "${name}" is not known; use one of ${Object.keys(COMMANDS).join(', ')}`);
  const { values, positionals } = parse(name, rest);
  if (positionals.length !== command.operands) throw new UserError(`${name}: ${positionals.length} operands given, ${command.operands} wanted; see --help`);
  return (await command.carryOut(positionals, values)) ?? 0;
}

/** @param {string} name @param {string[]} args @throws {UserError} */
function parse(name, args) {
  try {
    return parseArgs({ args, options: COMMANDS[name].options, allowPositionals: true });
  } catch (error) {
    throw new UserError(`${name}: ${/** @type {Error} */ (error).message.split('. ')[0]}; see --help`);
  }
}

/** @param {any} error @returns {number} exit code */
function explain(error) {
  if (process.env.WSCALE_TRACE) console.error(error.stack);
  const cause = error.name === 'AbortError' ? error.cause ?? error : error;
  if (cause instanceof Interrupted) {
    console.error(cause.message);
    return 130;
  }
  if (error instanceof UserError) {
    for (const problem of error.problems) console.error(`error: ${problem}`);
    return 2;
  }
  console.error(`error: ec2: ${error.message}; set WSCALE_TRACE=1 to see where, and look what there is: make ec2-list`);
  return 70;
}

// A terminal that is closed takes no more words, and hosts are taken down all the same
await finish(main(process.argv.slice(2)), explain);
