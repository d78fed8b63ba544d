/** The command line of the suite; `make` calls it. */
import './common/surroundings.js';
import { delimiter } from 'node:path';
import { parseArgs } from 'node:util';
import { Interrupted, UserError, printable, whatNext } from './common/failure.js';
import { finish } from './common/output.js';
import { ROOT } from './common/places.js';
import { parseCount, parseNames, parsePatience, parseRate, parseSeed } from './common/options.js';

const USAGE = `usage: main.js COMMAND [options]

  run EXPERIMENT [--profile quick|default|paper] [--generator NAME] [--engines "NAME NAME"] [--blocks N] [--bytes N]
                 [--resume] [--seed N] [--plan] [--hosts FILE] [--watch PORT] [--patience MINUTES] [--metrics PORT]
  watch                                  show the run that goes on, live, until it ends
  validate EXPERIMENT [--profile P]      check a manifest, start nothing
  reproduce [--profile P] [--resume] [--seed N] [--hosts FILE] [--watch PORT] [--patience MINUTES]
                                         run every experiment into one bundle, then show the verdicts
  compare BUNDLE BUNDLE [--same]         two runs side by side; --same: they are claimed to be the same thing
  duet FOLDER FOLDER [--engines "NAME NAME"] [--blocks N] [--seed N]   two folders of engines, measured in one run
  check-power [--trials N] [--seed N]    how often compare and duet find a slowdown that was planted; writes docs/power.md
  check-trust [--profile full|quick] [--part NAME] [--seed N]   plant faults, measure, and write of what the suite says docs/trust.md and docs/power.md
  rank BUNDLE RATE                       engines sorted by what a message costs at a rate
  figures BUNDLE                         redraw the figures of a bundle
  report SOURCE [--with SOURCE]          one HTML file of it, or of two side by side
  archive SOURCE                         an RO-Crate of it, as one zip
  verify ARCHIVE                         reduce an archive anew: is each number the same?
  export SOURCE [--format csv|json|bencher]   its numbers, for other tools
  check-server ENGINE                    hold a server against servers/CONTRACT.md
  check-servers                          all of them
  install ['FOLDER FOLDER'] [--tested]   install every engine, client library, generator and companion, or these; of the engines those that tests check
  versions JSON                          what is installed here, of the parts that are asked for: for other hosts
  doctor [--hosts FILE]                  is this machine fit to measure on? Are those of hosts.toml?
  rejudge BUNDLE                         judge a bundle, or a result of record, by the claims and intervals of today
  record BUNDLE                          make a bundle the result of record
  thesis-results                         regenerate thesis-results.md
  docs-metrics                           write docs/metrics.md anew from analysis/metrics.js
  check-intervals                        what the intervals are worth on the spreads of the records: docs/intervals.md
  bench-watch [--quick]                  what CPU time watching a run costs: docs/watch.md
  needs EXPERIMENT [--profile P] [--generator NAME] [--engines "NAME NAME"]   what it needs beyond others, for runtimes/needs.sh
  processes --rate N [--load SHARE] [--from BUNDLE]   how many processes of each role a load needs
  settings                               what a point may set, and to what
  list                                   the experiments
  engines                                the engines

EXPERIMENT is a number or a folder's name; SOURCE a bundle, a run of all experiments, a result of record, or "record" for all of those.
Errors go to standard error; WSCALE_TRACE=1 shows where they arose.
Exit codes: 0 done, 1 a trial or a check failed, 2 bad input, 130 interrupted.`;

/** @type {Record<string, import('node:util').ParseArgsOptionsConfig>} */
const OPTIONS = {
  run: {
    profile: { type: 'string' }, generator: { type: 'string' }, engines: { type: 'string' }, blocks: { type: 'string' }, bytes: { type: 'string' },
    resume: { type: 'boolean' }, seed: { type: 'string' }, plan: { type: 'boolean' }, hosts: { type: 'string' },
    watch: { type: 'string' }, metrics: { type: 'string' }, patience: { type: 'string' },
  },
  validate: { profile: { type: 'string' } },
  needs: { profile: { type: 'string' }, generator: { type: 'string' }, engines: { type: 'string' } },
  compare: { same: { type: 'boolean' } },
  duet: { engines: { type: 'string' }, blocks: { type: 'string' }, seed: { type: 'string' } },
  report: { with: { type: 'string' } },
  export: { format: { type: 'string' } },
  'check-power': { trials: { type: 'string' }, seed: { type: 'string' } },
  'check-trust': { profile: { type: 'string' }, part: { type: 'string' }, seed: { type: 'string' } },
  install: { tested: { type: 'boolean' } },
  'bench-watch': { quick: { type: 'boolean' } },
  processes: { rate: { type: 'string' }, load: { type: 'string' }, from: { type: 'string' } },
  reproduce: {
    profile: { type: 'string' }, resume: { type: 'boolean' }, seed: { type: 'string' }, hosts: { type: 'string' }, watch: { type: 'string' },
    patience: { type: 'string' },
  },
  doctor: { hosts: { type: 'string' } },
};

