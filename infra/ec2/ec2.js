/** The commands of `./wscale ec2`; docs/ec2.md is the manual. */
import { Interrupted, UserError } from '../../harness/common/failure.js';
import { Amazon } from './amazon.js';
import { bringDown, chooseClusters } from './down.js';
import { listAll } from './list.js';
import { checkHours, coresOf, estimateHours, runThere } from './run.js';
import { Signals } from './signals.js';
import { askForYes, bringUp, chooseMachines, choosePriced, showCost, tellCluster } from './up.js';
import { readRequest } from './request.js';

/** Options passed on to `run`, besides `hosts`. */
const OF_THE_RUN = ['profile', 'generator', 'seed', 'engines', 'points', 'blocks', 'bytes', 'patience'];

/** @type {Record<string, (operands: string[], given: any) => Promise<number | void>>} */
const COMMANDS = {
  up: async (_none, given) => up(given),
  run: async ([experiment], given) => run(experiment, given),
  list: async (_none, { region }) => listAll(await Amazon.connect(region)),
  down: async (_none, { region, cluster, all = false }) => {
    const amazon = await Amazon.connect(region);
    return bringDown(amazon, await chooseClusters(amazon, { cluster, all }));
  },
};

/**
 * @param {string} command up, run, list or down @param {string[]} operands @param {any} given options, as in harness/cli/commands/
 * @returns {Promise<number>} exit code: 0, 1 if a trial failed or something is left, 2 bad input or refused by Amazon, 130 interrupted
 */
export async function carryOut(command, operands, given) {
  try {
    return (await COMMANDS[command](operands, given)) ?? 0;
  } catch (error) {
    return explain(error);
  }
}

/** @param {any} given @returns {Promise<number | void>} */
async function up(given) {
  const request = readRequest(given);
  const order = await place(request, given);
  if (!order) return;
  tellCluster(await bringUp(order.amazon, request, order.machines, { signal: new Signals().signal, keep: given.keep }));
}

/**
 * @param {string} experiment @param {Record<string, any>} all
 * @returns {{task: import('./run.js').Task, request: import('./request.js').Request, given: any}} @throws {UserError}
 */
export function readRun(experiment, all) {
  const isOfTheRun = (/** @type {[string, unknown]} */ [name]) => OF_THE_RUN.includes(name);
  const passed = Object.fromEntries(Object.entries(all).filter(isOfTheRun));
  const given = Object.fromEntries(Object.entries(all).filter((entry) => !isOfTheRun(entry)));
  const { machines } = readRequest({ ...given, hours: given.hours ?? '1' });
  const task = { experiment, passed, cores: Math.max(...machines.map(({ server }) => coresOf(server))) };
  const request = readRequest({ ...given, hours: given.hours ?? String(estimateHours(task)) });
  checkHours(task, request.hours);
  return { task, request, given };
}

/** @param {string} experiment @param {Record<string, any>} all @returns {Promise<number | void>} */
async function run(experiment, all) {
  const { task, request, given } = readRun(experiment, all);
  const order = await place(request, given);
  if (order) return runThere(order.amazon, request, order.machines, task, given.keep === true, new Signals());
}

/** Shows the cost, asks for a yes. @param {import('./request.js').Request} request @param {any} given @returns what to bring up */
async function place(request, { region, plan, yes = false }) {
  const amazon = await Amazon.connect(region);
  if (plan) return void showCost(amazon.region, choosePriced(amazon.region, request), request);
  const machines = await chooseMachines(amazon, request);
  showCost(amazon.region, machines, request);
  await askForYes(yes);
  return { amazon, machines };
}

/** @param {any} error @returns {number} exit code @throws {UserError} */
function explain(error) {
  const cause = error.name === 'AbortError' ? error.cause ?? error : error;
  if (cause instanceof Interrupted) {
    console.error(cause.message);
    return 130;
  }
  if (error instanceof UserError) throw error; // its message is complete
  if (process.env.WSCALE_TRACE) console.error(error.stack);
  console.error(`error: ec2: ${error.message}; set WSCALE_TRACE=1 to see where, and look what there is: ./wscale ec2 list`);
  return 70;
}
