/** Commands that run, list and explain experiments. */
import { parseChoice, parsePatience, parseSeed } from '../../common/options.js';
import { parseMetrics, parseWatch } from '../../watch/address.js';
import { OPTIONS as O } from '../options.js';
import { MEASURES, checkHosts, command, needsOfHosts } from './command.js';

/** @param {string} experiment @param {any} given @returns {Promise<import('../../spec/spec.js').Spec>} @throws {UserError} */
async function specOf(experiment, { profile = 'default', generator, ...given }) {
  const [{ findExperiment, makeSpec }, { coresHere }] = await Promise.all([import('../../spec/spec.js'), import('../../common/cores.js')]);
  return makeSpec(findExperiment(experiment), profile, 0, generator, { ...parseChoice(given), cores: coresHere() });
}

/** @param {any} given @param {string[]} operands @throws {UserError} if the run would refuse it */
async function checkRun(given, [experiment]) {
  const spec = await specOf(experiment, given);
  await checkHosts(given.hosts);
  if (given.resume) (await import('../../common/bundle.js')).findNewestBundle(spec.experiment, spec.profile);
}

/** @param {any} given @param {string[]} operands @returns {Promise<string[]>} of the machine */
async function needsOfExperiment(given, [experiment]) {
  if (given.plan) return given.hosts ? needsOfHosts(given.hosts) : [];
  if (given.hosts) return [...MEASURES, ...await needsOfHosts(given.hosts)];
  return [...MEASURES, ...(await import('../../run/install.js')).listNeeds(await specOf(experiment, given))];
}

export default [
  command('Experiments', {
    name: 'run', summary: 'run an experiment and judge its claims', operands: ['<EXPERIMENT>'],
    options: [
      O.profile, O.generator, O.engines, O.points, O.blocks, O.bytes, O.seed, O.resume, O.plan, O.hosts, O.watch, O.metrics, O.patience,
    ],
    examples: ['run 3 --profile quick', "run 16 --engines 'ws gorilla' --points '*-sweep' --blocks 5"],
    check: checkRun, needs: needsOfExperiment,
    run: async ({ profile = 'default', resume = false, plan = false, generator, hosts, ...given }, [experiment]) =>
      (await import('../../run/run.js')).runExperiment(experiment, {
        profile, generator, choice: parseChoice(given), resume, plan, seed: parseSeed(given.seed), hosts, watch: parseWatch(given.watch),
        metrics: parseMetrics(given.metrics), patience_s: parsePatience(given.patience),
      }),
  }),
  command('Experiments', {
    name: 'reproduce', summary: 'run every experiment, and show the verdicts of all claims',
    options: [O.profile, O.seed, O.resume, O.hosts, O.watch, O.patience], examples: ['reproduce --profile quick', 'reproduce --resume'],
    check: async ({ hosts, resume, profile = 'default' }) => {
      await checkHosts(hosts);
      if (resume) (await import('../../common/bundle.js')).findNewestBundle('reproduce', profile);
    },
    needs: async ({ hosts }) => [...MEASURES, 'records', ...(hosts ? await needsOfHosts(hosts) : ['capture', 'parts'])],
    run: async ({ profile = 'default', resume = false, seed, hosts, watch, patience }) =>
      (await import('../../run/reproduce.js')).reproduceAll({
        profile, resume, seed: parseSeed(seed), hosts, watch: parseWatch(watch), patience_s: parsePatience(patience),
      }),
  }),
  command('Experiments', {
    name: 'watch', summary: 'show the run in another terminal, live', examples: ['watch', 'run 3 --watch 9464'],
    run: async () => (await import('../../watch/terminal.js')).watchRun(),
  }),
  command('Experiments', {
    name: 'list', summary: 'list the experiments', options: [O.json], examples: ['list', 'list --json'],
    run: async ({ json }) => (await import('../../../report/record.js')).printExperiments(json),
  }),
  command('Experiments', {
    name: 'settings', summary: 'list what a point of an experiment may set', examples: ['settings', 'settings | grep rate'],
    run: async () => {
      const { describeManual, describeOwnManual } = await import('../../../report/setting-labels.js');
      console.log([describeManual(), describeOwnManual()].filter(Boolean).join('\n\n'));
    },
  }),
  command('Experiments', {
    name: 'validate', summary: 'check the manifest of an experiment; starts nothing', operands: ['<EXPERIMENT>'], options: [O.profile],
    examples: ['validate 3', 'validate 16 --profile paper'],
    run: async ({ profile = 'default' }, [experiment]) => {
      const { findExperiment, makeSpec } = await import('../../spec/spec.js');
      makeSpec(findExperiment(experiment), profile, 0);
      console.log(`${experiment}: the manifest is sound`);
    },
  }),
];