/** @type {Record<string, (operands: string[], values: any) => Promise<number | void>>} */
const COMMANDS = {
  run: async ([experiment], values) => {
    const { runExperiment } = await import('./run/run.js');
    const { parseMetrics, parseWatch } = await import('./watch/address.js');
    const { profile = 'default', generator, resume = false, plan = false, hosts } = values;
    const choice = { engines: parseNames(values.engines), blocks: parseCount('BLOCKS', values.blocks), bytes: parseCount('BYTES', values.bytes, 7) };
    const [watch, metrics] = [parseWatch(values.watch), parseMetrics(values.metrics)];
    const patience_s = parsePatience(values.patience);
    return runExperiment(experiment, {
      profile, generator, choice, resume, plan, seed: parseSeed(values.seed), hosts, watch, metrics, patience_s,
    });
  },
  validate: async ([experiment], { profile = 'default' }) => {
    const { findExperiment, makeSpec } = await import('./spec/spec.js');
    makeSpec(findExperiment(experiment), profile, 0);
    console.log(`${experiment}: the manifest is sound`);
  },
  watch: async () => (await import('./watch/terminal.js')).watchRun(),
  reproduce: async (_none, { profile = 'default', resume = false, seed, hosts, watch, patience }) => {
    const { parseWatch } = await import('./watch/address.js');
    return (await import('./run/reproduce.js')).reproduceAll({
      profile, resume, seed: parseSeed(seed), hosts, watch: parseWatch(watch), patience_s: parsePatience(patience),
    });
  },
  compare: async ([a, b], { same = false }) => (await import('../analysis/compare/compare.js')).compareBundles(a, b, { same }),
  duet: async ([a, b], { engines, blocks, seed }) => (await import('./run/duet/duet.js')).playDuet(a, b, {
    engines: parseNames(engines), blocks: parseCount('BLOCKS', blocks), seed: parseSeed(seed),
  }),
  'check-power': async (_none, { trials, seed }) =>
    (await import('./check/check-power.js')).checkPower({ trials: parseCount('TRIALS', trials), seed: parseSeed(seed) }),
  'check-trust': async (_none, { profile, part, seed }) => (await import('./check/trust/trust.js')).checkTrust({ profile, part, seed: parseSeed(seed) }),
  figures: async ([bundle]) => {
    const { makeFigures } = await import('../report/figures.js');
    console.log((await makeFigures(bundle)).join('\n'));
  },
  rank: async ([bundle, rate]) => console.log((await import('../report/rank.js')).describeRanks(bundle, rate)),
  report: async ([from], values) => (await import('../report/html/report.js')).writeReport(from, values.with),
  archive: async ([from]) => void await (await import('../report/archive/archive.js')).writeArchive(from),
  verify: async ([archive]) => (await import('./check/verify.js')).verifyArchive(archive),
  export: async ([from], { format = 'csv' }) => void (await import('../report/export.js')).writeExport(from, format),
  'check-server': async ([engine]) => (await import('./check/conformance.js')).checkServers([engine]),
  'check-servers': async () => {
    const { listEngines } = await import('./spec/engines.js');
    return (await import('./check/conformance.js')).checkServers(listEngines());
  },
  install: async ([folders = ''], values) => (await import('./run/install.js')).installAll({ ...values, folders: folders.split(' ').filter(Boolean) }),
  versions: async ([asked]) => {
    const [{ readVersions }, { hashSuite }] = await Promise.all([import('./run/environment.js'), import('./run/tree.js')]);
    console.log(JSON.stringify({ code: hashSuite(), ...readVersions(JSON.parse(asked)) }));
  },
  doctor: async (_none, { hosts }) => (hosts ? (await import('./check/doctor-hosts.js')).doctorHosts(hosts) : (await import('./check/doctor.js')).doctor()),
  rejudge: async ([bundle]) => (await import('../report/rejudge.js')).rejudgeBundle(bundle),
  record: async ([bundle]) => (await import('../report/record.js')).recordBundle(bundle),
  'thesis-results': async () => (await import('../report/record.js')).writeThesisResults(),
  'docs-metrics': async () => (await import('../report/metrics-page.js')).writeMetrics(),
  'check-intervals': async () => (await import('./check/check-intervals.js')).checkIntervals(),
  'bench-watch': async (_none, { quick }) => (await import('./check/watch-cost/bench.js')).benchWatch({ quick }),
  needs: async ([experiment], { profile = 'default', generator, engines }) => {
    const [{ findExperiment, makeSpec }, { coresHere }] = await Promise.all([import('./spec/spec.js'), import('./common/cores.js')]);
    const spec = makeSpec(findExperiment(experiment), profile, 0, generator, { cores: coresHere(), engines: parseNames(engines) });
    console.log((await import('./run/install.js')).listNeeds(spec).join(' '));
  },
  processes: async (_none, { rate, load = '0.7', from }) => {
    console.log((await import('../report/count-processes.js')).describeProcesses(from, { rate_hz: parseRate(rate), load: Number(load) }));
  },
  settings: async () => {
    const { describeManual, describeOwnManual } = await import('../report/setting-labels.js');
    console.log([describeManual(), describeOwnManual()].filter(Boolean).join('\n\n'));
  },
  engines: async () => console.log((await import('../report/engines-list.js')).describeEngines()),
  list: async () => (await import('../report/record.js')).printExperiments(),
};

