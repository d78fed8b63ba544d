/** Commands that run experiments, and say what there is. */
import { UserError } from '../../common/failure.js';
import { parseCount, parseNames, parsePatience, parseSeed } from '../../common/options.js';
import { OPTIONS as O } from '../options.js';
import { MEASURES, checkHosts, command, needsOfHosts } from './command.js';

/**
 * @param {string} experiment @param {any} given
 * @returns {Promise<string[]>} of the machine; of an unsound manifest the run tells
 */
async function needsOfExperiment(experiment, { profile = 'default', generator, engines, plan, hosts }) {
  if (plan) return [];
  if (hosts) return [...MEASURES, ...await needsOfHosts(hosts)];
  const [{ findExperiment, makeSpec }, { coresHere }, { listNeeds }] =
    await Promise.all([import('../../spec/spec.js'), import('../../common/cores.js'), import('../../run/install.js')]);
  try {
    const spec = makeSpec(findExperiment(experiment), profile, 0, generator, { cores: coresHere(), engines: parseNames(engines) });
    return [...MEASURES, ...listNeeds(spec)];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

const EXPERIMENTS = [
  command('Experiments', {
    name: 'run', summary: 'run an experiment and judge its claims', operands: ['EXPERIMENT'],
    options: [O.profile, O.generator, O.engines, O.blocks, O.bytes, O.seed, O.resume, O.plan, O.hosts, O.watch, O.metrics, O.patience],
    examples: ['run 3 --profile quick', "run 16 --engines 'ws gorilla' --blocks 5"],
    check: ({ hosts }) => checkHosts(hosts),
    needs: (given, [experiment]) => needsOfExperiment(experiment, given),
    run: async ({ profile = 'default', resume = false, plan = false, generator, hosts, ...given }, [experiment]) => {
      const [{ runExperiment }, { parseMetrics, parseWatch }] = await Promise.all([import('../../run/run.js'), import('../../watch/address.js')]);
      const choice = { engines: parseNames(given.engines), blocks: parseCount('BLOCKS', given.blocks), bytes: parseCount('BYTES', given.bytes, 7) };
      return runExperiment(experiment, {
        profile, generator, choice, resume, plan, seed: parseSeed(given.seed), hosts, watch: parseWatch(given.watch),
        metrics: parseMetrics(given.metrics), patience_s: parsePatience(given.patience),
      });
    },
  }),
  command('Experiments', {
    name: 'reproduce', summary: 'run every experiment into one bundle, then show the verdicts of all claims',
    options: [O.profile, O.seed, O.resume, O.hosts, O.watch, O.patience], examples: ['reproduce --profile quick', 'reproduce --resume'],
    check: ({ hosts }) => checkHosts(hosts),
    needs: async ({ hosts }) => [...MEASURES, 'records', ...(hosts ? await needsOfHosts(hosts) : ['capture', 'parts'])],
    run: async ({ profile = 'default', resume = false, seed, hosts, watch, patience }) => {
      const { parseWatch } = await import('../../watch/address.js');
      return (await import('../../run/reproduce.js')).reproduceAll({
        profile, resume, seed: parseSeed(seed), hosts, watch: parseWatch(watch), patience_s: parsePatience(patience),
      });
    },
  }),
  command('Experiments', {
    name: 'watch', summary: 'show the run that goes on in another terminal, live, until it ends', examples: ['watch', 'run 3 --watch 9464'],
    run: async () => (await import('../../watch/terminal.js')).watchRun(),
  }),
  command('Experiments', {
    name: 'list', summary: 'list the experiments', options: [O.json], examples: ['list', 'list --json'],
    run: async ({ json }) => (await import('../../../report/record.js')).printExperiments(json),
  }),
  command('Experiments', {
    name: 'settings', summary: 'what a point of an experiment may set, and to what', examples: ['settings', 'settings | grep rate'],
    run: async () => {
      const { describeManual, describeOwnManual } = await import('../../../report/setting-labels.js');
      console.log([describeManual(), describeOwnManual()].filter(Boolean).join('\n\n'));
    },
  }),
  command('Experiments', {
    name: 'validate', summary: 'check the manifest of an experiment; it starts nothing', operands: ['EXPERIMENT'], options: [O.profile],
    examples: ['validate 3', 'validate 16 --profile paper'],
    run: async ({ profile = 'default' }, [experiment]) => {
      const { findExperiment, makeSpec } = await import('../../spec/spec.js');
      makeSpec(findExperiment(experiment), profile, 0);
      console.log(`${experiment}: the manifest is sound`);
    },
  }),
];

export default [...EXPERIMENTS];
