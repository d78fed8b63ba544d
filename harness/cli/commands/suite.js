/** Commands that check the suite itself. */
import { UserError } from '../../common/failure.js';
import { parseCount, parseSeed } from '../../common/options.js';
import { OPTIONS as O } from '../options.js';
import { MEASURES, command } from './command.js';

export default [
  command('Checks', {
    name: 'check-trust', summary: 'plant faults of known size: does the suite report them? Writes docs/validation.md',
    options: [O.trust, O.part, O.seed], needs: [...MEASURES, 'oracle', 'records', 'rust'], examples: ['check-trust --trust quick', 'check-trust --part ranked'],
    run: async ({ trust, part, seed }) => (await import('../../check/trust/trust.js')).checkTrust({ profile: trust, part, seed: parseSeed(seed) }),
  }),
  command('Checks', {
    name: 'check-power', summary: 'plant slowdowns: how often are they found? 12 minutes; writes docs/validation.md',
    options: [O.trials, O.seed], needs: [...MEASURES, 'records', 'rust'], examples: ['check-power', 'check-power --trials 24'],
    run: async ({ trials, seed }) => (await import('../../check/check-power.js')).checkPower({ trials: parseCount('TRIALS', trials), seed: parseSeed(seed) }),
  }),
  command('Checks', {
    name: 'check-intervals', summary: 'simulate how often an interval holds the truth; writes docs/validation.md', needs: ['records'],
    examples: ['check-intervals', 'check-intervals && git diff docs/validation.md'],
    run: async () => (await import('../../check/check-intervals.js')).checkIntervals(),
  }),
  command('Checks', {
    name: 'check-truth', summary: 'check what swarm reports of servers that misbehave in known ways', needs: ['run', 'rust'],
    examples: ['check-truth', 'swarm --help'], run: async () => (await import('../suite.js')).checkTruth(),
  }),
  command('Checks', {
    name: 'bench-swarm', summary: 'measure how near swarm comes to what this machine can do; half an hour', options: [O.peers, O.repeats, O.seed, O.quick, O.loads, O.baseline],
    needs: ['run', 'rust'], examples: ['bench-swarm', 'bench-swarm --quick', 'bench-swarm --loads k1-c5000 --repeats 21'],
    run: async (given) => (await import('../suite.js')).benchSwarm(given),
  }),
  command('Checks', {
    name: 'bench-watch', summary: 'measure what watching a run costs; seven minutes (docs/watch.md)', options: [O.quick],
    examples: ['bench-watch', 'bench-watch --quick'],
    run: async ({ quick }) => (await import('../../check/watch-cost/bench.js')).benchWatch({ quick }),
  }),
  command('Checks', {
    name: 'check-newcomer', summary: "build a bare Debian or Ubuntu in a folder, and run README's two commands in it, as root, some half an hour",
    options: [O.release, O.keep], examples: ['check-newcomer --suite trixie', 'check-newcomer --suite bookworm --keep'],
    check: ({ suite }) => {
      if (!suite) throw new UserError('SUITE: is not set; say which system, such as SUITE=trixie');
    },
    run: async ({ suite = '', keep }) => (await import('../../common/children.js')).start(['infra/newcomer/check.sh', suite, ...(keep ? ['--keep'] : [])]),
  }),
  command('The suite itself', {
    name: 'test', summary: 'run the linters and tests that a change needs, or TESTS alone', operands: ['[TESTS...]'],
    needs: async (_given, globs) => (await import('../tests.js')).needsOfTests(globs), examples: ['test', "test 'test/unit/*.test.js'"],
    run: async (_given, globs) => (await import('../tests.js')).runTests(globs),
  }),
  command('The suite itself', {
    name: 'test-more', summary: 'run the tests that take longer: every engine, every experiment, hosts', examples: ['test-more', 'test test/more/kills.test.js'],
    needs: async () => (await import('../tests.js')).needsOfMore(),
    run: async () => (await import('../tests.js')).runMore(),
  }),
  command('The suite itself', {
    name: 'lint', summary: 'run eslint, tsc, shellcheck, cargo fmt and clippy, gofmt and go vet', needs: ['linters', 'shellcheck', 'rust-lint', 'rust', 'go'],
    examples: ['lint', 'lint && ./wscale test'], run: async () => (await import('../../common/children.js')).start(['test/lint.sh']),
  }),
  command('The suite itself', {
    name: 'golden', summary: 'write the golden files anew; review them as a diff', needs: ['figures', 'awks', 'records'],
    examples: ['golden', 'golden && git diff test/golden'], run: async () => (await import('../tests.js')).updateGolden(),
  }),
  command('The suite itself', {
    name: 'clean', summary: 'remove what was installed in this folder; results stay', examples: ['clean', 'clean && ./wscale run 3 --profile quick'],
    run: async () => (await import('../../common/children.js')).start(['harness/cli/clean.sh']), // ./wscale runs it before there is a Node
  }),
];