/** Commands that need operands, and what they are. @type {Record<string, string[]>} */
const OPERANDS = {
  run: ['EXPERIMENT'], validate: ['EXPERIMENT'], needs: ['EXPERIMENT'], compare: ['BUNDLE', 'BUNDLE'], duet: ['FOLDER', 'FOLDER'], figures: ['BUNDLE'],
  report: ['SOURCE'], archive: ['SOURCE'], verify: ['ARCHIVE'], export: ['SOURCE'],
  'check-server': ['ENGINE'], record: ['BUNDLE'], rejudge: ['BUNDLE'], versions: ['JSON'], rank: ['BUNDLE', 'RATE'],
  terminal: ['RECORDING', 'COMMAND'],
};

/** Commands that may have one. */
const OPTIONAL = { install: 'FOLDERS' };

/** @param {string[]} argv @returns {Promise<number>} */
async function main(argv) {
  const [command, ...rest] = argv;
  if (!command || command === '--help' || rest.includes('--help')) {
    console.log(USAGE);
    return command ? 0 : 2;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new UserError(`command: "${command}" is not known; use one of ${Object.keys(COMMANDS).join(', ')}`);
  checkPlace();
  const { values, positionals } = parse(command, rest);
  const wanted = OPERANDS[command] ?? [];
  if (positionals.length !== wanted.length && !(command in OPTIONAL && positionals.length === 1)) {
    throw new UserError(`${command}: ${positionals.length} operands given; give ${wanted.length === 1 ? `one ${wanted[0]}` : wanted.join(' and ') || 'none'}`);
  }
  return (await COMMANDS[command](positionals, values)) ?? 0;
}

/** @param {string} command @param {string[]} args @throws {UserError} */
function parse(command, args) {
  const odd = args.find((arg) => printable(arg, Infinity) !== arg);
  if (odd !== undefined) throw new UserError(`${command}: "${odd}" holds control characters; give it without`);
  try {
    return parseArgs({ args, options: OPTIONS[command] ?? {}, allowPositionals: true });
  } catch (error) {
    throw new UserError(`${command}: ${/** @type {Error} */ (error).message.split('. ')[0]}; see --help`);
  }
}

/** PATH can hold no colon: where it does, a program would be looked for elsewhere, and another Node run. @throws {UserError} */
function checkPlace() {
  if (ROOT.includes(delimiter)) throw new UserError(`${ROOT}: a path with "${delimiter}" can't be in PATH; move the suite to one without`);
}

/** What the operating system refuses is no fault of the suite's: the code of the error, and what helps. @type {Record<string, string>} */
const REFUSALS = {
  ENOSPC: 'make room on the disk (TMPDIR is one of its places)', EDQUOT: 'make room on the disk', EROFS: 'make it writable', EACCES: 'make it yours',
  EPERM: 'make it yours', EMFILE: 'raise `ulimit -n`', EISDIR: 'put a file there', ENOTDIR: 'put a folder there', ELOOP: 'remove the link that leads to itself',
  ENAMETOOLONG: 'give a shorter one',
};

/** @param {any} error @returns {number} exit code */
function explain(error) {
  if (process.env.WSCALE_TRACE) console.error(error.stack);
  if (error instanceof UserError) {
    for (const problem of error.problems) console.error(`error: ${problem}`);
    return 2;
  }
  if (error instanceof Interrupted) {
    console.error(`${error.message}: everything that ran was stopped; ${whatNext.next}`);
    return 130;
  }
  if (Object.hasOwn(REFUSALS, error.code ?? '')) {
    console.error(printable(`error: ${error.path ?? 'results'}: ${error.message}; ${REFUSALS[error.code]}, then ${whatNext.next}`));
    return 2;
  }
  console.error(`error: wscale: ${printable(String(error.message))}; set WSCALE_TRACE=1 to see where, and report it`);
  return 70;
}

await finish(main(process.argv.slice(2)), explain);
